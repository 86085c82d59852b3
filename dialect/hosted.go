package dialect

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
)

// Hosted is a Dialect that agents of other makers speak, so that our engine can stand
// behind their hooks.
type Hosted interface {
	Dialect
	// Hosts are those agents. The rows are not to be changed.
	Hosts() []*Host
}

// Host is an agent of another maker: everything that is to be known of its hooks, as
// data. The codec of its dialect has what is left, the spelling of payloads and answers.
type Host struct {
	// Name is its name in commands, one word in lower case, and Title its own.
	Name, Title string
	// Program is what a shell starts it with, "" when it is not a program of its own.
	Program string

	// Files are those in which it looks for hooks. The first one of a level that Write
	// says may be written is the one that the bridge is installed into.
	Files []HostFile
	// Reads are other hosts whose files it takes hooks from too, which fires them twice.
	Reads []HostRead
	// Events are its events, in the order of its own documents.
	Events []HostEvent

	// Unit is what its files count timeouts in. Default is how long a hook may take
	// that says nothing.
	Unit, Default time.Duration
	// Exits say what a hook's exit codes mean, and Late what the end of its time does.
	Exits []HostExit
	Late  string
	// Unknown says what a member of an answer does that the host does not know.
	Unknown UnknownMember
	// Matcher says how an entry's matcher is read.
	Matcher string
	// Tools are the canonical names of tools that its hooks are asked about and that go by
	// them in its dialect.
	Tools []string

	// Twice are further ways in which one call reaches the hooks more than once.
	Twice []string
	// Needs is what a person has to do in the host before its hooks run, and Traps is
	// what surprises; holes in what it hooks are among them.
	Needs, Traps []string
	// Unapproved, when not nil, returns the names of the events for which the host does not
	// run the bridge that a file of it has, since nobody approved that in the host.
	Unapproved func(d Dirs, getenv func(string) string, path string) ([]string, error)
	// ACP is what it does about permission when an editor drives it, nil when that is not
	// known.
	ACP *HostACP
	// Facts are where all this comes from.
	Facts HostFacts
}

// HostACP is a host as an agent of the Agent Client Protocol.
type HostACP struct {
	// Agent is in what it calls itself there, in lower case.
	Agent string
	// Asks are those of its tools that it asks permission for, "" for none as it is
	// installed, and Seen those that it runs without asking. Each ends a sentence.
	Asks, Seen string
	// AsksIn are the ids of its modes in which it asks for that, nil for all that it has.
	AsksIn []string
}

// HostFile is a file in which a host looks for hooks.
type HostFile struct {
	// Level is managed, user, project or local.
	Level string
	// Dir is a directory below Base, with slashes, and Name the file in it, "" for every
	// file there. Env is a variable that names another directory in the place of both, ""
	// for none.
	Base      HostBase
	Dir, Name string
	Env       string
	// Format and Shape say how hooks are written there.
	Format HostFormat
	Shape  HostShape
	// Module is the code by which the bridge is installed, where the format is that. The
	// bridge puts before it, in JavaScript, ask(event, cwd, payload): a promise of the
	// answer, null where there is none.
	Module string
	// Starter is the first line of a module that the host starts as a program, "" for one
	// that it loads.
	Starter string
	// Write says that the bridge may be installed into it.
	Write bool
}

// Path is where the file is, "" when the directory that it lies below is not known.
func (f *HostFile) Path(d Dirs, getenv func(string) string) string {
	if dir := getenv(f.Env); f.Env != "" && filepath.IsAbs(dir) {
		return filepath.Join(dir, f.Name)
	}
	base := map[HostBase]string{HomeBase: d.Home, ProjectBase: d.Project, SystemBase: string(filepath.Separator)}[f.Base]
	return Join(base, filepath.FromSlash(f.Dir), f.Name)
}

// HostBase is a directory that a host's files lie below.
type HostBase uint8

// The bases.
const (
	HomeBase    HostBase = iota // the person's home directory
	ProjectBase                 // the project
	SystemBase                  // the root of the file system
)

// HostFormat is the format of a host's file.
type HostFormat uint8

