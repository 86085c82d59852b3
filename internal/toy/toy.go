// Package toy is a dialect for tests: sections of .toy/hooks.ini that refuse what holds a
// text. It proves that a dialect is one package, with nothing else touched.
package toy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/plugin"
	"github.com/hookline-dev/hookline/trust"
)

// name is the dialect's name.
const name = "toy"

// Dialect is the dialect.
type Dialect struct{}

var (
	_ dialect.Dialect = Dialect{}
	_ dialect.Files   = Dialect{}
)

var (
	events = []struct {
		name string
		ev   hook.Event
	}{{"tool-wanted", hook.EventPreToolUse}, {"words-said", hook.EventUserPromptSubmit}}
	tools = vocab.Vocabulary{{Canonical: "Bash", Dialect: "shell", Fields: []vocab.Field{{Canonical: "command", Dialect: "line"}}}}
)

// Name returns "toy".
func (Dialect) Name() string { return name }

// Summary says where the hooks live.
func (Dialect) Summary() string { return "sections of .toy/hooks.ini" }

// Groups returns one group.
func (Dialect) Groups() []dialect.Group {
	return []dialect.Group{{Name: name, Flow: hook.DenyFast, Rank: 400}}
}

// EventName returns the dialect's name of an event.
func (Dialect) EventName(ev hook.Event) string {
	for _, e := range events {
		if e.ev == ev {
			return e.name
		}
	}
	return ""
}

// EventsOf returns the event of a name.
func (Dialect) EventsOf(name string) []hook.Event {
	for _, e := range events {
		if e.name == name {
			return []hook.Event{e.ev}
		}
	}
	return nil
}

// EventNames returns both names.
func (Dialect) EventNames() []string { return []string{events[0].name, events[1].name} }

// Tools returns the vocabulary.
func (Dialect) Tools() vocab.Vocabulary { return tools }

// Codec returns the codec.
func (Dialect) Codec() dialect.Codec { return codec{} }

// Recognise looks for the member toy.
func (Dialect) Recognise(p hook.JSON) dialect.Recognition {
	switch {
	case Dialect{}.EventsOf(p.String("toy")) != nil:
		return dialect.Own
	case p.Has("toy"):
		return dialect.Similar
	}
	return dialect.Foreign
}

// Places returns the dialect's directory.
func (Dialect) Places() dialect.Places {
	return dialect.Places{Layouts: []plugin.Layout{{Name: name, Dir: ".toy", Kinds: []string{}}}}
}

// Check finds nothing.
func (Dialect) Check([]dialect.Found, dialect.CheckEnv) []diag.Diagnostic { return nil }

// New adds a section.
func (Dialect) New(p dialect.NewHook) (dialect.Draft, error) {
	name := Dialect{}.EventName(p.Event)
	if name == "" {
		return dialect.Draft{}, dialect.NoSuchHook("the toy dialect has no %v", p.Event)
	}
	path := filepath.Join(p.Base, ".toy", "hooks.ini")
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return dialect.Draft{}, err
	}
	text := fmt.Sprintf("[%s]\non = %s\nwhen = rm -rf\nsay = %s: not allowed\n", p.Name, name, p.Name)
	return dialect.Draft{Files: []dialect.DraftFile{{Path: path, Data: append(old, text...), Mode: 0o644, Replace: true}}}, nil
}

// CheckFile checks an INI file.
func (Dialect) CheckFile(path string) ([]diag.Diagnostic, bool, error) {
	if filepath.Ext(path) != ".ini" {
		return nil, false, nil
	}
	_, diags, err := read(path)
	return diags, true, err
}

// section is one hook of a file.
type section struct {
	name, on, when, say string
	line                int
}

