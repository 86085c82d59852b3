package main

import "testing"

func TestExplainSaysWhatApprovalWouldChange(t *testing.T) {
	s := newStage(t)
	s.guard()
	s.requireTrusted = true
	if code, _ := exitCode(runExplain(t.Context(), s.app, explainOptions{event: bashEvent})); code != exitFailed {
		t.Errorf("it ends with %d", code)
	}
	s.has(s.out, "skipped: untrusted")
	s.out.Reset()
	s.requireTrusted, s.trustProject = false, true
	if err := runExplain(t.Context(), s.app, explainOptions{event: bashEvent}); err != nil {
		t.Fatal(err)
	}
	s.has(s.out, "runs:")
	if log := s.auditLog(); log != "" {
		t.Errorf("explaining is on record:\n%s", log)
	}
}
