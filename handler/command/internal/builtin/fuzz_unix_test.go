//go:build unix

package builtin_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/handler/command/internal/builtin"
	"github.com/hookline-dev/hookline/handler/process"
)

// files returns the content of all files below a directory.
func files(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "script.sh" {
			return err
		}
		text, err := os.ReadFile(path)
		if d.Name() == "both" {
			text = nil // the words of the shell itself are in there
		}
		b.WriteString(d.Name() + ": " + string(text) + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// compare runs a script by the built-in shell and by the real one that it is for, each
// in a directory of its own. It reports whether it was run in this process.
func compare(t testing.TB, text string) bool {
	t.Helper()
	s, real := spec(t, []byte("line one\nq\n")), spec(t, []byte("line one\nq\n"))
	line := text
	if lang(text) == builtin.Bash { // a file, where set -u means the same
		line = "bash script.sh"
		for _, dir := range []string{s.Dir, real.Dir} {
			if err := os.WriteFile(filepath.Join(dir, "script.sh"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if builtin.Screened(text) != nil {
			return false
		}
	}
	p, err := builtin.Parse(line, lang(text))
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	got, err := p.Run(ctx, s)
	if _, unsupported := errors.AsType[*builtin.UnsupportedError](err); unsupported {
		return false // it has failed, which is not an answer
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	stdin := filepath.Join(t.TempDir(), "stdin") // a file, as it is in this process
	if err := os.WriteFile(stdin, s.Stdin, 0o600); err != nil {
		t.Fatal(err)
	}
	if real.StdinFile, err = os.Open(stdin); err != nil {
		t.Fatal(err)
	}
	defer real.StdinFile.Close()
	real.Stdin = nil
	real.Path, real.Args = "dash", []string{"-c", text}
	if line != text {
		real.Path, real.Args = "bash", []string{"script.sh"}
	}
	want, err := process.Run(ctx, real)
	if err != nil {
		t.Fatal(err)
	}
	gotFiles, wantFiles := files(t, s.Dir), files(t, real.Dir)
	if got.Code != want.Code || string(got.Stdout) != string(want.Stdout) || gotFiles != wantFiles {
		t.Errorf("code %d, want %d\nstdout %q\n  want %q\nfiles %q\n want %q\nstderr %q\n  want %q\n%s",
			got.Code, want.Code, got.Stdout, want.Stdout, gotFiles, wantFiles, got.Stderr, want.Stderr, text)
	}
	return true
}

func needShells(t testing.TB) {
	t.Helper()
	for _, name := range []string{"dash", "bash"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("no %s on this machine", name)
		}
	}
}

// FuzzScripts compares random scripts with dash and bash: exit code, output and files.
func FuzzScripts(f *testing.F) {
	needShells(f)
	for seed := range uint64(40) {
		f.Add(seed, seed%2 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, bash bool) { compare(t, script(seed, bash)) })
}

// TestScripts compares the first random scripts, and proves that enough of them are
// run in this process for the comparison to mean something.
func TestScripts(t *testing.T) {
	needShells(t)
	const all = 300
	ran := 0
	for seed := range uint64(all) {
		if compare(t, script(seed, seed%2 == 0)) {
			ran++
		}
	}
	if ran < all/5 {
		t.Errorf("%d of %d scripts are run in this process", ran, all)
	}
	t.Logf("%d of %d scripts are run in this process", ran, all)
}
