//go:build unix

package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/handler/command"
	"github.com/hookline-dev/hookline/handler/internal/codectest"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/hook"
)

func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		decision   hook.Decision
		reason     string
		status     hook.Status
		kind       hook.FailureKind
	}{
		{"silent success", `exit 0`, hook.DecisionNone, "", hook.StatusRan, ""},
		{"an empty object", `echo '{}'`, hook.DecisionNone, "", hook.StatusRan, ""},
		{"only stderr", `echo note >&2`, hook.DecisionNone, "", hook.StatusRan, ""},
		{"deny by code", `echo no >&2; exit 2`, hook.DecisionDeny, "no", hook.StatusRan, ""},
		{"deny by code beats an allow", `echo '{"decision":"allow"}'; echo no >&2; exit 2`, hook.DecisionDeny, "no", hook.StatusRan, ""},
		{"deny by JSON and code 1", `echo '{"decision":"deny","reason":"r"}'; exit 1`, hook.DecisionDeny, "r", hook.StatusRan, ""},
		{"code 1", `echo oops >&2; exit 1`, hook.DecisionNone, "", hook.StatusFailed, hook.FailureExit},
		{"killed", `kill -9 $$`, hook.DecisionNone, "", hook.StatusFailed, hook.FailureSignal},
		{"killed after an allow", `echo '{"decision":"allow"}'; kill -9 $$`, hook.DecisionNone, "", hook.StatusFailed, hook.FailureSignal},
		{"killed after a deny", `echo '{"decision":"deny","reason":"r"}'; kill -9 $$`, hook.DecisionDeny, "r", hook.StatusRan, ""},
		{"duplicate keys", `echo '{"decision":"deny","decision":"allow"}'`, hook.DecisionNone, "", hook.StatusFailed, hook.FailureAnswer},
		{"a case variant", `echo '{"decision":"deny","reason":"r","Decision":"allow"}'`, hook.DecisionDeny, "r", hook.StatusRan, ""},
		{"BOM and CRLF", `printf '\357\273\277{"decision":"deny","reason":"r"}\r\n'`, hook.DecisionDeny, "r", hook.StatusRan, ""},
		{"deep nesting", `printf '{"a":'; i=0; while [ $i -lt 10001 ]; do printf '['; i=$((i+1)); done`, hook.DecisionNone, "", hook.StatusFailed, hook.FailureAnswer},
		{"invalid UTF-8", `printf '{"decision":"den\377y"}'`, hook.DecisionNone, "", hook.StatusFailed, hook.FailureAnswer},
		{"a NUL byte", `printf '\000'`, hook.DecisionNone, "", hook.StatusRan, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := fire(t, sh(t, tt.line), bashTool("ls"), time.Minute)
			if f.Decision != tt.decision || f.Reason != tt.reason || f.run.Status != tt.status || kindOf(f.run.Err) != tt.kind {
				t.Errorf("%v %q %v %v, want %v %q %v %q", f.Decision, f.Reason, f.run.Status, f.run.Err, tt.decision, tt.reason, tt.status, tt.kind)
			}
		})
	}
}

func TestInputReachesTheCommandWhole(t *testing.T) {
	dir := t.TempDir()
	in := bashTool("echo 'a b' \u2028 <>&")
	in.CWD = dir
	f := fire(t, sh(t, `cat > got; echo done`), in, time.Minute)
	if f.run.Err != nil {
		t.Fatal(f.run.Err)
	}
	want, err := hook.MarshalInput(in)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "got"))
	if err != nil || string(got) != string(want)+"\n" {
		t.Errorf("the command got %q, want %q (%v)", got, want, err)
	}
	r := f.run.Report
	if r.ExitCode == nil || *r.ExitCode != 0 || r.Stdout != "done\n" || r.StdoutBytes != 5 || r.Phases.Run <= 0 || r.Phases.Start <= 0 {
		t.Errorf("report %+v", r)
	}
	if !f.noted("shell: ") {
		t.Errorf("notes %q do not name the shell", f.run.Notes)
	}
}

