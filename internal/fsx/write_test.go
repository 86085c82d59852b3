package fsx_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/hookline-dev/hookline/internal/fsx"
)

func Example() {
	dir, err := os.MkdirTemp("", "fsx")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "state.json")
	if err := fsx.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	data, _ := os.ReadFile(path)
	fmt.Print(string(data))
	// Output: {}
}

func TestModeIsKept(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permission bits mean little on Windows")
	}
	path := filepath.Join(t.TempDir(), "f")
	mustWrite(t, path, "one", 0o666)
	if got := mode(t, path); got != 0o666 {
		t.Errorf("a new file has mode %o", got)
	}
	if err := os.Chmod(path, 0o751); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, path, "two", 0o600)
	if got := mode(t, path); got != 0o751 {
		t.Errorf("the replaced file has mode %o", got)
	}
}

func TestSymlinkIsReplacedNotFollowed(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	mustWrite(t, target, "precious", 0o600)
	if err := os.Symlink(target, link); err != nil {
		t.Skipf("no symlinks here: %v", err)
	}
	mustWrite(t, link, "new", 0o600)
	if got := read(t, target); got != "precious" {
		t.Errorf("the target became %q", got)
	}
	if got := read(t, link); got != "new" {
		t.Errorf("the link reads %q", got)
	}
}

func TestFailureLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := fsx.WriteFile(sub, []byte("x"), 0o600); err == nil {
		t.Error("a directory was replaced")
	}
	if err := fsx.WriteFile(filepath.Join(dir, "none", "f"), []byte("x"), 0o600); err == nil {
		t.Error("a file was written into a directory that is not there")
	}
	whole := filepath.Join(sub, "whole")
	mustWrite(t, whole, "old", 0o600)
	broken := errors.New("half way")
	if err := fsx.Replace(whole, 0o600, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return broken
	}); !errors.Is(err, broken) || read(t, whole) != "old" || len(list(t, sub)) != 1 {
		t.Errorf("after half a write: %v, %q, %q", err, read(t, whole), list(t, sub))
	}
	if names := list(t, dir); strings.Join(names, " ") != "sub" {
		t.Errorf("left behind: %q", names)
	}
}

// TestReadersSeeOldOrNew has readers race a writer of contents that betray a mix.
func TestReadersSeeOldOrNew(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a reader's open handle blocks the rename on Windows")
	}
	path := filepath.Join(t.TempDir(), "f")
	content := func(i int) []byte { return bytes.Repeat([]byte{byte('a' + i%26)}, 4096+i) }
	mustWrite(t, path, string(content(0)), 0o600)
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				data, err := os.ReadFile(path)
				if err != nil || len(data) < 4096 || !bytes.Equal(data, bytes.Repeat(data[:1], len(data))) {
					t.Errorf("read %d bytes, mixed or missing: %v", len(data), err)
					return
				}
			}
		})
	}
	for i := range 100 {
		mustWrite(t, path, string(content(i)), 0o600)
	}
	close(done)
	wg.Wait()
	if names := list(t, filepath.Dir(path)); len(names) != 1 {
		t.Errorf("left behind: %q", names)
	}
}

func mustWrite(t *testing.T, path, data string, perm os.FileMode) {
	t.Helper()
	if err := fsx.WriteFile(path, []byte(data), perm); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func list(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
