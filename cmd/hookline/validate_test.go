package main

import (
	"strings"
	"testing"
)

func TestValidateReportsMistakesBeforeApprovals(t *testing.T) {
	s := newStage(t)
	s.guard()
	s.write(".hookline/config.json", `{"strikt": true}`)
	s.requireTrusted = true
	err := runValidate(t.Context(), s.app, validateOptions{})
	if err == nil || !strings.Contains(err.Error(), "not approved") {
		t.Errorf("error %v", err)
	}
	s.has(s.err, "strikt")
}

func TestValidateFindsFilesFromItsDirectory(t *testing.T) {
	s := newStage(t)
	s.write("config.json", `{}`)
	if err := runValidate(t.Context(), s.app, validateOptions{files: []string{"config.json"}}); err != nil {
		t.Fatal(err)
	}
	s.has(s.out, "no faults found")
	for _, name := range []string{"nothing.json", s.write("a.txt", "")} {
		if code, _ := exitCode(runValidate(t.Context(), s.app, validateOptions{files: []string{name}})); code != exitUsage {
			t.Errorf("%s ends with %d", name, code)
		}
	}
}
