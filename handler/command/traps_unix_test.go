//go:build unix

package command_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/handler/command"
	"github.com/hookline-dev/hookline/handler/internal/codectest"
	"github.com/hookline-dev/hookline/hook"
)

// What a host does with a decision: the tool runs unless it was denied.
func toolRan(f fired) bool { return !f.Blocked() }

func TestExitCodesThatAreNoBlock(t *testing.T) {
	f := fire(t, sh(t, `echo "not allowed" >&2; exit 1`), bashTool("rm"), time.Minute)
	f.failure(t, hook.FailureExit, "not allowed")
	if !toolRan(f) || !f.noted("exit 1 is not a block") {
		t.Errorf("blocked %v, notes %q", f.Blocked(), f.run.Notes)
	}
	f = fire(t, sh(t, `echo '{"result":"block"}'`), bashTool("rm"), time.Minute)
	if !toolRan(f) || f.run.Status != hook.StatusRan {
		t.Errorf("%v %v", f.Decision, f.run.Err)
	}
}

func TestSuccessKeepsStderrApart(t *testing.T) {
	f := fire(t, sh(t, `echo '{}'; echo noise >&2`), bashTool("ls"), time.Minute)
	r := f.run.Report
	if f.run.Status != hook.StatusRan || f.run.Err != nil || r.Stdout != "{}\n" || r.Stderr != "noise\n" {
		t.Errorf("%v %v %+v", f.run.Status, f.run.Err, r)
	}
}

func TestInputThatIsNotRead(t *testing.T) {
	in := bashTool(strings.Repeat("x", 5<<20))
	for _, line := range []string{`exit 0`, `exec 0<&-; sleep 0.1`, `head -c 10 >/dev/null`, `cat >/dev/null`} {
		if f := fire(t, sh(t, line), in, time.Minute); f.run.Err != nil {
			t.Errorf("%s: %v", line, f.run.Err)
		}
	}
	f := fire(t, sh(t, `sleep 3600`), in, 300*time.Millisecond)
	f.failure(t, hook.FailureTimeout, "no answer within 300ms")
}

func TestTimeoutEndsTheTree(t *testing.T) {
	dir := t.TempDir()
	in := bashTool("ls")
	in.CWD = dir
	h := sh(t, `trap '' TERM; sleep 61 & echo $! > child; echo '{"decision":"allow"}'; sleep 62; sleep 63`)
	h.KillAfter = 100 * time.Millisecond
	f := fire(t, h, in, time.Second)
	for limit := 4 * time.Second; limit < time.Hour && count(t, filepath.Join(dir, "child")) == 0; limit *= 4 {
		f = fire(t, h, in, limit) // the script did not come to its sleep
	}
	f.failure(t, hook.FailureTimeout, "SIGKILL")
	if f.run.Status != hook.StatusTimedOut || f.Decision != hook.DecisionNone {
		t.Errorf("%v %v", f.run.Status, f.Decision)
	}
	within(t, 5*time.Minute, "the child is dead", func() bool { return !alive(t, filepath.Join(dir, "child")) })
}

// alive reports whether the process runs whose id is in a file; a zombie is dead.
func alive(t testing.TB, file string) bool {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid := strings.TrimSpace(string(b))
	if stat, err := os.ReadFile("/proc/" + pid + "/stat"); err == nil {
		return !strings.Contains(string(stat), ") Z ")
	}
	n := 0
	for _, c := range pid {
		n = n*10 + int(c-'0')
	}
	return runtime.GOOS != "linux" && syscall.Kill(n, 0) == nil
}

func TestChildHoldsThePipe(t *testing.T) {
	dir := t.TempDir()
	in := bashTool("ls")
	in.CWD = dir
	f := fire(t, sh(t, `sleep 3600 & echo $! > child; echo '{"decision":"deny","reason":"r"}'`), in, time.Hour)
	if f.Decision != hook.DecisionDeny || f.Reason != "r" {
		t.Errorf("%v %q %v", f.Decision, f.Reason, f.run.Err)
	}
	if !f.noted("still held its output open") {
		t.Errorf("notes %q", f.run.Notes)
	}
	endChild(t, filepath.Join(dir, "child"))
}

// endChild ends the process whose id a hook of ours wrote into a file.
func endChild(t testing.TB, file string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, c := range strings.TrimSpace(string(b)) {
		n = n*10 + int(c-'0')
	}
	if n > 1 {
		_ = syscall.Kill(n, syscall.SIGKILL) // it may have ended by itself
	}
}

