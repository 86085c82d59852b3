package workers_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/dialect/worker"
	host "github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// person agrees to some pushes.
type person struct{ ui.None }

func (person) HasUI() bool { return true }

func (person) Confirm(_ context.Context, title, message string, _ ui.Dialog) (bool, error) {
	return title == "Push?" && strings.Contains(message, "feature"), nil
}

// interpreter finds a program that works, or skips.
func interpreter(t *testing.T, name string, ask ...string) string {
	t.Helper()
	out, err := exec.Command(name, ask...).Output()
	if err != nil {
		t.Skipf("there is no %s that works: %v", name, err)
	}
	return strings.TrimSpace(string(out))
}

func TestGuards(t *testing.T) {
	for name, command := range map[string]func(t *testing.T) (path string, args []string){
		"python": func(t *testing.T) (string, []string) {
			return interpreter(t, "python3", "-c", "import sys; assert sys.version_info >= (3, 8); print(sys.executable)"), []string{"guard.py"}
		},
		"node": func(t *testing.T) (string, []string) {
			return interpreter(t, "node", "-e", "if (+process.versions.node.split('.')[0] < 18) process.exit(1); console.log(process.execPath)"), []string{"guard.mjs"}
		},
		"go": func(t *testing.T) (string, []string) {
			exe := filepath.Join(t.TempDir(), "guard.exe")
			if out, err := exec.Command("go", "build", "-o", exe, "./guard-go").CombinedOutput(); err != nil {
				t.Skipf("it cannot be built here: %v\n%s", err, out)
			}
			return exe, nil
		},
		"bash": func(t *testing.T) (string, []string) {
			if runtime.GOOS == "windows" {
				t.Skip("bash on Windows is one of a Linux subsystem more often than not")
			}
			return interpreter(t, "bash", "-c", "echo $BASH"), []string{"guard.sh"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			path, args := command(t)
			t.Parallel()
			testGuard(t, worker.Spec{
				Path: path, Args: args, Host: host.Local{Person: person{}}, HelloTimeout: time.Minute,
				Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "PYTHONDONTWRITEBYTECODE=1"},
			}, name != "bash")
		})
	}
}

// TestScriptsCanBeExecuted: a worker is found by its executable bit.
func TestScriptsCanBeExecuted(t *testing.T) {
	for _, name := range []string{"guard.py", "guard.mjs", "guard.sh"} {
		data, err := os.ReadFile(name)
		if err != nil || !strings.HasPrefix(string(data), "#!/usr/bin/env ") {
			t.Errorf("%s names no interpreter (%v)", name, err)
		}
		info, err := os.Stat(name)
		if err != nil || runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
			t.Errorf("%s is not executable (%v)", name, err)
		}
	}
}

func testGuard(t *testing.T, s worker.Spec, asks bool) {
	w, err := worker.Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	regs, remarks := worker.Registrations(w)
	reg := hook.NewRegistry()
	if _, err := reg.AddAll(regs); err != nil || len(remarks) > 0 {
		t.Fatal(err, remarks)
	}
	e := hook.New(reg)
	defer e.Close()
	for cmd, want := range map[string]hook.Decision{
		"ls -l": hook.DecisionNone, "rm -rf /": hook.DecisionDeny, "rm  -fR x": hook.DecisionDeny, "rm x": hook.DecisionNone,
		"git push origin main": hook.DecisionDeny, "git push origin feature": hook.DecisionNone,
	} {
		if !asks && strings.Contains(cmd, "push") {
			continue
		}
		in := &hook.PreToolUse{Common: hook.Common{SessionID: "s"}, ToolName: "Bash", ToolInput: hook.MustJSON(map[string]string{"command": cmd})}
		out, err := e.Fire(t.Context(), in)
		if err != nil || out.Decision != want || out.Runs[0].Err != nil {
			t.Errorf("%s: decision %v, errors %v %v", cmd, out.Decision, err, out.Runs[0].Err)
		}
	}
	if !asks {
		return
	}
	for i := range 50 {
		out, err := e.Fire(t.Context(), &hook.PostToolUse{Common: hook.Common{SessionID: "s"}, ToolName: "Bash"})
		if err != nil || (len(out.Context) == 1) != (i == 49) {
			t.Fatalf("call %d: context %q, error %v", i, out.Context, err)
		}
	}
}
