package claude_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/hook"
)

// The tests of this file are named after what goes wrong with hooks of this
// dialect in practice. They run real commands.

func TestCleanHookIsNoError(t *testing.T) {
	p := newProject(t).hooks("PreToolUse", `cat >/dev/null; echo '{}'`, `cat >/dev/null; echo progress >&2`)
	out, ran := p.call("ls")
	if !ran || len(out.Notices) > 0 {
		t.Errorf("ran %v, notices %q", ran, out.Notices)
	}
	for _, r := range out.Runs {
		if r.Status != hook.StatusRan || r.Err != nil || r.Report.Stdout == r.Report.Stderr {
			t.Errorf("%s: %v %v, stderr %q", r.Hook.Name, r.Status, r.Err, r.Report.Stderr)
		}
	}
}

func TestOddExitCodeIsNoBlockAndSaysSo(t *testing.T) {
	p := newProject(t).hooks("PreToolUse", `echo no >&2; exit 1`, `echo '{"result":"block"}'`)
	out, ran := p.call("ls")
	if !ran {
		t.Error("the call did not go on")
	}
	notes := allNotes(out)
	for _, want := range []string{"exit 1 is not a block: no", "unknown key result, no decision read"} {
		if !strings.Contains(notes, want) {
			t.Errorf("the record does not say %q: %s", want, notes)
		}
	}
	if len(out.Notices) != 1 || !strings.Contains(out.Notices[0], "exit 1 is not a block") {
		t.Errorf("notices %q", out.Notices)
	}
}

func TestExitTwoStopsTheCall(t *testing.T) {
	for _, command := range []string{
		`echo stop >&2; exit 2`,
		`echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"c"}}'; echo stop >&2; exit 2`,
		`echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'; echo stop >&2; exit 2`,
	} {
		p := newProject(t).hooks("PreToolUse", command)
		if out, ran := p.call("ls"); ran || out.Reason != "stop" {
			t.Errorf("%s: ran %v, reason %q", command, ran, out.Reason)
		}
		p.eng = nil
		in := bashCall("ls")
		in.AgentID, in.AgentType = "a1", "reviewer"
		if out := p.fire(in); !out.Blocked() {
			t.Errorf("%s: in a subagent it goes through", command)
		}
	}
}

func TestOneBadEntryIsLoudAndStrictModeCloses(t *testing.T) {
	text := `{"hooks":{"PreToolUse":[
		{"matcher":"Bash","hooks":[{"type":"command","command":"exit 0"}]},
		{"matcher":"Bash","hooks":[{"type":"command","command":"guard.sh","timeout":"10"}]},
		{"matcher":"Write","hooks":[{"type":"comand","command":"other.sh"}]}]}}`
	p := newProject(t).settings(claude.ScopeProject, text)
	out, ran := p.call("ls")
	if !ran || len(out.Notices) != 1 || !strings.Contains(out.Notices[0], "could not be loaded from project.json:3") {
		t.Errorf("ran %v, notices %q", ran, out.Notices)
	}
	if len(out.Runs) != 2 {
		t.Errorf("%d runs: the broken entry of another tool took part", len(out.Runs))
	}
	p = newProject(t).settings(claude.ScopeProject, text).start(hook.WithStrict())
	if out, ran := p.call("ls"); ran || !strings.Contains(out.Reason, "could not be loaded") {
		t.Errorf("strict: ran %v, reason %q", ran, out.Reason)
	}
	p = newProject(t).settings(claude.ScopeProject, `{"hooks":[{"event":"PreToolUse"}]}`).start(hook.WithStrict())
	if _, ran := p.call("ls"); ran {
		t.Error("strict: the event of a lost file is open")
	}
}

