package claude_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dlclark/regexp2/v2"
	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/hook"
)

func TestMain(m *testing.M) {
	if err := process.SealFDs(); err != nil {
		fmt.Fprintln(os.Stderr, "seal descriptors:", err)
	}
	goleak.VerifyTestMain(cleanup{m})
}

// cleanup ends the clock by which the backtracking engine measures its budgets,
// which otherwise ends by itself some time after the last match.
type cleanup struct{ m *testing.M }

func (c cleanup) Run() int {
	code := c.m.Run()
	regexp2.StopTimeoutClock()
	return code
}

// project is a directory with settings files, and an engine over their hooks.
type project struct {
	t     testing.TB
	dir   string
	files []*claude.Settings
	diags []diag.Diagnostic
	b     claude.Builder
	eng   *hook.Engine
}

func needSh(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil || runtime.GOOS == "windows" {
		t.Skip("the commands are for a POSIX shell and system")
	}
}

func newProject(t testing.TB) *project {
	t.Helper()
	needSh(t)
	return &project{t: t, dir: t.TempDir()}
}

// settings adds a file of hooks.
func (p *project) settings(scope claude.Scope, text string) *project {
	p.t.Helper()
	s, diags := claude.ParseSettings(scope.String()+".json", []byte(text), claude.Options{Scope: scope})
	p.files = append(p.files, s)
	p.diags = append(p.diags, diags...)
	return p
}

// hooks adds a project's file with command hooks for one event.
func (p *project) hooks(event string, commands ...string) *project {
	p.t.Helper()
	return p.settings(claude.ScopeProject, commandSettings(event, commands...))
}

func commandSettings(event string, commands ...string) string {
	var list []string
	for _, c := range commands {
		list = append(list, `{"type":"command","timeout":60,"command":`+hook.MustJSON(c).Raw()+`}`)
	}
	return `{"hooks":{"` + event + `":[{"hooks":[` + strings.Join(list, ",") + `]}]}}`
}

// start registers the hooks.
func (p *project) start(opts ...hook.EngineOption) *project {
	p.t.Helper()
	reg := hook.NewRegistry()
	p.b.Group = reg.Group("claude", hook.Parallel, claude.Rank)
	p.b.ProjectDir = p.dir
	regs, diags := claude.NewSet(p.files...).Registrations(p.b)
	p.diags = append(p.diags, diags...)
	if _, err := reg.AddAll(regs); err != nil {
		p.t.Fatal(err)
	}
	p.eng = hook.New(reg, opts...)
	p.t.Cleanup(func() {
		if err := p.eng.Close(); err != nil {
			p.t.Error(err)
		}
	})
	return p
}

func (p *project) fire(in hook.Input) hook.Outcome {
	p.t.Helper()
	if p.eng == nil {
		p.start()
	}
	base := in.Base()
	if base.CWD == "" {
		base.CWD = p.dir
	}
	if base.SessionID == "" {
		base.SessionID = "s1"
	}
	ctx, cancel := context.WithTimeout(p.t.Context(), 2*time.Minute)
	defer cancel()
	out, err := p.eng.Fire(ctx, in)
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

// call does what an agent does: it asks the hooks and, when they let it, runs the
// tool, which leaves a marker.
func (p *project) call(command string) (out hook.Outcome, ran bool) {
	p.t.Helper()
	marker := filepath.Join(p.dir, "tool-ran")
	_ = os.Remove(marker)
	out = p.fire(bashCall(command))
	if !out.Blocked() && !out.Halt {
		if err := os.WriteFile(marker, nil, 0o600); err != nil {
			p.t.Fatal(err)
		}
	}
	_, err := os.Stat(marker)
	return out, err == nil
}

func bashCall(command string) *hook.PreToolUse {
	return &hook.PreToolUse{
		ToolName: "Bash", ToolUseID: "t1",
		ToolInput: hook.MustJSON(map[string]string{"command": command}),
	}
}

// file writes an executable script into the project.
func (p *project) file(name, text string) string {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		p.t.Fatal(err)
	}
	return path
}

func allNotes(out hook.Outcome) string {
	var b strings.Builder
	for _, r := range out.Runs {
		b.WriteString(r.Why + "\n" + strings.Join(r.Notes, "\n") + "\n" + strings.Join(r.Ignored, "\n") + "\n")
		if r.Err != nil {
			b.WriteString(r.Err.Error() + "\n")
		}
	}
	return b.String()
}
