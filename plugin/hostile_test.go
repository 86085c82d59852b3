package plugin_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/internal/gitcmd/gittest"
	"github.com/hookline-dev/hookline/plugin"
)

// TestHostileRepositories installs repositories that each try one thing. Every
// one is refused with a reason, and leaves nothing behind, neither in a fresh
// project nor in one that has an older version.
func TestHostileRepositories(t *testing.T) {
	gittest.Isolate(t)
	hook := gittest.Entry{Mode: "100755", Name: "run", Content: "#!/bin/sh\necho evil\n"}
	inHooks := func(r *gittest.Repo, entries ...gittest.Entry) string {
		return r.CommitTree(r.Tree(gittest.Entry{Mode: "40000", Name: "hooks", Content: r.Tree(entries...)}))
	}
	tests := []struct {
		name, reason string
		limits       plugin.Limits
		make         func(r *gittest.Repo)
		heavy        bool // so large that once is enough
	}{
		{"symlink to absolute", "out of the plugin", plugin.Limits{}, func(r *gittest.Repo) {
			inHooks(r, gittest.Entry{Mode: "120000", Name: "passwd", Content: "/etc/passwd"}, hook)
		}, false},
		{"symlink upwards", "out of the plugin", plugin.Limits{}, func(r *gittest.Repo) {
			inHooks(r, hook, gittest.Entry{Mode: "120000", Name: "up", Content: "../../../x"})
		}, false},
		{"symlink beside what is installed", "out of the plugin", plugin.Limits{}, func(r *gittest.Repo) {
			h := r.Tree(hook)
			r.CommitTree(r.Tree(gittest.Entry{Mode: "120000", Name: "etc", Content: "/etc"}, gittest.Entry{Mode: "40000", Name: "hooks", Content: h}))
		}, false},
		{"hooks is a symlink", "out of the plugin", plugin.Limits{}, func(r *gittest.Repo) {
			r.CommitTree(r.Tree(gittest.Entry{Mode: "120000", Name: "hooks", Content: "/bin"}))
		}, false},
		{"submodule", "submodule", plugin.Limits{}, func(r *gittest.Repo) {
			h := r.Tree(hook)
			r.CommitTree(r.Tree(
				gittest.Entry{Mode: "100644", Name: ".gitmodules", Content: "[submodule \"s\"]\n\tpath = s\n\turl = https://example.org/x\n"},
				gittest.Entry{Mode: "40000", Name: "hooks", Content: h},
				gittest.Entry{Mode: "160000", Name: "s", Content: strings.Repeat("ab", 20)}))
		}, false},
		{"parent directory", "..", plugin.Limits{}, func(r *gittest.Repo) {
			r.CommitTree(r.Tree(gittest.Entry{Mode: "40000", Name: "..", Content: r.Tree(hook)}))
		}, false},
		{"absolute path", "malformed", plugin.Limits{}, func(r *gittest.Repo) {
			r.CommitTree(r.Tree(gittest.Entry{Mode: "100755", Name: "/tmp/x", Content: "x"}))
		}, false},
		{"slash in name", "malformed", plugin.Limits{}, func(r *gittest.Repo) { inHooks(r, gittest.Entry{Mode: "100755", Name: "../run", Content: "x"}) }, false},
		{"git directory", ".git", plugin.Limits{}, func(r *gittest.Repo) {
			r.CommitTree(r.Tree(gittest.Entry{Mode: "40000", Name: ".git", Content: r.Tree(gittest.Entry{Mode: "40000", Name: "hooks", Content: r.Tree(hook)})}))
		}, false},
		{"git directory spelled otherwise", "malformed", plugin.Limits{}, func(r *gittest.Repo) {
			inHooks(r, gittest.Entry{Mode: "40000", Name: ".GIT", Content: r.Tree(hook)}, hook)
		}, false},
		{"content filter", "content filter", plugin.Limits{}, func(r *gittest.Repo) {
			h := r.Tree(hook)
			r.CommitTree(r.Tree(gittest.Entry{Mode: "100644", Name: ".gitattributes", Content: "*.md text\nhooks/* filter=lfs diff=lfs\n"}, gittest.Entry{Mode: "40000", Name: "hooks", Content: h}))
		}, false},
		{"control character", "control character", plugin.Limits{}, func(r *gittest.Repo) {
			inHooks(r, gittest.Entry{Mode: "100755", Name: "a\x1b]0;x\x07b", Content: "x"})
		}, false},
		{"carriage return", "control character", plugin.Limits{}, func(r *gittest.Repo) { inHooks(r, gittest.Entry{Mode: "100755", Name: "a\r", Content: "x"}) }, false},
		{"direction mark", "invisible character", plugin.Limits{}, func(r *gittest.Repo) {
			inHooks(r, gittest.Entry{Mode: "100755", Name: "a\u202eb", Content: "x"})
		}, false},
		{"not UTF-8", "not UTF-8", plugin.Limits{}, func(r *gittest.Repo) { inHooks(r, gittest.Entry{Mode: "100755", Name: "a\xff", Content: "x"}) }, false},
		{"case collision", "upper and lower case", plugin.Limits{}, func(r *gittest.Repo) {
			inHooks(r, gittest.Entry{Mode: "100755", Name: "RUN", Content: "x"}, hook)
		}, false},
		{"100,000 files", "more than 10000 files", plugin.Limits{}, func(r *gittest.Repo) {
			id := r.Blob("x")
			var b strings.Builder
			for i := range 100_000 {
				fmt.Fprintf(&b, "100644 blob %s\tf%06d\n", id, i)
			}
			r.CommitTree(r.Tree(gittest.Entry{Mode: "40000", Name: "hooks", Content: r.GitIn([]byte(b.String()), "mktree")}))
		}, true},
		{"tree of trees of trees", "more than 10000 files", plugin.Limits{}, func(r *gittest.Repo) {
			tree := r.Tree(hook)
			for range 12 {
				var entries []gittest.Entry
				for i := range 10 {
					entries = append(entries, gittest.Entry{Mode: "40000", Name: fmt.Sprint(i), Content: tree})
				}
				tree = r.Tree(entries...)
			}
			r.CommitTree(tree)
		}, true},
		{"large file", "larger than 32 MiB", plugin.Limits{Bytes: 32 << 20}, func(r *gittest.Repo) {
			big := filepath.Join(r.Dir, "hooks", "big")
			r.Write("hooks/big", "")
			if err := os.Truncate(big, 32<<20+1); err != nil {
				t.Skipf("no sparse files: %v", err)
			}
			r.Git("-c", "core.bigFileThreshold=1m", "-c", "core.compression=1", "add", "-A")
			r.Git("commit", "-q", "-m", "big")
		}, true},
		{"many bytes", "larger than 64 KiB", plugin.Limits{Bytes: 64 << 10}, func(r *gittest.Repo) {
			for i := range 10 {
				r.Write(fmt.Sprintf("hooks/f%d", i), strings.Repeat("x", 10<<10))
			}
			r.Commit()
		}, false},
		{"link bomb", "more than 10000 files", plugin.Limits{}, func(r *gittest.Repo) {
			dirs := []gittest.Entry{{Mode: "40000", Name: "d0", Content: r.Tree(hook)}}
			for i := 1; i < 10; i++ {
				var links []gittest.Entry
				for k := range 10 {
					links = append(links, gittest.Entry{Mode: "120000", Name: fmt.Sprint(k), Content: fmt.Sprintf("../d%d", i-1)})
				}
				dirs = append(dirs, gittest.Entry{Mode: "40000", Name: fmt.Sprintf("d%d", i), Content: r.Tree(links...)})
			}
			r.CommitTree(r.Tree(gittest.Entry{Mode: "40000", Name: "hooks", Content: r.Tree(dirs...)}))
		}, true},
	}
	good := filepath.Join(t.TempDir(), "acme@evil")
	writeFile(t, filepath.Join(good, "hooks", "run"), "#!/bin/sh\necho good\n")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			repo := gittest.New(t, filepath.Join(t.TempDir(), "acme", "evil"))
			tt.make(repo)
			s := newStore(t)
			s.Limits = tt.limits
			err := tryInstall(t, s, repo.URL(), plugin.InstallOptions{})
			if err == nil || !strings.Contains(err.Error(), tt.reason) {
				t.Fatalf("got %v, want %q", err, tt.reason)
			}
			if strings.ContainsAny(err.Error(), "\x1b\r\u202e") {
				t.Errorf("the message carries the trick on: %q", err)
			}
			wantFiles(t, s.ProjectDir)
			wantFiles(t, s.HomeDir)

			if tt.heavy {
				return
			}
			install(t, s, good, plugin.InstallOptions{})
			before := files(t, s.ProjectDir)
			if err := tryInstall(t, s, repo.URL(), plugin.InstallOptions{Force: true}); err == nil {
				t.Fatal("installed over the old version")
			}
			wantFiles(t, s.ProjectDir, before...)
			wantClean(t, s)
		})
	}
}

