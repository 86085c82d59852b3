package plugin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/internal/gitcmd/gittest"
	"github.com/hookline-dev/hookline/plugin"
)

func TestParseSource(t *testing.T) {
	dir := t.TempDir()
	for _, sub := range []string{"my-hooks", "acme@tools", "a@b/repo"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(sub)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	fileRepo := gittest.FileURL(filepath.Join(dir, "a@b", "repo"))
	tests := []struct{ in, kind, address, ref, name string }{
		{"acme/tools", "git", "https://github.com/acme/tools", "", "acme/tools"},
		{"acme/tools.git", "git", "https://github.com/acme/tools", "", "acme/tools"},
		{"acme/tools@v1.2", "git", "https://github.com/acme/tools", "v1.2", "acme/tools"},
		{"acme/tools@feature/x", "git", "https://github.com/acme/tools", "feature/x", "acme/tools"},
		{"acme/tools#main", "git", "https://github.com/acme/tools", "main", "acme/tools"},
		{"https://gitlab.example/group/sub/tools.git", "git", "https://gitlab.example/group/sub/tools.git", "", "sub/tools"},
		{"https://example.org/acme/tools@v1", "git", "https://example.org/acme/tools", "v1", "acme/tools"},
		{"https://example.org/acme/tools@feature/x", "git", "https://example.org/acme/tools", "feature/x", "acme/tools"},
		{"ssh://git@example.org:22/acme/tools@v1", "git", "ssh://git@example.org:22/acme/tools", "v1", "acme/tools"},
		{"git@example.org:acme/tools.git", "git", "git@example.org:acme/tools.git", "", "acme/tools"},
		{"git@example.org:acme/tools@v1", "git", "git@example.org:acme/tools", "v1", "acme/tools"},
		{"file:///srv/acme/tools.git", "git", "file:///srv/acme/tools.git", "", "acme/tools"},
		{"file:///srv/acme/tools@v1", "git", "file:///srv/acme/tools", "v1", "acme/tools"},
		{fileRepo, "git", fileRepo, "", "repo"}, // a@b cannot be an organisation
		{fileRepo + "@v1", "git", fileRepo, "v1", "repo"},
		{"./my-hooks", "directory", filepath.Join(dir, "my-hooks"), "", "my-hooks"},
		{"my-hooks", "directory", filepath.Join(dir, "my-hooks"), "", "my-hooks"},
		{"./acme@tools", "directory", filepath.Join(dir, "acme@tools"), "", "acme/tools"},
		{filepath.Join(dir, "my-hooks"), "directory", filepath.Join(dir, "my-hooks"), "", "my-hooks"},
	}
	for _, tt := range tests {
		s, err := plugin.ParseSource(tt.in, plugin.SourceOptions{Dir: dir})
		if err != nil {
			t.Errorf("%s: %v", tt.in, err)
			continue
		}
		if string(s.Kind) != tt.kind || s.Address != tt.address || s.Ref != tt.ref {
			t.Errorf("%s: got %+v", tt.in, s)
		}
		if s.Name.String() != tt.name {
			t.Errorf("%s: name %s", tt.in, s.Name)
		}
	}
	s, err := plugin.ParseSource("acme/tools", plugin.SourceOptions{Host: "git.example.org"})
	if err != nil || s.Address != "https://git.example.org/acme/tools" {
		t.Errorf("host: %+v, %v", s, err)
	}
}

func TestParseSourceRefuses(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "bad name"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, in := range []string{
		"", " ", "-x", "--upload-pack=touch x", "--upload-pack=x/y", "ext::sh -c x", "ext::sh -c x/y", "nothing-here", "./nothing-here", "a/b/c",
		"acme/tools@--upload-pack=x", "acme/tools@a..b", "acme/tools@", "acme/-x", "acme/..", "./bad name",
		"https://user:hunter2@example.org/a/b", "https://hunter2@example.org/a/b", "https://example.org/a/b?key=hunter2",
		"http://example.org/a/b", "git://example.org/a/b", "https://github.com/a/b/tree/main", "https://github.com/a",
		"acme/to\x00ols", "acme/to\u202eols", "https://example.org/acme/-x", "https://example.org/acme/CON", "~/x",
	} {
		s, err := plugin.ParseSource(in, plugin.SourceOptions{Dir: dir})
		if err == nil {
			t.Errorf("%q passed as %+v", in, s)
			continue
		}
		if strings.Contains(err.Error(), "hunter2") || strings.ContainsAny(err.Error(), "\x00\u202e") {
			t.Errorf("%q: %q", in, err)
		}
	}
}

func FuzzParseSource(f *testing.F) {
	for _, s := range []string{"acme/tools@v1", "git@h:a/b@c", "https://h/a/b#c", "file:///a@b/c@d", "./x", "ext::x", "-x", "a/b@@c"} {
		f.Add(s)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, s string) {
		src, err := plugin.ParseSource(s, plugin.SourceOptions{Dir: dir})
		if err != nil || src.Kind != plugin.GitSource {
			return
		}
		if src.Address == "" || src.Address[0] == '-' || strings.HasPrefix(src.Ref, "-") || strings.ContainsAny(src.Address+src.Ref, "\x00\n\r") {
			t.Fatalf("%q gave %+v", s, src)
		}
		if _, err := plugin.ParseName(src.Name.String()); err != nil {
			t.Fatalf("%q gave the name %q", s, src.Name)
		}
	})
}

func TestDirectoryWithACommitSaysHowToAskForIt(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "tools"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := plugin.ParseSource("./tools@v1", plugin.SourceOptions{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "file://") || !strings.Contains(err.Error(), "/tools@v1") {
		t.Errorf("error %v", err)
	}
}
