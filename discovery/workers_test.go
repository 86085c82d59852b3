//go:build unix

package discovery_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/config"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
)

// pidWorker answers every call with its process id and the version in its text.
const pidWorker = `echo '{"type":"hello","protocol":1,"hooks":[{"event":"PreToolUse"},{"event":"PostToolUse"}]}'
while read -r line; do
  case $line in *shutdown*) exit 0 ;; esac
  id=${line#'{"type":"call","id":'}
  echo '{"type":"result","id":'"${id%%,*}"',"context":["VERSION '$$'"]}'
done
`

// denyWorker is the text of a worker that refuses every call.
func denyWorker(reason string) string {
	return strings.Replace(pidWorker, `"context":["VERSION '$$'"]`, `"decision":"deny","reason":"`+reason+`"`, 1)
}

func TestWorkerIsSharedKeptAndReplaced(t *testing.T) {
	p := newPlace(t)
	script := p.write(p.dirs.Project, ".claude/hooks/w.sh", strings.Replace(pidWorker, "VERSION", "one", 1))
	const settings = `{"hooks": {
		"PreToolUse": [{"hooks": [{"type": "worker", "command": "sh .claude/hooks/w.sh", "name": "before", "guard": true}]}],
		"PostToolUse": [{"hooks": [{"type": "worker", "command": "sh .claude/hooks/w.sh", "name": "after"}]}]
	}}`
	p.write(p.dirs.Project, ".claude/settings.json", settings)
	l := p.loader()
	e, _ := p.register(l)
	said := func(in hook.Input) string {
		t.Helper()
		out := p.fire(e, in)
		if len(out.Context) != 1 {
			t.Fatalf("decision %v, contexts %v, runs %+v", out.Decision, out.Context, out.Runs)
		}
		return out.Context[0]
	}
	first := said(bash("ls"))
	if !strings.HasPrefix(first, "one ") {
		t.Errorf("it said %q", first)
	}
	after := &hook.PostToolUse{Common: hook.Common{SessionID: "s"}, ToolName: "Bash", ToolInput: hook.MustJSON(map[string]string{"command": "ls"})}
	if again, other := said(bash("ls")), said(after); again != first || other != first {
		t.Errorf("three calls went to %q, %q and %q", first, again, other)
	}

	p.write(p.dirs.Project, ".claude/hooks/w.sh", strings.Replace(pidWorker, "VERSION", "two", 1))
	if changed := said(bash("ls")); !strings.HasPrefix(changed, "two ") {
		t.Errorf("after its file changed it said %q", changed)
	}

	// One that no entry names any more is ended when the files are read again.
	_, pid, _ := strings.Cut(said(bash("ls")), " ")
	p.write(p.dirs.Project, ".claude/settings.json", `{"hooks": {}}`)
	p.register(l)
	if err := exec.Command("kill", "-0", pid).Run(); err == nil {
		t.Errorf("the worker %s is still there", pid)
	}

	p.write(p.dirs.Project, ".claude/settings.json", settings)
	e, _ = p.register(l)
	if err := os.Remove(script); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if out := p.fire(e, bash("ls")); out.Decision != hook.DecisionDeny {
			t.Errorf("without its file the guard's decision was %v", out.Decision)
		}
	}
}

// TestPrewarmedHookAnswersFromWhatWaited proves by the log of starts that the process
// of the second event was started before it.
func TestPrewarmedHookAnswersFromWhatWaited(t *testing.T) {
	p := newPlace(t)
	log := filepath.Join(t.TempDir(), "starts")
	p.write(p.dirs.Project, ".claude/settings.json", `{"hooks": {"PreToolUse": [{"hooks": [
		{"type": "command", "name": "slow start", "command": "echo started >>'`+log+`'; cat >/dev/null; echo '{\"systemMessage\": \"done\"}'"}
	]}]}}`)
	starts := func() int {
		b, _ := os.ReadFile(log)
		return strings.Count(string(b), "started")
	}
	e, _ := p.register(p.loader(func(o *discovery.Options) {
		o.Config = &config.Config{Prewarm: map[string]int{"slow *": 1}}
	}))
	p.fire(e, bash("ls"))
	for deadline := time.Now().Add(5 * time.Minute); starts() < 2; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d processes were started after one event, expected one more to wait", starts())
		}
	}
	if out := p.fire(e, bash("ls")); len(out.Runs) != 1 || out.Runs[0].Err != nil {
		t.Errorf("runs %+v", out.Runs)
	}
}

// TestWorkerArgumentsAreExpandedOnce: a value that looks like a placeholder is passed
// on as it is.
func TestWorkerArgumentsAreExpandedOnce(t *testing.T) {
	p := newPlace(t)
	p.dirs.Project = filepath.Join(filepath.Dir(p.dirs.Project), "${CLAUDE_PROJECT_DIR} 2")
	p.write(p.dirs.Project, ".claude/hooks/w.sh", strings.Replace(pidWorker, "VERSION", "here", 1))
	p.write(p.dirs.Project, ".claude/settings.json", `{"hooks": {"PreToolUse": [{"hooks": [
		{"type": "worker", "command": "sh", "args": ["${CLAUDE_PROJECT_DIR}/.claude/hooks/w.sh"]}
	]}]}}`)
	e, _ := p.register(p.loader())
	if out := p.fire(e, bash("ls")); len(out.Context) != 1 || !strings.HasPrefix(out.Context[0], "here ") {
		t.Errorf("contexts %v, runs %+v", out.Context, out.Runs)
	}
}

