package tool_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/agent/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newSet returns a set over a fresh directory, and the directory with links
// resolved.
func newSet(t *testing.T, change ...func(*tool.Config)) (*tool.Set, string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cfg := tool.Config{Dir: dir, OutputDir: filepath.Join(t.TempDir(), "out")}
	for _, c := range change {
		c(&cfg)
	}
	s, err := tool.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, dir
}

type args = map[string]any

// run calls a tool.
func run(t *testing.T, s *tool.Set, name string, in any) (tool.Result, error) {
	t.Helper()
	return runCtx(t, t.Context(), s, name, in)
}

func runCtx(t *testing.T, ctx context.Context, s *tool.Set, name string, in any) (tool.Result, error) {
	t.Helper()
	v, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	return s.Lookup(name).Run(ctx, tool.Input{JSON: v, ID: "toolu_1"})
}

// must calls a tool that has to succeed and returns its text.
func must(t *testing.T, s *tool.Set, name string, in any) string {
	t.Helper()
	r, err := run(t, s, name, in)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r.Text()
}

// response decodes a tool's response.
func response[T any](t *testing.T, r tool.Result) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(r.Response, &v); err != nil {
		t.Fatalf("response %s: %v", r.Response, err)
	}
	return v
}

func file(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestSetHasTheTools(t *testing.T) {
	s, _ := newSet(t)
	want := []string{"Bash", "BashOutput", "KillShell", "Read", "Write", "Edit", "Glob", "Grep", "LS", "WebFetch", "TodoWrite", "AskUserQuestion"}
	readOnly := []string{"BashOutput", "Read", "Glob", "Grep", "LS", "WebFetch"}
	var names []string
	for _, tl := range s.Tools() {
		names = append(names, tl.Name())
		if tl.ReadOnly() != slices.Contains(readOnly, tl.Name()) {
			t.Errorf("%s: ReadOnly is %v", tl.Name(), tl.ReadOnly())
		}
		if _, ok := errors.AsType[*tool.InputError](tool.Check(tl, jsontext.Value(`{"hologram":1}`))); !ok {
			t.Errorf("%s: its schema can not be compiled", tl.Name())
		}
		d := tool.Definition(tl)
		if !d.Schema.IsValid() || d.Description == "" {
			t.Errorf("%s: definition %+v", tl.Name(), d)
		}
	}
	if !slices.Equal(names, want) || s.Lookup("Nope") != nil {
		t.Errorf("got %v", names)
	}
}

func TestCheck(t *testing.T) {
	s, _ := newSet(t)
	tests := []struct{ tool, input, problem string }{
		{"Bash", `{"command":"ls"}`, ""},
		{"Bash", `{"command":"ls","timeout":1000.0}`, ""},
		{"Bash", `{}`, `invalid input for Bash: "command" is missing`},
		{"Bash", `{"cmd":"ls"}`, `"command" is missing; "cmd" is unknown (there are command, description, run_in_background, timeout)`},
		{"Bash", `{"command":["ls"]}`, `"command" must be a string, not an array`},
		{"Bash", `{"command":"ls","timeout":"5"}`, `"timeout" must be a number, not a string`},
		{"Bash", `{"command":"ls","timeout":900000}`, "timeout"},
		{"Bash", `{"command":"ls","command":"rm"}`, "not a valid JSON object"},
		{"Bash", `{"Command":"ls"}`, `"Command" is unknown`},
		{"Bash", `null`, "null"},
		{"Bash", `[]`, "not a valid JSON object"},
		{"Bash", `"{\"command\":"`, "not a valid JSON object"},
		{"Bash", ``, "not a valid JSON object"},
		{"Read", `{"file_path":"x","offset":1.5}`, `"offset" must be an integer, not a number`},
		{"Read", `{"file_path":"x","offset":-1}`, "offset"},
		{"Grep", `{"pattern":"x","output_mode":"names"}`, "output_mode"},
		{"TodoWrite", `{"todos":[{"content":"x","status":"done"}]}`, "status"},
		{"TodoWrite", `{"todos":[]}`, ""},
	}
	for _, tt := range tests {
		err := tool.Check(s.Lookup(tt.tool), jsontext.Value(tt.input))
		if (err == nil) != (tt.problem == "") || err != nil && !strings.Contains(err.Error(), tt.problem) {
			t.Errorf("%s %s: got %v, want %q", tt.tool, tt.input, err, tt.problem)
		}
		if _, ok := errors.AsType[*tool.InputError](err); err != nil && !ok {
			t.Errorf("%s %s: got a %T", tt.tool, tt.input, err)
		}
		if tt.problem != "" {
			if _, err := s.Lookup(tt.tool).Run(t.Context(), tool.Input{JSON: jsontext.Value(tt.input)}); err == nil {
				t.Errorf("%s ran on %s", tt.tool, tt.input)
			}
		}
	}
}

func TestCancelledBeforeItRuns(t *testing.T) {
	s, dir := newSet(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := runCtx(t, ctx, s, "Write", args{"file_path": "x", "content": "y"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "x")); err == nil {
		t.Error("the file was written")
	}
}

func TestTodoWrite(t *testing.T) {
	var seen []tool.Todo
	s, _ := newSet(t, func(c *tool.Config) { c.OnTodos = func(td []tool.Todo) { seen = td } })
	todos := []args{{"content": "a", "status": "completed"}, {"content": "b", "status": "in_progress", "activeForm": "doing b"}}
	r, err := run(t, s, "TodoWrite", args{"todos": todos})
	if err != nil || !strings.Contains(r.Text(), "2, of which 1 open") {
		t.Errorf("got %q, %v", r.Text(), err)
	}
	got := s.Todos()
	if len(got) != 2 || got[1].ActiveForm != "doing b" || got[0].Open() || !got[1].Open() || !slices.Equal(seen, got) {
		t.Errorf("got %+v, seen %+v", got, seen)
	}
	r, err = run(t, s, "TodoWrite", args{"todos": []args{}})
	if err != nil {
		t.Fatal(err)
	}
	resp := response[struct{ OldTodos, NewTodos []tool.Todo }](t, tool.Result{Response: jsontext.Value(strings.NewReplacer("oldTodos", "OldTodos", "newTodos", "NewTodos").Replace(string(r.Response)))})
	if len(resp.OldTodos) != 2 || len(resp.NewTodos) != 0 || len(s.Todos()) != 0 {
		t.Errorf("got %s", r.Response)
	}
}

func FuzzCheck(f *testing.F) {
	for _, s := range []string{`{"command":"ls"}`, `{"command":1}`, `{"a":{"b":[]}}`, "", "null", "\xff"} {
		f.Add(s)
	}
	s, err := tool.New(tool.Config{Dir: f.TempDir()})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	f.Fuzz(func(t *testing.T, in string) {
		for _, tl := range s.Tools() {
			if err := tool.Check(tl, jsontext.Value(in)); err == nil && jsontext.Value(in).Kind() != '{' {
				t.Errorf("%s takes %q", tl.Name(), in)
			}
		}
	})
}
