// Command bare copies its input to a socket and back: what a client at least does.
package main

import (
	"io"
	"net"
	"os"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}

func run(path string) error {
	payload, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	conn, err := net.Dial("unix", path)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.Write(payload); err != nil {
		return err
	}
	if err := conn.(*net.UnixConn).CloseWrite(); err != nil {
		return err
	}
	_, err = io.Copy(os.Stdout, conn)
	return err
}
