//go:build linux || darwin

package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/dialect"
)

// Whatever a hook is written in, a save of its source is shown, approved, built where it has to
// be, and tried.
func TestDevLanguages(t *testing.T) {
	for name, args := range map[string][]string{
		"bash": {"--lang", "bash"}, "python": {"--lang", "python"}, "go": {"--lang", "go"},
		"claude":        {"--dialect", "claude", "--lang", "bash"},
		"python worker": {"--dialect", "worker", "--lang", "python"}, "go worker": {"--dialect", "worker", "--lang", "go"},
	} {
		t.Run(name, func(t *testing.T) {
			program := map[string]string{"python": "python3", "go": "go"}[args[len(args)-1]]
			if _, err := exec.LookPath(program); program != "" && err != nil {
				t.Skipf("%s is not installed", program)
			}
			r := prepareTerminal(t, chatTurns, "dev", "guard")
			r.cmd.Args = r.cmd.Args[:3] // without a model
			for _, v := range []string{"GOCACHE", "GOMODCACHE"} {
				if out, err := exec.Command("go", "env", v).Output(); err == nil {
					r.cmd.Env = append(r.cmd.Env, v+"="+strings.TrimSpace(string(out)))
				}
			}
			made := exec.Command(r.cmd.Path, append([]string{"new", "guard"}, args...)...)
			made.Dir, made.Env = r.cmd.Dir, r.cmd.Env
			if out, err := made.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			source := hookSource(t, r.cmd.Dir)
			save := func(old, text string) {
				data, err := os.ReadFile(source)
				if err != nil || !strings.Contains(string(data), old) {
					t.Fatalf("%s has no %q: %v", source, old, err)
				}
				if err := os.WriteFile(source, []byte(strings.Replace(string(data), old, text, 1)), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			r.start()
			r.wait("3 passed, 0 failed")
			r.wait("Waiting for changes")
			save("not allowed", "SECOND")
			r.wait("Approve guard as it is now?")
			r.send("y\r")
			r.wait("1 passed, 2 failed")
			r.waitBehind("Waiting for changes", "1 passed, 2 failed")
			save("SECOND", "not allowed, THIRD")
			r.waitBehind("Approve guard as it is now?", "1 passed, 2 failed")
			r.send("y\r")
			r.waitBehind("3 passed, 0 failed", "Approve guard as it is now?")
			r.waitBehind("Waiting for changes", "3 passed, 0 failed")
			r.send("\x03")
			r.ended(130)
		})
	}
}

// hookSource is the file of a new hook that a person edits.
func hookSource(t *testing.T, dir string) (source string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasSuffix(path, testSuffix) || len(dialect.GoSources(path)) > 0 {
			return err
		}
		if data, err := os.ReadFile(path); err == nil && strings.Contains(string(data), "guard: not allowed") {
			source = path
		}
		return err
	})
	if err != nil || source == "" {
		t.Fatalf("the new hook has no source: %v", err)
	}
	return source
}

// waitBehind waits until the screen shows a text below another one.
func (r *terminalRun) waitBehind(text, before string) {
	r.t.Helper()
	behind := func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		s := r.screen.String()
		return strings.LastIndex(s, text) > strings.LastIndex(s, before)
	}
	for end := time.Now().Add(time.Minute); !behind(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("the terminal never shows %q below %q:\n%s", text, before, r.screen.String())
		}
	}
}