func TestHooksApplyInSubagentsUnlessToldOtherwise(t *testing.T) {
	p := newProject(t).settings(claude.ScopeUser, `{"hooks":{"PreToolUse":[{"hooks":[
		{"type":"command","command":"cat > seen.json; exit 2"},
		{"type":"command","name":"main only","command":"echo main >&2; exit 2","include_subagents":false}]}]}}`)
	in := bashCall("ls")
	in.AgentID, in.AgentType = "a1", "reviewer"
	out := p.fire(in)
	if !out.Blocked() || out.Runs[1].Status != hook.StatusSkipped {
		t.Errorf("decision %v, runs %v %v", out.Decision, out.Runs[0].Status, out.Runs[1].Status)
	}
	seen, err := os.ReadFile(filepath.Join(p.dir, "seen.json"))
	if got := hook.RawJSON(seen); err != nil || got.String("agent_id") != "a1" || got.String("hook_event_name") != "PreToolUse" {
		t.Errorf("the hook saw %s (%v)", seen, err)
	}
	if out := p.fire(bashCall("ls")); out.Runs[1].Decision != deny {
		t.Error("the hook of the main agent does not run there")
	}
}

func TestStdinIsClosedAndNeedNotBeRead(t *testing.T) {
	p := newProject(t).hooks("PreToolUse", `cat >/dev/null; exit 0`, `exit 0`, `wc -c > count`)
	out, ran := p.call(strings.Repeat("x", 2<<20))
	if !ran {
		t.Error("the call did not go on")
	}
	for _, r := range out.Runs {
		if r.Status != hook.StatusRan {
			t.Errorf("%s: %v %v", r.Hook.Name, r.Status, r.Err)
		}
	}
	if count, err := os.ReadFile(filepath.Join(p.dir, "count")); err != nil || len(strings.TrimSpace(string(count))) != 7 {
		t.Errorf("a hook read %q bytes (%v)", count, err)
	}
}

func TestTimeoutEndsTheWholeTree(t *testing.T) {
	p := newProject(t).settings(claude.ScopeUser, `{"hooks":{"PreToolUse":[{"hooks":[
		{"type":"command","command":"sleep 61 & sleep 61","timeout":0.3},
		{"type":"command","command":"sleep 62 & echo '{\"systemMessage\":\"done\"}'","timeout":30}]}]}}`)
	start := time.Now()
	out, ran := p.call("ls")
	if d := time.Since(start); d > 25*time.Second {
		t.Errorf("it took %v", d)
	}
	if !ran || out.Runs[0].Status != hook.StatusTimedOut || !slices.Contains(out.Notices, "done") {
		t.Errorf("ran %v, %v, notices %q", ran, out.Runs[0].Status, out.Notices)
	}
}

func TestPromptCanBeRewritten(t *testing.T) {
	p := newProject(t).hooks("UserPromptSubmit", `cat >/dev/null; echo '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","updatedPrompt":"better"}}'`)
	in := &hook.UserPromptSubmit{Prompt: "good"}
	if out := p.fire(in); out.UpdatedPrompt == nil || *out.UpdatedPrompt != "better" || in.Prompt != "better" {
		t.Errorf("%v, prompt %q", out.UpdatedPrompt, in.Prompt)
	}
}

func TestUpdatedInputSurvivesItsSiblings(t *testing.T) {
	rewrite := func(command, sleep string) string {
		return sleep + `cat >/dev/null; echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"` + command + `"}}}'`
	}
	silent := `cat >/dev/null; echo '{}'`
	asks := `cat >/dev/null; echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}'`
	for _, tt := range []struct {
		hooks []string
		want  string
	}{
		{[]string{silent, rewrite("new", "")}, "new"},
		{[]string{rewrite("new", ""), silent}, "new"},
		{[]string{asks, rewrite("new", "")}, "new"},
		{[]string{rewrite("new", ""), asks}, "new"},
		{[]string{rewrite("first", "sleep 0.3; "), rewrite("second", "")}, "second"},
	} {
		out, _ := newProject(t).hooks("PreToolUse", tt.hooks...).call("old")
		if out.UpdatedInput.String("command") != tt.want || out.OriginalInput.String("command") != "old" {
			t.Errorf("%q: %s", tt.hooks, out.UpdatedInput.Raw())
		}
		if tt.want == "second" && !strings.Contains(allNotes(out), "replaces that of") {
			t.Errorf("the conflict is not on record: %s", allNotes(out))
		}
	}
}