// The formats.
const (
	FormatJSON HostFormat = iota // JSON, in which comments are kept where there are some
	FormatTOML
	FormatModule // a file of code that is ours alone
)

// HostShape is how a file of a host lists hooks.
type HostShape uint8

// The shapes.
const (
	// ShapeNested is {"hooks":{EVENT:[{"matcher":…,"hooks":[{"type":"command","command":…,"timeout":…}]}]}}.
	ShapeNested HostShape = iota
	// ShapeFlat is {"version":1,"hooks":{EVENT:[{"command":…,"timeout":…}]}}.
	ShapeFlat
	// ShapeList is {"hooks":{EVENT:[{"command":…,"timeout":…}]}}.
	ShapeList
	// ShapeNamed is {NAME:{EVENT:…}}, ShapeNested for events of tools and otherwise a list
	// of {"type":"command","command":…,"timeout":…}. The bridge goes by its own name there.
	ShapeNamed
	// ShapeSole is ShapeNested in a file whose host reads nothing else of it then.
	ShapeSole
	// ShapeOther is one of the host's own, into which nothing is installed.
	ShapeOther
)

// Holder is the member of a file in this shape that the bridge's events are in.
func (s HostShape) Holder() string {
	if s == ShapeNamed {
		return "hookline"
	}
	return "hooks"
}

// HostRead is another host whose files are read too.
type HostRead struct {
	Host string
	// Levels are those of the files that are read, and When says under which condition.
	Levels []string
	When   string
}

// HostEvent is an event of a host.
type HostEvent struct {
	// Name is the host's name of it, Event the canonical event that it is made for.
	Name  string
	Event hook.Event
	// Honours are the parts of an answer that the host acts on here, as it really does:
	// a part that it takes and ignores is not among them. FieldAsk stands for a question
	// that the host really puts to a person.
	Honours hook.Fields
	// Matcher is what an entry needs as its matcher to be asked for everything, "" for none.
	Matcher string
	// OnFailure is what an entry says in its on_failure, so that the host refuses where the
	// hook fails; "" where there is no such member.
	OnFailure string
	// Default is how long a hook may take that says nothing, 0 for that of the host.
	Default time.Duration
	// OnRequest says why the bridge is installed here only when somebody asks for it, ""
	// for an event that it is installed for.
	OnRequest string
	// Also are the events that the payload tells from this one where the host has one name
	// for several, such as results and failures of tools: what it acts on there.
	Also []HostEvent
}

// For returns the row of a canonical event among those of the host's event.
func (e *HostEvent) For(ev hook.Event) *HostEvent {
	if i := slices.IndexFunc(e.Also, func(a HostEvent) bool { return a.Event == ev }); i >= 0 {
		return &e.Also[i]
	}
	return e
}

// HostExit says what an exit code means.
type HostExit struct{ Code, Means string }

// UnknownMember says what a member of an answer does that a host does not know.
type UnknownMember uint8

// What it does.
const (
	UnknownIgnored UnknownMember = iota // nothing
	UnknownVoids                        // the whole answer counts as failed, and the host goes on
)

// HostFacts say where a row comes from.
type HostFacts struct {
	// Version is that of the host, Date the day on which the row was checked.
	Version, Date string
	// Source is a public address, and Proof how the row was checked: "run" when the real
	// program ran the bridge, "documents" otherwise.
	Source, Proof string
}

// Event returns the row of the host's name of an event, nil for a name that it does not
// have.
func (h *Host) Event(name string) *HostEvent {
	i := slices.IndexFunc(h.Events, func(e HostEvent) bool { return e.Name == name })
	if i < 0 {
		return nil
	}
	return &h.Events[i]
}

// Takes reports whether one of the events acts on a part of an answer.
func (h *Host) Takes(part hook.Fields) bool {
	takes := func(e HostEvent) bool { return e.Honours&part != 0 }
	return slices.ContainsFunc(h.Events, func(e HostEvent) bool { return takes(e) || slices.ContainsFunc(e.Also, takes) })
}

// CanRefuse reports whether an answer can keep the host from doing what the event is about,
// or from taking it as done: where that is so, whatever goes wrong is a refusal.
func (e *HostEvent) CanRefuse() bool {
	return e.Honours&hook.FieldDeny != 0 && e.Event.Spec().CanFailClosed()
}