func TestHostileSources(t *testing.T) {
	ran := filepath.Join(t.TempDir(), "ran")
	for _, spec := range []string{
		"--upload-pack=touch " + ran, "ext::sh -c touch% " + ran, "acme/tools@--upload-pack=touch${IFS}" + ran,
		"ssh://-oProxyCommand=touch " + ran + "/x", "git@-oProxyCommand=x:acme/tools", "file:///tmp/../etc", "https://a:b@example.org/x/y",
	} {
		if s, err := plugin.ParseSource(spec, plugin.SourceOptions{}); err == nil {
			t.Errorf("%q passed as %+v", spec, s)
		}
	}
	// A source that did not come from ParseSource meets the same checks.
	s := newStore(t)
	for _, src := range []plugin.Source{
		{Kind: plugin.GitSource, Address: "--upload-pack=touch " + ran, Name: plugin.Name{Repo: "x"}},
		{Kind: plugin.GitSource, Address: "ext::sh -c touch% " + ran, Name: plugin.Name{Repo: "x"}},
		{Kind: plugin.GitSource, Address: gittest.FileURL(t.TempDir()), Ref: "--upload-pack=touch " + ran, Name: plugin.Name{Repo: "x"}},
		{Kind: "other", Address: "x", Name: plugin.Name{Repo: "x"}},
	} {
		if _, err := s.Install(t.Context(), []plugin.Source{src}, plugin.InstallOptions{}); err == nil {
			t.Errorf("%+v was installed", src)
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a command ran")
	}
	wantFiles(t, s.ProjectDir)
}

func TestHostileDirectories(t *testing.T) {
	tests := []struct {
		name, reason string
		make         func(t *testing.T, dir string) error
	}{
		{"symlink out", "out of the plugin", func(_ *testing.T, dir string) error {
			return os.Symlink("/etc/passwd", filepath.Join(dir, "hooks", "x"))
		}},
		{"hooks is a link", "out of the plugin", func(_ *testing.T, dir string) error {
			return errors.Join(os.RemoveAll(filepath.Join(dir, "hooks")), os.Symlink("/bin", filepath.Join(dir, "hooks")))
		}},
		{"named pipe", "named pipe", func(t *testing.T, dir string) error { return mkfifo(t, filepath.Join(dir, "hooks", "pipe")) }},
		{"nested repository", "another git repository", func(t *testing.T, dir string) error {
			writeFile(t, filepath.Join(dir, "hooks", "sub", ".git", "hooks", "x"), "#!/bin/sh\n")
			return nil
		}},
		{"control character", "control character", func(_ *testing.T, dir string) error {
			return os.WriteFile(filepath.Join(dir, "hooks", "a\nb"), nil, 0o644)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "tools")
			writeFile(t, filepath.Join(dir, "hooks", "run"), "#!/bin/sh\n")
			if err := tt.make(t, dir); err != nil {
				t.Skipf("cannot be made on this system: %v", err)
			}
			s := newStore(t)
			err := tryInstall(t, s, dir, plugin.InstallOptions{})
			if _, ok := errors.AsType[*plugin.RefusedError](err); !ok || !strings.Contains(err.Error(), tt.reason) {
				t.Errorf("got %v, want %q", err, tt.reason)
			}
			wantFiles(t, s.ProjectDir)
		})
	}
}
