// Package examples holds hooks, a plugin and programs to copy from. Its tests run
// all of them as a person would: with the built command and the real interpreters.
package examples

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// command is the path of the built command.
var command string

func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "hookline-examples-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	command = filepath.Join(dir, "hookline")
	if runtime.GOOS == "windows" {
		command += ".exe"
	}
	build := exec.Command("go", "build", "-o", command, "../cmd/hookline")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the command: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// world is a project and a home directory of its own, in which the command runs.
type world struct {
	t             *testing.T
	project, home string
	env           []string
}

// newWorld makes a world whose paths have a blank and a letter beyond ASCII.
func newWorld(t *testing.T) *world {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the example hooks are executable by mode and shebang")
	}
	base := filepath.Join(t.TempDir(), "a prôject")
	w := &world{t: t, project: filepath.Join(base, "project"), home: filepath.Join(base, "home")}
	for _, dir := range []string{w.project, w.home} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.env = append(os.Environ(), "HOME="+w.home, "NO_COLOR=1", "HOOKLINE_MANAGED_DIR="+filepath.Join(base, "managed"),
		"XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "XDG_CACHE_HOME=", "XDG_DATA_HOME=", "GIT_CONFIG_GLOBAL="+os.DevNull)
	return w
}

// run runs a program in the project and returns what it printed and its exit code.
func (w *world) run(name string, args ...string) (stdout, stderr string, code int) {
	w.t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(w.t.Context(), name, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = w.project, w.env, &out, &errs
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return out.String(), errs.String(), exit.ExitCode()
	}
	if err != nil {
		w.t.Fatalf("%s %v: %v", name, args, err)
	}
	return out.String(), errs.String(), 0
}

// must runs a program that must end well and returns its stdout.
func (w *world) must(name string, args ...string) string {
	w.t.Helper()
	stdout, stderr, code := w.run(name, args...)
	if code != 0 {
		w.t.Fatalf("%s %v: exit code %d\n%s%s", name, args, code, stdout, stderr)
	}
	return stdout
}

// approve lets the hooks of the project run.
func (w *world) approve() {
	w.t.Helper()
	w.must(command, "trust", "--yes")
}

// needs skips a test for want of a program.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not installed", p)
		}
	}
}

// kinds says what each example of a hook needs to run.
var kinds = map[string][]string{
	"claude-bash":    {"bash"},
	"claude-python":  {"python3"},
	"claude-node":    {"node"},
	"kodelet-bash":   {"bash"},
	"kodelet-python": {"python3"},
	"kodelet-node":   {"node"},
	"kodelet-go":     {"go"},
	"pi-typescript":  nil,
	"pi-javascript":  nil,
}

// newExample makes a world whose project is a copy of an example.
func newExample(t *testing.T, name string) *world {
	t.Helper()
	needs(t, kinds[name]...)
	w := newWorld(t)
	if err := os.CopyFS(w.project, os.DirFS(filepath.Join("hooks", name))); err != nil {
		t.Fatal(err)
	}
	if name == "kodelet-go" {
		cache, err := exec.Command("go", "env", "GOCACHE").Output()
		if err != nil {
			t.Fatal(err)
		}
		w.env = append(w.env, "GOCACHE="+strings.TrimSpace(string(cache))) // the one of the home directory is empty
		w.must("go", "build", "-o", ".hookline/hooks/private-keys", ".hookline/hooks/src/private-keys.go")
	}
	w.approve()
	return w
}

