package dialect

import (
	"context"
	"slices"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/plugin"
	"github.com/hookline-dev/hookline/trust"
)

// Dialect is one way of writing hooks: how it spells events and tools, how an event
// is put to its hooks and what their answers mean, the same for a foreign host, where
// its files lie and how they become registrations, what a new hook of it looks like.
// Everything that knows a dialect goes through this type; package dialect/all lists
// those that there are. Implementations have no state and are safe for concurrent use.
type Dialect interface {
	// Name is the dialect's name in records, flags and settings: one word in lower
	// case.
	Name() string
	// Summary says in a few words where its hooks live and what they are, such as
	// "entries in .claude/settings.json".
	Summary() string
	// Groups are the engine's groups for its hooks, in the order in which they run.
	// Their ranks place them among those of other dialects.
	Groups() []Group

	// EventName is its name of an event, "" when it has none.
	EventName(ev hook.Event) string
	// EventsOf are the events that its name stands for, the one that the name is made
	// for first; nil for a name that it does not have.
	EventsOf(name string) []hook.Event
	// EventNames are all its names, in the order of its own table.
	EventNames() []string
	// Tools is its tool vocabulary; nil when it has the canonical one.
	Tools() vocab.Vocabulary

	// Codec returns the codec, in all four directions.
	Codec() Codec
	// Recognise says whether a JSON object is what a host of the dialect sends its
	// hooks.
	Recognise(payload hook.JSON) Recognition

	// Places are the names of directories and files that are the dialect's own.
	Places() Places
	// Finder returns what finds its hooks. The caller closes it.
	Finder(k *Kit) Finder
	// New writes a new hook, or says why the dialect has none like it.
	New(p NewHook) (Draft, error)
	// Check says what is wrong with hooks that were found and of which no diagnostic
	// of their files says so, such as scripts that are not there. Nothing is run.
	Check(found []Found, env CheckEnv) []diag.Diagnostic
}

// Codec translates between the engine and a dialect in both directions: the first two
// run a hook of the dialect in our agent, the last two put our engine behind a foreign
// one. Implementations are safe for concurrent use.
type Codec interface {
	// EncodeInput and DecodeResult are for hooks of the dialect.
	handler.Codec
	// DecodeInput reads what a host of the dialect sends its hooks. Notes are remarks
	// on it, such as a member that means nothing.
	DecodeInput(data []byte) (in hook.Input, notes []string, err error)
	// EncodeOutcome answers such a host: what a hook of the dialect would have to print,
	// and the code with which it would have to exit, for the host to do what the outcome
	// says. Notes name what the dialect cannot say.
	EncodeOutcome(in hook.Input, out *hook.Outcome) (a handler.Answer, notes []string, err error)
}

// Group describes a group of the engine.
type Group struct {
	Name string
	Flow hook.Flow
	// Rank orders groups; hooks of the embedding program have hook.RankGo.
	Rank int
}

// Recognition says how surely a payload is a dialect's.
type Recognition uint8

// The recognitions, weakest first.
const (
	Foreign Recognition = iota // nothing of the dialect's
	Similar                    // its form, with an event that it does not have
	Own                        // one of its events
	Certain                    // one of its events, with what only its host sends
)

// Places are the names that are a dialect's own. They mark a project, and are not
// written to without asking.
type Places struct {
	// Layouts are its directories in a project and in the home directory, such as
	// .claude, and what lies in them besides hooks.
	Layouts []plugin.Layout
	// Protected are further names that steer the dialect's host: of a file, or of two
	// path elements joined by a slash.
	Protected []string
	// Work are names below these directories that are not settings: the dialect's host
	// works there.
	Work []string
}

// Finder finds the hooks of a dialect. Its methods are called one at a time.
type Finder interface {
	// Find looks for hooks, and returns them in the order in which they run. Found
	// hooks have the name of one of the dialect's groups.
	Find(ctx context.Context) ([]Found, []diag.Diagnostic)
	// Stamp adds what changes when the files do that hooks come from.
	Stamp(s *Stamper)
	// Close ends what finding started.
	Close() error
}

// Framer is a Dialect whose hooks' words reach the model in a frame; see agent.Framer.
type Framer interface {
	Frame(in hook.Input, run *hook.Run, reason string) []string
	Label(in hook.Input, run *hook.Run, context string) string
}

