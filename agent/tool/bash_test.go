package tool_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/tool"
)

func needShell(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell here")
	}
}

type bashResponse struct {
	Stdout           string `json:"stdout"`
	Stderr           string `json:"stderr"`
	Interrupted      bool   `json:"interrupted"`
	IsImage          bool   `json:"isImage"`
	NoOutputExpected *bool  `json:"noOutputExpected"`
	ExitCode         *int   `json:"exitCode"`
	OutputFile       string `json:"persistedOutputPath"`
	BackgroundTaskID string `json:"backgroundTaskId"`
}

func TestBash(t *testing.T) {
	needShell(t)
	s, dir := newSet(t)
	r, err := run(t, s, "Bash", args{"command": "echo out; echo err >&2; pwd -P", "description": "x"})
	if err != nil || r.Text() != "out\n"+dir+"\nerr" {
		t.Errorf("got %q, %v", r.Text(), err)
	}
	if got := response[bashResponse](t, r); got.Stdout != "out\n"+dir || got.Stderr != "err" || got.Interrupted || got.ExitCode != nil || got.NoOutputExpected == nil {
		t.Errorf("got %s", r.Response)
	}
	if got := must(t, s, "Bash", args{"command": "true"}); got != "(Bash completed with no output)" {
		t.Errorf("got %q", got)
	}
	r, err = run(t, s, "Bash", args{"command": "echo said; exit 3"})
	exitErr, ok := errors.AsType[*tool.ExitError](err)
	if !ok || exitErr.Code != 3 || err.Error() != "Exit code 3\nsaid" {
		t.Errorf("got %v", err)
	}
	if got := response[bashResponse](t, r); got.Stdout != "said" || *got.ExitCode != 3 {
		t.Errorf("got %s", r.Response)
	}
	if _, err := run(t, s, "Bash", args{"command": "echo 'a"}); err == nil {
		t.Error("a syntax error went unseen")
	}
	if _, err := run(t, s, "Bash", args{"command": "kill -9 $$"}); err == nil || runtime.GOOS != "windows" && !strings.Contains(err.Error(), "SIGKILL") {
		t.Errorf("got %v", err)
	}
	if got := must(t, s, "Bash", args{"command": "cat; read x; echo end"}); got != "end" {
		t.Errorf("input: got %q", got)
	}
	if got := must(t, s, "Bash", args{"command": "printf 'caf\\351'"}); got != "caf\uFFFD" {
		t.Errorf("got %q", got)
	}
	if _, err := run(t, s, "Bash", args{"command": "a\x00b"}); err == nil || !strings.Contains(err.Error(), "NUL") {
		t.Errorf("got %v", err)
	}
}

func TestBashFollowsCd(t *testing.T) {
	needShell(t)
	s, dir := newSet(t)
	file(t, filepath.Join(dir, "sub", "f"), "x")
	must(t, s, "Bash", args{"command": "cd sub && exit 0"})
	if s.Cwd() != filepath.Join(dir, "sub") {
		t.Errorf("cwd %s", s.Cwd())
	}
	must(t, s, "Read", args{"file_path": "f"})
	if got := must(t, s, "Bash", args{"command": "pwd -P"}); got != s.Cwd() {
		t.Errorf("got %q", got)
	}
	if got := must(t, s, "Bash", args{"command": "cd /"}); !strings.Contains(got, "starts in "+dir+" again") || s.Cwd() != dir {
		t.Errorf("got %q, cwd %s", got, s.Cwd())
	}
	// A command that fails may have moved as well.
	if _, err := run(t, s, "Bash", args{"command": "cd sub; false"}); err == nil || s.Cwd() != filepath.Join(dir, "sub") {
		t.Errorf("got %v, cwd %s", err, s.Cwd())
	}
}

func TestBashTimeoutKillsTheGroup(t *testing.T) {
	needShell(t)
	s, dir := newSet(t)
	held := filepath.Join(dir, "held")
	if err := exec.Command("mkfifo", held).Run(); err != nil {
		t.Skip("there is no mkfifo here")
	}
	gone := make(chan error, 1)
	go func() { // ends when nobody holds the pipe any more
		_, err := os.ReadFile(held)
		gone <- err
	}()
	for timeout := 2; ; timeout *= 5 { // a slow machine may not come to the first word in time
		command := fmt.Sprintf("sleep 600 > '%s' & echo before; sleep 600", filepath.ToSlash(held))
		r, err := run(t, s, "Bash", args{"command": command, "timeout": timeout * 1000})
		exitErr, ok := errors.AsType[*tool.ExitError](err)
		if !ok || !exitErr.TimedOut || !strings.Contains(err.Error(), fmt.Sprintf("killed after %v.", time.Duration(timeout)*time.Second)) {
			t.Fatalf("got %v", err)
		}
		if !response[bashResponse](t, r).Interrupted {
			t.Errorf("got %s", r.Response)
		}
		if strings.Contains(err.Error(), ".\nbefore") {
			break
		}
		if timeout > 60 {
			t.Fatalf("what it had said is not there: %v", err)
		}
	}
	f, err := os.OpenFile(held, os.O_RDWR, 0) // the child may never have come to open it
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-gone:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(3 * time.Minute):
		t.Error("a child of the command lived on")
	}
}