func TestEnvironment(t *testing.T) {
	need(t, "sh")
	t.Setenv("CANARY_API_KEY", "planted")
	t.Setenv("HARMLESS", "host")
	t.Setenv("HOOK_DEADLINE_MS", "1")
	h := sh(t, `cat >/dev/null; echo "$CANARY_API_KEY|$HARMLESS|$OWN|$TWICE|$HOOK_DEADLINE_MS" > out`)
	h.Env = func(c *hook.Call) []string {
		return []string{"HARMLESS=dialect", "TWICE=1", "OWN=" + c.Input.Base().SessionID, "TWICE=2", "no entry"}
	}
	for _, timeout := range []time.Duration{time.Minute, 0} {
		in := bashTool("ls")
		in.CWD = t.TempDir()
		if f := fire(t, h, in, timeout); f.run.Err != nil {
			t.Fatal(f.run.Err)
		}
		b, err := os.ReadFile(filepath.Join(in.CWD, "out"))
		if err != nil {
			t.Fatal(err)
		}
		got := strings.TrimSpace(string(b))
		rest, ok := strings.CutPrefix(got, "|dialect|s1|2|")
		switch {
		case !ok:
			t.Errorf("environment %q", got)
		case timeout == 0 && rest != "":
			t.Errorf("a deadline of %q without a timeout", rest)
		case timeout > 0 && (len(rest) != 5 || rest > "60000"):
			t.Errorf("deadline %q, want nearly 60000", rest)
		}
	}
}

func TestExecForm(t *testing.T) {
	need(t, "sh")
	dir := filepath.Join(t.TempDir(), "a b")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	script(t, dir, "show.sh", "#!/bin/sh\ncat >/dev/null\nfor a; do printf '<%s>' \"$a\"; done > \"$1/out\"\n")
	h := &command.Hook{
		Command: "${ROOT}/show.sh",
		Args:    []string{"${ROOT}", "$(touch x)", "${NOPE}", "-x", "a'b\"c\n", "${", "$ROOT", "${user.key}${user.key}", "\xff"},
		Vars:    map[string]string{"ROOT": dir, "user.key": "${ROOT}"},
		Codec:   codectest.Codec{},
	}
	f := fire(t, h, bashTool("ls"), time.Minute)
	if f.run.Err != nil {
		t.Fatal(f.run.Err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "out"))
	want := "<" + dir + "><$(touch x)><${NOPE}><-x><a'b\"c\n><${><$ROOT><${ROOT}${ROOT}><\xff>"
	if err != nil || string(got) != want {
		t.Errorf("arguments %q, want %q (%v)", got, want, err)
	}
	if !f.noted("${NOPE} has no value") {
		t.Errorf("notes %q", f.run.Notes)
	}
}

func TestLaunchFailures(t *testing.T) {
	dir := t.TempDir()
	script(t, dir, "no-shebang", "echo hello\n")
	if err := os.WriteFile(filepath.Join(dir, "plain"), []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		h    *command.Hook
		want string
	}{
		{"no program", &command.Hook{Command: "no-such-program-here", Args: []string{}}, "PATH="},
		{"relative", &command.Hook{Command: "./gone/x.sh", Args: []string{}}, dir},
		{"a directory", &command.Hook{Command: dir, Args: []string{}}, "not executable"},
		{"not executable", &command.Hook{Command: "./plain", Args: []string{}}, "not executable"},
		{"no shebang", &command.Hook{Command: "./no-shebang", Args: []string{}}, "#!"},
		{"a huge argument", &command.Hook{Command: "sh", Args: []string{strings.Repeat("x", 4<<20)}}, "too big"},
		{"no command", &command.Hook{}, "no command"},
		{"unknown shell", &command.Hook{Command: "x", Shell: "fish"}, `unknown shell "fish"`},
		{"no bash in PATH", &command.Hook{Command: "x", Shell: "powershell", Base: []string{"PATH=" + dir}}, "no powershell on this machine"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			need(t, "sh")
			tt.h.Codec = codectest.Codec{}
			in := bashTool("ls")
			in.CWD = dir
			f := fire(t, tt.h, in, time.Minute)
			f.failure(t, hook.FailureLaunch, tt.want)
			if f.Decision != hook.DecisionNone {
				t.Errorf("decision %v", f.Decision)
			}
		})
	}
}

