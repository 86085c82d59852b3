package claude

import (
	"reflect"
	"slices"
	"testing"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/sandbox"
)

// TestDefinitionIsAsApprovalsKeepIt: approvals that people gave have this text, with every
// member and in this order; another one would end them all.
func TestDefinitionIsAsApprovalsKeepIt(t *testing.T) {
	full := Entry{
		Event: hook.EventPreToolUse, Type: TypeCommand, Matcher: "Bash<", Command: "a \xff", Args: []string{"x"}, Env: map[string]string{"B": "2", "A": "1"},
		Headers: map[string]string{"Z": "", "H": "h"}, Input: hook.RawJSON(`{"b": 1, "a":2}`), AllowedEnvVars: []string{"V"}, If: "Bash(x)", Once: true, Prewarm: 2,
	}
	for _, e := range []Entry{{}, full} {
		for _, n := range []sandbox.Needs{{}, {Write: []string{"w"}}} {
			want := map[string]any{
				"event": e.Event.String(), "matcher": e.Matcher, "type": e.Type, "if": e.If, "timeout": e.Timeout.String(), "onFailure": e.OnFailure.String(),
				"subagents": e.IncludeSubagents, "guard": e.Guard, "once": e.Once, "env": e.Env, "command": e.Command, "args": e.Args, "shell": e.Shell,
				"prewarm": e.Prewarm, "async": e.Async, "asyncRewake": e.AsyncRewake, "url": e.URL, "headers": e.Headers, "allowedEnvVars": e.AllowedEnvVars,
				"server": e.Server, "tool": e.Tool, "input": e.Input, "prompt": e.Prompt, "model": e.Model, "continueOnBlock": e.ContinueOnBlock,
			}
			if !n.Zero() {
				want["sandbox"] = n
			}
			if got := definition(&e, n); got != hook.MustJSON(want).Raw() {
				t.Errorf("it is\n%s\nwant\n%s", got, hook.MustJSON(want).Raw())
			}
		}
	}
}

// TestApprovalCoversEveryMember: what an approval does not cover can be changed after it.
func TestApprovalCoversEveryMember(t *testing.T) {
	changesNothing := []string{"Name", "Broken", "Place", "Pointer", "Line", "Column", "StatusMessage", "RewakeMessage", "RewakeSummary"}
	elsewhere := []string{"Event", "Sandbox"} // given to definition beside the entry, or checked above
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Entry]()) {
		if !f.IsExported() || slices.Contains(changesNothing, f.Name) || slices.Contains(elsewhere, f.Name) {
			continue
		}
		e := Entry{Event: hook.EventStop}
		plain := definition(&e, sandbox.Needs{})
		set(reflect.ValueOf(&e).Elem().FieldByIndex(f.Index))
		if definition(&e, sandbox.Needs{}) == plain {
			t.Errorf("nobody is asked again when %s of a hook changes: name it in defined, which is in finder.go, with omitzero", f.Name)
		}
	}
}

// set gives a member some value that is not its zero.
func set(v reflect.Value) {
	switch v.Interface().(type) {
	case hook.JSON:
		v.Set(reflect.ValueOf(hook.RawJSON("1")))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("x")
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Map:
		m := reflect.MakeMap(v.Type())
		m.SetMapIndex(reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem())
		v.Set(m)
	case reflect.Uint8:
		v.SetUint(1)
	default:
		v.SetInt(1)
	}
}
