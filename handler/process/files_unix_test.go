//go:build unix

package process_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/handler/process"
)

// TestOwnFiles hands a process the caller's files: it reads on where others stopped,
// and they stay open.
func TestOwnFiles(t *testing.T) {
	dir := t.TempDir()
	in, err := os.Create(filepath.Join(dir, "in"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := in.WriteString("skipped\nread by the process\nleft\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Seek(int64(len("skipped\n")), io.SeekStart); err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	exit, err := process.Run(t.Context(), process.Spec{
		Path: "/bin/sh", Args: []string{"-c", `read -r x; echo "$x"; echo err >&2; exit 4`},
		Stdin: []byte("not this"), StdinFile: in, StdoutFile: out,
	})
	if err != nil || exit.Code != 4 || len(exit.Stdout) != 0 || string(exit.Stderr) != "err\n" {
		t.Fatalf("%v, %q, %q, %v", exit, exit.Stdout, exit.Stderr, err)
	}
	if b, err := os.ReadFile(out.Name()); err != nil || string(b) != "read by the process\n" {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := out.WriteString("more"); err != nil {
		t.Errorf("our file is closed: %v", err)
	}
	if rest, err := io.ReadAll(in); err != nil || string(rest) != "left\n" {
		t.Errorf("left: %q, %v", rest, err)
	}
	if _, err := process.Run(t.Context(), process.Spec{Path: "/nowhere/x", StdinFile: in, StdoutFile: out}); err == nil {
		t.Error("started nothing")
	}
	if _, err := out.WriteString("more"); err != nil {
		t.Errorf("our file is closed by a start that failed: %v", err)
	}
}

func TestThrough(t *testing.T) {
	for _, through := range []bool{false, true} {
		var seen [3]int
		exit, err := process.Run(t.Context(), process.Spec{
			Path: "/bin/sh", Args: []string{"-c", "i=0; while [ $i -lt 300 ]; do echo 0123456789; echo e >&2; i=$((i+1)); done"},
			StdoutLimit: 100, StderrLimit: -1, Through: through,
			OnOutput: func(s process.Stream, b []byte) { seen[s] += len(b) },
		})
		if err != nil || len(exit.Stdout) != 100 || strings.Count(string(exit.Stdout), "\n") != 9 || len(exit.Stderr) != 0 {
			t.Fatalf("%v, %v", exit, err)
		}
		want := [3]int{0, 100, 0}
		if through {
			want = [3]int{0, 3300, 600}
		}
		if seen != want {
			t.Errorf("through %v: seen %v, want %v", through, seen, want)
		}
	}
}
