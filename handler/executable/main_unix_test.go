//go:build unix

package executable_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/handler/executable"
	"github.com/hookline-dev/hookline/handler/internal/codectest"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/hook"
)

func TestMain(m *testing.M) {
	if err := process.SealFDs(); err != nil {
		fmt.Fprintln(os.Stderr, "seal descriptors:", err)
	}
	goleak.VerifyTestMain(m)
}

func trustAll(string, string) bool { return true }

// program writes an executable sh script that answers "hook" with typ and runs
// body for "run". It counts its starts in a file beside it.
func program(t testing.TB, dir, name, typ, body string) string {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh on this machine")
	}
	text := "#!/bin/sh\necho \"$1\" >> \"$0.starts\"\ncase $1 in\nhook) " + typ + ";;\nrun)\n" + body + "\n;;\nesac\n"
	return write(t, filepath.Join(dir, name), text)
}

func write(t testing.TB, file, text string) string {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

func starts(t testing.TB, file string) int {
	t.Helper()
	b, err := os.ReadFile(file + ".starts")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count(string(b), "\n")
}

func toolUse(cwd string) *hook.PreToolUse {
	return &hook.PreToolUse{
		Common:   hook.Common{SessionID: "s1", CWD: cwd},
		ToolName: "bash", ToolInput: hook.MustJSON(map[string]string{"command": "ls"}),
	}
}

func fire(t testing.TB, h *executable.Hook, in hook.Input, timeout time.Duration) (hook.Outcome, hook.Run) {
	t.Helper()
	if h.Codec == nil {
		h.Codec = codectest.Plain{}
	}
	reg := hook.NewRegistry()
	if _, err := reg.Add(hook.Registration{Event: in.Event(), Handler: h, Name: "guard", Timeout: timeout}); err != nil {
		t.Fatal(err)
	}
	eng := hook.New(reg)
	defer eng.Close()
	out, err := eng.Fire(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out, out.Runs[0]
}

func kindOf(err error) hook.FailureKind {
	if f, ok := errors.AsType[*hook.Failure](err); ok {
		return f.Kind
	}
	return ""
}
