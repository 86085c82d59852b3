package main

import (
	"errors"
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