// AsksAbout reports whether the host, which speaks a dialect, asks about a tool by its canonical
// name. Where nothing is known of a host's tools it does.
func (h *Host) AsksAbout(d Dialect, tool string) bool {
	others := d.Tools()
	return len(others)+len(h.Tools) == 0 || slices.Contains(h.Tools, tool) ||
		slices.ContainsFunc(others, func(t vocab.Tool) bool { return t.Canonical == tool })
}

// Time is how long a hook of an event may take that says nothing.
func (h *Host) Time(e *HostEvent) time.Duration {
	if e != nil && e.Default > 0 {
		return e.Default
	}
	return h.Default
}

// OwnFiles are the paths from which a host takes hooks itself, those of other hosts that it
// reads included: what they say is not for us to run.
func (h *Host) OwnFiles(list []Dialect, d Dirs, getenv func(string) string) []string {
	var out []string
	for i := range h.Files {
		out = append(out, h.Files[i].Path(d, getenv))
	}
	for _, r := range h.Reads {
		other, _ := HostByName(list, r.Host)
		if other == nil || r.When != "" {
			continue // read only when the person asked for it
		}
		for i := range other.Files {
			if f := &other.Files[i]; slices.Contains(r.Levels, f.Level) {
				out = append(out, f.Path(d, getenv))
			}
		}
	}
	return out
}

// BridgeMark ends the command by which a host starts our engine. A comment to a shell, it
// tells such entries from all others.
const BridgeMark = " # hookline bridge"

// IsBridge reports whether a command starts our engine behind a host.
func IsBridge(command string) bool {
	return strings.HasSuffix(strings.TrimSpace(command), strings.TrimSpace(BridgeMark))
}

// Bridge says of a hook that starts our engine behind a host that it does not run: in our
// own agent, or behind another one, it would run every hook a second time.
func (f *Found) Bridge(command string) bool {
	if !IsBridge(command) {
		return false
	}
	f.Status, f.Why = Disabled, "it starts hookline itself, behind another agent"
	return true
}

// IsBridgeModule reports whether the text of a module is that by which a host asks us.
func IsBridgeModule(text []byte) bool {
	first, rest, _ := strings.Cut(string(text), "\n")
	if strings.HasPrefix(first, "#!") {
		first, _, _ = strings.Cut(rest, "\n")
	}
	return IsBridge(first)
}

// HostByName returns the host of a name and the dialect that it speaks; nil when no
// dialect has it.
func HostByName(list []Dialect, name string) (*Host, Hosted) {
	for _, d := range list {
		if d, ok := d.(Hosted); ok {
			for _, h := range d.Hosts() {
				if h.Name == name {
					return h, d
				}
			}
		}
	}
	return nil, nil
}

// Hosts returns all hosts of the dialects, in their order.
func Hosts(list []Dialect) []*Host {
	var out []*Host
	for _, d := range list {
		if d, ok := d.(Hosted); ok {
			out = append(out, d.Hosts()...)
		}
	}
	return out
}

// Splitter is a Codec of a host that puts several tool calls into one, such as a patch of
// several files. Hooks are asked about each of the calls; a refusal of one refuses all.
type Splitter interface {
	// Split returns the calls that an input stands for, in their order; nil when it is one
	// call itself.
	Split(in hook.Input) []hook.Input
	// Join returns the tool input that does what the calls do as hooks left them. An
	// error says why there is none, and the change is then refused.
	Join(in hook.Input, calls []hook.Input) (hook.JSON, error)
}

// CallsOf returns the calls that an input stands for by a codec, which may be nil; nil when it
// is one call itself.
func CallsOf(codec Codec, in hook.Input) []hook.Input {
	if s, ok := codec.(Splitter); ok {
		return s.Split(in)
	}
	return nil
}

// EventCodec is a Codec of a host whose payloads need not name their event: the command by
// which the host starts us does.
type EventCodec interface {
	Codec
	// DecodeEvent is DecodeInput for a payload that was sent for an event, by the host's name.
	DecodeEvent(name string, data []byte) (in hook.Input, notes []string, err error)
}
