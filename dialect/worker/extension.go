package worker

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/hookline-dev/hookline/dialect/kodelet"
	"github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
)

// extensionPrefix begins the name of every extension's program.
const extensionPrefix = "kodelet-extension-"

// extensionOptions are what an extension is told of itself.
type extensionOptions struct {
	// ID is the extension's id; "" takes extensionID of the program.
	ID string
	// Cwd is the session's directory.
	Cwd string
	// DataDir is the extension's own directory for data.
	DataDir string
	// Config is the extension's configuration, a JSON object; absent is {}.
	Config hook.JSON
	// UI says that a person can be asked.
	UI bool
	// Version is this program's version.
	Version string
}

// extensionID derives an extension's id from the path of its program: what follows the
// prefix, or the directory's name when the program lies in one of its own below root.
func extensionID(root, path string) string {
	if dir := filepath.Dir(path); root != "" && filepath.Clean(dir) != filepath.Clean(root) {
		return filepath.Base(dir)
	}
	base := strings.TrimSuffix(filepath.Base(path), ".exe")
	return strings.TrimPrefix(base, extensionPrefix)
}

// startExtension starts one of kodelet's extensions, tells it about its surroundings and
// waits for its subscriptions. Of what it offers the hooks are used; tools, commands,
// shortcuts and profiles are remarked on. The caller closes the worker.
func startExtension(ctx context.Context, spec Spec, o extensionOptions) (*Worker, error) {
	spec.Wire = newExtension(spec, o)
	return worker.Start(ctx, spec)
}

// expectExtension is startExtension without the start, as Expect is.
func expectExtension(spec Spec, o extensionOptions, hello worker.Hello) (*Worker, error) {
	spec.Wire = newExtension(spec, o)
	return worker.Expect(spec, hello)
}

func newExtension(spec Spec, o extensionOptions) *extension {
	if o.ID == "" {
		o.ID = extensionID("", spec.Path)
	}
	return &extension{options: o}
}

// extensionEvent pairs an event of extensions with the canonical ones.
type extensionEvent struct {
	name   string
	events []hook.Event
	// typ is the type of executable hook with the same payload, "" for events that only
	// extensions have.
	typ string
	// why says that it cannot be had here.
	why string
}

var extensionTable = []extensionEvent{
	{name: "tool.call", typ: kodelet.BeforeToolCall, events: kodelet.Events(kodelet.BeforeToolCall)},
	{name: "tool.result", typ: kodelet.AfterToolCall, events: kodelet.Events(kodelet.AfterToolCall)},
	{name: "user.message", typ: kodelet.UserMessageSend, events: kodelet.Events(kodelet.UserMessageSend)},
	{name: "agent.end", typ: kodelet.AgentStop, events: kodelet.Events(kodelet.AgentStop)},
	{name: "turn.end", typ: kodelet.TurnEnd, events: kodelet.Events(kodelet.TurnEnd)},
	{name: "session.start", events: []hook.Event{hook.EventSessionStart}},
	{name: "session.end", events: []hook.Event{hook.EventSessionEnd}},
	{name: "agent.start", events: []hook.Event{hook.EventAgentStart}},
	{name: "turn.start", events: []hook.Event{hook.EventTurnStart}},
	{name: "agent.init", why: "this host takes no changes of the tool list"},
	{name: "tool.update", why: "this host takes no changes of partial results"},
	{name: "resources.discover", why: "this host takes no resources from extensions"},
}

// extensionEvents returns the canonical events of one of an extension, or why there are
// none.
func extensionEvents(name string) (events []hook.Event, why string) {
	for _, e := range extensionTable {
		if e.name == name {
			return e.events, e.why
		}
	}
	return nil, "no event is called that"
}

// extensionName returns the name that extensions have for an event.
func extensionName(ev hook.Event) string {
	for _, e := range extensionTable {
		for _, have := range e.events {
			if have == ev {
				return e.name
			}
		}
	}
	return ""
}