func TestNoise(t *testing.T) {
	for name, out := range map[string]string{
		"a banner":     `echo Welcome; echo '{"decision":"deny","reason":"r"}'`,
		"two objects":  `echo '{"decision":"deny"}'; echo '{"decision":"allow"}'`,
		"a fence":      "printf '```json\\n{\"decision\":\"deny\"}\\n```\\n'",
		"half of it":   `printf '{"decision":"de'`,
		"a UTF-16 BOM": `printf '\377\376{\000}\000'`,
	} {
		f := fire(t, sh(t, out), bashTool("ls"), time.Minute, hook.WithStrict())
		if f.run.Status != hook.StatusFailed || !f.run.FailedClosed || toolRan(f) {
			t.Errorf("%s: status %v, blocked %v", name, f.run.Status, f.Blocked())
		}
	}
}

func TestQuotingHint(t *testing.T) {
	root := filepath.Join(t.TempDir(), "a b")
	if err := os.MkdirAll(filepath.Join(root, "my hooks"), 0o755); err != nil {
		t.Fatal(err)
	}
	deny := script(t, root, "h.sh", "#!/bin/sh\necho no >&2; exit 2\n")
	script(t, filepath.Join(root, "my hooks"), "h.sh", "#!/bin/sh\n")

	h := sh(t, `$PROJECT/h.sh`)
	h.Env = vars("PROJECT=" + root)
	f := fire(t, h, bashTool("ls"), time.Minute)
	f.failure(t, hook.FailureLaunch, "command not found: "+strings.TrimSuffix(root, " b"))
	if !f.noted(`write "$PROJECT" in double quotes`) {
		t.Errorf("notes %q", f.run.Notes)
	}
	h = sh(t, `"$PROJECT"/h.sh`)
	h.Env = vars("PROJECT=" + root)
	if f := fire(t, h, bashTool("ls"), time.Minute); f.Decision != hook.DecisionDeny {
		t.Errorf("quoted: %v %v", f.Decision, f.run.Err)
	}
	h = &command.Hook{Command: "${PROJECT}/h.sh", Args: []string{}, Vars: map[string]string{"PROJECT": root}, Codec: codectest.Codec{}}
	if f := fire(t, h, bashTool("ls"), time.Minute); f.Decision != hook.DecisionDeny {
		t.Errorf("exec form: %v %v", f.Decision, f.run.Err)
	}
	f = fire(t, sh(t, deny), bashTool("ls"), time.Minute)
	if !f.noted("in quotes") {
		t.Errorf("a spelt-out path: notes %q", f.run.Notes)
	}
}

func TestMissingCommand(t *testing.T) {
	dir := t.TempDir()
	script(t, dir, "needs-node", "#!/usr/bin/env nodeX\n")
	script(t, dir, "crlf", "#!/usr/bin/env sh\r\nexit 0\r\n")
	if err := os.WriteFile(filepath.Join(dir, "plain"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, line, want, note string
		shell                  command.Shell
	}{
		{name: "sh", line: `nodeX script.js`, want: "command not found: nodeX, PATH=/usr/bin:/bin"},
		{name: "bash", line: `nodeX script.js`, shell: command.Bash, want: "command not found: nodeX, PATH=/usr/bin:/bin"},
		{name: "env", line: `./needs-node`, want: "command not found: nodeX, PATH=/usr/bin:/bin"},
		{name: "a relative script", line: `.claude/hooks/x.sh`, want: `command not found: .claude/hooks/x.sh, in "` + dir},
		{name: "not executable", line: `./plain`, want: "command cannot be run: ./plain"},
		{name: "CRLF", line: `./crlf`, want: "command not found", note: "CRLF"},
		{name: "no words", line: `exit 127`, want: "command not found (exit status 127)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := sh(t, tt.line)
			if h.Shell = tt.shell; tt.shell != "" {
				need(t, string(tt.shell))
			}
			h.Base = []string{"PATH=/usr/bin:/bin"} // and no HOME
			in := bashTool("ls")
			in.CWD = dir
			f := fire(t, h, in, time.Minute)
			f.failure(t, hook.FailureLaunch, tt.want)
			if !toolRan(f) || !f.noted("it did not start: ") || !f.noted(tt.note) {
				t.Errorf("blocked %v, notes %q", f.Blocked(), f.run.Notes)
			}
		})
	}
	f := fire(t, sh(t, `echo '{"decision":"deny","reason":"r"}'; exit 127`), bashTool("ls"), time.Minute)
	if f.Decision != hook.DecisionDeny || f.noted("it did not start") {
		t.Errorf("an answer with 127: %v %q", f.Decision, f.run.Notes)
	}
}

