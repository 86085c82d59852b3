package dialect

import (
	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/sandbox"
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

// Writes says what a hook may write. Nothing is said of one that is not started as a
// process, or where there is no sandbox.
type Writes string

// What hooks may write.
const (
	WritesProject Writes = "project"  // what the sandbox grants, the project among it
	WritesData    Writes = "data"     // its directory for data, and what it asks for
	WritesAll     Writes = "anything" // it asks for no sandbox
)

// Found is one hook: one registration, or one file of which it is not known what
// it registers.
type Found struct {
	Name string
	// Earlier is a name that it had before, "" for none: settings may call it so.
	Earlier string
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
	// Uncovered are files of it that its approval, which is by earlier rules, does not cover.
	Uncovered []string
	// Also lists further sources of the same hook.
	Also []string
	// Registers lists what a module registers besides event handlers: "command
	// /plan", "tool todo".
	Registers []string
	// Prewarm is how many of its processes are started ahead of their events.
	Prewarm int
	// Python are the Python scripts that its command starts.
	Python []string
	// Missing are files outside what its approval covers that its command names and that
	// are not there.
	Missing []string
	// Needs are what it and its plugin say of its sandbox, Data is the directory of its data,
	// "" for none, and Writes what its sandbox lets it write.
	Needs  sandbox.Needs
	Data   string
	Writes Writes
	// Modules are the Python modules that its command loads by their names.
	Modules []Module

	// Registration is nil when the hook cannot be registered.
	Registration *hook.Registration

	// Group is the name of the engine's group that it belongs to.
	Group string
	// Nth counts the hooks of one file with this name and event, from 0.
	Nth int
	// Reported says that a diagnostic of its file says why it is broken.
	Reported bool
	// Warm, when not nil, starts what waits for its event. It does not wait. The base is
	// what the session's events will have.
	Warm func(base hook.Common) error

	// Failed says that it is in force and cannot run, so that it fails wherever it would
	// have run.
	Failed bool

	// Off says of one that is disabled that somebody switched it off.
	Off bool
	// Shut says of one that is broken that what the project holds keeps it from running.
	Shut bool

	verdict    trust.Verdict
	misread    error // of the manifest that says more of its sandbox
	unapproved bool  // it runs although nobody approved it
	mayWrite   bool  // its approval lets it write what others may
	wrapped    bool  // Wrap was called
}

// Wrap lets wrap replace the handler, once.
func (f *Found) Wrap(wrap func(hook.Handler) hook.Handler) {
	if r := f.Registration; r != nil && r.Handler != nil && !f.wrapped {
		r.Handler, f.wrapped = wrap(r.Handler), true
	}
}

// AllowedBefore reports whether the hook was allowed in this session with other content.
func (f *Found) AllowedBefore() bool { return f.verdict.AllowedBefore }

// approved is the definition that a person approved before the hook changed, "" when
// there is none.
func (f *Found) approved() string { return f.verdict.Approved }

// FullName is the name that records have: Name, and behind a # the Part where there
// is one.
func (f *Found) FullName() string {
	if f.Part == "" {
		return f.Name
	}
	return f.Name + "#" + f.Part
}

// AsApproved puts a hook whose definition changed where the approved one guarded, with
// the stricter of the two policies: what is judged does not supply the judgement. Its
// matcher may be what changed, so that it counts for everything there. It reports whether the
// definition changed.
func (f *Found) AsApproved() bool {
	if f.approved() == "" || f.approved() == f.Artifact.Definition {
		return false
	}
	r := f.Registration
	r.Matcher, r.Condition, r.Async, r.Once, r.MainOnly = nil, nil, hook.AsyncNo, false, false
	var was struct {
		Event       string `json:"event"`
		OnFailure   string `json:"onFailure"`
		Guard       bool   `json:"guard"`
		Async       bool   `json:"async"`
		AsyncRewake bool   `json:"asyncRewake"`
	}
	if err := json.Unmarshal([]byte(f.approved()), &was); err != nil {
		return true // nothing more is known of it
	}
	if ev, ok := hook.ParseEvent(was.Event); ok {
		f.Event, r.Event = ev, ev
	}
	r.Guard = r.Guard || was.Guard
	if was.Async || was.AsyncRewake {
		r.Async = hook.AsyncYes
	}
	switch {
	case was.OnFailure == hook.FailClosed.String() || r.OnFailure == hook.FailClosed:
		r.OnFailure = hook.FailClosed
	case was.OnFailure == hook.FailAsk.String():
		r.OnFailure = hook.FailAsk
	}
	return true
}
