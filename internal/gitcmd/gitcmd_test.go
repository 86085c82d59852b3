package gitcmd_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/internal/gitcmd"
	"github.com/hookline-dev/hookline/internal/gitcmd/gittest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func scratch(t *testing.T, c *gitcmd.Client) *gitcmd.Repo {
	t.Helper()
	r, err := c.Scratch(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func parse(t *testing.T, s string) gitcmd.URL {
	t.Helper()
	u, err := gitcmd.ParseURL(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// history is a repository with a branch, a plain and an annotated tag, and a
// commit that only history reaches.
type history struct {
	repo                   *gittest.Repo
	old, first, tip, side_ string
}

func newHistory(t *testing.T, dir string) history {
	t.Helper()
	h := history{repo: gittest.New(t, dir)}
	h.repo.Write("hooks/a", "#!/bin/sh\necho old\n")
	h.old = h.repo.Commit()
	h.repo.Write("hooks/a", "#!/bin/sh\necho first\n")
	h.first = h.repo.Commit()
	h.repo.Git("tag", "v1")
	h.repo.Git("tag", "-a", "-m", "annotated", "v1-annotated")
	h.repo.Write("README.md", "text\n")
	h.tip = h.repo.Commit()
	h.repo.Git("checkout", "-q", "-b", "feature/x", h.first)
	h.repo.Write("side", "side\n")
	h.side_ = h.repo.Commit()
	h.repo.Git("checkout", "-q", "main")
	return h
}

func TestFetchByBranchTagAndCommit(t *testing.T) {
	gittest.Isolate(t)
	root := t.TempDir()
	h := newHistory(t, filepath.Join(root, "org", "repo"))
	servers := map[string]string{
		"file":     h.repo.URL(),
		"http":     gittest.Serve(t, root, gittest.ServeOptions{}) + "/org/repo",
		"http old": gittest.Serve(t, root, gittest.ServeOptions{OldProtocol: true}) + "/org/repo",
	}
	refs := []struct {
		ref, want string
		kind      gitcmd.TargetKind
	}{
		{"", h.tip, gitcmd.Default},
		{"main", h.tip, gitcmd.Branch},
		{"feature/x", h.side_, gitcmd.Branch},
		{"refs/heads/feature/x", h.side_, gitcmd.Branch},
		{"v1", h.first, gitcmd.Tag},
		{"v1-annotated", h.first, gitcmd.Tag},
		{"tags/v1", h.first, gitcmd.Tag},
		{h.old, h.old, gitcmd.Commit},
		{h.old[:10], h.old, gitcmd.Commit},
	}
	for name, address := range servers {
		t.Run(name, func(t *testing.T) {
			for _, tt := range refs {
				r := scratch(t, &gitcmd.Client{})
				target, err := r.Resolve(t.Context(), parse(t, address), tt.ref)
				if err != nil {
					t.Fatalf("%q: %v", tt.ref, err)
				}
				if target.Kind != tt.kind {
					t.Errorf("%q is a %s, want %s", tt.ref, target.Kind, tt.kind)
				}
				commit, err := r.Fetch(t.Context(), parse(t, address), target)
				if err != nil || commit != tt.want {
					t.Errorf("%q fetched %q (%v), want %q", tt.ref, commit, err, tt.want)
				}
			}
		})
	}
}

func TestMissingRefsAreTypedErrors(t *testing.T) {
	gittest.Isolate(t)
	root := t.TempDir()
	h := newHistory(t, filepath.Join(root, "repo"))
	for _, ref := range []string{"v9", strings.Repeat("1", 40), "abcdef0123"} {
		r := scratch(t, &gitcmd.Client{})
		target, err := r.Resolve(t.Context(), parse(t, h.repo.URL()), ref)
		if err == nil {
			_, err = r.Fetch(t.Context(), parse(t, h.repo.URL()), target)
		}
		if _, ok := errors.AsType[*gitcmd.RefError](err); !ok {
			t.Errorf("%s: got %v, want a RefError", ref, err)
		}
	}
	empty := gittest.New(t, filepath.Join(root, "empty"))
	_, err := scratch(t, &gitcmd.Client{}).Resolve(t.Context(), parse(t, empty.URL()), "")
	if _, ok := errors.AsType[*gitcmd.RefError](err); !ok || !strings.Contains(err.Error(), "empty") {
		t.Errorf("empty repository: %v", err)
	}
	_, err = scratch(t, &gitcmd.Client{}).Resolve(t.Context(), parse(t, gittest.FileURL(filepath.Join(root, "none"))), "")
	if e, ok := errors.AsType[*gitcmd.Error](err); !ok || e.Hint == "" {
		t.Errorf("missing repository: %v", err)
	}
}

func TestTreeAndBlobsGiveStoredBytes(t *testing.T) {
	gittest.Isolate(t)
	repo := gittest.New(t, filepath.Join(t.TempDir(), "repo"))
	repo.Write(".gitattributes", "* text eol=crlf\nbin filter=evil\n")
	repo.Write("bin", "a\r\nb\n\x00\xff")
	repo.Write("hooks/run", "#!/bin/sh\n")
	repo.Write("empty", "")
	tree := repo.Tree(
		gittest.Entry{Mode: "100644", Name: "bin", Content: "a\r\nb\n\x00\xff"},
		gittest.Entry{Mode: "100644", Name: "empty"},
		gittest.Entry{Mode: "120000", Name: "link", Content: "/etc/passwd"},
		gittest.Entry{Mode: "100755", Name: "run", Content: "#!/bin/sh\n"},
		gittest.Entry{Mode: "160000", Name: "sub", Content: strings.Repeat("ab", 20)},
	)
	want := repo.CommitTree(tree)
	r := scratch(t, &gitcmd.Client{})
	commit, err := r.Fetch(t.Context(), parse(t, repo.URL()), gitcmd.Target{Kind: gitcmd.Branch, Ref: "refs/heads/main"})
	if err != nil || commit != want {
		t.Fatalf("fetched %s, %v", commit, err)
	}
	got := map[string]string{}
	var entries []gitcmd.TreeEntry
	if err := r.Tree(t.Context(), commit, func(e gitcmd.TreeEntry) error {
		entries = append(entries, e)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	err = r.Blobs(t.Context(), func(read gitcmd.BlobReader) error {
		for _, e := range entries {
			if e.Mode == gitcmd.Submodule {
				got[e.Path] = "submodule"
				continue
			}
			var b bytes.Buffer
			if err := read(e.Object, e.Size, &b); err != nil {
				return err
			}
			got[e.Path] = string(e.Mode) + " " + b.String()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string]string{
		"bin": "100644 a\r\nb\n\x00\xff", "empty": "100644 ", "link": "120000 /etc/passwd", "run": "100755 #!/bin/sh\n", "sub": "submodule",
	} {
		if got[path] != content {
			t.Errorf("%s = %q, want %q", path, got[path], content)
		}
	}
	stop := errors.New("enough")
	if err := r.Tree(t.Context(), commit, func(gitcmd.TreeEntry) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("Tree gave %v", err)
	}
	if err := r.Blobs(t.Context(), func(gitcmd.BlobReader) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("Blobs gave %v", err)
	}
	err = r.Blobs(t.Context(), func(read gitcmd.BlobReader) error {
		return read(entries[0].Object, entries[0].Size+1, &bytes.Buffer{})
	})
	if err == nil {
		t.Error("a wrong size passed")
	}
}

// TestCancelledWhileReading ends the context while git has more to say than
// anybody has read, and goes on asking: nothing may wait for anything.
func TestCancelledWhileReading(t *testing.T) {
	gittest.Isolate(t)
	repo := gittest.New(t, filepath.Join(t.TempDir(), "repo"))
	repo.Write("large", strings.Repeat("text\n", 1<<19))
	repo.Commit()
	r := scratch(t, &gitcmd.Client{})
	commit, err := r.Fetch(t.Context(), parse(t, repo.URL()), gitcmd.Target{Kind: gitcmd.Default, Ref: "HEAD"})
	if err != nil {
		t.Fatal(err)
	}
	var large gitcmd.TreeEntry
	if err := r.Tree(t.Context(), commit, func(e gitcmd.TreeEntry) error { large = e; return nil }); err != nil {
		t.Fatal(err)
	}
	stopped := errors.New("stopped by the user")
	for range 10 {
		ctx, cancel := context.WithCancelCause(t.Context())
		err := r.Blobs(ctx, func(read gitcmd.BlobReader) error {
			for {
				if err := read(large.Object, large.Size, writerFunc(func() { cancel(stopped) })); err != nil {
					return err
				}
			}
		})
		if !errors.Is(err, stopped) {
			t.Errorf("got %v", err)
		}
	}
}

// writerFunc is a writer that calls a function at each write.
type writerFunc func()

func (f writerFunc) Write(p []byte) (int, error) {
	f()
	return len(p), nil
}

func TestMalformedTreesAreRefused(t *testing.T) {
	gittest.Isolate(t)
	for _, name := range []string{"..", ".git", ".GIT", "git~1", "a/b"} {
		t.Run(strings.ReplaceAll(name, "/", "slash"), func(t *testing.T) {
			repo := gittest.New(t, filepath.Join(t.TempDir(), "repo"))
			inner := repo.Tree(gittest.Entry{Mode: "100644", Name: "x", Content: "x"})
			repo.CommitTree(repo.Tree(gittest.Entry{Mode: "40000", Name: name, Content: inner}))
			_, err := scratch(t, &gitcmd.Client{}).Fetch(t.Context(), parse(t, repo.URL()), gitcmd.Target{Kind: gitcmd.Branch, Ref: "refs/heads/main"})
			if err == nil || !strings.Contains(err.Error(), "malformed") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestDownloadIsCapped(t *testing.T) {
	gittest.Isolate(t)
	repo := gittest.New(t, filepath.Join(t.TempDir(), "repo"))
	noise := make([]byte, 3<<20)
	seed := uint32(1)
	for i := range noise {
		seed = seed*1664525 + 1013904223
		noise[i] = byte(seed >> 24)
	}
	repo.Write("noise", string(noise))
	repo.Commit()
	r := scratch(t, &gitcmd.Client{MaxDownload: 1 << 20})
	_, err := r.Fetch(t.Context(), parse(t, repo.URL()), gitcmd.Target{Kind: gitcmd.Default, Ref: "HEAD"})
	if !errors.Is(err, gitcmd.ErrTooLarge) {
		t.Errorf("got %v", err)
	}
}

// TestSlowServerIsLeft has a server that never answers: the deadline and the
// caller's context both end the wait, and git with all its helpers.
func TestSlowServerIsLeft(t *testing.T) {
	gittest.Isolate(t)
	root := t.TempDir()
	gittest.New(t, filepath.Join(root, "repo")).Commit()
	hang := func(http.Handler) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		})
	}
	address := parse(t, gittest.Serve(t, root, gittest.ServeOptions{Wrap: hang})+"/repo")

	_, err := scratch(t, &gitcmd.Client{Timeout: 300 * time.Millisecond}).Resolve(t.Context(), address, "main")
	if !errors.Is(err, gitcmd.ErrTimeout) {
		t.Errorf("deadline: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped by the user")
	r := scratch(t, &gitcmd.Client{})
	time.AfterFunc(300*time.Millisecond, func() { cancel(stopped) })
	if _, err = r.Resolve(ctx, address, "main"); !errors.Is(err, stopped) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestCredentialsAreNeverAskedFor(t *testing.T) {
	gittest.Isolate(t)
	root := t.TempDir()
	locked := func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			http.Error(w, "no", http.StatusUnauthorized)
		})
	}
	address := parse(t, gittest.Serve(t, root, gittest.ServeOptions{Wrap: locked})+"/repo")
	asked := filepath.Join(root, "asked")
	t.Setenv("GIT_ASKPASS", "touch "+asked)
	t.Setenv("SSH_ASKPASS", "touch "+asked)
	_, err := scratch(t, &gitcmd.Client{}).Resolve(t.Context(), address, "main")
	e, ok := errors.AsType[*gitcmd.Error](err)
	if !ok || !strings.Contains(e.Hint, "credential") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(asked); err == nil {
		t.Error("an askpass program ran")
	}
}

func TestRedirectsAreNotFollowedFromLoopback(t *testing.T) {
	gittest.Isolate(t)
	root := t.TempDir()
	gittest.New(t, filepath.Join(root, "repo")).Commit()
	real := gittest.Serve(t, root, gittest.ServeOptions{})
	for _, target := range []string{real + "/repo", gittest.FileURL(filepath.Join(root, "repo")), "ext::sh -c true"} {
		away := func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Location", target+strings.TrimPrefix(r.URL.RequestURI(), "/repo"))
				w.WriteHeader(http.StatusFound)
			})
		}
		address := parse(t, gittest.Serve(t, root, gittest.ServeOptions{Wrap: away})+"/repo")
		if got, err := scratch(t, &gitcmd.Client{}).Resolve(t.Context(), address, "main"); err == nil {
			t.Errorf("%s: followed to %+v", target, got)
		}
	}
}

// TestHostileSurroundingsHaveNoEffect plants commands in every place that git
// would take one from: the environment, a configured ext transport, templates,
// hooks of the user, the configuration of the directory we stand in, and the
// repository itself.
func TestHostileSurroundingsHaveNoEffect(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("plants are shell commands")
	}
	gittest.Isolate(t)
	root := t.TempDir()
	h := newHistory(t, filepath.Join(root, "repo"))
	ran := filepath.Join(root, "ran")
	touch := "touch " + ran + "-"

	template := filepath.Join(root, "template", "hooks")
	hooks := filepath.Join(root, "userhooks")
	for _, dir := range []string{template, hooks} {
		for _, hook := range []string{"reference-transaction", "post-checkout", "post-index-change"} {
			plant(t, filepath.Join(dir, hook), "#!/bin/sh\n"+touch+hook+"\n")
		}
	}
	plant(t, filepath.Join(h.repo.Dir, ".git", "hooks", "post-upload-pack"), "#!/bin/sh\n"+touch+"repo\n")
	here := gittest.New(t, filepath.Join(root, "here"))
	here.Git("config", "url."+"ext::sh -c "+touch+"here.insteadOf", h.repo.URL())
	here.Git("config", "core.fsmonitor", touch+"fsmonitor")
	t.Chdir(here.Dir)
	home, _ := os.UserHomeDir()
	plant(t, filepath.Join(home, ".gitconfig"), "[core]\n\thooksPath = "+hooks+"\n[init]\n\ttemplateDir = "+filepath.Dir(template)+
		"\n[protocol \"ext\"]\n\tallow = always\n[filter \"evil\"]\n\tsmudge = "+touch+"filter\n")
	for name, value := range map[string]string{
		"GIT_TEMPLATE_DIR": filepath.Dir(template), "GIT_SSH_COMMAND": touch + "ssh", "GIT_PROXY_COMMAND": touch + "proxy",
		"GIT_EXTERNAL_DIFF": touch + "diff", "GIT_PAGER": touch + "pager", "GIT_EDITOR": touch + "editor",
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.sshCommand", "GIT_CONFIG_VALUE_0": touch + "config",
		"GIT_DIR": filepath.Join(here.Dir, ".git"), "GIT_ALLOW_PROTOCOL": "ext:file", "GIT_TRACE": filepath.Join(root, "trace"),
	} {
		t.Setenv(name, value)
	}
	r := scratch(t, &gitcmd.Client{})
	target, err := r.Resolve(t.Context(), parse(t, h.repo.URL()), "v1")
	if err != nil {
		t.Fatal(err)
	}
	if commit, err := r.Fetch(t.Context(), parse(t, h.repo.URL()), target); err != nil || commit != h.first {
		t.Errorf("fetched %q, %v", commit, err)
	}
	if _, err := r.Resolve(t.Context(), parse(t, "ssh://git@127.0.0.1:1/x/y"), "main"); err == nil {
		t.Error("an unreachable host answered")
	}
	if planted, _ := filepath.Glob(ran + "-*"); len(planted) > 0 {
		t.Errorf("ran: %q", planted)
	}
	if _, err := os.Stat(filepath.Join(root, "trace")); err == nil {
		t.Error("GIT_TRACE reached git")
	}
}

func plant(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
}

// TestArgumentsKeepTheirPlace records the command lines with a stand-in for git.
func TestArgumentsKeepTheirPlace(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in is a shell script")
	}
	dir := t.TempDir()
	record := filepath.Join(dir, "record")
	fake := filepath.Join(dir, "git")
	plant(t, fake, "#!/bin/sh\n{ printf '%s\\n' \"$@\"; env | grep '^GIT_'; echo END; } >>"+record+"\n")
	t.Setenv("GIT_CONFIG_COUNT", "7")
	c := &gitcmd.Client{Path: fake}
	r := scratch(t, c)
	u := parse(t, "https://example.org/org/repo")
	_, _ = r.Resolve(t.Context(), u, "v1")
	_, _ = r.Fetch(t.Context(), u, gitcmd.Target{Kind: gitcmd.Tag, Ref: "refs/tags/v1"})
	data, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	runs := strings.Split(string(data), "END\n")
	network := 0
	for _, run := range runs {
		before, after, found := strings.Cut(run, "\nhttps://example.org/org/repo\n")
		if !found {
			continue
		}
		network++
		if !strings.HasSuffix(before, "\n--end-of-options") {
			t.Errorf("the address is not behind --end-of-options:\n%s", run)
		}
		for _, line := range strings.Split(strings.SplitAfter(after, "GIT_")[0], "\n") {
			if strings.HasPrefix(line, "-") {
				t.Errorf("option %q behind the address", line)
			}
		}
		for _, want := range []string{"GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=https:ssh", "BatchMode=yes", "core.hooksPath=", "protocol.allow=never"} {
			if !strings.Contains(run, want) {
				t.Errorf("%s is missing in\n%s", want, run)
			}
		}
		if strings.Contains(run, "GIT_CONFIG_COUNT") {
			t.Error("GIT_CONFIG_COUNT reached git")
		}
	}
	if network != 2 {
		t.Errorf("%d runs with the address, want 2:\n%s", network, data)
	}
}

func TestNoGit(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := (&gitcmd.Client{}).Scratch(t.Context(), t.TempDir()); !errors.Is(err, gitcmd.ErrNoGit) {
		t.Errorf("got %v", err)
	}
}
