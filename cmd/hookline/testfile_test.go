package main

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
)

const twoCases = `tests:
  - {name: blocks, event: PreToolUse, tool: Bash, input: {command: ls}, expect: {decision: deny, reason: "no"}}
  - {name: wrong, event: PreToolUse, tool: Read, expect: {decision: deny}}
`

func TestTestRunsEveryCase(t *testing.T) {
	s := newStage(t)
	s.guard()
	s.trustProject = true
	s.write(".hookline/a.hooktest.yaml", twoCases)
	if err := runTest(t.Context(), s.app, testOptions{}); !errors.Is(err, errSilent) {
		t.Errorf("error %v", err)
	}
	s.has(s.out, "1 passed, 1 failed")
}

// A case about a hook that cannot run fails, also one that expects nothing.
func TestTestFailsForHooksThatStandIdle(t *testing.T) {
	s := newStage(t)
	s.guard()
	file := s.write("b.hooktest.yaml", "tests: [{name: quiet, event: PreToolUse, tool: Read, only: [guard], expect: {decision: none}}]\n")
	if err := runTest(t.Context(), s.app, testOptions{paths: []string{file}, asJSON: true}); !errors.Is(err, errSilent) {
		t.Errorf("error %v", err)
	}
	s.has(s.out, "guard is not approved")
}

// A hook that its author names runs as it is, and none is approved by that.
func TestTestRunsUnapprovedHooks(t *testing.T) {
	s := newStage(t)
	s.guard()
	s.write(".hookline/modules/gate.ts", `export default (pi) => { pi.on("tool_call", async () => ({ block: true, reason: "shut" })) }`)
	file := s.write("a.hooktest.yaml", `tests:
  - {name: named, event: PreToolUse, tool: Bash, only: [guard], expect: {decision: deny}}
  - {name: module, event: PreToolUse, tool: Read, only: [gate], expect: {decision: deny}}
`)
	for _, c := range []struct {
		names []string
		want  string
	}{{[]string{"guard"}, "1 passed, 1 failed"}, {[]string{"guard", "gate"}, "2 passed, 0 failed"}, {nil, "0 passed, 2 failed"}} {
		s.out.Reset()
		_ = runTest(t.Context(), s.app, testOptions{paths: []string{file}, unapproved: c.names})
		s.has(s.out, c.want)
	}
	s.has(s.err, "--unapproved: guard (.claude/settings.json) runs as it is now")
	if code, _ := exitCode(runTest(t.Context(), s.app, testOptions{paths: []string{file}, unapproved: []string{"nobody"}})); code != exitUsage {
		t.Errorf("a name of no hook ends with %d", code)
	}
}

// What an agent wrote, it can't have run by itself.
func TestTestIsTheAgentsOnlyInPart(t *testing.T) {
	s := newStage(t)
	getenv := s.getenv
	s.getenv = func(k string) string {
		if k == "CLAUDECODE" {
			return "1"
		}
		return getenv(k)
	}
	for _, o := range []testOptions{{setup: true}, {unapproved: []string{"guard"}}} {
		if err := runTest(t.Context(), s.app, o); err == nil || !strings.Contains(err.Error(), "are for people") {
			t.Errorf("%+v inside an agent: %v", o, err)
		}
	}
}

func TestTestNeedsFiles(t *testing.T) {
	s := newStage(t)
	if err := runTest(t.Context(), s.app, testOptions{}); err == nil {
		t.Error("without a file it is fine")
	}
	if code, _ := exitCode(runTest(t.Context(), s.app, testOptions{paths: []string{"nothing.yaml"}})); code != exitUsage {
		t.Errorf("a file that is not there ends with %d", code)
	}
}

const busyModule = `export default (pi) => {
  pi.on("before_agent_start", async (event, ctx) => {
    pi.sendMessage({ customType: "note", content: "sent by hand", display: true })
    pi.sendUserMessage("as if typed")
    pi.appendEntry("seen", { n: 1 })
    ctx.ui.notify("look here", "warning")
    const sure = await ctx.ui.confirm("Go on?", "it is late")
    return { message: { customType: "ctx", content: sure ? "the date" : "no", display: true } }
  })
}
`

// A case sees what modules do besides answering, and not what another case saw.
func TestTestSeesWhatModulesDo(t *testing.T) {
	s := newStage(t)
	s.trustProject = true
	s.write(".hookline/modules/busy.ts", busyModule)
	const seen = `expect: {injected: ["^the date$"], sent: [by hand, "(?m)^as if typed$"], entries: ['^seen: .*"n":1'], ui: ["^warning: look here", "(?m)^confirm: Go on. it is late"]}`
	s.write(".hookline/a.hooktest.yaml", "tests:\n  - {name: all, event: UserPromptSubmit, prompt: x, answers: [confirm=yes], "+seen+"}\n"+
		"  - {name: typed, event: UserPromptSubmit, prompt: x, answers: [confirm=no], expect: {injected: [the date], sent: [other], entries: [other], ui: [other]}}\n"+
		"  - {name: idle, event: Stop, expect: {sent: [by hand]}}\n")
	if err := runTest(t.Context(), s.app, testOptions{}); !errors.Is(err, errSilent) {
		t.Errorf("error %v", err)
	}
	for _, want := range []string{"pass  all", `injected is "no"`, "sent is \"sent by hand", "entries is \"seen: ", "ui is \"warning: look here", "FAIL  idle", `sent is "", expected`, "1 passed, 2 failed"} {
		s.has(s.out, want)
	}
}

