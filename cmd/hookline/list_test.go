package main

import "testing"

func TestListTakesTheEmptyEventForAMistake(t *testing.T) {
	s := newStage(t)
	s.guard()
	if err := runList(t.Context(), s.app, listOptions{}); err != nil {
		t.Fatal(err)
	}
	s.has(s.out, "guard")
	var o listOptions
	if err := o.event.Set(""); err != nil {
		t.Fatal(err)
	}
	if code, _ := exitCode(runList(t.Context(), s.app, o)); code != exitUsage {
		t.Errorf("--event \"\" ends with %d", code)
	}
}

func TestListSaysWhatIsNotThere(t *testing.T) {
	s := newStage(t)
	if err := runList(t.Context(), s.app, listOptions{}); err != nil {
		t.Fatal(err)
	}
	s.has(s.err, "No hooks here.")
	s.guard()
	s.err.Reset()
	if err := runList(t.Context(), s.app, listOptions{event: eventName{"Stop", true}}); err != nil {
		t.Fatal(err)
	}
	s.has(s.err, "No hook here is for this event.")
}

// What is asked for is printed, and then it fails.
func TestListPrintsWhatIsNotApproved(t *testing.T) {
	s := newStage(t)
	s.guard()
	s.requireTrusted = true
	if code, _ := exitCode(runList(t.Context(), s.app, listOptions{asJSON: true})); code != exitFailed {
		t.Errorf("it ends with %d", code)
	}
	s.has(s.out, `"trust": "untrusted"`)
}