func TestWorkingDirectory(t *testing.T) {
	dir, gone := t.TempDir(), filepath.Join(t.TempDir(), "gone")
	in := bashTool("ls")
	in.CWD = gone
	h := sh(t, `cat >/dev/null; pwd`)
	f := fire(t, h, in, time.Minute)
	f.failure(t, hook.FailureLaunch, gone)

	h = sh(t, `cat >/dev/null; pwd`)
	h.Dirs = []string{"", gone + "2", dir}
	f = fire(t, h, in, time.Minute)
	if got := strings.TrimSpace(f.run.Report.Stdout); f.run.Err != nil || !sameDir(got, dir) {
		t.Fatalf("ran in %q, want %q (%v)", got, dir, f.run.Err)
	}
	if !f.noted("it ran in") || !f.noted(gone) {
		t.Errorf("notes %q do not tell the fall-back", f.run.Notes)
	}
}

func sameDir(a, b string) bool {
	ia, err1 := os.Stat(a)
	ib, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(ia, ib)
}

func TestPrefixWraps(t *testing.T) {
	need(t, "sh")
	dir := filepath.Join(t.TempDir(), "with space")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	wrap := script(t, dir, "wrap.sh", "#!/bin/sh\nprintf '%s' \"$1\" > \"${0%/*}/line\"\nexec sh -c \"$1\"\n")
	line := `cat >/dev/null; echo "it's" denied >&2; exit 2`
	for _, prefix := range []string{wrap, quoted(wrap)} {
		h := sh(t, line)
		h.Prefix = prefix
		f := fire(t, h, bashTool("ls"), time.Minute)
		got, err := os.ReadFile(filepath.Join(dir, "line"))
		if f.Decision != hook.DecisionDeny || f.Reason != "it's denied" || err != nil || string(got) != line {
			t.Errorf("prefix %s: %v %q, line %q, %v", prefix, f.Decision, f.Reason, got, err)
		}
	}
}

func TestIdenticalHooksRunOnce(t *testing.T) {
	need(t, "sh")
	dir := t.TempDir()
	reg := hook.NewRegistry()
	g := reg.Group("settings", hook.Parallel, 100)
	for range 3 {
		h := &command.Hook{Command: "cat >/dev/null; echo x >> starts", Codec: codectest.Codec{}}
		if _, err := reg.Add(hook.Registration{Event: hook.EventPreToolUse, Handler: h, Group: g, Timeout: time.Minute}); err != nil {
			t.Fatal(err)
		}
	}
	eng := hook.New(reg)
	defer eng.Close()
	in := bashTool("ls")
	in.CWD = dir
	if _, err := eng.Fire(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if n := count(t, filepath.Join(dir, "starts")); n != 1 {
		t.Errorf("started %d times, want 1", n)
	}
}

func TestLimiterQueueDoesNotCount(t *testing.T) {
	lim := process.NewLimiter(1)
	release, _, err := lim.Acquire(t.Context(), process.Urgent)
	if err != nil {
		t.Fatal(err)
	}
	h := sh(t, `cat >/dev/null; echo '{"decision":"deny","reason":"r"}'`)
	h.Limiter = lim
	timer := time.AfterFunc(600*time.Millisecond, release)
	defer timer.Stop()
	f := fire(t, h, bashTool("ls"), 500*time.Millisecond)
	if f.Decision != hook.DecisionDeny || !f.noted("for a free place") {
		t.Errorf("%v %v %q", f.Decision, f.run.Err, f.run.Notes)
	}
}