func TestHookOfTwoFilesRunsOnce(t *testing.T) {
	p := newProject(t)
	count := `cat >/dev/null; echo x >> "${CLAUDE_PROJECT_DIR}/count"`
	p.settings(claude.ScopeUser, commandSettings("PreToolUse", count))
	p.settings(claude.ScopeProject, commandSettings("PreToolUse", strings.ReplaceAll(count, "${CLAUDE_PROJECT_DIR}", p.dir)))
	plugin := &claude.Plugin{Name: "p", Root: p.dir, Data: p.dir}
	s, _ := claude.ParseSettings("hooks.json", []byte(commandSettings("PreToolUse", count)), claude.Options{Scope: claude.ScopePlugin, Plugin: plugin})
	p.files = append(p.files, s)
	out, _ := p.call("ls")
	lines, err := os.ReadFile(filepath.Join(p.dir, "count"))
	if err != nil || strings.Count(string(lines), "x") != 2 {
		t.Errorf("it ran %d times (%v)", strings.Count(string(lines), "x"), err)
	}
	if len(out.Runs) != 3 || out.Runs[1].Status != hook.StatusSkipped || !strings.Contains(out.Runs[1].Why, "the same hook as") {
		t.Errorf("%s", allNotes(out))
	}
	if got := out.Runs[0].Hook.Source + " " + out.Runs[1].Hook.Source; got != "user.json:1 project.json:1" {
		t.Errorf("sources %q", got)
	}
}

func TestStricterCopyIsNotReplacedByALaxerOne(t *testing.T) {
	p := newProject(t)
	p.settings(claude.ScopeUser, `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"exit 1"}]}]}}`)
	p.settings(claude.ScopeProject, `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"exit 1","onFailure":"block"}]}]}}`)
	if out, ran := p.call("ls"); ran {
		t.Errorf("the call went on: %s", allNotes(out))
	}
}

// TestSameCommandOtherwiseSet: a hook with another filter, time or text for the woken agent
// is another hook, which the first does not stand in for.
func TestSameCommandOtherwiseSet(t *testing.T) {
	for _, other := range []string{`"if":"Bash(git push *)"`, `"timeout":30`, `"guard":true`} {
		p := newProject(t).settings(claude.ScopeUser, `{"hooks":{"PreToolUse":[{"hooks":[
			{"type":"command","command":"cat >/dev/null; echo x >> \"${CLAUDE_PROJECT_DIR}/count\"","if":"Bash(git *)"},
			{"type":"command","command":"cat >/dev/null; echo x >> \"${CLAUDE_PROJECT_DIR}/count\"",`+other+`}]}]}}`)
		out, _ := p.call("git push origin")
		if lines, err := os.ReadFile(filepath.Join(p.dir, "count")); err != nil || strings.Count(string(lines), "x") != 2 {
			t.Errorf("%s: it ran %d times (%v): %s", other, strings.Count(string(lines), "x"), err, allNotes(out))
		}
	}
}

func TestFilterRunsForTheRightCommands(t *testing.T) {
	p := newProject(t).settings(claude.ScopeUser, `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[
		{"type":"command","command":"exit 2","if":"Bash(git commit *)"}]}]}}`)
	for command, want := range map[string]bool{
		`echo $(date)`:                    true,
		`pwd && echo "$(date)"`:           true,
		`D=$(date)`:                       false,
		`for f in a; do echo x; done`:     false,
		`for f in a; do echo $f; done`:    true, // as in Claude Code
		`echo {a,b}`:                      true,
		`FOO=1 git commit -m x`:           true,
		`npm t && git commit -m x`:        true,
		`echo "$(git commit -m x)"`:       true,
		`ls`:                              false,
		`for f in a; do git commit; done`: true,
	} {
		if out, ran := p.call(command); ran == want {
			t.Errorf("%s: the hook ran: %v (%s)", command, !ran, allNotes(out))
		}
	}
	out, ran := p.call(`git "commit`)
	if ran || !out.Runs[0].Uncertain || !strings.Contains(out.Runs[0].Why, "uncertain") {
		t.Errorf("a command that cannot be parsed: ran %v, %+v", ran, out.Runs[0])
	}
}

