package tool_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/agent/tool"
)

// call runs a tool of a set.
func call(t *testing.T, s *tool.Set, name string, input map[string]any) (string, error) {
	t.Helper()
	raw, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.Lookup(name).Run(t.Context(), tool.Input{JSON: raw})
	return out.Text(), err
}

func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestMoveAndIn(t *testing.T) {
	first, second, third, shared := realDir(t), realDir(t), realDir(t), realDir(t)
	s, err := tool.New(tool.Config{Dir: first, AddDirs: []string{shared}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Move(second, ""); err != nil {
		t.Fatal(err)
	}
	if err := s.Move(filepath.Join(second, "none"), ""); err == nil || s.Cwd() != second {
		t.Errorf("%v, in %s", err, s.Cwd())
	}
	sub := filepath.Join(first, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	for cwd, want := range map[string]string{sub: sub, filepath.Join(first, "none"): first, second: first} {
		if err := s.Move(first, cwd); err != nil || s.Cwd() != want || s.Dirs()[0] != first {
			t.Errorf("%s: %v, in %s of %s", cwd, err, s.Cwd(), s.Dirs())
		}
	}
	if err := s.Move(second, ""); err != nil {
		t.Fatal(err)
	}
	other, err := s.In(third)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for _, c := range []struct {
		set  *tool.Set
		path string
		good bool
	}{
		{s, "x.txt", true},
		{s, filepath.Join(shared, "a.txt"), true},
		{s, filepath.Join(first, "x.txt"), false},
		{other, "y.txt", true},
		{other, filepath.Join(shared, "b.txt"), true},
		{other, filepath.Join(second, "y.txt"), false},
	} {
		if _, err := call(t, c.set, "Write", map[string]any{"file_path": c.path, "content": "x"}); (err == nil) != c.good {
			t.Errorf("%s: %v", c.path, err)
		}
	}
	for _, path := range []string{filepath.Join(second, "x.txt"), filepath.Join(third, "y.txt")} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	if got, err := call(t, s, "Glob", map[string]any{"pattern": "*"}); err != nil || !strings.Contains(got, "x.txt") {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := call(t, other, "TodoWrite", map[string]any{"todos": []any{map[string]any{"content": "a", "status": "pending", "activeForm": "a"}}}); err != nil || len(s.Todos()) != 0 {
		t.Errorf("todos are shared: %v, %v", s.Todos(), err)
	}
}

func TestEndShells(t *testing.T) {
	first, second := realDir(t), realDir(t)
	s, err := tool.New(tool.Config{Dir: first})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Lookup("Bash").Run(t.Context(), tool.Input{JSON: []byte(`{"command":"true"}`)}); err != nil {
		t.Skip("no shell: ", err)
	}
	start := func() {
		if _, err := call(t, s, "Bash", map[string]any{"command": "sleep 600", "run_in_background": true}); err != nil {
			t.Fatal(err)
		}
	}
	start()
	if err := s.Move(second, ""); err != nil {
		t.Fatal(err)
	}
	start()
	if err := s.EndShells(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"bash_1": "running", "bash_2": "killed"} {
		if got, err := call(t, s, "BashOutput", map[string]any{"bash_id": id}); err != nil || !strings.Contains(got, id+" is "+want) {
			t.Errorf("%q, %v", got, err)
		}
	}
}
