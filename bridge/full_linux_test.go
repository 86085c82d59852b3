package bridge_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestAFullDiskChangesNothing installs where there is room for nothing, for the record of
// what was or for the file itself, and removes where there is none.
func TestAFullDiskChangesNothing(t *testing.T) {
	for _, full := range []string{"state", "home"} {
		t.Run(full, func(t *testing.T) {
			in, h := newInstaller(t)
			small := map[string]string{"state": in.Dirs.State, "home": in.Dirs.Home}[full]
			if err := os.MkdirAll(small, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=64k,mode=0700"); err != nil {
				t.Skipf("a small file system cannot be mounted here: %v", err)
			}
			t.Cleanup(func() {
				if err := syscall.Unmount(small, syscall.MNT_DETACH); err != nil {
					t.Error(err)
				}
			})
			path := filepath.Join(in.Dirs.Home, ".claude", "settings.json")
			const was = "{ // mine\n}\n"
			write(t, path, was)
			filler := filepath.Join(small, "filler")
			if err := os.WriteFile(filler, make([]byte, 1<<20), 0o600); err == nil {
				t.Fatal("the disk is not full")
			}
			if _, err := in.Install(t.Context(), h, "user", nil); err == nil || read(t, path) != was {
				t.Errorf("installed: %v, and the file is %q", err, read(t, path))
			}
			if err := os.Remove(filler); err != nil {
				t.Fatal(err)
			}
			if _, err := in.Install(t.Context(), h, "user", nil); err != nil {
				t.Fatal(err)
			}
			installed := read(t, path)
			if err := os.WriteFile(filler, make([]byte, 1<<20), 0o600); err == nil {
				t.Fatal("the disk is not full")
			}
			if _, err := in.Remove(t.Context(), path); (err == nil) != (read(t, path) == was) || err != nil && read(t, path) != installed {
				t.Errorf("removed: %v, and the file is %q", err, read(t, path))
			}
			if err := os.Remove(filler); err != nil {
				t.Fatal(err)
			}
			if _, err := in.Remove(t.Context(), path); err != nil || read(t, path) != was {
				t.Errorf("left is %q, %v", read(t, path), err)
			}
		})
	}
}
