package script

import (
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

func TestInspectRunsNothing(t *testing.T) {
	path := write(t, "hook.ts", "// hookline: exec runtime=node\nimport type { HookAPI } from '@oh-my-pi/pi-coding-agent/hooks';\nthrow new Error('ran');\nexport default (pi: HookAPI) => {}")
	got, err := Inspect(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Path != path || !got.Node || got.Family != FamilyOMP || got.Kind != KindHook || !slices.Equal(got.Requests, []string{"exec"}) || len(got.Files) != 1 {
		t.Errorf("got %+v", got)
	}
	if _, err := Inspect(write(t, "bad.ts", "let 1"), Options{}); err == nil {
		t.Error("a syntax error was passed over")
	}
}

func TestParseGrants(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("USERPROFILE", dir)
	got, err := ParseGrants([]string{"ui", "exec", "net:example.com", "net:localhost:8080", "read:./data", "read:~/notes", "write:*", "env:API_*"}, filepath.Join(dir, "p"))
	want := Grants{
		UI: true, Exec: true, NetHosts: []string{"example.com", "localhost:8080"},
		ReadRoots: []string{filepath.Join(dir, "p", "data"), filepath.Join(dir, "notes")}, WriteRoots: []string{"*"}, Env: []string{"API_*"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, bad := range []string{"fly", "net", "read:", "execute"} {
		if _, err := ParseGrants([]string{bad}, dir); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
