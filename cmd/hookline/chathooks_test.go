//go:build linux || darwin

package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestHooksThatDoNotRunAreListed has hooks that nobody approved, one that is switched off and
// one that cannot be loaded; one is approved from the list, and runs then.
func TestHooksThatDoNotRunAreListed(t *testing.T) {
	r := prepareTerminal(t, `turns: [{text: One.}, {text: Two.}]`, "chat")
	in := func(name string) string { return filepath.Join(r.cmd.Dir, name) }
	settings := `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"echo >ran"}]}]}}`
	err := errors.Join(os.MkdirAll(in(".claude"), 0o755), os.MkdirAll(in(".hookline/hooks"), 0o755), os.WriteFile(in(".claude/settings.json"), []byte(settings), 0o600),
		os.Symlink("nowhere", in(".hookline/hooks/gone")))
	for _, name := range []string{"unseen", "idle.disable"} {
		err = errors.Join(err, os.WriteFile(in(".hookline/hooks/"+name), []byte("#!/bin/sh\necho turn_end\n"), 0o755))
	}
	if err != nil {
		t.Fatal(err)
	}
	r.start()
	r.wait("nobody approved")
	r.answer("\r")
	r.wait("default ·")
	r.send("Go\r")
	r.wait("One.")

	r.send("/hooks\r")
	r.wait("← event: all (4) →")
	for _, row := range []string{
		"> 1. PreToolUse unseen (project) · not approved", "  2. Stop echo >ran (project) · not approved",
		"  3. unknown gone (project) · failed to load", "  4. unknown idle (project) · switched off",
	} {
		r.wait(row)
	}
	r.send("3")
	r.wait("failed to load: ")
	r.wait("> 1. What it did last")
	r.wait("2. Show everything about it")
	r.send("\x1b")
	r.wait("all (4)")
	r.send("4")
	r.wait("switched off: its name ends in .disable")
	r.wait("4. Switch it on")
	r.send("4")
	r.wait("idle is enabled")

	r.send("/hooks\r")
	r.wait("idle (project) · not approved")
	r.send("3")
	r.wait("not approved: untrusted")
	r.wait("2. Look at it and approve")
	r.send("2")
	r.wait("Approve echo >ran?")
	if _, err := os.Stat(in("ran")); err == nil {
		t.Error("the hook ran although nobody approved it")
	}
	r.answer("y")
	r.wait("is approved, and runs from now on")
	r.send("/hooks\r")
	r.wait("Stop echo >ran (project)")
	r.gone("echo >ran (project) · not approved")
	r.send("\x1b")
	r.gone("all (4)")
	r.send("Go\r")
	r.wait("Two.")
	r.send("\x04")
	r.ended(0)
	if _, err := os.Stat(in("ran")); err != nil {
		t.Error("the hook did not run after it was approved:", err)
	}
}