func TestFilterOnAnotherEventNeverRuns(t *testing.T) {
	p := newProject(t).settings(claude.ScopeUser, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"exit 2","if":"Bash"}]}]}}`)
	if out := p.fire(&hook.Stop{}); out.KeepGoing || out.Runs[0].Status != hook.StatusSkipped || len(out.Notices) > 0 {
		t.Errorf("%+v", out)
	}
	if len(p.diags) != 1 {
		t.Errorf("diagnostics %q", p.diags)
	}
}

func TestRelativePathAfterCD(t *testing.T) {
	p := newProject(t).hooks("PreToolUse", `.claude/hooks/guard.sh`, `"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh`)
	p.file(".claude/hooks/guard.sh", "#!/bin/sh\ncat >/dev/null\nexit 2\n")
	sub := filepath.Join(p.dir, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	in := bashCall("ls")
	in.CWD = sub
	out := p.fire(in)
	if !out.Blocked() || out.Runs[1].Decision != deny {
		t.Errorf("the path from the project's root does not work: %s", allNotes(out))
	}
	if err := out.Runs[0].Err; err == nil || !strings.Contains(err.Error(), ".claude/hooks/guard.sh") || !strings.Contains(err.Error(), sub) {
		t.Errorf("the error does not name the path and the directory: %v", err)
	}
}

func TestBlankInThePath(t *testing.T) {
	p := newProject(t)
	p.dir = filepath.Join(p.dir, "a b")
	p.file("h.sh", "#!/bin/sh\ncat >/dev/null\necho \"$1\" >&2\nexit 2\n")
	p.settings(claude.ScopeUser, `{"hooks":{"PreToolUse":[{"hooks":[
		{"type":"command","command":"${CLAUDE_PROJECT_DIR}/h.sh","args":["${CLAUDE_PROJECT_DIR}"]},
		{"type":"command","command":"$CLAUDE_PROJECT_DIR/h.sh"}]}]}}`)
	out, ran := p.call("ls")
	if ran || out.Reason != p.dir {
		t.Errorf("exec form: ran %v, reason %q, %s", ran, out.Reason, allNotes(out))
	}
	if out.Runs[1].Err == nil || !strings.Contains(allNotes(out), "quotes") {
		t.Errorf("shell form: %s", allNotes(out))
	}
}

func TestCommandThatIsMissing(t *testing.T) {
	p := newProject(t)
	p.b.Commands.Base = []string{"PATH=/nonexistent"}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh on this machine")
	}
	p.b.Commands.Base = []string{"PATH=" + filepath.Dir(sh)}
	out, ran := p.hooks("PreToolUse", `no-such-node hook.js`).call("ls")
	if !ran || !strings.Contains(allNotes(out), "command not found: no-such-node, PATH=") {
		t.Errorf("ran %v: %s", ran, allNotes(out))
	}
}

func TestStopHooks(t *testing.T) {
	if out := newProject(t).hooks("Stop", `exit 0`, `echo '{"decision":"approve"}'`, `echo '{"continue":true}'`).fire(&hook.Stop{}); out.KeepGoing {
		t.Errorf("an agent that may stop is kept going: %s", allNotes(out))
	}
	out := newProject(t).hooks("Stop", `exit 2`).fire(&hook.Stop{StopHookActive: true})
	if !out.KeepGoing || len(out.Continuation()) != 1 || out.Continuation()[0] == "" {
		t.Errorf("a block without a reason: %+v", out.Continuation())
	}
	out = newProject(t).hooks("Stop", `cat > seen.json; echo '{"decision":"block","reason":"test first"}'`).fire(&hook.Stop{})
	if got := out.Continuation(); len(got) != 1 || got[0] != "test first" {
		t.Errorf("%q", got)
	}
	if out := newProject(t).hooks("Stop", `exit 1`).start(hook.WithStrict()).fire(&hook.Stop{}); out.KeepGoing {
		t.Error("a failure keeps the agent going")
	}
}