// AgentFinder is a Finder of hooks in the headers of subagents' files.
type AgentFinder interface {
	// AgentArtifact is what approval of the hooks in such a header is about, all at once.
	AgentArtifact(a AgentFile) trust.Artifact
	// AgentHooks finds them for a subagent that starts.
	AgentHooks(ctx context.Context, a AgentFile, b AgentStart) ([]Found, []diag.Diagnostic)
}

// AgentFile is the file of a subagent called Name; Project says that it came with the project.
type AgentFile struct {
	Name, Path string
	Project    bool
}

// AgentStart is one subagent that starts: its identifier and the group of its hooks.
type AgentStart struct {
	ID    string
	Group *hook.Group
}

// Warmer is a Finder that keeps processes which wait for events.
type Warmer interface {
	// Warm begins to start them, and does not wait.
	Warm()
}

// Modules is a Finder that keeps script modules.
type Modules interface {
	// Modules returns those that are loaded, in the order in which they load.
	Modules() []*script.Module
	// Renew has all of them loaded anew when hooks are found the next time.
	Renew()
}

// LateFinder is a Finder that can come to know of hooks after it has found.
type LateFinder interface {
	// Late reports whether hooks became known since the last call.
	Late() bool
}

// Switch is a Dialect of which a hook can be switched off in its own way, where others
// are listed in the configuration.
type Switch interface {
	// SetEnabled switches a hook on or off. It reports whether that changed anything;
	// a hook that something else keeps off is left alone.
	SetEnabled(f *Found, on bool) (changed bool, err error)
}

// Optional is a Dialect whose hooks may be left alone until a person asks for them.
type Optional interface {
	Dialect
	// OnRequest reports whether its hooks run only when the configuration lists it in
	// hooks.dialects: their own host runs them already.
	OnRequest() bool
}

// Files is a Dialect of which single files can be checked.
type Files interface {
	// CheckFile checks a file by its content; ok is false when it is not a file of the
	// dialect.
	CheckFile(path string) (list []diag.Diagnostic, ok bool, err error)
}

// Schemas is a Dialect with formats that have a JSON Schema.
type Schemas interface {
	Schemas() []Schema
}

// Schema is a JSON Schema of one of a dialect's formats.
type Schema struct {
	Name, About string
	Make        func() ([]byte, error)
}

// CheckEnv is the world in which hooks are checked.
type CheckEnv struct {
	Dirs Dirs
	// Path are the directories in which programs are looked for.
	Path []string
}

// Names returns the names of dialects, in their order.
func Names(list []Dialect) []string {
	out := make([]string, len(list))
	for i, d := range list {
		out[i] = d.Name()
	}
	return out
}

// ByName returns the dialect of a name, nil when there is none.
func ByName(list []Dialect, name string) Dialect {
	for _, d := range list {
		if d.Name() == name {
			return d
		}
	}
	return nil
}

// Recognise returns the dialect of which a payload is, nil when it is of none.
func Recognise(list []Dialect, payload hook.JSON) Dialect {
	var best Dialect
	sure := Foreign
	for _, d := range list {
		if r := d.Recognise(payload); r > sure {
			best, sure = d, r
		}
	}
	return best
}

// PluginPlaces are where plugins, skills and recipes lie: in Hookline's own directories
// and in those of the dialects' hosts. Layouts that hold plugins come first.
func PluginPlaces(d Dirs, list []Dialect) plugin.Places {
	p := plugin.Places{Named: d.Plugins}
	p.ProjectDir, p.HomeDir = d.Read()
	for _, one := range list {
		p.Layouts = append(p.Layouts, one.Places().Layouts...)
	}
	slices.SortStableFunc(p.Layouts, func(a, b plugin.Layout) int {
		switch {
		case a.Plugins == b.Plugins:
			return 0
		case a.Plugins:
			return -1
		}
		return 1
	})
	return p
}

// WorkNames are the names below protected directories that are written in the course of
// work.
func WorkNames(list []Dialect) (out []string) {
	for _, d := range list {
		out = append(out, d.Places().Work...)
	}
	return out
}

// ProtectedNames are the names that are asked about before anything is written to them:
// the directories of the dialects' hosts, and what else steers these.
func ProtectedNames(list []Dialect) []string {
	var out []string
	for _, d := range list {
		p := d.Places()
		for _, l := range p.Layouts {
			out = append(out, l.Dir)
		}
		out = append(out, p.Protected...)
	}
	return out
}
