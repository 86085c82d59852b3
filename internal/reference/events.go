package reference

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/dialect/all"
	"github.com/hookline-dev/hookline/hook"
)

// events is docs/events.md: every event with its fields and an example payload.
func events() string {
	var b strings.Builder
	b.WriteString(`# Events

This page is generated from the event table in package hook. Names and fields are
the canonical ones, which are those of the claude dialect; docs/dialects says how
the other dialects spell them.

Every answer may end the run (continue: false), say something to the person or to
the person and the model, and go on in the background. Beyond that each event
honours what its row says, and everything else is reported as ignored. The
[parts of an answer](reference.md#parts-of-an-answer) are in the reference.

| event | happens when | matcher tests | an answer may |
|---|---|---|---|
`)
	for _, ev := range hook.Events() {
		s := ev.Spec()
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s |\n", s.Name, strings.ToLower(s.Name), s.Fires, dash(s.Subject), dash(strings.Join(s.Honours.Names(), ", ")))
	}
	b.WriteString("\n## Fields that every event has\n\n")
	fields(&b, reflect.TypeFor[hook.Common]())
	for _, ev := range hook.Events() {
		event(&b, ev)
	}
	return b.String()
}

func event(b *strings.Builder, ev hook.Event) {
	s := ev.Spec()
	fmt.Fprintf(b, "\n## %s\n\nHappens when %s.", s.Name, s.Fires)
	if s.Effect != "" {
		fmt.Fprintf(b, " When a hook blocks: %s.", s.Effect)
	}
	if s.OnFailure == hook.FailClosed {
		b.WriteString(" A hook that fails counts as a block unless it says otherwise.")
	}
	var names []string
	for _, d := range all.Dialects() {
		all := len(d.EventNames()) == len(hook.Events()) // then that it has this one says nothing
		if n := d.EventName(ev); n != "" && !all {
			names = append(names, d.Name()+": `"+n+"`")
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(b, "\n\nIn the dialects: %s.", strings.Join(names, ", "))
	}
	b.WriteString("\n\n")
	fields(b, s.Type())
	fmt.Fprintf(b, "\n```json\n%s\n```\n", example(ev))
}

func fields(b *strings.Builder, t reflect.Type) {
	rows := 0
	for i := range t.NumField() {
		f := t.Field(i)
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "-" {
			continue
		}
		if rows++; rows == 1 {
			b.WriteString("| field | type | |\n|---|---|---|\n")
		}
		doc := f.Tag.Get("doc")
		if strings.Contains(opts, "omit") {
			doc += " (may be absent)"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, typeName(f.Type), doc)
	}
	if rows == 0 {
		b.WriteString("No fields of its own.\n")
	}
}

func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return typeName(t.Elem())
	case reflect.Slice:
		return "array of " + typeName(t.Elem())
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64, reflect.Float64:
		return "number"
	case reflect.String:
		return "string"
	}
	switch t {
	case reflect.TypeFor[hook.JSON]():
		return "any"
	case reflect.TypeFor[hook.Tri]():
		return "boolean"
	case reflect.TypeFor[hook.Decision]():
		return "string"
	}
	return "object"
}

func dash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// example returns an example payload of an event, indented.
func example(ev hook.Event) string {
	in := ev.Spec().New()
	fill(reflect.ValueOf(in).Elem())
	base := in.Base()
	base.SessionID, base.TranscriptPath, base.CWD, base.PermissionMode = "0c4e2f", "/home/me/.local/state/hookline/sessions/0c4e2f.jsonl", "/home/me/project", "default"
	raw, err := hook.MarshalInput(in)
	if err != nil {
		panic(err) // an input of our own making
	}
	v := jsontext.Value(raw)
	if err := v.Indent(jsontext.WithIndent("  ")); err != nil {
		panic(err)
	}
	return string(v)
}

// examples are values for fields, by their JSON name.
var examples = map[string]any{
	"tool_name": "Bash", "tool_use_id": "toolu_01", "prompt": "add a test", "text": "add a test", "reason": "other", "source": "startup",
	"trigger": "manual", "message": "Claude needs your permission to use Bash", "notification_type": "permission_prompt", "error": "exit status 1",
	"model": "claude-sonnet", "agent_type": "general-purpose", "file_path": "/home/me/project/main.go", "delta": "Hello", "event": "change",
	"command": "go test ./...", "command_name": "review", "command_args": "main.go", "expansion_type": "slash_command", "response": "Done.",
	"last_assistant_message": "Done.", "task_id": "task-1", "task_subject": "write tests", "teammate_name": "reviewer", "team_name": "docs",
	"from_model": "claude-sonnet", "to_model": "claude-opus", "mcp_server_name": "github", "action": "accept", "name": "feature",
	"worktree_path": "/home/me/project/.claude/worktrees/feature", "old_cwd": "/home/me", "new_cwd": "/home/me/project", "directory": "/home/me/lib",
	"load_reason": "session_start", "memory_type": "Project", "entry_id": "a1b2", "new_leaf_id": "c3d4", "error_message": "overloaded",
	"turn_id": "turn-1", "message_id": "msg-1", "custom_instructions": "",
}

var rawExamples = map[string]string{
	"tool_input": `{"command":"go test ./..."}`, "tool_response": `{"stdout":"ok\n","stderr":"","interrupted":false,"isImage":false}`,
	"messages": `[{"role":"user","content":"add a test"}]`, "payload": `{"model":"claude-sonnet","max_tokens":4096}`,
}

// fill sets the fields that are always there.
func fill(v reflect.Value) {
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "-" || strings.Contains(opts, "omit") {
			continue
		}
		switch {
		case f.Type == reflect.TypeFor[hook.JSON]():
			v.Field(i).Set(reflect.ValueOf(hook.RawJSON(rawOr(name))))
		case f.Type == reflect.TypeFor[[]hook.Message]():
			v.Field(i).Set(reflect.ValueOf([]hook.Message{hook.UserMessage("add a test")}))
		case f.Type.Kind() == reflect.String:
			if s, ok := examples[name].(string); ok {
				v.Field(i).SetString(s)
			}
		}
	}
}

func rawOr(name string) string {
	if s, ok := rawExamples[name]; ok {
		return s
	}
	return `{}`
}
