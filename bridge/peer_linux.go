package bridge

import (
	"errors"
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// samePerson refuses a client of another person.
func samePerson(conn net.Conn) error {
	u, ok := conn.(*net.UnixConn)
	if !ok {
		return fmt.Errorf("a client that is not of this machine")
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return fmt.Errorf("see whose client it is: %w", err)
	}
	var cred *unix.Ucred
	var credErr error
	if err := raw.Control(func(fd uintptr) {
		cred, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil || credErr != nil {
		return fmt.Errorf("see whose client it is: %w", errors.Join(err, credErr))
	}
	if int(cred.Uid) != os.Getuid() {
		return fmt.Errorf("a client of user %d is not answered", cred.Uid)
	}
	return nil
}
