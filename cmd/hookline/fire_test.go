package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func (s *stage) auditLog() string {
	b, _ := os.ReadFile(filepath.Join(s.dirs(s.dir).State, "audit.jsonl"))
	return string(b)
}

func TestFireKeepsARecordAndADryRunNone(t *testing.T) {
	s := newStage(t)
	s.guard()
	s.trustProject = true
	if err := runFire(t.Context(), s.app, fireOptions{event: bashEvent, dry: true}); err != nil {
		t.Fatal(err)
	}
	if log := s.auditLog(); log != "" {
		t.Errorf("a dry run is on record:\n%s", log)
	}
	if err := runFire(t.Context(), s.app, fireOptions{event: bashEvent}); !errors.Is(err, errBlocked) {
		t.Errorf("error %v", err)
	}
	if log := s.auditLog(); !strings.Contains(log, `"deny"`) || !strings.Contains(log, "which nobody approved") {
		t.Errorf("the record:\n%s", log)
	}
}

func TestFireRefusesAnEmptyEvent(t *testing.T) {
	s := newStage(t)
	ev := eventFlags{args: []string{""}, payload: s.write("event.json", `{"hook_event_name":"Stop"}`)}
	if code, _ := exitCode(runFire(t.Context(), s.app, fireOptions{event: ev})); code != exitUsage {
		t.Errorf("an empty name beside a payload ends with %d", code)
	}
	ev.args = nil
	if err := runFire(t.Context(), s.app, fireOptions{event: ev}); err != nil {
		t.Errorf("the event of the payload: %v", err)
	}
}

func TestAgentsCannotTrustAProjectAsAWhole(t *testing.T) {
	s := newStage(t)
	s.guard()
	s.trustProject = true
	getenv := s.getenv
	s.getenv = func(k string) string {
		if k == "CLAUDECODE" {
			return "1"
		}
		return getenv(k)
	}
	if code, _ := exitCode(runFire(t.Context(), s.app, fireOptions{event: bashEvent})); code != exitUsage {
		t.Errorf("it ends with %d", code)
	}
	if code, _ := exitCode(runTrust(t.Context(), s.app, trustOptions{yes: true})); code != exitUsage {
		t.Errorf("trust --yes ends with %d", code)
	}
}
