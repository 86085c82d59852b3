package plugin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/internal/gitcmd/gittest"
	"github.com/hookline-dev/hookline/plugin"
)

// Nothing beside the directory that is installed gets in, and what is above it counts.
func TestDirectoryOfARepository(t *testing.T) {
	gittest.Isolate(t)
	repo := gittest.New(t, filepath.Join(t.TempDir(), "acme", "many"))
	repo.Write("plugins/guard/hooks/gate", "#!/bin/sh\necho before_tool_call\n")
	repo.Write("plugins/guard-more/hooks/more", "#!/bin/sh\necho before_tool_call\n")
	repo.Write("secret.txt", "text\n")
	repo.Commit()
	s := newStore(t)
	r := install(t, s, repo.URL()+"//plugins/guard", plugin.InstallOptions{})
	if r.Name != "acme/guard" || len(r.Content.Hooks) != 1 {
		t.Errorf("installed %s with %v", r.Name, r.Content.Hooks)
	}
	if u, err := s.Update(t.Context(), nil, plugin.UpdateOptions{}); err != nil || len(u) != 1 || u[0].Status != plugin.Unchanged {
		t.Errorf("update: %v, %v", u, err)
	}
	if err := os.Symlink("../../../secret.txt", filepath.Join(repo.Dir, "plugins/guard/hooks/out")); err != nil {
		t.Skip(err)
	}
	repo.Commit()
	if err := tryInstall(t, s, repo.URL()+"//plugins/guard", plugin.InstallOptions{Force: true}); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("a link out of the directory: %v", err)
	}
	repo.Git("rm", "-q", "plugins/guard/hooks/out")
	repo.Write(".gitattributes", "* filter=lfs\n")
	repo.Commit()
	if err := tryInstall(t, s, repo.URL()+"//plugins/guard", plugin.InstallOptions{Force: true}); err == nil || !strings.Contains(err.Error(), "content filter") {
		t.Errorf("a filter above the directory: %v", err)
	}
}

// A list that comes over the network names no files of this machine.
func TestMarketplaceNamesNoLocalFiles(t *testing.T) {
	gittest.Isolate(t)
	repo := gittest.New(t, filepath.Join(t.TempDir(), "acme", "market"))
	repo.Write(".claude-plugin/marketplace.json", `{"name": "m", "plugins": [
		{"name": "url", "source": {"source": "url", "url": "file:///srv/private/repo"}},
		{"name": "path", "source": {"source": "url", "url": "/srv/private/repo"}},
		{"name": "short", "source": {"source": "github", "repo": "../private"}}]}`)
	repo.Commit()
	s := newStore(t)
	server := gittest.Serve(t, filepath.Dir(filepath.Dir(repo.Dir)), gittest.ServeOptions{})
	if _, err := s.AddMarketplace(t.Context(), source(t, server+"/acme/market")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"url", "path", "short"} {
		if _, ok, err := s.Offered(name + "@m"); !ok || err == nil || !strings.Contains(err.Error(), "some machine") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
