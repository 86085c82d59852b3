//go:build linux || darwin

package main

import (
	"strings"
	"testing"
)

// TestAnInterruptEndsWhatWaitsForInput: a person who waits at the terminal for what they were
// to type is told so, and can give up.
func TestAnInterruptEndsWhatWaitsForInput(t *testing.T) {
	for _, c := range []struct {
		args, said string
		code       int
	}{
		{"fire --payload -", "Reading standard input", 130},
		{"explain --payload -", "Reading standard input", 130},
		{"fire PreToolUse --input @-", "Reading standard input", 130},
		{"trust --import -", "Reading standard input", 130},
		{"acp", "Reading the messages", 130},
		{"mcp -- cat", "Reading the messages", 130},
		{"serve", "Keeping hooks loaded", 0}, // it has nothing else to end with
	} {
		t.Run(c.args, func(t *testing.T) {
			r := prepareTerminal(t, "")
			r.cmd.Args = append([]string{"hookline"}, strings.Fields(c.args)...)
			r.start()
			r.wait(c.said)
			r.send("\x03")
			err := <-r.exited
			if code := r.cmd.ProcessState.ExitCode(); code != c.code || r.shows("JSON") {
				t.Errorf("it ended with %d, %v:\n%s", code, err, r.screen.String())
			}
		})
	}
}
