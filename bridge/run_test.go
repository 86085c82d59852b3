package bridge_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hookline-dev/hookline/bridge"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/all"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
)

// room is a bridge over Go hooks in a home of its own.
type room struct {
	*bridge.Bridge
	dir, home string
}

func newRoom(t testing.TB, add func(reg *hook.Registry)) *room {
	t.Helper()
	root := t.TempDir()
	r := &room{dir: filepath.Join(root, "project"), home: filepath.Join(root, "home")}
	for _, d := range []string{filepath.Join(r.dir, ".git"), r.home} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	env := func(name string) string { return map[string]string{"HOME": r.home}[name] }
	r.Bridge = &bridge.Bridge{Dialects: all.Dialects(), Open: func(ctx context.Context, c *bridge.Call, _ string) (*host.Host, func(), error) {
		reg := hook.NewRegistry()
		add(reg)
		h, err := host.Open(ctx, host.Options{Dir: c.Dir, Getenv: env, Registry: reg, Environ: c.Environ})
		return h, func() { _ = h.Close() }, err
	}}
	return r
}

// say is what the host is told.
func (r *room) say(t *testing.T, event, payload string) handler.Answer {
	t.Helper()
	return r.Answer(t.Context(), &bridge.Call{Host: "claude", Event: event, Payload: []byte(payload), Dir: r.dir})
}

// bash is a call of the Bash tool as Claude Code sends it.
func (r *room) bash(command string) string {
	return `{"session_id":"s1","transcript_path":"","cwd":` + string(hook.MustJSON(r.dir).Raw()) +
		`,"permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"` + command + `"},"tool_use_id":"toolu_1"}`
}

func guard(reg *hook.Registry) {
	hook.On(reg, func(_ context.Context, in *hook.PreToolUse) (hook.Result, error) {
		if strings.Contains(in.ToolInput.String("command"), "rm -rf") {
			return hook.Deny("not here"), nil
		}
		return hook.None(), nil
	})
}

const denied = `"permissionDecision":"deny"`

func TestHookAnswersTheHostInItsOwnForm(t *testing.T) {
	r := newRoom(t, guard)
	if a := r.say(t, "PreToolUse", r.bash("rm -rf build")); a.ExitCode != 0 || !strings.Contains(string(a.Stdout), denied) || !strings.Contains(string(a.Stdout), "not here") {
		t.Errorf("told %+v", a)
	}
	if a := r.say(t, "PreToolUse", r.bash("ls")); a.ExitCode != 0 || len(a.Stdout)+len(a.Stderr) > 0 {
		t.Errorf("of a call that nobody minds it told %+v", a)
	}
}

func TestNothingThatGoesWrongOpensTheGate(t *testing.T) {
	r := newRoom(t, guard)
	whole := r.bash("rm -rf build")
	for name, payload := range map[string]string{
		"another event": strings.Replace(whole, "PreToolUse", "PostToolUse", 1),
		"a duplicate":   strings.Replace(whole, `{"session_id"`, `{"tool_name":"Read","session_id"`, 1),
		"no object":     `[]`,
	} {
		if a := r.say(t, "PreToolUse", payload); !strings.Contains(string(a.Stdout), denied) {
			t.Errorf("%s: %s %s", name, a.Stdout, a.Stderr)
		}
	}
	if a := r.say(t, "PreToolUseOfNextYear", whole); a.ExitCode != 2 || len(a.Stderr) == 0 {
		t.Errorf("an event that this version does not know: %+v", a)
	}
	if a := r.say(t, "Notification", "{"); a.ExitCode != 0 || len(a.Stdout) > 0 {
		t.Errorf("an event that cannot be refused: %+v", a)
	}
}

