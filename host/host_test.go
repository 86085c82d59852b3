package host_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
)

// world is a project and a home directory, and what a host said.
type world struct {
	t             *testing.T
	project, home string
	said          []string
	found         []diag.Diagnostic
}

func newWorld(t *testing.T) *world {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the hooks are shell lines")
	}
	w := &world{t: t, project: t.TempDir(), home: t.TempDir()}
	return w
}

func (w *world) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.project, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// settings writes a settings file of the project with one hook for Bash.
func (w *world) settings(line string) {
	w.write(".claude/settings.json", `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"`+line+`"}]}]}}`)
}

func (w *world) options() host.Options {
	return host.Options{
		Dir: w.project,
		Getenv: func(k string) string {
			return map[string]string{"HOME": w.home, "HOOKLINE_MANAGED_DIR": filepath.Join(w.home, "managed"), "HOOKLINE_MODEL": "script"}[k]
		},
		Diagnose: func(d []diag.Diagnostic) { w.found = append(w.found, d...) },
	}
}

func (w *world) open(o host.Options) *host.Host {
	w.t.Helper()
	h, err := host.Open(w.t.Context(), o)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := h.Close(); err != nil {
			w.t.Error(err)
		}
	})
	return h
}

func bash(w *world, h *host.Host) hook.Outcome {
	w.t.Helper()
	out, err := h.Fire(w.t.Context(), &hook.PreToolUse{ToolName: "Bash", ToolInput: hook.RawJSON(`{"command":"ls"}`)})
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

const denies = `echo no >&2; exit 2`

func TestHooksOfAProjectWaitForApproval(t *testing.T) {
	w := newWorld(t)
	w.settings(denies)
	o := w.options()
	h := w.open(o)
	if names := h.Untrusted(); len(names) != 1 {
		t.Errorf("untrusted: %q", names)
	}
	if out := bash(w, h); slices.ContainsFunc(out.Runs, func(r hook.Run) bool { return r.Status == hook.StatusRan }) {
		t.Errorf("a hook ran that nobody approved: %+v", out.Runs)
	}
	o.RequireTrusted = true
	_, err := host.Open(t.Context(), o)
	if e, ok := errors.AsType[*host.UntrustedError](err); !ok || len(e.Names) != 1 {
		t.Errorf("error %v", err)
	}
}

func TestTrustingTheProjectIsOnRecord(t *testing.T) {
	w := newWorld(t)
	w.settings(denies)
	o := w.options()
	o.TrustProject = true
	h := w.open(o)
	if out := bash(w, h); out.Decision != hook.DecisionDeny || strings.TrimSpace(out.Reason) != "no" {
		t.Errorf("%s: %q", out.Decision, out.Reason)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(h.AuditPlaces().Path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"which nobody approved", `"deny"`} {
		if !strings.Contains(string(log), want) {
			t.Errorf("the audit log has no %q:\n%s", want, log)
		}
	}
}

func TestAuditOffKeepsNoRecord(t *testing.T) {
	w := newWorld(t)
	w.settings(denies)
	o := w.options()
	o.TrustProject, o.Audit = true, "off"
	h := w.open(o)
	bash(w, h)
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(h.AuditPlaces().Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is an audit log: %v", err)
	}
}

func TestOptionsThatCannotBeUsedAreNamed(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "")
	for option, change := range map[string]func(*host.Options){
		"Dir":      func(o *host.Options) { o.Dir = filepath.Join(w.project, "a.txt") },
		"Modules":  func(o *host.Options) { o.Modules = []string{"nothing.ts"} },
		"Settings": func(o *host.Options) { o.Settings = w.project },
	} {
		o := w.options()
		change(&o)
		_, err := host.Open(t.Context(), o)
		if e, ok := errors.AsType[*host.OptionError](err); !ok || e.Option != option {
			t.Errorf("%s: error %v", option, err)
		}
	}
}

func TestRefreshTakesUpChangedFiles(t *testing.T) {
	w := newWorld(t)
	w.settings(denies)
	o := w.options()
	o.TrustProject = true
	h := w.open(o)
	first := h.Set()
	if err := h.Refresh(t.Context()); err != nil || h.Set() != first {
		t.Errorf("without a change it loads anew: %v", err)
	}
	w.write(".claude/settings.json", `{"hooks":{}}`)
	if err := h.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if out := bash(w, h); out.Decision != hook.DecisionNone || len(h.Set().Hooks) > 0 {
		t.Errorf("a hook that is gone said %s; found: %+v", out.Decision, h.Set().Hooks)
	}
	w.write(".claude/settings.json", `{"hooks":{"PreToolUze":[]}}`)
	if err := h.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(w.found) == 0 {
		t.Error("what is wrong with a changed file is not told")
	}
}

func TestAnEndedContextOpensNothing(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if h, err := host.Open(ctx, w.options()); h != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", h, err)
	}
}

// What is written while a session runs needs an approval, also in the home directory:
// the session's own model may have written it.
func TestHooksThatComeLaterWaitForApproval(t *testing.T) {
	w := newWorld(t)
	h := w.open(w.options())
	path := filepath.Join(w.home, ".claude", "settings.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`{"hooks":{"PreToolUse":[{"hooks":[{"name":"late","type":"command","command":"exit 0"}]}]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := h.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if names := h.Untrusted(); !slices.Equal(names, []string{"late"}) {
		t.Errorf("untrusted: %q of %+v", names, h.Set().Hooks)
	}
}
