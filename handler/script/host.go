package script

import (
	"context"
	"time"

	"github.com/hookline-dev/hookline/ui"
)

// Host is what a module may ask of the agent around it. A host implements the
// small interfaces below that it can; what it does not implement throws "not
// supported by this host: X" in the module, or has the harmless default that
// the interface names.
//
// Values are JSON, in the shapes that modules know. Implementations are safe
// for concurrent use. The methods without a context are called inside
// JavaScript: they answer from memory, and neither wait for a person nor hold
// a lock that is held while a module is called. The methods with a context may
// wait; their context ends when the call that started them does.
type Host interface {
	// UI returns who answers dialogs; nil is nobody.
	UI() ui.UI
}

// NoHost is a host with no person, no session and no agent.
type NoHost struct{}

// UI returns nil.
func (NoHost) UI() ui.UI { return nil }

// SessionReader is the read side of the session tree. Without it ctx.cwd is
// Options.Cwd and every list is empty.
type SessionReader interface {
	// Cwd returns the session's working directory.
	Cwd() string
	// SessionQuery answers a read-only method of sessionManager, such as
	// "getEntries" or "getLabel", with its arguments as a JSON array. A nil
	// answer is undefined.
	SessionQuery(method string, args []byte) ([]byte, error)
}

// Messenger adds to the session. The calls queue what they add and return; it
// is the agent's loop that takes it up.
type Messenger interface {
	// SendMessage adds a custom message {customType, content, display,
	// details}.
	SendMessage(message []byte, d Delivery) error
	// SendUserMessage adds a message as if the person had typed it; content is
	// a JSON string or an array of content blocks.
	SendUserMessage(content []byte, d Delivery) error
	// AppendEntry stores data that the model does not see.
	AppendEntry(customType string, data []byte) error
}

// Delivery says when a message takes effect.
type Delivery struct {
	// TriggerTurn starts a turn when the agent is idle.
	TriggerTurn bool
	// As is "steer", "followUp", "nextTurn" or empty; "entry" is at once, without going on
	// because of it.
	As string
}

// AgentControl is the running agent. Without it the agent is idle, and Abort
// and Shutdown do nothing.
type AgentControl interface {
	IsIdle() bool
	HasPendingMessages() bool
	Abort()
	Shutdown()
	// AgentQuery answers what the module asks about the agent: "model",
	// "contextUsage", "systemPrompt", "systemPromptOptions", "thinkingLevel", "activeTools",
	// "allTools", "commands", "sessionName" or "mode". A nil answer is undefined.
	AgentQuery(what string) ([]byte, error)
	// AgentSet queues a change of "activeTools", "thinkingLevel",
	// "sessionName" or "label" ({entryId, label}).
	AgentSet(what string, value []byte) error
	// AgentDo does what may wait: "setModel", "compact", "registerProvider" or
	// "unregisterProvider", with its arguments as a JSON array.
	AgentDo(ctx context.Context, what string, args []byte) ([]byte, error)
}

// Models is the registry of models and the way to call one.
type Models interface {
	// ModelQuery answers "find", "getAll", "getAvailable" or "hasAuth" from
	// memory.
	ModelQuery(method string, args []byte) ([]byte, error)
	// ModelDo answers "getApiKey" ([model]: a string or {apiKey, headers}) and
	// "complete" ([model, context, options]: an assistant message).
	ModelDo(ctx context.Context, method string, args []byte) ([]byte, error)
}

// Sessions changes sessions. Only commands can reach it: during an event the
// agent waits for the very handler that would call it.
type Sessions interface {
	WaitForIdle(ctx context.Context) error
	// SessionDo runs "newSession" ([{parentSession, setup}], where setup lists
	// the calls [method, arguments] that fill the session), "branch",
	// "navigateTree", "switchSession" or "reload", with its arguments as a JSON
	// array, and reports whether it was cancelled.
	SessionDo(ctx context.Context, method string, args []byte) (cancelled bool, err error)
}

// DialogWatcher hears of the dialogs that modules wait for. Without it nobody does.
type DialogWatcher interface {
	// WatchDialog is called when a module begins to wait for the person: in a "select",
	// "confirm", "input", "editor" or "custom"; end when it does not any more.
	WatchDialog(kind, title string) (end func())
}

// Speech is the language that modules speak, where the host speaks another one. The
// names are those of the host's methods' first arguments, such as "getBranch",
// "activeTools" or "branch".
type Speech interface {
	// Answer translates what the host answers.
	Answer(what string, v []byte) []byte
	// Question translates what the module says: a value that it sets, or its arguments.
	Question(what string, v []byte) []byte
}

// plainSpeech translates nothing.
type plainSpeech struct{}

func (plainSpeech) Answer(_ string, v []byte) []byte   { return v }
func (plainSpeech) Question(_ string, v []byte) []byte { return v }

// Screen shows components of modules. Without it ui.custom answers undefined.
type Screen interface {
	// ShowCustom shows a component until it is done or ctx ends.
	ShowCustom(ctx context.Context, c Component) error
}

// Decorator shows a module's text around the editor. Without it such text is
// dropped, and reported.
type Decorator interface {
	// Decorate sets the lines at a place: "above" or "below" the editor, under a
	// key of the module's, or in the "header", the "footer" or the "working"
	// message. No lines remove them.
	Decorate(place, key string, lines []string)
}

// Appearance is a screen whose looks modules may change. Without it the members that do
// so have no effect, and say so once.
type Appearance interface {
	// Themes lists the themes that there are, and SetTheme changes to one of them.
	Themes() []ui.Theme
	SetTheme(name string) error
	// ToolsExpanded reports whether results of tools are shown whole, and SetToolsExpanded
	// changes it.
	ToolsExpanded() bool
	SetToolsExpanded(on bool)
	// SetThinkingLabel says what stands for thinking that is not shown; "" is the screen's
	// own word.
	SetThinkingLabel(label string)
	// SetWorking says how it is shown that the agent works.
	SetWorking(w Working)
	// Statuses are the texts of SetStatus by their keys, for a footer of a module's.
	Statuses() map[string]string
	// Branch is the git branch that the agent works on, "" for none.
	Branch() string
	// RedrawTool has a tool call drawn again, by its id.
	RedrawTool(callID string)
	// EntryAdded has an entry shown that the module added to the session, and draws.
	EntryAdded()
}

// Working is how it is shown that the agent works; the zero value is the screen's own way.
type Working struct {
	// Hidden shows nothing at all.
	Hidden bool
	// Frames are shown one after the other, each for Interval; nil are the screen's own,
	// and a list without any shows none.
	Frames   []string
	Interval time.Duration
}

// Component is something a module draws. Its methods call into the module.
type Component interface {
	// Overlay reports whether it is laid over the screen, where each Drawing says.
	Overlay() bool
	// Render draws for a place of so many cells.
	Render(ctx context.Context, width, height int) (Drawing, error)
	// Input hands over what the person typed.
	Input(ctx context.Context, data string) error
	// Changed is told whenever the component wants to be drawn again, and
	// closed when it is done.
	Changed() <-chan struct{}
}

// Drawing is what a component looks like, one string a line. No lines show nothing.
type Drawing struct {
	Lines []string `json:"lines"`
	// Place is where an overlay lies.
	Place Place `json:"place"`
}

// Place is where an overlay lies, in cells of the screen.
type Place struct {
	Row    int `json:"row"`
	Column int `json:"column"`
	Width  int `json:"width"`
	// Keys says that it takes what the person types.
	Keys bool `json:"keys"`
	// Front grows whenever the module brings the overlay before the others.
	Front int `json:"front"`
}