// severalWorker has several hooks for one event, and says which of them was called.
const severalWorker = `echo '{"type":"hello","protocol":1,"hooks":[
	{"event":"PreToolUse","name":"all"},{"event":"Stop","name":"end"},{"event":"PreToolUse","name":"writes","matcher":"Write"},
	{"event":"PreToolUse","matcher":"Bash|Read"},{"event":"PreToolUse","name":"lost","matcher":"("}]}' | tr -d '\n'
echo
while read -r line; do
  case $line in *shutdown*) exit 0 ;; esac
  id=${line#'{"type":"call","id":'}
  n=${line#*'"hook":'}
  echo '{"type":"result","id":'"${id%%,*}"',"context":["hook '"${n%%,*}"'"]}'
done
`

func TestAllHooksOfAWorkerRun(t *testing.T) {
	p := newPlace(t)
	p.write(p.dirs.Project, ".claude/hooks/w.sh", severalWorker)
	p.write(p.dirs.Project, ".claude/settings.json", `{"hooks": {
		"PreToolUse": [{"matcher": "Bash|Write", "hooks": [{"type": "worker", "command": "sh .claude/hooks/w.sh", "name": "w"}]}],
		"Stop": [{"hooks": [{"type": "worker", "command": "sh .claude/hooks/w.sh", "name": "end"}]}]
	}}`)
	l := p.loader()
	e, set := p.register(l)
	if got := strings.Join(set.Names(), " "); got != "end w#PreToolUse[3] w#all w#lost w#writes" {
		t.Errorf("names %q", got)
	}
	if len(set.ByName("w")) != 4 || len(set.ByName("w#all")) != 1 || set.ByName("w#lost")[0].Status != discovery.Disabled {
		t.Errorf("%+v", set.Hooks)
	}
	if got := set.ByName("w#writes")[0].Matcher; got != "Bash|Write and Write" {
		t.Errorf("matcher %q", got)
	}
	ran := func(in hook.Input) string {
		t.Helper()
		var names []string
		out := p.fire(e, in)
		for _, r := range out.Runs {
			if r.Status == hook.StatusRan {
				names = append(names, r.Hook.Name)
			}
		}
		return strings.Join(names, ", ") + ": " + strings.Join(out.Context, ", ")
	}
	write := &hook.PreToolUse{Common: hook.Common{SessionID: "s"}, ToolName: "Write", ToolInput: hook.MustJSON(map[string]string{"file_path": "a"})}
	read := &hook.PreToolUse{Common: hook.Common{SessionID: "s"}, ToolName: "Read", ToolInput: hook.MustJSON(map[string]string{"file_path": "a"})}
	for _, tt := range []struct {
		in   hook.Input
		want string
	}{
		{bash("ls"), "w#all, w#PreToolUse[3]: hook 0, hook 3"},
		{write, "w#all, w#writes: hook 0, hook 2"},
		{read, ": "}, // the entry's matcher counts too
		{&hook.Stop{Common: hook.Common{SessionID: "s"}}, "end: hook 1"},
	} {
		if got := ran(tt.in); got != tt.want {
			t.Errorf("%v %s: %q, want %q", tt.in.Event(), tt.in.Subject(), got, tt.want)
		}
	}

	p.write(p.dirs.Config, "config.json", `{"hooks": {"disabled": ["w#all"]}}`)
	cfg, _ := config.Load("", p.dirs.Config, "")
	e, _ = p.register(p.loader(func(o *discovery.Options) { o.Config = cfg }))
	if got := ran(bash("ls")); got != "w#PreToolUse[3]: hook 3" {
		t.Errorf("with one switched off: %q", got)
	}

	// A worker that comes to have other hooks is registered with them.
	p.write(p.dirs.Project, ".claude/hooks/w.sh", strings.Replace(severalWorker, `"name":"writes","matcher":"Write"`, `"name":"more"`, 1))
	e, _ = p.register(l)
	if got := ran(bash("ls")); got != "w#all, w#more, w#PreToolUse[3]: hook 0, hook 2, hook 3" {
		t.Errorf("with new content: %q", got)
	}
}

// TestWorkerThatCouldNotBeAskedGuards: its hooks fail until it can be asked, and are
// registered then.
func TestWorkerThatCouldNotBeAskedGuards(t *testing.T) {
	p := newPlace(t)
	p.write(p.dirs.Project, ".claude/settings.json", `{"hooks": {"PreToolUse": [{"hooks": [
		{"type": "worker", "command": "sh .claude/hooks/w.sh", "name": "w", "guard": true}
	]}]}}`)
	p.write(p.dirs.Project, ".claude/hooks/w.sh", "exit 1\n")
	l, reg := p.loader(), hook.NewRegistry()
	if _, err := l.Register(t.Context(), reg); err != nil {
		t.Fatal(err)
	}
	e := hook.New(reg)
	defer e.Close()
	if out := p.fire(e, bash("ls")); out.Decision != hook.DecisionDeny {
		t.Errorf("a worker that does not start let the call through: %+v", out)
	}
	p.write(p.dirs.Project, ".claude/hooks/w.sh", severalWorker)
	if set, changed, err := l.Refresh(t.Context(), reg); err != nil || !changed || len(set.ByName("w")) != 4 {
		t.Fatalf("%v, %v, %v", set, changed, err)
	}
	if out := p.fire(e, bash("ls")); len(out.Context) != 2 {
		t.Errorf("%+v", out.Runs)
	}
}