// TestHooks runs the test files of every example, with the hook and without it: a
// test that passes without the hook proves nothing.
func TestHooks(t *testing.T) {
	readme, err := os.ReadFile("hooks/README.md")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir("hooks")
	if err != nil {
		t.Fatal(err)
	}
	dirs := 0
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		dirs++
		t.Run(e.Name(), func(t *testing.T) {
			t.Parallel()
			if _, ok := kinds[e.Name()]; !ok {
				t.Fatal("the table of kinds does not know this example")
			}
			if !bytes.Contains(readme, []byte("("+e.Name()+")")) {
				t.Error("hooks/README.md does not list it")
			}
			w := newExample(t, e.Name())
			if out := w.must(command, "test"); !regexp.MustCompile(`(?m)^[1-9]\d* passed, 0 failed$`).MatchString(out) {
				t.Errorf("hookline test printed\n%s", out)
			}
			if out, _, code := w.run(command, "--no-hooks", "test"); code == 0 {
				t.Errorf("the tests pass without the hook\n%s", out)
			}
		})
	}
	if dirs != len(kinds) {
		t.Errorf("%d directories, %d kinds", dirs, len(kinds))
	}
}

// TestHooksWithoutJq runs the bash hooks where jq is not installed.
func TestHooksWithoutJq(t *testing.T) {
	for _, name := range []string{"claude-bash", "kodelet-bash"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newExample(t, name)
			w.env = append(w.env, "PATH="+pathOf(t, "env", "sh", "bash", "cat", "sed"))
			w.must(command, "test")
		})
	}
}

