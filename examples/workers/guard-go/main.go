// A guard as a worker: it refuses commands that delete recursively, and asks about
// pushes.
package main

import (
	"regexp"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/sdk/go/hookline"
)

var (
	deletes = regexp.MustCompile(`\brm\s+-\w*[rR]`)
	pushes  = regexp.MustCompile(`\bgit\s+push\b`)
)

// counts is what the worker remembers: it stays.
type counts struct {
	mu   sync.Mutex
	seen map[string]int
}

func main() {
	guard := hookline.Options{Name: "no deletes", Match: "Bash", Guard: true, Timeout: 10 * time.Second}
	hookline.On("PreToolUse", guard, noDeletes)
	c := &counts{seen: map[string]int{}}
	hookline.On("PostToolUse", hookline.Options{Name: "count", Match: "Bash", OnFailure: "open"}, c.count)
	hookline.Run()
}

func noDeletes(ctx *hookline.Context, e hookline.Event) hookline.Result {
	command := e.Input("command")
	switch {
	case deletes.MatchString(command):
		return hookline.Deny("deleting recursively is not allowed here")
	case !pushes.MatchString(command):
		return hookline.None()
	}
	agreed, err := ctx.Confirm("Push?", command)
	switch {
	case err != nil:
		return hookline.Fail(err)
	case !agreed:
		return hookline.Deny("the person did not agree to the push")
	}
	return hookline.None()
}

func (c *counts) count(_ *hookline.Context, e hookline.Event) hookline.Result {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen[e.SessionID]++
	if c.seen[e.SessionID] == 50 {
		return hookline.AddContext("50 commands so far: consider whether this is going anywhere")
	}
	return hookline.None()
}