// A case has files, variables and a working directory of its own, and setup lines run only
// when they may.
func TestTestMakesAPlace(t *testing.T) {
	s := newStage(t)
	if runtime.GOOS == "windows" {
		t.Skip("the hook is a shell line")
	}
	s.write(".claude/settings.json", `{"hooks":{"UserPromptSubmit":[{"hooks":[{"name":"teller","type":"command","command":"pwd; echo $STAGE; cat note made ../top 2>&1 || true"}]}]}}`)
	s.write("sub/note", "of the project")
	if err := runTrust(t.Context(), s.app, trustOptions{yes: true}); err != nil {
		t.Fatal(err)
	}
	file := s.write("a.hooktest.yaml", `tests:
  - {name: own, event: UserPromptSubmit, files: {sub/note: here, top: above}, cwd: sub, env: {STAGE: dress}, expect: {context: ["hookline-test-.*/sub", dress, here, above]}}
  - {name: project, event: UserPromptSubmit, cwd: sub, expect: {context: [of the project]}}
  - {name: set up, event: UserPromptSubmit, setup: ["echo first >made", "git init -q 2>&1 || true"], expect: {context: [first]}}
  - {name: broken, event: UserPromptSubmit, setup: ["echo oh >&2; exit 7", "true"], expect: {context: [x]}}
  - {name: outside, event: UserPromptSubmit, files: {../x: y}, expect: {decision: none}}
  - {name: of git, event: UserPromptSubmit, files: {sub/.GIT/config: y}, expect: {decision: none}}
  - {name: far, event: UserPromptSubmit, cwd: .., expect: {decision: none}}
`)
	for _, may := range []bool{true, false} {
		s.out.Reset()
		if err := runTest(t.Context(), s.app, testOptions{paths: []string{file}, setup: may}); !errors.Is(err, errSilent) {
			t.Errorf("error %v", err)
		}
		want := []string{"pass  own", "pass  project", "FAIL  outside", "FAIL  of git", "FAIL  far", "../x: name a file below", "cwd: .. is not a directory below"}
		if may {
			want = append(want, "pass  set up", "setup: exit 7: oh", "3 passed, 4 failed")
		} else {
			want = append(want, "FAIL  set up", "give --setup", "2 passed, 5 failed")
		}
		for _, text := range want {
			s.has(s.out, text)
		}
	}
	file = s.write("b.hooktest.yaml", "tests: [{event: UserPromptSubmit, env: {BASH_ENV: x, PATH: y}, expect: {decision: none}}]")
	if err := runTest(t.Context(), s.app, testOptions{paths: []string{file}}); err == nil || !strings.Contains(err.Error(), "not given BASH_ENV, PATH") {
		t.Errorf("variables that say what code runs: %v", err)
	}
}

// A change of a hook or of a case, and a new file of either, has the cases run again, and what is half written does not
// end the watch.
func TestWatch(t *testing.T) {
	s := newStage(t)
	s.guard()
	s.trustProject = true
	test := s.write(".hookline/a.hooktest.yaml", twoCases)
	ctx, cancel := context.WithCancel(t.Context())
	watch, err := newFileWatch()
	if err != nil {
		t.Fatal(err)
	}
	defer watch.close()
	round := func(want string) {
		t.Helper()
		s.out.Reset()
		if err := runTest(ctx, s.app, testOptions{watch: watch}); err != nil && !errors.Is(err, errSilent) && want != "" {
			t.Fatal(err)
		}
		s.has(s.out, want)
	}
	changed := func(name, text string) {
		t.Helper()
		s.write(name, text)
		if err := watch.wait(ctx); err != nil {
			t.Fatal(err)
		}
	}
	round("1 passed, 1 failed")
	changed(".hookline/a.hooktest.yaml", "tests: [")
	round("")
	changed(".hookline/a.hooktest.yaml", strings.Replace(twoCases, "Read", "Bash", 1))
	round("2 passed, 0 failed")
	changed(".claude/settings.json", `{"hooks":{}}`)
	round("0 passed, 2 failed")
	changed(".hookline/new.hooktest.yaml", twoCases)
	round("0 passed, 4 failed")
	for _, name := range []string{"first", "second"} {
		changed(".hookline/modules/"+name+".ts", "export default () => {}\n")
		round("0 passed, 4 failed")
	}
	if err := os.Chmod(test, 0o600); err != nil { // no change of what is in it
		t.Fatal(err)
	}
	cancel()
	if err := watch.wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