// pathOf returns a directory with nothing but the given programs.
func pathOf(t *testing.T, programs ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, p := range programs {
		needs(t, p)
		path, err := exec.LookPath(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(dir, p)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestContextRewrite fires the one example whose answer a test file cannot see.
func TestContextRewrite(t *testing.T) {
	t.Parallel()
	w := newExample(t, "pi-javascript")
	out := w.must(command, "fire", "Context", "--json", "--set",
		`messages=[{"role":"user","content":"hello"},{"role":"custom","customType":"debug","content":"state: idle"}]`)
	if !strings.Contains(out, "hello") || strings.Contains(out, "state: idle") {
		t.Errorf("the debug message was not left out:\n%s", out)
	}
}

// outcome is what the tests read of fire --json.
type outcome struct {
	Decision string
	Reason   string
	Runs     []struct {
		Name, Status, Stderr string
	}
}

func (w *world) fire(args ...string) outcome {
	w.t.Helper()
	stdout, stderr, code := w.run(command, append([]string{"fire", "--json"}, args...)...)
	if code != 0 && code != 3 {
		w.t.Fatalf("fire %v: exit code %d\n%s%s", args, code, stdout, stderr)
	}
	var out outcome
	if err := json.Unmarshal([]byte(stdout), &out, json.MatchCaseInsensitiveNames(true)); err != nil {
		w.t.Fatalf("fire %v: %v\n%s", args, err, stdout)
	}
	if blocked := out.Decision == "deny"; blocked != (code == 3) {
		w.t.Errorf("fire %v: decision %s with exit code %d", args, out.Decision, code)
	}
	return out
}

// newPlugin installs the plugin into a git repository.
func newPlugin(t *testing.T) *world {
	t.Helper()
	needs(t, "bash", "git", "python3")
	w := newWorld(t)
	w.must("git", "init", "-q")
	src, err := filepath.Abs("code-review-plugin")
	if err != nil {
		t.Fatal(err)
	}
	out := w.must(command, "plugin", "add", src)
	for _, want := range []string{"Installed code-review-plugin:", "Skills:  1", "Recipes: 1", "Hooks:   2"} {
		if !strings.Contains(out, want) {
			t.Errorf("plugin add does not say %q:\n%s", want, out)
		}
	}
	w.approve()
	return w
}

func TestPluginParts(t *testing.T) {
	t.Parallel()
	w := newPlugin(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"plugin", "list"}, "code-review-plugin  local     1       1        2"},
		{[]string{"plugin", "verify"}, "code-review-plugin: ok"},
		{[]string{"list"}, "code-review-plugin/validate-diff "},
		{[]string{"skill", "show", "code-review-plugin/code-review"}, "Read the whole diff"},
		{[]string{"recipe", "show", "code-review-plugin/review", "--arg", "target=HEAD~2"}, "git diff HEAD~2"},
	} {
		if out := w.must(command, c.args...); !strings.Contains(out, c.want) {
			t.Errorf("%v: no %q in\n%s", c.args, c.want, out)
		}
	}
	w.must(command, "plugin", "remove", "code-review-plugin")
	if out := w.must(command, "list"); strings.Contains(out, "validate-diff") {
		t.Errorf("a removed plugin has hooks:\n%s", out)
	}
}

func TestValidateDiff(t *testing.T) {
	const commit = `{"command":"git commit -m x"}`
	for _, c := range []struct{ name, file, content, input, reason string }{
		{"clean", "a.txt", "fine\n", commit, ""},
		{"conflict", "a.txt", "a\n<<<<<<< HEAD\nb\n", commit, "conflict marker"},
		{"debugging", "a.js", "function f() {\n  debugger;\n}\n", commit, "debugging"},
		{"large", "big file.bin", strings.Repeat("x", 1<<20+1), commit, "1 MiB"},
		{"no commit", "a.txt", "<<<<<<< HEAD\n", `{"command":"git status"}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newPlugin(t)
			if err := os.WriteFile(filepath.Join(w.project, c.file), []byte(c.content), 0o644); err != nil {
				t.Fatal(err)
			}
			w.must("git", "add", c.file)
			check := func() {
				t.Helper()
				out := w.fire("PreToolUse", "--tool", "Bash", "--input", c.input)
				if (c.reason == "") != (out.Decision == "none") || !strings.Contains(out.Reason, c.reason) {
					t.Errorf("decision %s, reason %q", out.Decision, out.Reason)
				}
				if len(out.Runs) != 1 || out.Runs[0].Status != "ran" {
					t.Errorf("runs: %+v", out.Runs)
				}
			}
			check()
			w.env = append(w.env, "PATH="+pathOf(t, "env", "sh", "bash", "cat", "sed", "grep", "git", "python3"))
			check() // without jq
		})
	}
}

func TestPostReview(t *testing.T) {
	t.Parallel()
	w := newPlugin(t)
	bodies := make(chan string, 10)
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		bodies <- string(b)
	}))
	defer srv.Close()
	stop := func(recipe string) string {
		t.Helper()
		out := w.fire("Stop", "--set", "recipe_name="+recipe, "--set", "last_assistant_message=Nothing found.")
		if len(out.Runs) != 1 || out.Runs[0].Status != "ran" {
			t.Fatalf("runs: %+v", out.Runs)
		}
		return out.Runs[0].Stderr
	}
	posted := func(want int) {
		t.Helper()
		if len(bodies) != want {
			t.Fatalf("%d posts, want %d", len(bodies), want)
		}
	}
	const review = "code-review-plugin/review"
	if log := stop(review); !strings.Contains(log, "not posted") || !strings.Contains(log, "Nothing found.") {
		t.Errorf("without an address it logs %q", log)
	}
	// An address that nobody lets through does not reach the hook.
	w.env = append(w.env, "CODE_REVIEW_WEBHOOK_URL="+srv.URL)
	stop(review)
	posted(0)
	config := filepath.Join(w.home, ".config", "hookline")
	if runtime.GOOS == "darwin" {
		config = filepath.Join(w.home, "Library", "Application Support", "hookline")
	}
	if err := os.MkdirAll(config, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(config, "config.json"), []byte(`{"env":{"allow":["CODE_REVIEW_WEBHOOK_URL"]}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	stop("another/recipe")
	posted(0)
	stop(review)
	posted(1)
	if got := <-bodies; got != `{"text": "Nothing found."}` {
		t.Errorf("posted %s", got)
	}
	// The same in sessions of the agent, whose model is a script.
	w.must(command, "run", "--model", "script", "hello")
	posted(0)
	w.must(command, "run", "--model", "script", "-r", "code-review-plugin/review", "--arg", "target=HEAD")
	posted(1)
	if got := <-bodies; !strings.HasPrefix(got, `{"text": "Done. `) {
		t.Errorf("posted %s", got)
	}
}
