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
	for deadline := time.Now().Add(10 * time.Second); starts() < 2; time.Sleep(5 * time.Millisecond) {
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
