package hook_test

import (
	"go/build"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/hookline-dev/hookline/hook"
)

func TestEveryEventHasARowAStructAndDescribedFields(t *testing.T) {
	names := map[string]bool{}
	for _, ev := range hook.Events() {
		s := ev.Spec()
		if s.Event != ev || s.Name == "" || s.Name != s.Type().Name() || names[s.Name] || s.Fires == "" {
			t.Errorf("%v: row %+v", ev, s)
		}
		names[s.Name] = true
		if got, ok := hook.ParseEvent(s.Name); !ok || got != ev {
			t.Errorf("%v: parsed as %v", ev, got)
		}
		if s.CanBlock() != (s.Effect != "") {
			t.Errorf("%v: deny is honoured: %v, but its effect is %q", ev, s.CanBlock(), s.Effect)
		}
		if in := s.New(); in.Event() != ev || (s.Subject == "") != (subjectOf(in) == "") {
			t.Errorf("%v: input says %v, subject %q", ev, in.Event(), subjectOf(in))
		}
		describe(t, ev, s.Type())
	}
	if len(names) < 33+28 {
		t.Errorf("only %d events", len(names))
	}
}

// subjectOf fills every string of an input and returns its subject.
func subjectOf(in hook.Input) string {
	v := reflect.ValueOf(in).Elem()
	for i := range v.NumField() {
		if v.Field(i).Kind() == reflect.String {
			v.Field(i).SetString("x")
		}
	}
	in.Base().AgentType = "x"
	return in.Subject()
}

func describe(t *testing.T, ev hook.Event, typ reflect.Type) {
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Anonymous {
			describe(t, ev, f.Type)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if name == "" || name != strings.ToLower(name) || f.Tag.Get("doc") == "" {
			t.Errorf("%v.%s: json %q, doc %q", ev, f.Name, name, f.Tag.Get("doc"))
		}
	}
}

func TestEveryInputRoundTrips(t *testing.T) {
	for _, ev := range hook.Events() {
		in := ev.Spec().New()
		fill(reflect.ValueOf(in).Elem())
		b, err := hook.MarshalInput(in)
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal(b, &m); err != nil || m["hook_event_name"] != ev.String() || m["session_id"] != "x" {
			t.Fatalf("%s: %v", b, err)
		}
		back, err := hook.UnmarshalInput(ev, b)
		if err != nil {
			t.Fatal(err)
		}
		again, err := hook.MarshalInput(back)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(b), string(again)); d != "" {
			t.Errorf("%v: %s", ev, d)
		}
	}
}

// fill gives every field of an input a value that is not zero.
func fill(v reflect.Value) {
	switch v.Interface().(type) {
	case hook.JSON:
		v.Set(reflect.ValueOf(hook.RawJSON(`{"k":9007199254740993}`)))
		return
	case []hook.JSON:
		v.Set(reflect.ValueOf([]hook.JSON{hook.RawJSON(`{"k":1}`)}))
		return
	case hook.Message:
		v.Set(reflect.ValueOf(hook.UserMessage("hi")))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Float64:
		v.SetFloat(1.5)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		if v.Type().Elem().Kind() == reflect.Struct && v.Type() != reflect.TypeFor[*hook.Metadata]() {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && v.Field(i).Type() != reflect.TypeFor[hook.Session]() {
				fill(v.Field(i))
			}
		}
	case reflect.Slice:
		s := reflect.MakeSlice(v.Type(), 1, 1)
		if v.Type().Elem().Kind() != reflect.Uint8 {
			fill(s.Index(0))
			v.Set(s)
		}
	}
}

func TestUnknownEventIsExplained(t *testing.T) {
	var ev hook.Event
	if err := ev.UnmarshalText([]byte("pretooluse")); err == nil || err.Error() != `unknown event "pretooluse"` {
		t.Errorf("err %v", err)
	}
	if err := (&hook.UnknownEventError{Name: "x", Suggestion: "Stop"}).Error(); !strings.HasSuffix(err, "(did you mean Stop?)") {
		t.Errorf("err %v", err)
	}
}

func TestDecodingInputRefusesDuplicateKeys(t *testing.T) {
	_, err := hook.UnmarshalInput(hook.EventPreToolUse, []byte(`{"tool_name":"Read","tool_name":"Bash"}`))
	if err == nil || !strings.Contains(err.Error(), `duplicate key "tool_name"`) {
		t.Errorf("err %v", err)
	}
}

// TestImports keeps the package what it promises to be: the standard library and
// the mirror of its next JSON package, nothing else.
func TestImports(t *testing.T) {
	p, err := build.ImportDir(".", 0)
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string]bool{"github.com/go-json-experiment/json": true, "github.com/go-json-experiment/json/jsontext": true}
	for _, path := range p.Imports {
		if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") && !allowed[path] {
			t.Errorf("package hook imports %s", path)
		}
		if path == "os" || path == "os/exec" || path == "net/http" {
			t.Errorf("package hook imports %s: it knows no file and no process", path)
		}
	}
}