func read(path string) (out []section, diags []diag.Diagnostic, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	for i, line := range strings.Split(string(data), "\n") {
		key, value, isKey := strings.Cut(line, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch {
		case strings.HasPrefix(line, "["):
			out = append(out, section{name: strings.Trim(line, "[]"), line: i + 1})
		case len(out) > 0 && isKey && key == "on":
			out[len(out)-1].on = value
		case len(out) > 0 && isKey && key == "when":
			out[len(out)-1].when = value
		case len(out) > 0 && isKey && key == "say":
			out[len(out)-1].say = value
		case strings.TrimSpace(line) != "":
			diags = append(diags, diag.Diagnostic{Path: path, Line: i + 1, Column: 1, Message: "neither [name] nor on, when or say", Remedy: "write key = value"})
		}
	}
	for _, s := range out {
		if (Dialect{}).EventsOf(s.on) == nil {
			diags = append(diags, diag.Diagnostic{Path: path, Line: s.line, Column: 1, Message: fmt.Sprintf("unknown event %q", s.on)})
		}
	}
	return out, diags, nil
}

type finder struct{ *dialect.Kit }

// Finder reads the project's file.
func (Dialect) Finder(k *dialect.Kit) dialect.Finder { return finder{k} }

func (f finder) path() string { return dialect.Join(f.Dirs.Project, ".toy", "hooks.ini") }

func (f finder) Stamp(s *dialect.Stamper) { s.File(f.path()) }
func (finder) Close() error               { return nil }

func (f finder) Find(context.Context) ([]dialect.Found, []diag.Diagnostic) {
	sections, diags, err := read(f.path())
	if err != nil {
		return nil, nil // none, or not to be read: a toy
	}
	var out []dialect.Found
	for _, s := range sections {
		one := dialect.Found{
			Name: s.name, Dialect: name, Level: "project", Type: "section", Path: f.path(), Source: fmt.Sprintf("%s:%d", f.path(), s.line),
			Command: s.when, Status: dialect.Active, Group: name,
		}
		if evs := (Dialect{}).EventsOf(s.on); evs != nil {
			one.Event = evs[0]
		} else {
			one.Status, one.Why, one.Reported = dialect.Broken, "unknown event", true
		}
		one.Artifact = trust.Artifact{
			Name: s.name, Dialect: name, Level: one.Level, Root: f.Dirs.Project, Source: f.path(), Definition: fmt.Sprint(s.on, s.when, s.say),
		}
		one.Registration = &hook.Registration{Event: one.Event, Handler: handle(s), OnFailure: hook.FailClosed}
		f.Allow(&one)
		out = append(out, one)
	}
	return out, diags
}

// handle answers as a program of the dialect would: in its bytes.
func handle(s section) hook.Handler {
	return hook.HandlerFunc(func(_ context.Context, call *hook.Call) (hook.Result, error) {
		in, err := codec{}.EncodeInput(call)
		if err != nil {
			return hook.Result{}, err
		}
		var a handler.Answer
		if strings.Contains(string(in), s.when) {
			a.Stdout = fmt.Appendf(nil, `{"verdict":"no","because":%q}`, s.say)
		}
		res, _, err := codec{}.DecodeResult(call, a)
		return res, err
	})
}

type codec struct{}

type payload struct {
	Toy  string    `json:"toy"`
	Tool string    `json:"tool,omitzero"`
	Args hook.JSON `json:"args,omitzero"`
	Said string    `json:"said,omitzero"`
}

type verdict struct {
	Verdict string `json:"verdict"`
	Because string `json:"because,omitzero"`
}

func (codec) EncodeInput(call *hook.Call) ([]byte, error) {
	p := payload{Toy: Dialect{}.EventName(call.Input.Event())}
	switch in := call.Input.(type) {
	case *hook.PreToolUse:
		p.Tool, p.Args = tools.Out(in.ToolName, in.ToolInput)
	case *hook.UserPromptSubmit:
		p.Said = in.Prompt
	default:
		return nil, fmt.Errorf("the toy dialect has no %v", in.Event())
	}
	return json.Marshal(p, hook.EncodeOptions())
}

func (codec) DecodeResult(_ *hook.Call, a handler.Answer) (hook.Result, []string, error) {
	var v verdict
	if len(a.Stdout) == 0 {
		return hook.None(), nil, nil
	}
	if err := json.Unmarshal(a.Stdout, &v); err != nil || !slices.Contains([]string{"no", "yes"}, v.Verdict) {
		return hook.Result{}, nil, hook.Failf(hook.FailureAnswer, "no verdict: %q", a.Stdout)
	}
	if v.Verdict == "no" {
		return hook.Deny(v.Because), nil, nil
	}
	return hook.None(), nil, nil
}

func (codec) DecodeInput(data []byte) (hook.Input, []string, error) {
	var p payload
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, nil, fmt.Errorf("decode payload: %w", err)
	}
	switch p.Toy {
	case events[0].name:
		name, input := tools.In(p.Tool, p.Args)
		return &hook.PreToolUse{ToolName: name, ToolInput: input}, nil, nil
	case events[1].name:
		return &hook.UserPromptSubmit{Prompt: p.Said}, nil, nil
	}
	return nil, nil, fmt.Errorf("decode payload: unknown event %q", p.Toy)
}

func (codec) EncodeOutcome(in hook.Input, out *hook.Outcome) (handler.Answer, []string, error) {
	if (Dialect{}).EventName(in.Event()) == "" {
		return handler.Answer{}, nil, fmt.Errorf("the toy dialect has no %v", in.Event())
	}
	v := verdict{Verdict: "yes"}
	if out.Blocked() {
		v = verdict{"no", out.Reason}
	}
	b, err := json.Marshal(v)
	return handler.Answer{Stdout: append(b, '\n')}, nil, err
}