func TestOutputThatNobodySees(t *testing.T) {
	out := newProject(t).hooks("PostToolUse", `echo formatted`).fire(&hook.PostToolUse{ToolName: "Edit"})
	if len(out.Context) > 0 || !strings.Contains(allNotes(out), "nobody sees it") {
		t.Errorf("context %q: %s", out.Context, allNotes(out))
	}
	out, ran := newProject(t).hooks("PreToolUse", `echo '{"systemMessage":"m","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}'`).call("ls")
	if ran || out.Reason == "" || !strings.Contains(allNotes(out), "gave no reason") || !strings.Contains(allNotes(out), "systemMessage is not what the model is told") {
		t.Errorf("ran %v, reason %q: %s", ran, out.Reason, allNotes(out))
	}
}

func TestSessionEndHooksShareTheirTime(t *testing.T) {
	parse := func(timeouts ...string) *claude.Set {
		var hooks []string
		for i, tm := range timeouts {
			hooks = append(hooks, fmt.Sprintf(`{"type":"command","command":"h%d"%s}`, i, tm))
		}
		s, _ := claude.ParseSettings("s.json", []byte(`{"hooks":{"SessionEnd":[{"hooks":[`+strings.Join(hooks, ",")+`]}]}}`), claude.Options{Scope: claude.ScopeUser})
		return claude.NewSet(s)
	}
	for _, tt := range []struct {
		timeouts []string
		budget   time.Duration
		each     []time.Duration
	}{
		{[]string{"", ""}, 1500 * time.Millisecond, []time.Duration{1500 * time.Millisecond, 1500 * time.Millisecond}},
		{[]string{"", `,"timeout":10`}, 10 * time.Second, []time.Duration{10 * time.Second, 10 * time.Second}},
		{[]string{`,"timeout":3`, `,"timeout":300`}, 60 * time.Second, []time.Duration{3 * time.Second, 60 * time.Second}},
		{[]string{`,"timeout":0.5`}, 1500 * time.Millisecond, []time.Duration{500 * time.Millisecond}},
	} {
		set := parse(tt.timeouts...)
		if got := set.SessionEndBudget(); got != tt.budget {
			t.Errorf("%q: budget %v, want %v", tt.timeouts, got, tt.budget)
		}
		regs, _ := set.Registrations(claude.Builder{})
		for i, r := range regs {
			if r.Timeout != tt.each[i] {
				t.Errorf("%q: hook %d has %v, want %v", tt.timeouts, i, r.Timeout, tt.each[i])
			}
		}
	}
	regs, _ := parse("").Registrations(claude.Builder{SessionEndBudget: 5 * time.Second})
	if regs[0].Timeout != 5*time.Second {
		t.Errorf("a budget of one's own: %v", regs[0].Timeout)
	}
	p := newProject(t).settings(claude.ScopeUser, `{"hooks":{"SessionEnd":[{"hooks":[
		{"type":"command","command":"sleep 2; echo x > a","timeout":30},{"type":"command","command":"sleep 2; echo x > b"}]}]}}`)
	out := p.fire(&hook.SessionEnd{Reason: "other"})
	for i, name := range []string{"a", "b"} {
		if _, err := os.Stat(filepath.Join(p.dir, name)); err != nil || out.Runs[i].Status != hook.StatusRan {
			t.Errorf("%s: %v %v", name, out.Runs[i].Status, err)
		}
	}
}