func TestShIsNotBash(t *testing.T) {
	line := `[[ -n x ]] && { echo no >&2; exit 2; }`
	dash := sh(t, line)
	f := fire(t, dash, bashTool("ls"), time.Minute)
	if f.Decision != hook.DecisionDeny { // where sh is bash there is nothing to tell
		f.failure(t, hook.FailureLaunch, "command not found: [[")
		if !toolRan(f) || !f.noted("is bash") || !f.noted("shell: ") {
			t.Errorf("notes %q", f.run.Notes)
		}
		f = fire(t, sh(t, line+"\nexit 0"), bashTool("ls"), time.Minute)
		if !f.noted("is bash") {
			t.Errorf("a guard that fails silently: notes %q", f.run.Notes)
		}
		f = fire(t, sh(t, `a=(1 2)`), bashTool("ls"), time.Minute)
		if !f.noted("exit 2 may not be a decision") || !f.noted("is bash") {
			t.Errorf("a syntax error: notes %q", f.run.Notes)
		}
	}
	need(t, "bash")
	bash := sh(t, line)
	bash.Shell = command.Bash
	if f := fire(t, bash, bashTool("ls"), time.Minute); f.Decision != hook.DecisionDeny || f.Reason != "no" {
		t.Errorf("bash: %v %v", f.Decision, f.run.Err)
	}
}

func TestMissingScriptOfAnInterpreter(t *testing.T) {
	dir := t.TempDir()
	script(t, dir, "python3", "#!/bin/sh\necho \"python3: can't open file '$1': [Errno 2] No such file or directory\" >&2; exit 2\n")
	script(t, dir, "there.py", "")
	in := bashTool("ls")
	in.CWD = dir
	run := func(line string, in hook.Input) fired {
		h := sh(t, line)
		h.Base = []string{"PATH=" + dir + ":/usr/bin:/bin"}
		return fire(t, h, in, time.Minute)
	}
	f := run("python3 ./gone.py", in)
	f.failure(t, hook.FailureLaunch, "the script "+filepath.Join(dir, "gone.py")+" is not there")
	if toolRan(f) || !f.run.FailedClosed || !f.noted("it did not start: ") {
		t.Errorf("blocked %v, notes %q", f.Blocked(), f.run.Notes)
	}
	if f := run("python3 ./there.py", in); f.Decision != hook.DecisionDeny || f.run.Status != hook.StatusRan {
		t.Errorf("a deny of a script that is there: %v %v", f.run.Status, f.run.Err)
	}
	// Where a failure never counts as a refusal, the exit code still does.
	stop := &hook.Stop{}
	stop.CWD = dir
	if f := run("python3 ./gone.py", stop); f.Decision != hook.DecisionDeny || !f.noted("it did not start: ") {
		t.Errorf("Stop: %v %v %q", f.run.Status, f.Decision, f.run.Notes)
	}
}

func TestPythonHook(t *testing.T) {
	need(t, "python3")
	dir := t.TempDir()
	script(t, dir, "guard.py", `import json, sys
event = json.load(sys.stdin)
if "rm -rf" in event["tool_input"]["command"]:
    print(json.dumps({"decision": "deny", "reason": "no: " + event["tool_name"]}))
`)
	h := sh(t, `python3 "$PROJECT"/guard.py`)
	h.Env = vars("PROJECT=" + dir)
	if f := fire(t, h, bashTool("rm -rf /"), time.Minute); f.Reason != "no: Bash" || toolRan(f) {
		t.Errorf("%v %q %v", f.Decision, f.Reason, f.run.Err)
	}
	if f := fire(t, h, bashTool("ls"), time.Minute); f.Decision != hook.DecisionNone || f.run.Err != nil {
		t.Errorf("%v %v", f.Decision, f.run.Err)
	}
}

func TestDescriptorsAndTerminal(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("/proc lists the descriptors")
	}
	f := fire(t, sh(t, `cat >/dev/null; ls /proc/self/fd | tr '\n' ' '; (: < /dev/tty) 2>/dev/null && echo tty`), bashTool("ls"), time.Minute)
	if got := strings.TrimSpace(f.run.Report.Stdout); got != "0 1 2 3" { // ls has the directory open
		t.Errorf("the hook sees %q, want 0 1 2 3 and no terminal", got)
	}
}

