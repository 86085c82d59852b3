package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/hook"
)

// maxPayload bounds what is read from a file or stdin.
const maxPayload = 64 << 20

// buildInput makes the event's input from arguments and flags.
func (a *app) buildInput(ctx context.Context, dir, state string, f *eventFlags) (hook.Input, error) {
	if f.as != "" && dialect.ByName(a.dialects, f.as) == nil {
		return nil, usagef("--as %s: unknown dialect; there are %s", f.as, strings.Join(dialect.Names(a.dialects), ", "))
	}
	var in hook.Input
	if f.payload != "" {
		data, err := a.readInput(ctx, f.payload, maxPayload)
		if err != nil {
			return nil, fmt.Errorf("--payload: %w", err)
		}
		if in, err = a.decodePayload(data, f.as); err != nil {
			return nil, usagef("--payload %s: %w", f.payload, err)
		}
	}
	if len(f.args) == 1 {
		ev, err := a.parseEvent(f.args[0])
		if err != nil {
			return nil, err
		}
		switch {
		case in == nil:
			in = ev.Spec().New()
		case in.Event() != ev:
			return nil, usagef("the payload is for %v, not for %v", in.Event(), ev)
		}
	}
	if in == nil {
		return nil, usagef("name an event or give --payload; 'hookline events' lists all")
	}
	fields, err := a.flagFields(ctx, f)
	if err != nil {
		return nil, err
	}
	return fillInput(dir, state, in, fields, f)
}

// decodePayload reads what a host of a dialect sends its hooks, "" being the one that is
// recognised.
func (a *app) decodePayload(data []byte, as string) (hook.Input, error) {
	if err := whyNotJSON(data); err != nil {
		return nil, err
	}
	raw := hook.RawJSON(data)
	d := dialect.ByName(a.dialects, as)
	if d == nil {
		d = dialect.Recognise(a.dialects, raw)
	}
	if d == nil {
		return nil, fmt.Errorf("not the payload of any dialect; there are %s", strings.Join(dialect.Names(a.dialects), ", "))
	}
	in, _, err := d.Codec().DecodeInput(data)
	return in, err
}

// fillInput applies the flags and fills what is left open. Fields are set through
// the canonical JSON, so that --set can name every one of them.
func fillInput(dir, state string, in hook.Input, fields []flagField, f *eventFlags) (hook.Input, error) {
	b, err := hook.MarshalInput(in)
	if err != nil {
		return nil, err
	}
	raw := hook.RawJSON(b)
	for _, d := range defaults(dir, state, in.Event()) {
		if v, ok := raw.Get(d.key); !ok || v.Raw() == `""` || v.Raw() == "null" {
			if err := raw.Set(d.key, d.value); err != nil {
				return nil, err
			}
		}
	}
	if err := applyFlags(&raw, in, fields, f); err != nil {
		return nil, err
	}
	out, err := hook.UnmarshalInput(in.Event(), []byte(raw.Raw()))
	if err != nil {
		return nil, &usageError{err}
	}
	return out, nil
}

// flagField is a field that a flag of its own sets.
type flagField struct {
	flag, key string
	value     any
}

// flagFields are the fields of the flags that were given, and reads the files that these name.
func (a *app) flagFields(ctx context.Context, f *eventFlags) (fields []flagField, err error) {
	if f.tool != "" {
		fields = append(fields, flagField{"tool", "tool_name", f.tool})
	}
	if f.prompt != "" {
		fields = append(fields, flagField{"prompt", "prompt", f.prompt})
	}
	if f.input != "" {
		text, err := a.readArg(ctx, "input", f.input)
		if err != nil {
			return nil, err
		}
		if err := whyNotJSON([]byte(text)); err != nil {
			return nil, usagef("--input: %w (for a shell command write '{\"command\":\"...\"}')", err)
		}
		fields = append(fields, flagField{"input", "tool_input", hook.RawJSON(text)})
	}
	if f.response != "" {
		text, err := a.readArg(ctx, "response", f.response)
		if err != nil {
			return nil, err
		}
		var value any = text
		if j := hook.RawJSON(text); j.Valid() {
			value = j
		}
		fields = append(fields, flagField{"response", "tool_response", value})
	}
	return fields, nil
}

