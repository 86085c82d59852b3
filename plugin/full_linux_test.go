package plugin_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hookline-dev/hookline/plugin"
)

// TestDiskFull installs into a file system that is too small: the old version
// stays whole and recorded, and nothing else is left.
func TestDiskFull(t *testing.T) {
	small := t.TempDir()
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=128k"); err != nil {
		t.Skipf("a small file system cannot be mounted: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(small, 0) })
	dir := filepath.Join(t.TempDir(), "acme@tools")
	writeFile(t, filepath.Join(dir, "hooks", "run"), "#!/bin/sh\n")
	s := &plugin.Store{Places: plugin.Places{ProjectDir: small}}
	install(t, s, dir, plugin.InstallOptions{})
	before := files(t, small)
	writeFile(t, filepath.Join(dir, "hooks", "data"), strings.Repeat("x", 256<<10))
	if err := tryInstall(t, s, dir, plugin.InstallOptions{Force: true}); err == nil {
		t.Fatal("256 KiB fit into 128 KiB")
	}
	wantFiles(t, small, before...)
	wantClean(t, s)

	readOnly := func(flags uintptr) error {
		return syscall.Mount("tmpfs", small, "tmpfs", syscall.MS_REMOUNT|flags, "size=128k")
	}
	if err := readOnly(syscall.MS_RDONLY); err != nil {
		t.Skipf("the file system cannot be made read-only: %v", err)
	}
	if err := tryInstall(t, s, dir, plugin.InstallOptions{Force: true}); err == nil {
		t.Error("installed on a read-only file system")
	}
	list, diags, err := s.List(t.Context())
	if err != nil || len(list) != 1 || len(diags) != 0 {
		t.Errorf("%+v, %v, %v", list, diags, err)
	}
	if _, err := os.Stat(filepath.Join(small, ".hookline", "plugins.lock")); err != nil {
		t.Error(err)
	}
	if err := readOnly(0); err != nil {
		t.Error(err)
	}
}
