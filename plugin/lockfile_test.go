package plugin_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/plugin"
)

func TestLockFileShape(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "acme@tools")
	writeFile(t, filepath.Join(dir, "hooks", "run"), "#!/bin/sh\n")
	s := newStore(t)
	s.Now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	install(t, s, dir, plugin.InstallOptions{})
	want := `{
  "version": 1,
  "plugins": [
    {
      "name": "acme/tools",
      "kind": "directory",
      "source": "` + filepath.ToSlash(dir) + `",
      "installed_at": "2026-01-02T03:04:05Z",
      "files": [
        {
          "path": "hooks/run",
          "sha256": "a8076d3d28d21e02012b20eaf7dbf75409a6277134439025f282e368e3305abf",
          "size": 10,
          "executable": true
        }
      ]
    }
  ]
}
`
	if got := readFile(t, filepath.Join(s.ProjectDir, ".hookline", "plugins.lock")); filepath.Separator == '/' && got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestBadLockFilesAreNotWrittenOver(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tools")
	writeFile(t, filepath.Join(dir, "hooks", "run"), "#!/bin/sh\n")
	tests := []struct{ name, content, place, reason string }{
		{"newer", `{"version": 2, "plugins": [], "more": 1}`, "", "newer version"},
		{"no version", `{}`, "", "no format version"},
		{"not JSON", "{\n  \"version\": 1,\n  oops\n}", ":3:3", "invalid character"},
		{"empty", "", ":1:1", ""},
		{"duplicate key", `{"version": 1, "version": 1}`, ":1:16", "duplicate"},
		{"unknown key", `{"version": 1, "plugin": []}`, ":1:", "unknown"},
		{"wrong type", `{"version": 1, "plugins": [{"name": 7}]}`, ":1:", "/plugins/0/name"},
		{"bad name", `{"version": 1, "plugins": [{"name": "../x"}]}`, "", "../x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStore(t)
			path := filepath.Join(s.ProjectDir, ".hookline", "plugins.lock")
			writeFile(t, path, tt.content)
			err := tryInstall(t, s, dir, plugin.InstallOptions{})
			e, ok := errors.AsType[*plugin.LockFileError](err)
			if !ok || !strings.Contains(e.Position(), path+tt.place) || !strings.Contains(err.Error(), tt.reason) {
				t.Errorf("got %v", err)
			}
			wantFiles(t, s.ProjectDir, ".hookline/plugins.lock")
			if got := readFile(t, path); got != tt.content {
				t.Errorf("it became %q", got)
			}
			_, diags, err := s.List(t.Context())
			if err != nil || len(diags) != 1 || diags[0].Severity != diag.Error {
				t.Errorf("List: %v, %v", diags, err)
			}
			if _, err := s.Remove(t.Context(), []string{"tools"}, plugin.RemoveOptions{}); err == nil {
				t.Error("Remove took it")
			}
		})
	}
}

func FuzzLockFile(f *testing.F) {
	for _, s := range []string{
		`{"version":1,"plugins":[]}`, `{"version":2}`, `{`, ``, `[]`, `{"version":1,"plugins":[{"name":"a/b","files":[{"path":"x"}]}]}`,
	} {
		f.Add([]byte(s))
	}
	path := filepath.Join(f.TempDir(), "plugins.lock")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		entries, err := plugin.ReadLock(path)
		if err != nil {
			if _, ok := errors.AsType[*plugin.LockFileError](err); !ok {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		for _, e := range entries {
			if _, err := plugin.ParseName(e.Name); err != nil {
				t.Fatal(err)
			}
		}
	})
}