func TestShellIsNotBash(t *testing.T) {
	if _, err := exec.LookPath("dash"); err != nil {
		t.Skip("sh may be bash on this machine")
	}
	p := newProject(t).settings(claude.ScopeUser, `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"[[ -n x ]] && exit 2"}]}]}}`)
	out, ran := p.call("ls")
	notes := allNotes(out)
	if target, err := filepath.EvalSymlinks("/bin/sh"); err != nil || !strings.Contains(target, "dash") {
		t.Skip("sh is not dash on this machine")
	}
	if !ran || !strings.Contains(notes, "bash") || !strings.Contains(notes, "sh") {
		t.Errorf("ran %v: %s", ran, notes)
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash on this machine")
	}
	p = newProject(t).settings(claude.ScopeUser, `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","shell":"bash","command":"[[ -n x ]] && exit 2"}]}]}}`)
	if out, ran := p.call("ls"); ran {
		t.Errorf("by bash: %s", allNotes(out))
	}
}

func TestNothingPretendsToUndo(t *testing.T) {
	p := newProject(t).hooks("PostToolUse", `echo 'look again' >&2; exit 2`)
	out := p.fire(&hook.PostToolUse{ToolName: "Write", ToolResponse: hook.RawJSON(`{"ok":true}`)})
	if out.Reason != "look again" || !out.UpdatedOutput.IsZero() || out.Halt {
		t.Errorf("%+v", out)
	}
	out = newProject(t).hooks("PostToolUseFailure", `cat > seen.json; echo hint >&2; exit 2`).fire(&hook.PostToolUseFailure{ToolName: "Bash", Error: "exit 1"})
	if out.Reason != "hint" {
		t.Errorf("%+v", out)
	}
}

func TestGuardsThatFail(t *testing.T) {
	for name, command := range map[string]string{
		"killed":   `kill -9 $$`,
		"garbage":  `echo '{"decision": deny}'`,
		"timeout":  `sleep 60`,
		"spawn":    `/no/such/file`,
		"too much": `head -c 2000000 /dev/zero | tr '\0' '{'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			entry := `{"type":"command","timeout":1,"command":` + hook.MustJSON(command).Raw()
			p := newProject(t).settings(claude.ScopeUser, events(group(entry+`}`)))
			out, ran := p.call("ls")
			if !ran || len(out.Notices) == 0 || out.Runs[0].Err == nil {
				t.Errorf("open: ran %v, notices %q, %v", ran, out.Notices, out.Runs[0].Err)
			}
			p = newProject(t).settings(claude.ScopeUser, events(group(entry+`,"onFailure":"block"}`)))
			if out, ran := p.call("ls"); ran || !out.Runs[0].FailedClosed {
				t.Errorf("closed: ran %v, %+v", ran, out.Runs[0])
			}
			p = newProject(t).settings(claude.ScopeProject, events(group(entry+`,"onFailure":"continue"}`))).start(hook.WithStrict())
			if _, ran := p.call("ls"); ran {
				t.Error("strict: a project relaxed its own guard")
			}
			p = newProject(t).settings(claude.ScopeUser, events(group(entry+`,"onFailure":"continue"}`))).start(hook.WithStrict())
			if _, ran := p.call("ls"); !ran {
				t.Error("strict: the person's own word does not count")
			}
		})
	}
}

func TestOnlyThreeDescriptorsAndNoTerminal(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("no /proc on this machine")
	}
	p := newProject(t).hooks("PreToolUse", `cat >/dev/null; ls /proc/$$/fd > fds; (: </dev/tty) 2>/dev/null && echo tty > tty; exit 0`)
	p.call("ls")
	fds, err := os.ReadFile(filepath.Join(p.dir, "fds"))
	got := slices.DeleteFunc(strings.Fields(string(fds)), func(fd string) bool { return len(fd) > 1 }) // the shell keeps its own from 10 on
	if err != nil || strings.Join(got, " ") != "0 1 2" {
		t.Errorf("descriptors %q (%v)", fds, err)
	}
	if _, err := os.Stat(filepath.Join(p.dir, "tty")); err == nil {
		t.Error("the hook has a terminal")
	}
}

func TestPostToolUseSeesWhatWasAskedFor(t *testing.T) {
	p := newProject(t).hooks("PostToolUse", `cat > seen.json`)
	p.fire(&hook.PostToolUse{ToolName: "Bash", ToolInput: hook.RawJSON(`{"command":"new"}`), OriginalToolInput: hook.RawJSON(`{"command":"old"}`)})
	seen, err := os.ReadFile(filepath.Join(p.dir, "seen.json"))
	got := hook.RawJSON(seen)
	original, _ := got.Get("original_tool_input")
	input, _ := got.Get("tool_input")
	if err != nil || original.String("command") != "old" || input.String("command") != "new" {
		t.Errorf("%s (%v)", seen, err)
	}
}

// TestScriptsAsPeopleWriteThem runs hooks in the manner of those that are in use.
func TestScriptsAsPeopleWriteThem(t *testing.T) {
	p := newProject(t)
	p.file("guard.py", `import json, sys
