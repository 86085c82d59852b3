package discovery

import (
	"context"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/trust"
)

// Status says whether a hook is in force.
type Status string

// The statuses.
const (
	Active    Status = "active"
	Shadowed  Status = "shadowed"  // a hook of the same name comes before it
	Disabled  Status = "disabled"  // somebody switched it off
	Untrusted Status = "untrusted" // nobody approved it
	Broken    Status = "broken"    // it cannot be used
)

// Found is one hook: one registration, or one file of which it is not known what
// it registers.
type Found struct {
	Name string
	// Part tells the hooks of a worker apart that has several; "" for others.
	Part    string
	Dialect string
	// Level is managed, user, local or project, and Plugin the plugin that the hook
	// comes from.
	Level  string
	Plugin string
	// Event is what it is for, 0 when unknown; Types is its dialect's name for that.
	Event hook.Event
	Type  string
	// Matcher is the pattern as it was written.
	Matcher string
	// Command says what runs, for people.
	Command string
	// Path is the file, and Source file:line.
	Path, Source string
	Status       Status
	// Why says why it is not in force, or what is doubtful about it.
	Why string
	// Artifact and Digest are what approval is about.
	Artifact trust.Artifact
	Digest   string
	// Also lists further sources of the same hook.
	Also []string
	// Registers lists what a module registers besides event handlers: "command
	// /plan", "tool todo".
	Registers []string
	// Prewarm is how many of its processes are started ahead of their events.
	Prewarm int

	// Registration is nil when the hook cannot be registered.
	Registration *hook.Registration

	warm   warmer      // what starts its processes ahead of their events, nil for none
	worker *workerHook // of an entry of type worker
	group  string      // name of the group that it belongs to
	nth    int         // among the hooks of one file with this name and event
	held   bool        // it was allowed in this session with other content
	// wrapped says that the host has wrapped the handler.
	wrapped bool
}

// FullName is the name that records have: Name, and behind a # the Part where there
// is one.
func (f *Found) FullName() string {
	if f.Part == "" {
		return f.Name
	}
	return f.Name + "#" + f.Part
}

// groupSpec describes a group of the engine.
type groupSpec struct {
	name string
	flow hook.Flow
	rank int
}

// Set is what was found.
type Set struct {
	Hooks       []Found
	Diagnostics []diag.Diagnostic
}

// source finds hooks of one dialect and returns them in the order in which they
// run.
type source interface {
	// groups describes the engine's groups for the dialect.
	groups() []groupSpec
	// find looks for hooks.
	find(ctx context.Context) ([]Found, []diag.Diagnostic)
	// stamp adds what changes when the dialect's files do.
	stamp(s *stamper)
	close() error
}
