//go:build unix

package process

import (
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestSealOneByOne(t *testing.T) {
	dir := "/proc/self/fd"
	if _, err := os.Stat(dir); err != nil {
		dir = "/dev/fd"
	}
	fd, err := syscall.Open(os.DevNull, syscall.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	if err := sealEach(dir); err != nil {
		t.Fatal(err)
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	if err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("flags %#x, %v", flags, err)
	}
	if err := sealEach("/nonexistent"); err == nil {
		t.Error("a directory that is not there was no error")
	}
}
