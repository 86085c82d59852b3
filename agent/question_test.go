package agent_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/ui"
)

// permitter is a person who answers questions about calls as such.
type permitter struct {
	*ui.Recorder
	asked  []ui.Permission
	answer ui.PermissionAnswer
}

func (p *permitter) Permit(_ context.Context, q ui.Permission) (ui.PermissionAnswer, error) {
	p.asked = append(p.asked, q)
	return p.answer, nil
}

// The answer to a question about a call is what happens: its input runs, within the tool's
// schema and the rules, and its refusal is what the model is told.
func TestAnswersAboutACall(t *testing.T) {
	for name, test := range map[string]struct {
		answer ui.PermissionAnswer
		want   []string
	}{
		"as it is":  {ui.PermissionAnswer{Allow: true}, []string{`ran {\"command\":\"make test\"}`}},
		"rewritten": {ui.PermissionAnswer{Allow: true, Input: jsontext.Value(`{"command":"make check"}`)}, []string{`ran {\"command\":\"make check\"}`}},
		"forbidden": {ui.PermissionAnswer{Allow: true, Input: jsontext.Value(`{"command":"rm x"}`)}, []string{"deny rule Bash(rm:*)", "!ran {"}},
		"no input":  {ui.PermissionAnswer{Allow: true, Input: jsontext.Value(`{"cmd":1}`)}, []string{"invalid input", "!ran {"}},
		"refused":   {ui.PermissionAnswer{Message: "use make check"}, []string{"use make check", "!ran {"}},
		"nothing":   {ui.PermissionAnswer{}, []string{"the person refused it", "!ran {"}},
	} {
		t.Run(name, func(t *testing.T) {
			person := &permitter{Recorder: ui.NewRecorder(), answer: test.answer}
			b := newBench(t, bashCall, withBash, withUI(person), withPermission(rules(t, permission.Deny, "Bash(rm:*)")...))
			res := b.prompt("go")
			expect(t, b.lastResult(), test.want...)
			q := person.asked[0]
			if q.Tool != "Bash" || q.ToolUseID == "" || string(q.Input) != `{"command":"make test"}` || q.Reason == "" || q.Basis != "default" || len(q.Suggestions) == 0 {
				t.Errorf("it was asked %+v", q)
			}
			if ran := res.Denials == nil; ran != (len(test.want) == 1) && name != "no input" {
				t.Errorf("denials %v", res.Denials)
			}
		})
	}
}

func TestARefusalCanEndTheTurn(t *testing.T) {
	person := &permitter{Recorder: ui.NewRecorder(), answer: ui.PermissionAnswer{Message: "stop", Interrupt: true}}
	b := newBench(t, bashCall, withBash, withUI(person))
	if res := b.prompt("go"); res.End != agent.EndInterrupted || res.Reason != "stop" {
		t.Errorf("%s: %s", res.End, res.Reason)
	}
}

// Updates in the answer hold from then on.
func TestAnswersBringRules(t *testing.T) {
	person := &permitter{Recorder: ui.NewRecorder(), answer: ui.PermissionAnswer{Allow: true}}
	b := newBench(t, bashCall+"  - tool_calls: [{name: Bash, input: {command: make test}}]\n  - text: done\n", withBash, withUI(person), withPermission())
	person.answer.Updates = []jsontext.Value{jsontext.Value(`{"type":"addRules","behavior":"allow","destination":"session","rules":[{"toolName":"Bash","ruleContent":"make test"}]}`)}
	b.prompt("go")
	b.prompt("and again")
	b.prompt("and again")
	b.prompt("and again")
	if len(person.asked) != 1 {
		t.Errorf("asked %d times", len(person.asked))
	}
}

// A question about a file shows what would change in it.
func TestQuestionsShowADiff(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := tool.New(tool.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = set.Close() })
	person := ui.NewRecorder(ui.Choose(2), ui.Choose(2))
	b := newBench(t, `
turns:
  - tool_calls:
      - {name: Edit, input: {file_path: a.txt, old_string: two, new_string: three}}
      - {name: Write, input: {file_path: b.txt, content: "new\n"}}
  - text: done
`, withUI(person), func(_ *bench, cfg *agent.Config) { cfg.Tools, cfg.Dir = set.Tools(), dir })
	b.prompt("go")
	calls := person.Calls()
	for i, want := range []string{"-two\n+three\n", "+new\n"} {
		if q := calls[i].Dialog.Permission; q == nil {
			t.Errorf("question %d has no call", i)
		} else {
			expect(t, q.Diff, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "b.txt")); err == nil {
		t.Error("a preview wrote the file")
	}
}

// What is refused without a question is told, and what a hook refuses is not told twice.
func TestRefusalsAreTold(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*bench)
		with   []func(*bench, *agent.Config)
		source string
	}{
		"nobody to ask": {source: "default"},
		"a rule":        {with: []func(*bench, *agent.Config){withPermission(rules(t, permission.Deny, "Bash(make:*)")...)}, source: "rule"},
		"a hook":        {change: func(b *bench) { onPre(b, hook.Deny("no")) }},
	} {
		b := newBench(t, bashCall, append(test.with, withBash)...)
		if test.change != nil {
			test.change(b)
		}
		b.prompt("go")
		source := ""
		for _, ev := range b.shown {
			if ev.Kind == agent.KindDenied {
				source = ev.Source
				expect(t, ev.Text, "Permission to use Bash was refused")
			}
		}
		if source != test.source {
			t.Errorf("%s: told by %q, want %q", name, source, test.source)
		}
	}
}

// Events of a subagent name the call that started it.
func TestASubagentIsTiedToItsCall(t *testing.T) {
	b := newBench(t, `
turns:
  - when: {system: "You are a subagent"}
    text: "found"
  - tool_calls: [{id: toolu_1, name: Agent, input: {prompt: look}}]
  - text: "done"
`)
	b.prompt("go")
	seen := map[string]string{}
	for _, ev := range b.shown {
		if ev.Kind == agent.KindMessage && ev.Message.Text() != "" {
			seen[ev.Message.Text()] = ev.ParentCall
		}
	}
	if seen["found"] != "toolu_1" || seen["done"] != "" {
		t.Errorf("%v", seen)
	}
}