data = json.load(sys.stdin)
command = data.get("tool_input", {}).get("command", "")
if data["hook_event_name"] == "PreToolUse" and data["tool_name"] == "Bash" and "rm -rf" in command:
    print("dangerous: " + command, file=sys.stderr)
    sys.exit(2)
sys.exit(0)
`)
	p.file("context.sh", "#!/bin/sh\ncat >/dev/null\necho \"branch: main\"\n")
	p.settings(claude.ScopeUser, `{"hooks":{
		"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"python3 \"$CLAUDE_PROJECT_DIR\"/guard.py"}]}],
		"SessionStart":[{"matcher":"startup|resume","hooks":[{"type":"command","command":"\"$CLAUDE_PROJECT_DIR\"/context.sh"}]}]}}`)
	if out := p.fire(&hook.SessionStart{Source: "startup"}); len(out.Context) != 1 || out.Context[0] != "branch: main" {
		t.Errorf("context %q: %s", out.Context, allNotes(out))
	}
	if out := p.fire(&hook.SessionStart{Source: "clear"}); len(out.Runs) != 0 {
		t.Error("the matcher of SessionStart does not count")
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 on this machine")
	}
	if out, ran := p.call("rm -rf /"); ran || out.Reason != "dangerous: rm -rf /" {
		t.Errorf("ran %v: %q %s", ran, out.Reason, allNotes(out))
	}
	if _, ran := p.call("ls"); !ran {
		t.Error("a harmless command did not run")
	}
}

func TestAsyncHooks(t *testing.T) {
	p := newProject(t).settings(claude.ScopeUser, `{"hooks":{"PreToolUse":[{"hooks":[
		{"type":"command","command":"cat >/dev/null; echo '{\"async\":true,\"asyncTimeout\":30}'; echo x >> started; sleep 0.2; echo '{\"systemMessage\":\"late\"}'"},
		{"type":"command","command":"sleep 0.2; echo wake >&2; exit 2","asyncRewake":true,"rewakeMessage":"look:","rewakeSummary":"a check failed"},
		{"type":"command","command":"exit 2","async":true}]}]}}`)
	out, ran := p.call("ls")
	if !ran || len(out.Pending) != 3 {
		t.Fatalf("ran %v, %d pending: %s", ran, len(out.Pending), allNotes(out))
	}
	turned, err := out.Pending[0].Wait(t.Context())
	if err != nil || turned.Result.Notice != "late" {
		t.Errorf("%+v %v", turned, err)
	}
	rewake, err := out.Pending[1].Wait(t.Context())
	if err != nil || !rewake.Rewake || rewake.Result.Reason != "look:\nwake" || rewake.Result.Notice != "a check failed" {
		t.Errorf("%+v %v", rewake, err)
	}
	if plain, err := out.Pending[2].Wait(t.Context()); err != nil || plain.Rewake {
		t.Errorf("%+v %v", plain, err)
	}
	if b, err := os.ReadFile(filepath.Join(p.dir, "started")); err != nil || string(b) != "x\n" {
		t.Errorf("it was started %q times (%v)", b, err)
	}
}
