package stamp

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestCurrent(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "guard.sh")
	for name, change := range map[string]func(){
		"rewritten":                    func() { write(t, path, "B") },
		"removed":                      func() { os.Remove(path) },
		"replaced by the same content": func() { os.Remove(path); write(t, path+"2", "x"); write(t, path, "A") },
		"rewritten at the same time": func() {
			info, _ := os.Stat(path)
			write(t, path, "B")
			os.Chtimes(path, info.ModTime(), info.ModTime())
		},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, path, "A")
			long := time.Now().Add(-time.Hour)
			if err := os.Chtimes(path, long, long); err != nil {
				t.Fatal(err)
			}
			set, err := Take(dir, []string{"guard.sh"})
			if err != nil || !set.Current() {
				t.Fatalf("Take: %v; an unchanged file is not current", err)
			}
			again, err := Take(dir, []string{path})
			if err != nil || !set.Equal(again) {
				t.Fatalf("two looks differ: %v", err)
			}
			change()
			if set.Current() {
				t.Error("the change was not seen")
			}
		})
	}
}

// TestYoungFile proves that a file as it is after a change in the same tick, with
// every number the same, is told by its content.
func TestYoungFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	write(t, path, "A")
	set, err := Take(dir, []string{path})
	if err != nil || set[0].sum == nil {
		t.Fatalf("the content of a young file was not looked at: %v", err)
	}
	write(t, path, "B")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	set[0].seen = identify(info)
	if set.Current() {
		t.Error("only the numbers were compared")
	}
}

func TestTakeRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, "missing"} {
		if _, err := Take(dir, []string{path}); err == nil {
			t.Errorf("%s was taken", path)
		}
	}
	if set, err := Take(dir, nil); err != nil || !set.Current() || set.Equal(Set{{}}) {
		t.Error("no files are always current")
	}
}