// TestATornPayloadIsRefusedByEveryHost cuts a call of each host at every byte.
func TestATornPayloadIsRefusedByEveryHost(t *testing.T) {
	r := newRoom(t, guard)
	hooks, done, err := r.Open(t.Context(), &bridge.Call{Dir: r.dir}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	r.Open = func(context.Context, *bridge.Call, string) (*host.Host, func(), error) { return hooks, func() {}, nil }
	for _, h := range dialect.Hosts(r.Dialects) {
		_, d := dialect.HostByName(r.Dialects, h.Name)
		e, whole := removal(t, d, h, r.dir, "s")
		for cut := range len(whole) + 1 {
			a := r.Answer(t.Context(), &bridge.Call{Host: h.Name, Event: e.Name, Payload: whole[:cut], Dir: r.dir})
			if !refuses(t, d, e, a) {
				t.Fatalf("%s, %s: cut at byte %d of %d it told %+v", h.Name, e.Name, cut, len(whole), a)
			}
		}
	}
}

// removal is a call of a shell that a guard refuses, as a host sends it, and its event.
func removal(t *testing.T, d dialect.Hosted, h *dialect.Host, dir, id string) (*dialect.HostEvent, []byte) {
	t.Helper()
	i := slices.IndexFunc(h.Events, func(e dialect.HostEvent) bool { return e.Event == hook.EventPreToolUse && e.CanRefuse() })
	if i < 0 {
		t.Fatalf("%s asks about no tool", h.Name)
	}
	in := &hook.PreToolUse{Common: hook.Common{SessionID: id, CWD: dir}, ToolName: "Bash", ToolInput: hook.MustJSON(map[string]string{"command": "rm -rf build"}), ToolUseID: id}
	payload, err := d.Codec().EncodeInput(&hook.Call{Input: in})
	if err != nil {
		t.Fatal(err)
	}
	return &h.Events[i], bytes.TrimSpace(payload)
}

func TestWithoutHooksNothingIsRefused(t *testing.T) {
	r := newRoom(t, func(*hook.Registry) {})
	if a := r.say(t, "PreToolUse", "{"); a.ExitCode != 0 || len(a.Stdout) > 0 {
		t.Errorf("told %+v", a)
	}
	r = newRoom(t, func(reg *hook.Registry) {
		hook.On(reg, func(context.Context, *hook.PreToolUse) (hook.Result, error) { return hook.None(), nil }, hook.Observe())
	})
	if a := r.say(t, "PreToolUse", "{"); a.ExitCode != 0 || len(a.Stdout) > 0 {
		t.Errorf("with an observer it told %+v", a)
	}
}

func TestHooksThatCannotBeOpenedRefuse(t *testing.T) {
	r := newRoom(t, guard)
	for name, open := range map[string]func(context.Context, *bridge.Call, string) (*host.Host, func(), error){
		"an error": func(context.Context, *bridge.Call, string) (*host.Host, func(), error) {
			return nil, nil, errors.New("the disk is full")
		},
		"a panic": func(context.Context, *bridge.Call, string) (*host.Host, func(), error) { panic("no disk") },
	} {
		r.Open = open
		if a := r.say(t, "PreToolUse", r.bash("ls")); !strings.Contains(string(a.Stdout), denied) || !strings.Contains(string(a.Stdout), "disk") {
			t.Errorf("%s: %s", name, a.Stdout)
		}
	}
}

// TestTimeThatIsUpRefuses has a hook that ignores its context, and a host that has stopped
// waiting for us.
func TestTimeThatIsUpRefuses(t *testing.T) {
	ended := make(chan struct{})
	defer close(ended)
	r := newRoom(t, func(reg *hook.Registry) {
		hook.On(reg, func(context.Context, *hook.PreToolUse) (hook.Result, error) {
			<-ended
			return hook.None(), nil
		})
	})
	r.Dialects = []dialect.Dialect{hurried{all.Dialects()[0].(dialect.Hosted)}}
	if a := r.say(t, "PreToolUse", r.bash("ls")); !strings.Contains(string(a.Stdout), denied) || !strings.Contains(string(a.Stdout), "time") {
		t.Errorf("told %s", a.Stdout)
	}
}

// hurried is a dialect whose host gives hooks next to no time.
type hurried struct{ dialect.Hosted }

func (d hurried) Hosts() []*dialect.Host {
	h := *d.Hosted.Hosts()[0]
	h.Default = 1
	return []*dialect.Host{&h}
}

func TestHeldContextGoesWithTheNextEventOfTheSession(t *testing.T) {
	var n atomic.Int32
	r := newRoom(t, func(reg *hook.Registry) {
		hook.On(reg, func(context.Context, *hook.UserPromptSubmit) (hook.Result, error) { n.Add(1); return hook.None(), nil })
		hook.On(reg, func(context.Context, *hook.PreCompact) (hook.Result, error) {
			return hook.Result{SystemMessage: "keep the plan"}, nil
		})
	})
	r.Dialects = []dialect.Dialect{quiet{all.Dialects()[0].(dialect.Hosted)}}
	payload := func(event, session string) string {
		return `{"session_id":"` + session + `","cwd":"","hook_event_name":"` + event + `","prompt":"go"}`
	}
	r.say(t, "PreCompact", strings.Replace(payload("PreCompact", "s1"), `,"prompt":"go"`, "", 1))
	if a := r.say(t, "UserPromptSubmit", payload("UserPromptSubmit", "s2")); strings.Contains(string(a.Stdout), "keep the plan") {
		t.Errorf("another session was told: %s", a.Stdout)
	}
	for i, want := range []bool{true, false} {
		if a := r.say(t, "UserPromptSubmit", payload("UserPromptSubmit", "s1")); strings.Contains(string(a.Stdout), "keep the plan") != want {
			t.Errorf("event %d was told %s", i, a.Stdout)
		}
	}
}

// quiet is a dialect whose host has no place for messages.
type quiet struct{ dialect.Hosted }

func (d quiet) Hosts() []*dialect.Host {
	h := *d.Hosted.Hosts()[0]
	h.Events = append([]dialect.HostEvent{}, h.Events...)
	for i := range h.Events {
		h.Events[i].Honours &^= hook.FieldSystemMessage
	}
	return []*dialect.Host{&h}
}

func TestLossesAreOnRecordAndToldToThePerson(t *testing.T) {
	r := newRoom(t, func(reg *hook.Registry) {
		hook.On(reg, func(context.Context, *hook.UserPromptSubmit) (hook.Result, error) {
			text := "do it without the key"
			return hook.Result{UpdatedPrompt: &text}, nil
		}, hook.Name("cleaner"))
	})
	a := r.say(t, "UserPromptSubmit", `{"session_id":"s1","cwd":"","hook_event_name":"UserPromptSubmit","prompt":"go"}`)
	if out := string(a.Stdout); !strings.Contains(out, `"systemMessage":"Hookline: lost updatedPrompt of cleaner`) || strings.Contains(out, `"updatedPrompt"`) {
		t.Errorf("the host was told %s", out)
	}
	var logs []string
	if err := filepath.WalkDir(r.home, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == "audit.jsonl" {
			b, err := os.ReadFile(path)
			logs = append(logs, string(b))
			return err
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(logs, ""), "lost behind Claude Code: updatedPrompt of cleaner") {
		t.Errorf("the audit log has %q", logs)
	}
}

// TestTheCommandLineNamesTheEvent has a host whose payloads name none, and one that names
// another one in them.
func TestTheCommandLineNamesTheEvent(t *testing.T) {
	r := newRoom(t, func(reg *hook.Registry) {
		guard(reg)
		hook.On(reg, func(context.Context, *hook.SubagentStart) (hook.Result, error) {
			return hook.AddContext("be brief"), nil
		})
	})
	say := func(event, payload string) string {
		a := r.Answer(t.Context(), &bridge.Call{Host: "copilot", Event: event, Payload: []byte(payload), Dir: r.dir})
		return string(a.Stdout) + string(a.Stderr)
	}
	for _, tt := range []struct{ event, payload, want string }{
		{"preToolUse", `{"sessionId":"s","timestamp":1,"toolName":"bash","toolArgs":{"command":"rm -rf x"}}`, `{"permissionDecision":"deny","permissionDecisionReason":"not here"}`},
		{"preToolUse", `{"hookEventName":"PreToolUse","sessionId":"s","timestamp":"t","tool_name":"run_in_terminal","tool_input":{"command":"rm -rf x"}}`, `"permissionDecision":"deny","permissionDecisionReason":"not here"`},
		{"preToolUse", `{"hookEventName":"Stop","sessionId":"s","timestamp":"t"}`, `sent Stop for preToolUse`},
		{"subagentStart", `{"sessionId":"s","timestamp":1,"agentName":"explore"}`, `{"additionalContext":"be brief"}`},
	} {
		if got := say(tt.event, tt.payload); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s became %s", tt.event, tt.payload, got)
		}
	}
}

// TestAChangedResultOfAnotherFormIsARefusal has hooks that change a result into what the
// host would ignore: the model would read what a guard took out.
func TestAChangedResultOfAnotherFormIsARefusal(t *testing.T) {
	for _, tt := range []struct {
		output, want string
		option       hook.Option
	}{
		{`{"stdout":"clean"}`, `"updatedToolOutput":{"stdout":"clean"}`, hook.Name("form kept")},
		{`"clean"`, `"decision":"block","reason":"A hook changes this result, which cannot be done here. Take this for it: \"clean\""`, hook.OnFailure(hook.FailClosed)},
		{`"clean"`, `Hookline: lost updatedOutput of another: `, hook.Name("another")},
	} {
		r := newRoom(t, func(reg *hook.Registry) {
			hook.On(reg, func(context.Context, *hook.PostToolUse) (hook.Result, error) {
				return hook.Result{UpdatedOutput: hook.RawJSON(tt.output)}, nil
			}, tt.option)
		})
		payload := strings.Replace(r.bash("cat key"), `"PreToolUse"`, `"PostToolUse","tool_response":{"stdout":"key"}`, 1)
		if out := string(r.say(t, "PostToolUse", payload).Stdout); !strings.Contains(out, tt.want) || tt.output == `"clean"` && strings.Contains(out, "updatedToolOutput") {
			t.Errorf("%s: told %s", tt.output, out)
		}
	}
}
