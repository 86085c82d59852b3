package reference_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/audit"
	"github.com/hookline-dev/hookline/bridge"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/all"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
)

// rules are what the policy says: of an input, a part of an answer, and what a host does
// that acts on it.
var rules = []struct {
	title string
	input func(hook.Common) hook.Input
	part  hook.Fields
	done  string
}{
	{"deny `rm -rf`", func(c hook.Common) hook.Input { return shell(c, "rm -rf build") }, hook.FieldDeny, "denied"},
	{"ask before `git push`", func(c hook.Common) hook.Input { return shell(c, "git push") }, hook.FieldAsk, "asked"},
	{"take a token out of a result", func(c hook.Common) hook.Input {
		return &hook.PostToolUse{Common: c, ToolName: "Bash", ToolInput: shell(c, "env").ToolInput, ToolUseID: "c", ToolResponse: hook.RawJSON(`{"stdout":"token-1","stderr":"","interrupted":false,"isImage":false}`)}
	}, hook.FieldUpdatedOutput | hook.FieldDeny, "changed"}, // where the reason of a refusal stands in its place
	{"keep going", func(c hook.Common) hook.Input { return &hook.Stop{Common: c} }, hook.FieldDeny | hook.FieldContinue | hook.FieldFollowUps, "goes on"},
	{"add to the prompt", func(c hook.Common) hook.Input { return &hook.UserPromptSubmit{Common: c, Prompt: "go"} }, hook.FieldContext, "told"},
}

func shell(c hook.Common, command string) *hook.PreToolUse {
	return &hook.PreToolUse{Common: c, ToolName: "Bash", ToolInput: hook.MustJSON(map[string]string{"command": command}), ToolUseID: "c"}
}

// policy is a guard that says it.
func policy(_ context.Context, in hook.Input) (hook.Result, error) {
	switch in := in.(type) {
	case *hook.PreToolUse:
		switch command := in.ToolInput.String("command"); {
		case strings.HasPrefix(command, "rm -rf"):
			return hook.Deny("says the policy"), nil
		case strings.HasPrefix(command, "git push"):
			return hook.Ask("says the policy"), nil
		}
	case *hook.PostToolUse:
		return hook.Result{UpdatedOutput: hook.RawJSON(strings.ReplaceAll(in.ToolResponse.Raw(), "token-1", "says the policy"))}, nil
	case *hook.Stop:
		return hook.Deny("says the policy"), nil
	case *hook.UserPromptSubmit:
		return hook.AddContext("says the policy"), nil
	}
	return hook.None(), nil
}

// played puts the policy behind every host and returns what each does, as a table: the same
// everywhere, or a loss that is on record, and that is stricter wherever the host can refuse.
func played(t *testing.T) string {
	root := t.TempDir()
	reg := hook.NewRegistry()
	hook.OnEvent(reg, policy, []hook.Event{hook.EventPreToolUse, hook.EventPostToolUse, hook.EventStop, hook.EventUserPromptSubmit}, hook.OnFailure(hook.FailClosed))
	hooks, err := host.Open(t.Context(), host.Options{Dir: root, Getenv: func(name string) string { return map[string]string{"HOME": root}[name] }, Registry: reg})
	if err != nil {
		t.Fatal(err)
	}
	b := &bridge.Bridge{
		Dialects: all.Dialects(), Problem: func(err error) { t.Error(err) },
		Open: func(context.Context, *bridge.Call, string) (*host.Host, func(), error) { return hooks, func() {}, nil },
	}
	hosts := dialect.Hosts(b.Dialects)
	cells := make([][]string, len(hosts))
	for i, h := range hosts {
		for n := range rules {
			cells[i] = append(cells[i], play(t, b, h, n, root))
		}
	}
	if err := hooks.Close(); err != nil {
		t.Fatal(err)
	}
	lost := map[string]string{} // what was done instead, by the session
	for r, err := range audit.Read(hooks.AuditPlaces().Path, audit.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(r.Reason, bridge.LostBehind(nil)) {
			lost[r.Session] = r.Reason[strings.LastIndex(r.Reason, "; ")+2:]
		}
	}
	var out strings.Builder
	out.WriteString("| agent |")
	for n := range rules {
		fmt.Fprintf(&out, " %s |", rules[n].title)
	}
	out.WriteString("\n|" + strings.Repeat("---|", len(rules)+1) + "\n")
	for i, h := range hosts {
		fmt.Fprintf(&out, "| %s |", h.Title)
		for n, done := range cells[i] {
			if instead := lost[session(h, n)]; instead != "" {
				done = "*" + instead + "*"
			} else if done == "" {
				t.Errorf("%s, %s: a loss is not on record", h.Name, rules[n].title)
			}
			fmt.Fprintf(&out, " %s |", done)
		}
		out.WriteString("\n")
	}
	return out.String()
}

func session(h *dialect.Host, rule int) string { return fmt.Sprint(h.Name, rule) }

// play is what a host does where the policy says something, "" when it is not that.
func play(t *testing.T, b *bridge.Bridge, h *dialect.Host, n int, dir string) string {
	r := &rules[n]
	in := r.input(hook.Common{SessionID: session(h, n), CWD: dir})
	e := row(h, in.Event())
	if e == nil {
		return "*it has no such event*"
	}
	_, d := dialect.HostByName(b.Dialects, h.Name)
	payload, err := d.Codec().EncodeInput(&hook.Call{Input: in})
	if err != nil {
		t.Fatal(err)
	}
	told, _, err := bridge.Decode(d, e.Name, payload)
	if err != nil {
		t.Fatal(err)
	}
	if post, ok := told.(*hook.PostToolUse); ok && post.ToolResponse.IsZero() {
		return "*it tells no results*"
	}
	a := b.Answer(t.Context(), &bridge.Call{Host: h.Name, Event: e.Name, Payload: payload, Dir: dir})
	heard, _, err := d.Codec().DecodeResult(&hook.Call{Input: in}, a)
	acts := heard.Fields() & e.Honours
	said := bytes.Contains(append(a.Stdout, a.Stderr...), []byte("says the policy"))
	switch {
	case err == nil && acts&r.part != 0 && said && !bytes.Contains(a.Stdout, []byte("token-1")):
		return r.done
	case err != nil, in.Event() == hook.EventStop, r.part != hook.FieldContext && e.CanRefuse() && acts&hook.FieldDeny == 0:
		t.Errorf("%s, %s: it goes on: told %d %s %s (%v)", h.Name, r.title, a.ExitCode, a.Stdout, a.Stderr, err)
	}
	return ""
}

// row is a host's row for an event.
func row(h *dialect.Host, ev hook.Event) *dialect.HostEvent {
	for i := range h.Events {
		if e := h.Events[i].For(ev); e.Event == ev {
			return e
		}
	}
	return nil
}
