package foreign

import (
	"slices"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
)

// Table is how a host spells payloads and answers. It is written once and never changed.
type Table struct {
	// Name is the dialect's.
	Name string
	// EventKey is the member of a payload that names its event. Where it is "", or the
	// member is missing, an event is known by its Marks.
	EventKey string
	// Own says of a payload whether it has what only this host has.
	Own func(payload hook.JSON) bool
	// Common are the members of all payloads, and Events makes the events, in the host's
	// order, once: when the host has to do with something.
	Common []vocab.Field
	Events func() []Event
	// Stamp is a member that every payload has besides: its name and how it writes a time.
	StampKey string
	Stamp    func(time.Time) any
	// Tools translates a tool's name together with its input. Result does the same for
	// what a tool returned; the tool has its canonical name.
	Tools  Tools
	Result Results
	// Rewritten reads the host's form of a changed input; nil is what Tools say.
	Rewritten func(in hook.Input, v hook.JSON) (hook.JSON, error)
	// Merges says that the members of a changed input are put over those that were there.
	Merges bool
	// ToolOf says of a payload the canonical name of its tool where the payload tells more
	// than the name does, "" otherwise.
	ToolOf func(payload hook.JSON) string
	// Aliases are further names by which matchers know a tool, by the host's own.
	Aliases map[string][]string
	// Answer takes out of stdout what is not part of an answer; nil leaves it.
	Answer func(stdout string) string
	// Exit says what an exit code other than 0 means.
	Exit func(e *Event, code int) Exit
	// Silent says that an answer without a member is none: nothing is written.
	Silent bool
	// Strict says that the host takes no member that it does not know: the whole answer
	// is void then.
	Strict bool

	once   sync.Once
	events []*Event
}

// rows are the events.
func (t *Table) rows() []*Event {
	t.once.Do(func() {
		for _, e := range t.Events() {
			t.events = append(t.events, &e)
		}
	})
	return t.events
}

// Tools translates the name of a tool and its input as one, from the canonical ones and
// back. It is a vocab.Vocabulary where that is enough.
type Tools interface {
	Out(name string, input hook.JSON) (string, hook.JSON)
	In(name string, input hook.JSON) (string, hook.JSON)
}

// Results translates what a tool returned to the host's form and back.
type Results struct {
	Out, In func(tool string, response hook.JSON) hook.JSON
}

// Event is an event of a host.
type Event struct {
	// Name is the host's name of it, and Event the canonical event that it is made for.
	Name  string
	Event hook.Event
	// Fields are the members of its payload besides the common ones. A member without a
	// canonical name is known and means nothing here. The host's name of one in an object has
	// that one's name and a dot before it.
	Fields []vocab.Field
	// Marks are the members by which a payload is known that does not name its event, and
	// When what must hold of any; both may be empty.
	Marks []string
	When  func(payload hook.JSON) bool
	// Answer are the members that the host reads of an answer.
	Answer []Member
	// Text says that plain text on stdout is context.
	Text bool
	// RewriteAllows says that a changed input is written beside an allow, and an allow
	// only beside one.
	RewriteAllows bool
	// RefusalReplaces says that the reason of a refusal stands in the place of the tool's
	// result.
	RefusalReplaces bool
	// Matcher is what an entry of a bridge needs as its matcher to be asked for everything.
	Matcher string
	// OnFailure is what such an entry says is to happen when its hook fails, "" for nothing.
	OnFailure string
	// OnRequest says why a bridge is installed for it only when somebody asks for that.
	OnRequest string
	// Matches are what an entry's matcher is tested against, none for an input that the
	// event is not for; nil is the host's name of the tool, or else the subject.
	Matches func(in hook.Input) []string
}

// Member is a member of an answer and what it means. Of two with one path the first is
// read, and the first that is not ReadOnly written.
type Member struct {
	// Path is its name, with a dot before it and the name of the object that it is in.
	Path  string
	Means Meaning
	// Words are those of a decision. The first word for a decision is the one that is
	// written.
	Words []Word
	// Out makes of what is said the host's form of it, and In, which leaves what it cannot
	// read, the way back; nil leaves it.
	Out func(said any) any
	In  func(v hook.JSON) hook.JSON
	// ReadOnly says that answers to a host never have it, since the host does nothing with
	// it or has a better one.
	ReadOnly bool
}

