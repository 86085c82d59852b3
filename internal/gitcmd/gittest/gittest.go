// Package gittest makes real git repositories for tests, serves them, and
// makes the malformed ones that no friendly command would write.
package gittest

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Repo is a repository with a work tree in Dir.
type Repo struct {
	t   testing.TB
	Dir string
}

// Isolate keeps the tests of t from the git configuration of this machine, and
// skips t when there is no git.
func Isolate(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	home := t.TempDir()
	for name, value := range map[string]string{
		"HOME": home, "USERPROFILE": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"), "GIT_CONFIG_NOSYSTEM": "1",
	} {
		t.Setenv(name, value)
	}
}

// New makes an empty repository in dir whose first branch is main.
func New(t testing.TB, dir string) *Repo {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r := &Repo{t: t, Dir: dir}
	r.Git("init", "-q", "-b", "main")
	r.Git("config", "core.autocrlf", "false")
	return r
}

// Git runs git in the repository and gives its output, trimmed.
func (r *Repo) Git(args ...string) string {
	r.t.Helper()
	return r.GitIn(nil, args...)
}

// GitIn is Git with bytes on standard input.
func (r *Repo) GitIn(stdin []byte, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{
		"-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgSign=false", "-c", "tag.gpgSign=false",
		"-c", "protocol.file.allow=always", "-c", "core.protectNTFS=false", "-c", "core.protectHFS=false",
	}, args...)...)
	cmd.Dir = r.Dir
	cmd.Stdin = bytes.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	return strings.TrimSpace(out.String())
}

// Write makes a file in the work tree; one whose content starts with #! is
// made executable.
func (r *Repo) Write(path, content string) {
	r.t.Helper()
	full := filepath.Join(r.Dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		r.t.Fatal(err)
	}
	mode := os.FileMode(0o644)
	if strings.HasPrefix(content, "#!") {
		mode = 0o755
	}
	if err := os.WriteFile(full, []byte(content), mode); err != nil {
		r.t.Fatal(err)
	}
	if err := os.Chmod(full, mode); err != nil {
		r.t.Fatal(err)
	}
}

// Commit commits everything in the work tree and gives the commit id.
func (r *Repo) Commit() string {
	r.t.Helper()
	r.Git("add", "-A")
	r.Git("commit", "-q", "--allow-empty", "-m", "change")
	return r.Git("rev-parse", "HEAD")
}

// URL gives the repository's file:// address.
func (r *Repo) URL() string { return FileURL(r.Dir) }

// FileURL gives the file:// address of a path.
func FileURL(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return "file://" + path
}

// Entry is one entry of a raw tree.
type Entry struct {
	Mode    string // "100644", "40000", ...
	Name    string // stored as it is, however bad
	Content string // of a blob; for a tree or commit the object id
}

// Blob stores content and gives its id.
func (r *Repo) Blob(content string) string {
	r.t.Helper()
	return r.GitIn([]byte(content), "hash-object", "-w", "--stdin")
}

// Tree stores a tree of exactly these entries, unchecked and in this order.
func (r *Repo) Tree(entries ...Entry) string {
	r.t.Helper()
	var raw bytes.Buffer
	for _, e := range entries {
		id := e.Content
		if e.Mode != "40000" && e.Mode != "160000" {
			id = r.Blob(e.Content)
		}
		bin, err := hex.DecodeString(id)
		if err != nil {
			r.t.Fatal(err)
		}
		fmt.Fprintf(&raw, "%s %s\x00%s", e.Mode, e.Name, bin)
	}
	return r.GitIn(raw.Bytes(), "hash-object", "-t", "tree", "--literally", "-w", "--stdin")
}

// CommitTree makes tree the commit that main points to.
func (r *Repo) CommitTree(tree string) string {
	r.t.Helper()
	id := r.Git("commit-tree", "-m", "raw", tree)
	r.Git("update-ref", "refs/heads/main", id)
	return id
}

// ServeOptions changes how Serve answers.
type ServeOptions struct {
	// OldProtocol makes the server speak the first protocol version, in which
	// it hands out only what its branches and tags point at.
	OldProtocol bool
	// Wrap, when set, sits in front of git.
	Wrap func(http.Handler) http.Handler
}

// Serve serves every repository below root over loopback HTTP with git's own
// server program and gives the base address. It skips the test when that
// program is not installed.
func Serve(t testing.TB, root string, o ServeOptions) string {
	t.Helper()
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Skipf("git --exec-path: %v", err)
	}
	backend, err := exec.LookPath(filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"))
	if err != nil {
		t.Skip("git http-backend is not installed")
	}
	gitPath := filepath.Dir(backend)
	var handler http.Handler = &cgi.Handler{
		Path: backend,
		Root: "/",
		Env: []string{
			"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "GIT_EXEC_PATH=" + gitPath,
			"GIT_CONFIG_NOSYSTEM=1", "HOME=" + root, "PATH=" + os.Getenv("PATH"),
		},
		Stderr: testWriter{t},
	}
	if o.OldProtocol {
		inner := handler
		handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del("Git-Protocol")
			inner.ServeHTTP(w, r)
		})
	}
	if o.Wrap != nil {
		handler = o.Wrap(handler)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

type testWriter struct{ t testing.TB }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Logf("git http-backend: %s", bytes.TrimSpace(p))
	return len(p), nil
}
