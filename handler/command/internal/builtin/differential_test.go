//go:build unix

package builtin_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/handler/command/internal/builtin"
	"github.com/hookline-dev/hookline/handler/process"
)

// result is what a run shows to the outside.
type result struct {
	code           int
	stdout, stderr string
}

// corpus returns the scripts of the corpus.
func corpus(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.sh")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d scripts, %v", len(files), err)
	}
	return files
}

func read(t testing.TB, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// input returns a script's standard input: its own, a large one, or an event.
func input(t testing.TB, file string) []byte {
	t.Helper()
	own := strings.TrimSuffix(file, ".sh") + ".in"
	if _, err := os.Stat(own); errors.Is(err, os.ErrNotExist) {
		return []byte(read(t, "testdata/payload.json"))
	}
	text := read(t, own)
	if text == "BIG\n" {
		text = `{"text":"` + strings.Repeat("x", 1<<20) + `"}` + "\n"
	}
	return []byte(text)
}

func lang(text string) builtin.Lang {
	if strings.HasPrefix(text, "#!/bin/bash\n") {
		return builtin.Bash
	}
	return builtin.Sh
}

// spec is what both shells run with.
func spec(t testing.TB, stdin []byte) process.Spec {
	t.Helper()
	return process.Spec{
		Dir: t.TempDir(), Stdin: stdin,
		Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.TempDir(), "GREETING=hello there", "LC_ALL=C"},
	}
}

// realShell runs a script by dash, or bash where the script says so.
func realShell(t testing.TB, text string, stdin []byte) result {
	t.Helper()
	name := "dash"
	if lang(text) == builtin.Bash {
		name = "bash"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("no %s on this machine", name)
	}
	s := spec(t, stdin)
	s.Path, s.Args = path, []string{"-c", text}
	exit, err := process.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return result{exit.Code, string(exit.Stdout), string(exit.Stderr)}
}

func inProcess(t testing.TB, text string, stdin []byte) result {
	t.Helper()
	p, err := builtin.Parse(text, lang(text))
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	exit, err := p.Run(t.Context(), spec(t, stdin))
	if err != nil {
		t.Fatalf("Run: %v", err)
	}
	return result{exit.Code, string(exit.Stdout), string(exit.Stderr)}
}

// TestCorpus runs every script by the real shell and by the built-in one: exit code,
// standard output and standard error are the same.
func TestCorpus(t *testing.T) {
	for _, file := range corpus(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".sh"), func(t *testing.T) {
			t.Parallel()
			text := read(t, file)
			if strings.Contains(text, "jq") {
				if _, err := exec.LookPath("jq"); err != nil {
					t.Skip("no jq on this machine")
				}
			}
			stdin := input(t, file)
			want, got := realShell(t, text, stdin), inProcess(t, text, stdin)
			if got != want {
				t.Errorf("code %d, want %d\nstdout %.2000q\n  want %.2000q\nstderr %.2000q\n  want %.2000q",
					got.code, want.code, got.stdout, want.stdout, got.stderr, want.stderr)
			}
		})
	}
}