// ReadOnly are members that are read and never written: those of some meanings, or all.
func ReadOnly(list []Member, means ...Meaning) []Member {
	list = slices.Clone(list)
	for i := range list {
		if m := &list[i]; len(means) == 0 || slices.Contains(means, m.Means) {
			m.ReadOnly = true
		}
	}
	return list
}

// Word is a word of a decision.
type Word struct {
	Text     string
	Decision hook.Decision
}

// Meaning is what a member of an answer says.
type Meaning uint8

// The meanings.
const (
	Nothing     Meaning = iota // it is known and has no effect
	Decides                    // the decision
	GoesOn                     // false refuses
	Refuses                    // refuses, and is the reason
	Reason                     // why it was decided so
	OtherReason                // the same, read when there is no Reason
	Halts                      // false ends the run
	Ends                       // true ends the run
	HaltReason                 // why it ends
	Notice                     // shown to the person
	Suppress                   // keeps the output out of the transcript
	AddsContext                // added to the next model call
	NewInput                   // replaces the tool's input
	NewOutput                  // replaces the tool's output
	FollowUp                   // what the agent goes on with
	Interrupts                 // ends the turn along with a refusal
	NamesEvent                 // repeats the event's name
)

// Exit says what an exit code means.
type Exit struct {
	// JSON says that JSON on stdout is the answer all the same.
	JSON bool
	// Denies says that without an answer it refuses, with stderr as the reason; otherwise
	// it is a failure.
	Denies bool
}

// ClaudeExits are the codes of hosts that have taken them over: 2 refuses, whatever stdout
// says, and every other one is a failure.
func ClaudeExits(_ *Event, code int) Exit { return Exit{Denies: code == 2} }

// byName returns the row of a payload with the name of an event.
func (t *Table) byName(name string, payload hook.JSON) *Event {
	for _, e := range t.rows() {
		if e.Name == name && (e.When == nil || e.When(payload)) {
			return e
		}
	}
	return nil
}

// byMarks returns the row of a payload that names no event.
func (t *Table) byMarks(payload hook.JSON) *Event {
	for _, e := range t.rows() {
		if len(e.Marks) > 0 && (e.When == nil || e.When(payload)) && !slices.ContainsFunc(e.Marks, func(m string) bool { return !payload.Has(m) }) {
			return e
		}
	}
	return nil
}

// owns reports whether a row is one of the table.
func (t *Table) owns(e *Event) bool { return slices.Contains(t.rows(), e) }

// member returns the member of an answer with a meaning that may be written.
func (e *Event) member(m Meaning) *Member {
	for i := range e.Answer {
		if e.Answer[i].Means == m && !e.Answer[i].ReadOnly {
			return &e.Answer[i]
		}
	}
	return nil
}

// word returns the word of a decision, "" when there is none.
func (m *Member) word(d hook.Decision) string {
	if m == nil {
		return ""
	}
	for _, w := range m.Words {
		if w.Decision == d {
			return w.Text
		}
	}
	return ""
}

// honours are the parts of an answer that the host acts on: what may be written.
func (e *Event) honours() (f hook.Fields) {
	spec := e.Event.Spec()
	said := map[Meaning]hook.Fields{
		GoesOn: hook.FieldDeny, Refuses: hook.FieldDeny, Halts: hook.FieldHalt, Ends: hook.FieldHalt, Notice: hook.FieldSystemMessage | hook.FieldNotice, Suppress: hook.FieldSuppressOutput,
		AddsContext: hook.FieldContext, NewInput: hook.FieldUpdatedInput, NewOutput: hook.FieldUpdatedOutput, FollowUp: goesOn, Interrupts: hook.FieldInterrupt,
	}
	for i := range e.Answer {
		m := &e.Answer[i]
		if m.ReadOnly {
			continue
		}
		f |= said[m.Means]
		if m.word(hook.DecisionDeny) != "" {
			f |= goesOn
		}
		if m.word(hook.DecisionAsk) != "" {
			f |= hook.FieldAsk
		}
		if m.word(hook.DecisionAllow) != "" && !e.RewriteAllows {
			f |= hook.FieldAllow
		}
	}
	if e.RefusalReplaces {
		f |= hook.FieldUpdatedOutput
	}
	return f & (spec.Honours | everywhere)
}

// everywhere are the parts that answers to every event may have.
const everywhere = hook.FieldHalt | hook.FieldSystemMessage | hook.FieldNotice | hook.FieldSuppressOutput
