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
