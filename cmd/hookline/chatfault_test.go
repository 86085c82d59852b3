//go:build linux || darwin

package main

import (
	"strings"
	"testing"
)

// TestChatTellsAFaultOfTheModelOnce: what the model's end said is on the screen one time.
func TestChatTellsAFaultOfTheModelOnce(t *testing.T) {
	r := onTerminal(t, "turns:\n  - error: {status: 401, message: void}\n  - text: and now it answers\n", "chat")
	r.wait(">")
	r.send("hello\r")
	r.wait("void")
	r.send("again\r")
	r.wait("and now it answers") // all that came before is on the screen
	r.mu.Lock()
	defer r.mu.Unlock()
	if shown := r.screen.String(); strings.Count(shown, "void") != 1 {
		t.Errorf("it is not told once:\n%s", shown)
	}
}
