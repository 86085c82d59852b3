package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestNewStaysInsideTheProject(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	s := newStage(t)
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(s.dir, ".hookline")); err != nil {
		t.Fatal(err)
	}
	err := runNew(t.Context(), s.app, newOptions{name: "guard", event: "PreToolUse", lang: "bash"})
	if err == nil || !strings.Contains(err.Error(), "leads out of the project") {
		t.Errorf("error %v", err)
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("it wrote %v", left)
	}
}

func TestNewRefusesWhatItCannotWrite(t *testing.T) {
	s := newStage(t)
	good := newOptions{name: "guard", event: "PreToolUse", lang: "bash"}
	for what, change := range map[string]func(*newOptions){
		"name":     func(o *newOptions) { o.name = "../guard" },
		"event":    func(o *newOptions) { o.event = "PreToolUze" },
		"language": func(o *newOptions) { o.lang = "cobol" },
		"dialect":  func(o *newOptions) { o.dialect = "none" },
	} {
		o := good
		change(&o)
		if code, _ := exitCode(runNew(t.Context(), s.app, o)); code != exitUsage {
			t.Errorf("%s: it ends with %d", what, code)
		}
	}
	if left, _ := os.ReadDir(s.dir); len(left) > 0 {
		t.Errorf("it wrote %v", left)
	}
	if err := runNew(t.Context(), s.app, good); err != nil {
		t.Fatal(err)
	}
	if err := runNew(t.Context(), s.app, good); err == nil {
		t.Error("it overwrote a hook")
	}
}
