package host_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/dialect/all"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/internal/toy"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/trust"
	"github.com/hookline-dev/hookline/ui"
)

// turns is a model that writes a file, and then says what came of it.
const turns = `
turns:
  - tool_calls: [{name: Bash, input: {command: "touch written"}}]
  - text: "That is all."
`

func (w *world) agent(o host.Options, ao host.AgentOptions) *host.Agent {
	w.t.Helper()
	w.write("turns.yaml", turns)
	ao.Model = "script:turns.yaml"
	o.Notify = func(m string, level ui.Level) { w.said = append(w.said, string(level)+": "+m) }
	h, err := host.OpenAgent(w.t.Context(), o, ao)
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

func TestHooksControlTheAgent(t *testing.T) {
	for _, c := range []struct {
		line    string
		written bool
	}{{denies, false}, {"exit 0", true}} {
		w := newWorld(t)
		w.settings(c.line)
		o := w.options()
		o.TrustProject = true
		h := w.agent(o, host.AgentOptions{PermissionMode: "bypassPermissions"})
		reply, err := h.Work(t.Context(), "Write it.")
		if err != nil || reply.Result == nil || reply.Result.Text != "That is all." {
			t.Fatalf("%+v, %v", reply, err)
		}
		if _, err := os.Stat(filepath.Join(w.project, "written")); (err == nil) != c.written {
			t.Errorf("%s: written: %v", c.line, err)
		}
	}
}

func TestRulesThatAProjectBringsWaitForApproval(t *testing.T) {
	w := newWorld(t)
	w.write(".claude/settings.json", `{"permissions":{"allow":["Bash(touch:*)"]}}`)
	h := w.agent(w.options(), host.AgentOptions{})
	if _, err := h.Work(t.Context(), "Write it."); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(w.project, "written")); err == nil {
		t.Error("a rule of the project allowed it, which nobody approved")
	}
	if all := h.AgentArtifacts(t.Context()); len(all) != 1 || all[0].Name != "permissions" {
		t.Errorf("to approve: %+v", all)
	}
}

// TestPlacesOfDialectsAreAskedAbout writes to the directory of a dialect that nothing but
// the list of dialects knows.
func TestPlacesOfDialectsAreAskedAbout(t *testing.T) {
	w := newWorld(t)
	o := w.options()
	o.Dialects = append(all.Dialects(), toy.Dialect{})
	h := w.agent(o, host.AgentOptions{PermissionMode: "acceptEdits"})
	for path, want := range map[string]hook.Decision{".toy/hooks.ini": hook.DecisionAsk, "hooks.ini": hook.DecisionAllow} {
		d := h.Permission.Decide(permission.Request{Tool: "Write", Input: hook.MustJSON(map[string]string{"file_path": filepath.Join(w.project, path)}), Cwd: w.project})
		if d.Decision != want {
			t.Errorf("%s: %v (%s), want %v", path, d.Decision, d.Reason, want)
		}
	}
}

func TestASessionEndsOnce(t *testing.T) {
	w := newWorld(t)
	var reasons []string
	o := w.options()
	o.Registry = hook.NewRegistry()
	hook.On(o.Registry, func(_ context.Context, in *hook.SessionEnd) (hook.Result, error) {
		reasons = append(reasons, in.Reason)
		return hook.None(), nil
	})
	h := w.agent(o, host.AgentOptions{})
	if _, err := h.Work(t.Context(), "Write it."); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(h.End(t.Context(), "logout"), h.Close(), h.Close()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(reasons, []string{"logout"}) {
		t.Errorf("SessionEnd fired with %q", reasons)
	}
}

func TestAnAgentCannotGoOnWithoutASession(t *testing.T) {
	w := newWorld(t)
	w.write("turns.yaml", turns)
	_, err := host.OpenAgent(t.Context(), w.options(), host.AgentOptions{Model: "script:turns.yaml", Continue: true})
	if !errors.Is(err, session.ErrNone) {
		t.Errorf("error %v", err)
	}
}

func TestARecipeIsWorkedOnOnce(t *testing.T) {
	w := newWorld(t)
	w.write(".hookline/recipes/tidy.md", "---\nname: tidy\n---\nTidy {{.what}}.\n")
	var prompts []string
	h := w.agent(w.options(), host.AgentOptions{
		Recipe: "tidy", RecipeArgs: map[string]string{"what": "the desk"},
		OnEvent: func(ev agent.Event) {
			if ev.Kind == agent.KindMessage && ev.Message.Role == "user" {
				prompts = append(prompts, ev.Message.Text())
			}
		},
	})
	for _, text := range []string{"Please.", "Again."} {
		if _, err := h.Work(t.Context(), text); err != nil && text == "Please." {
			t.Fatal(err)
		}
	}
	if all := strings.Join(prompts, "|"); strings.Count(all, "Tidy the desk.") != 1 || !strings.Contains(all, "Please.") {
		t.Errorf("prompts: %q", prompts)
	}
}

// A module that changed begins anew; one that did not goes on, and is told nothing.
func TestAModuleThatChangedIsToldThatTheSessionGoesOn(t *testing.T) {
	w := newWorld(t)
	module := func(name, mark string) string {
		w.write(name, `import { appendFileSync } from "node:fs";
			export default (pi) => { for (const on of ["session_start", "session_shutdown"]) pi.on(on, (e) => appendFileSync("`+filepath.Join(w.project, "log")+`", "`+mark+` " + on.slice(8) + " " + e.reason + "\n")); };`)
		return filepath.Join(w.project, name)
	}
	o := w.options()
	o.Gate, o.Modules = trust.Anything{}, []string{module("a.ts", "a"), module("b.ts", "b")}
	h := w.agent(o, host.AgentOptions{PermissionMode: "bypassPermissions"})
	if _, err := h.Work(t.Context(), "Write it."); err != nil {
		t.Fatal(err)
	}
	module("b.ts", "changed")
	for range 2 { // the second time nothing has changed
		if err := h.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	log, err := os.ReadFile(filepath.Join(w.project, "log"))
	if want := "a start startup\nb start startup\nb shutdown reload\nchanged start reload\n"; err != nil || string(log) != want {
		t.Errorf("the modules were told %q, want %q: %v", log, want, err)
	}
}