func TestFailurePolicies(t *testing.T) {
	for name, line := range map[string]string{
		"slow":    `sleep 60`,
		"killed":  `kill -9 $$`,
		"garbage": `echo '{"decision":'`,
		"missing": `./not-there`,
		"code":    `exit 3`,
	} {
		for _, policy := range []hook.FailurePolicy{hook.FailOpen, hook.FailClosed, hook.FailAsk} {
			reg := hook.NewRegistry()
			_, err := reg.Add(hook.Registration{Event: hook.EventPreToolUse, Handler: sh(t, line), Timeout: 500 * time.Millisecond, OnFailure: policy})
			if name != "slow" {
				_, err = reg.Add(hook.Registration{Event: hook.EventPreToolUse, Handler: sh(t, "exit 0")})
			}
			if err != nil {
				t.Fatal(err)
			}
			eng := hook.New(reg)
			out, err := eng.Fire(t.Context(), bashTool("ls"))
			if err != nil {
				t.Fatal(err)
			}
			want := map[hook.FailurePolicy]hook.Decision{
				hook.FailOpen: hook.DecisionNone, hook.FailClosed: hook.DecisionDeny, hook.FailAsk: hook.DecisionAsk,
			}[policy]
			if out.Decision != want || out.Runs[0].Err == nil {
				t.Errorf("%s with %v: %v, want %v (%v)", name, policy, out.Decision, want, out.Runs[0].Err)
			}
			if err := eng.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestOutputBeyondTheLimit(t *testing.T) {
	h := sh(t, `printf '{"decision":"allow","reason":"'; head -c 3000000 /dev/zero | tr '\0' x; printf '"}'; head -c 3000000 /dev/zero | tr '\0' e >&2; echo last >&2`)
	f := fire(t, h, bashTool("ls"), time.Minute)
	f.failure(t, hook.FailureAnswer, "too large")
	r := f.run.Report
	if !r.Truncated || len(r.Stdout) != 1<<20 || r.StdoutBytes < 3000000 || r.StderrBytes < 3000000 || !strings.HasSuffix(r.Stderr, "elast\n") {
		t.Errorf("truncated %v, stdout %d of %d, stderr %d of %d", r.Truncated, len(r.Stdout), r.StdoutBytes, len(r.Stderr), r.StderrBytes)
	}
	if !f.noted("of stdout the first") || !f.noted("of stderr the last") {
		t.Errorf("notes %q", f.run.Notes)
	}
}

func TestCancelledIsNotTimedOut(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	giveUp := errors.New("the person pressed escape")
	time.AfterFunc(200*time.Millisecond, func() { cancel(giveUp) })
	eng := engine(t, sh(t, `sleep 60`), hook.EventPreToolUse, time.Minute)
	out, err := eng.Fire(ctx, bashTool("ls"))
	if !errors.Is(err, giveUp) || len(out.Runs) != 1 || out.Runs[0].Status != hook.StatusCancelled || out.Decision != hook.DecisionNone {
		t.Errorf("%v, %+v", err, out.Runs)
	}
}

func TestProgress(t *testing.T) {
	var seen bytes.Buffer
	progress := make(chan hook.Emission, 64)
	observer := hook.ObserverFunc(func(m hook.Emission) {
		if m.Subtype == hook.HookProgress {
			progress <- m
		}
	})
	eng := engine(t, sh(t, `cat >/dev/null; echo one; sleep 0.1; echo two >&2; sleep 0.1; printf '\303'; sleep 0.1; printf '\251\n'`), hook.EventPreToolUse, time.Minute, hook.WithObserver(observer))
	if _, err := eng.Fire(t.Context(), bashTool("ls")); err != nil {
		t.Fatal(err)
	}
	if err := eng.Close(); err != nil {
		t.Fatal(err)
	}
	close(progress)
	var last hook.Emission
	n := 0
	for m := range progress {
		seen.WriteString(m.Output)
		last = m
		n++
		if strings.ContainsRune(m.Output, '\uFFFD') || !strings.HasPrefix(m.Output, "one\n") {
			t.Errorf("progress %q", m.Output)
		}
	}
	if n < 2 || last.Stdout != "one\né\n" || last.Stderr != "two\n" {
		t.Errorf("%d messages, the last with %q and %q", n, last.Stdout, last.Stderr)
	}
}