func TestBashCancel(t *testing.T) {
	needShell(t)
	s, _ := newSet(t)
	ctx, cancel := context.WithCancel(t.Context())
	tl := s.Lookup("Bash")
	in := tool.Input{JSON: []byte(`{"command":"echo started; sleep 30"}`), Progress: func(text string, _ jsontext.Value) {
		if strings.Contains(text, "started") {
			cancel()
		}
	}}
	r, err := tl.Run(ctx, in)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "started") || !response[bashResponse](t, r).Interrupted {
		t.Errorf("got %v, %s", err, r.Response)
	}
}

func TestBashLongOutput(t *testing.T) {
	needShell(t)
	s, _ := newSet(t)
	r, err := run(t, s, "Bash", args{"command": "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done"})
	if err != nil {
		t.Fatal(err)
	}
	text := r.Text()
	if len(text) > 31_000 || !strings.HasPrefix(text, "line 0\n") || !strings.HasSuffix(text, "line 19999") || !strings.Contains(text, "bytes left out") {
		t.Errorf("%d bytes: %.80q", len(text), text)
	}
	whole := content(t, response[bashResponse](t, r).OutputFile)
	if strings.Count(whole, "\n") != 19999 {
		t.Errorf("the file has %d lines", strings.Count(whole, "\n")+1)
	}
}

func TestBashLongCommand(t *testing.T) {
	needShell(t)
	s, _ := newSet(t)
	got := must(t, s, "Bash", args{"command": "x='" + strings.Repeat("a", 300_000) + "'; echo ${#x}"})
	if got != "300000" {
		t.Errorf("got %q", got)
	}
}

func TestBashEnvironment(t *testing.T) {
	needShell(t)
	t.Setenv("ANTHROPIC_API_KEY", "canary")
	s, _ := newSet(t)
	if got := must(t, s, "Bash", args{"command": "env"}); strings.Contains(got, "canary") {
		t.Error("a credential reaches commands")
	}
	s, _ = newSet(t, func(c *tool.Config) { c.Env = append(os.Environ(), "ONLY=this") })
	if got := must(t, s, "Bash", args{"command": "echo $ONLY"}); got != "this" {
		t.Errorf("got %q", got)
	}
}

func TestBackground(t *testing.T) {
	needShell(t)
	s, dir := newSet(t)
	r, err := run(t, s, "Bash", args{"command": "echo one; while [ ! -e go ]; do sleep 0.01; done; echo two; echo bad >&2; exit 4", "run_in_background": true})
	if err != nil {
		t.Fatal(err)
	}
	id := response[bashResponse](t, r).BackgroundTaskID
	wait := func(want string) string {
		var all string
		for range 500 {
			all += must(t, s, "BashOutput", args{"bash_id": id})
			if strings.Contains(all, want) {
				return all
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("no %q in %q", want, all)
		return ""
	}
	wait("one")
	if got := must(t, s, "BashOutput", args{"bash_id": id}); got != id+" is running\n(no new output)" {
		t.Errorf("got %q", got)
	}
	file(t, filepath.Join(dir, "go"), "")
	if got := wait("failed with exit code 4"); !strings.Contains(got, "two") || !strings.Contains(got, "bad") {
		t.Errorf("got %q", got)
	}

	r, err = run(t, s, "Bash", args{"command": "echo a; echo b; sleep 60", "run_in_background": true})
	if err != nil {
		t.Fatal(err)
	}
	id = response[bashResponse](t, r).BackgroundTaskID
	if got := must(t, s, "KillShell", args{"shell_id": id}); got != id+" is killed." {
		t.Errorf("got %q", got)
	}
	if got := must(t, s, "BashOutput", args{"bash_id": id, "filter": "^b$"}); strings.Contains(got, "a\n") {
		t.Errorf("got %q", got)
	}
	for _, name := range []string{"BashOutput", "KillShell"} {
		key := map[string]string{"BashOutput": "bash_id", "KillShell": "shell_id"}[name]
		if _, err := run(t, s, name, args{key: "bash_99"}); err == nil {
			t.Errorf("%s found a command that is not there", name)
		}
	}
}

func TestCloseEndsBackgroundCommands(t *testing.T) {
	needShell(t)
	s, err := tool.New(tool.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	must(t, s, "Bash", args{"command": "sleep 600", "run_in_background": true})
	if err := s.Close(); err != nil { // waiting for it would take longer than a test may
		t.Error(err)
	}
	if _, err := run(t, s, "Bash", args{"command": "sleep 60", "run_in_background": true}); err == nil {
		t.Error("a closed set started a command")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestNoShell(t *testing.T) {
	s, _ := newSet(t, func(c *tool.Config) { c.Shell = filepath.Join(t.TempDir(), "none") })
	if _, err := run(t, s, "Bash", args{"command": "ls"}); err == nil || !strings.Contains(err.Error(), "starting the shell") {
		t.Errorf("got %v", err)
	}
}

func TestTheEndOfABackgroundCommandIsToldOnce(t *testing.T) {
	needShell(t)
	s, _ := newSet(t)
	must(t, s, "Bash", args{"command": "exit 3", "run_in_background": true})
	must(t, s, "Bash", args{"command": "exit 4", "run_in_background": true})
	for !strings.Contains(must(t, s, "BashOutput", args{"bash_id": "bash_2"}), "exit code 4") {
		time.Sleep(time.Millisecond) // that one is known then
	}
	var got []string
	for len(got) == 0 {
		time.Sleep(time.Millisecond)
		got = s.Ended()
	}
	if want := "The background command bash_1 (exit 3) is failed with exit code 3. BashOutput returns what it wrote."; len(got) != 1 || got[0] != want {
		t.Errorf("told %q", got)
	}
	if again := s.Ended(); again != nil {
		t.Errorf("told again: %q", again)
	}
}
