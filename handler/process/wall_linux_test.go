package process_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/sandbox"
)

// TestWall runs a command within a wall, and what handles its output outside of it.
func TestWall(t *testing.T) {
	inside, outside := t.TempDir(), t.TempDir()
	wall, err := sandbox.New(sandbox.Policy{Write: []string{inside}})
	if errors.Is(err, sandbox.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer wall.Close()
	spec := shell(t, `echo x >in && echo wrote; (setsid sh -c 'echo x >"$OUT/f"')`)
	spec.Dir, spec.Wall = inside, wall
	spec.Env = append(spec.Env, "OUT="+outside, "PATH="+os.Getenv("PATH"))
	spec.OnOutput = func(process.Stream, []byte) {
		if err := os.WriteFile(filepath.Join(outside, "ours"), nil, 0o600); err != nil {
			t.Errorf("we are within the wall too: %v", err)
		}
	}
	e := mustRun(t, spec)
	if string(e.Stdout) != "wrote\n" || e.Success() {
		t.Errorf("%v: %s%s", e, e.Stdout, e.Stderr)
	}
	if _, err := os.Stat(filepath.Join(outside, "f")); err == nil {
		t.Error("it wrote outside")
	}
	spec.Path = filepath.Join(inside, "gone")
	if _, err := process.Run(t.Context(), spec); err == nil {
		t.Error("a program that is not there was started")
	}
	wall.Close()
	spec = shell(t, "true")
	spec.Wall = wall
	if exit, err := process.Run(t.Context(), spec); err == nil {
		t.Errorf("it ran although the wall is gone: %v", exit)
	}
}