func applyFlags(raw *hook.JSON, in hook.Input, fields []flagField, f *eventFlags) error {
	for _, field := range fields {
		if !hasField(in, field.key) {
			return usagef("--%s: %v has no %s", field.flag, in.Event(), field.key)
		}
		if err := raw.Set(field.key, field.value); err != nil {
			return err
		}
	}
	for _, s := range f.set {
		key, value, ok := strings.Cut(s, "=")
		if !ok {
			return usagef("--set %s: write NAME=VALUE", s)
		}
		if err := settable(in, key); err != nil {
			return err
		}
		var v any = value
		j := hook.RawJSON(value)
		if _, quoted := j.AsString(); j.Valid() && (quoted || !textField(in, key)) {
			v = j
		}
		if err := raw.Set(key, v); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(f.values)) {
		if err := settable(in, key); err != nil {
			return err
		}
		if err := raw.Set(key, f.values[key]); err != nil {
			return usagef("--set %s: %w", key, err)
		}
	}
	return nil
}

func settable(in hook.Input, key string) error {
	if hasField(in, key) {
		return nil
	}
	return usagef("--set %s: %v has no such field; it has %s", key, in.Event(), strings.Join(fieldNames(in.Event().Spec().Type()), ", "))
}

type fieldDefault struct {
	key   string
	value any
}

// defaults are plausible values for what a payload leaves open.
func defaults(dir, state string, ev hook.Event) []fieldDefault {
	out := []fieldDefault{
		{"session_id", "hookline-fire"},
		{"cwd", dir},
		{"permission_mode", "default"},
		{"transcript_path", filepath.Join(state, "fire.jsonl")},
	}
	in := ev.Spec().New()
	for _, d := range []fieldDefault{
		{"tool_name", "Bash"},
		{"tool_input", map[string]string{"command": "echo hello"}},
		{"tool_use_id", "toolu_fire"},
		{"tool_response", map[string]any{"stdout": "hello\n", "stderr": "", "interrupted": false, "isImage": false}},
		{"prompt", "hello"},
		{"text", "hello"},
		{"message", "hello"},
		{"notification_type", "permission_prompt"},
		{"trigger", defaultTrigger(ev)},
		{"source", defaultSource(ev)},
		{"reason", defaultReason(ev)},
		{"error", "the tool failed"},
		{"response", "hello"},
		{"last_assistant_message", "Done."},
		{"agent_type", "general-purpose"},
		{"delta", "hello"},
		{"task_id", "task-1"},
		{"task_subject", "a task"},
		{"teammate_name", "teammate"},
		{"team_name", "team"},
		{"command_name", "help"},
		{"expansion_type", "slash_command"},
		{"file_path", filepath.Join(dir, "README.md")},
		{"event", "change"},
	} {
		if hasField(in, d.key) && d.value != "" && (d.key != "agent_type" || ev == hook.EventSubagentStart || ev == hook.EventSubagentStop) && messageIsText(ev, d.key) {
			out = append(out, d)
		}
	}
	if ev == hook.EventSubagentStart || ev == hook.EventSubagentStop {
		out = append(out, fieldDefault{"agent_id", "agent-1"})
	}
	return out
}

// messageIsText tells the message that is a text from the one that is a structure.
func messageIsText(ev hook.Event, key string) bool {
	return key != "message" || textField(ev.Spec().New(), key)
}

func defaultTrigger(ev hook.Event) string {
	if ev == hook.EventSetup {
		return "init"
	}
	return "manual"
}

func defaultSource(ev hook.Event) string {
	switch ev {
	case hook.EventSessionStart:
		return "startup"
	case hook.EventConfigChange:
		return "project_settings"
	case hook.EventDirectoryAdded:
		return "slash_command"
	case hook.EventUserInput:
		return "interactive"
	}
	return "command"
}

func defaultReason(ev hook.Event) string {
	switch ev {
	case hook.EventSessionEnd:
		return "other"
	case hook.EventSessionBeforeSwitch, hook.EventSessionSwitch:
		return "new"
	case hook.EventResourcesDiscover:
		return "startup"
	case hook.EventAutoCompactionStart:
		return "threshold"
	}
	return ""
}

// toolNames are the tools that completion and lints know.
func toolNames() []string {
	var out []string
	for _, t := range claude.Tools() {
		out = append(out, t.Name)
	}
	return out
}
