package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/hookline-dev/hookline/audit"
)

func TestLogRefusesWhatCannotBeMeant(t *testing.T) {
	s := newStage(t)
	for what, o := range map[string]logOptions{
		"two ways":    {follow: true, slow: true},
		"follow":      {follow: true, verify: true},
		"no decision": {filter: audit.Filter{Decision: "maybe"}},
		"no status":   {filter: audit.Filter{Status: "odd"}},
		"no event":    {event: eventName{"", true}},
		"no time":     {since: "yesterday"},
		"backwards":   {since: "2026-01-02", until: "2026-01-01"},
		"no span":     {since: "2026-01-02", until: "2026-01-02"},
	} {
		if code, _ := exitCode(runLog(t.Context(), s.app, o)); code != exitUsage {
			t.Errorf("%s: it ends with %d", what, code)
		}
	}
}

func TestLogSaysWhyItIsEmpty(t *testing.T) {
	s := newStage(t)
	for want, o := range map[string]logOptions{
		"There are no records yet.":            {},
		"No record matches.":                   {filter: audit.Filter{Decision: "deny"}},
		`No record matches --name "guard" and`: {filter: audit.Filter{Hook: "guard", Tool: "Bash"}},
		`of a hook that is named "guard"`:      {filter: audit.Filter{Hook: "guard"}},
		"matches.":                             {event: eventName{"Stop", true}},
	} {
		s.err.Reset()
		if err := runLog(t.Context(), s.app, o); err != nil {
			t.Fatal(err)
		}
		s.has(s.err, want)
	}
}

// Lines that cannot be read are said, the others shown, and it fails.
func TestLogGoesOnBehindALineThatCannotBeRead(t *testing.T) {
	s := newStage(t)
	s.guard()
	s.trustProject = true
	_ = runFire(t.Context(), s.app, fireOptions{event: bashEvent})
	path := filepath.Join(s.dirs(s.dir).State, "audit.jsonl")
	records, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append([]byte("no record\n"), records...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := runLog(t.Context(), s.app, logOptions{asJSON: true}); !errors.Is(err, errSilent) {
		t.Errorf("error %v", err)
	}
	s.has(s.out, `"decision":"deny"`)
}
