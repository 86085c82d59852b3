// Package modulehost lets script modules reach the agent that they run in: its
// session, its messages, its commands and its model.
//
// A [Host] can be handed to whoever loads modules before there is an agent;
// [Host.Bind] says which agent it is.
package modulehost

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui"
)

// Options say what a host offers beside the agent.
type Options struct {
	// UI is the person; nil is nobody.
	UI ui.UI
	// JSON says that a program reads what the agent does.
	JSON bool
	// Dir is the working directory before there is an agent.
	Dir string
	// Price is what the model costs and how many tokens it takes, zero where that is not
	// known.
	Price model.Price
	// Provider names the model's provider.
	Provider string
	// Commands lists the slash commands, Skills the skills, and Reload loads hooks anew;
	// each may be nil.
	Commands func() []Command
	Skills   func() []Skill
	Reload   func(ctx context.Context) error
	// Shutdown ends the program; nil does nothing. It must not wait for the agent.
	Shutdown func()
}

// Command is a slash command as modules see it.
type Command struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Source      string `json:"source"`
}

// Skill is a skill as modules see it.
type Skill struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	FilePath    string `json:"filePath"`
	BaseDir     string `json:"baseDir"`
}

// Host is what modules reach. It is safe for concurrent use.
type Host struct {
	opts Options

	mu      sync.Mutex
	a       *agent.Agent
	dialogs int       // how many are open
	dialog  [2]string // the outermost one: its kind and title
}

var (
	_ script.Host          = (*Host)(nil)
	_ script.SessionReader = (*Host)(nil)
	_ script.Messenger     = (*Host)(nil)
	_ script.AgentControl  = (*Host)(nil)
	_ script.Sessions      = (*Host)(nil)
	_ script.Models        = (*Host)(nil)
	_ script.DialogWatcher = (*Host)(nil)

	_ script.Decorator = (*ui.RPC)(nil) // package ui imports no handler
)

// New returns a host that has no agent yet.
func New(o Options) *Host { return &Host{opts: o} }

// Bind says which agent it is.
func (h *Host) Bind(a *agent.Agent) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.a = a
}

// decorating is a Host whose person sees the text of modules around the editor, and
// drawing one that has a screen for what they draw, too.
type (
	decorating struct {
		*Host
		script.Decorator
	}
	drawing struct {
		decorating
		screen
	}
	// screen is a person's screen that modules draw on.
	screen interface {
		script.Screen
		script.Appearance
	}
)

// Modules returns the host as modules are to see it: one that shows what the UI can.
func (h *Host) Modules() script.Host {
	d, decorates := h.opts.UI.(script.Decorator)
	if !decorates {
		return h
	}
	if s, draws := h.opts.UI.(screen); draws {
		return drawing{decorating{h, d}, s}
	}
	return decorating{h, d}
}

// errEarly is what modules get that act while they are loaded.
var errEarly = errors.New("extension runtime not initialized: the agent has not started yet")

func (h *Host) agent() (*agent.Agent, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.a == nil {
		return nil, errEarly
	}
	return h.a, nil
}

// UI returns who answers dialogs, nil for nobody.
func (h *Host) UI() ui.UI { return h.opts.UI }

// Cwd returns the session's working directory.
func (h *Host) Cwd() string {
	a, err := h.agent()
	if err != nil {
		return h.opts.Dir
	}
	return a.Dir()
}

// SendMessage queues a custom message.
func (h *Host) SendMessage(message []byte, d script.Delivery) error {
	a, err := h.agent()
	if err != nil {
		return err
	}
	var m hook.CustomMessage
	if err := json.Unmarshal(message, &m, jsontext.AllowInvalidUTF8(true)); err != nil {
		return fmt.Errorf("sendMessage: %w", err)
	}
	c := agent.CustomMessage{CustomType: m.CustomType, Display: m.Display, Details: raw(m.Details), Content: raw(m.Content)}
	as := when(d)
	if d.As == "entry" || a.Idle() && !d.TriggerTurn && as != agent.NextPrompt {
		return a.AppendCustom(c)
	}
	a.QueueCustom(c, as)
	if d.TriggerTurn && as != agent.NextPrompt {
		a.Wake()
	}
	return nil
}

func raw(j hook.JSON) jsontext.Value {
	if j.IsZero() || j.Raw() == "null" {
		return nil
	}
	return jsontext.Value(j.Raw())
}

func when(d script.Delivery) agent.When {
	switch d.As {
	case "followUp":
		return agent.FollowUp
	case "nextTurn":
		return agent.NextPrompt
	}
	return agent.Steer
}

// SendUserMessage queues a message as if the person had typed it.
func (h *Host) SendUserMessage(content []byte, d script.Delivery) error {
	a, err := h.agent()
	if err != nil {
		return err
	}
	a.Queue(hook.Message{Role: "user", Content: hook.RawJSON(content)}.Text(), when(d))
	if d.TriggerTurn {
		a.Wake()
	}
	return nil
}

// AppendEntry stores data that the model doesn't see.
func (h *Host) AppendEntry(customType string, data []byte) error {
	a, err := h.agent()
	if err != nil {
		return err
	}
	return a.AppendEntry(customType, data)
}

// IsIdle reports whether no prompt is worked on.
func (h *Host) IsIdle() bool {
	a, err := h.agent()
	return err != nil || !a.Prompting()
}

// HasPendingMessages reports whether messages wait.
func (h *Host) HasPendingMessages() bool {
	a, err := h.agent()
	return err == nil && a.HasQueued()
}

// Abort interrupts the prompt that runs.
func (h *Host) Abort() {
	if a, err := h.agent(); err == nil {
		a.Abort(errors.New("a module aborted the prompt"))
	}
}

// Shutdown ends the program once no prompt runs.
func (h *Host) Shutdown() {
	if h.opts.Shutdown == nil {
		return
	}
	if a, err := h.agent(); err == nil && !a.Idle() {
		a.WhenIdle(h.opts.Shutdown)
		return
	}
	h.opts.Shutdown()
}

func encode(v any) ([]byte, error) {
	return json.Marshal(v, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
}

// AgentSet changes something of the agent. What has no place here is dropped.
func (h *Host) AgentSet(what string, value []byte) error {
	a, err := h.agent()
	if err != nil {
		return err
	}
	switch what {
	case "activeTools":
		var names []string
		if err := json.Unmarshal(value, &names); err != nil {
			return fmt.Errorf("setActiveTools: %w", err)
		}
		a.SetActiveTools(append([]string{}, names...))
	case "thinkingLevel":
		// Which models think nobody knows but who started the agent with an effort.
		if level, ok := hook.RawJSON(value).AsString(); ok && a.Effort() != "" {
			a.SetEffort(effortOf(level))
		}
	case "sessionName":
		var name string
		if err := json.Unmarshal(value, &name); err != nil {
			return fmt.Errorf("setSessionName: %w", err)
		}
		a.SetTitle(name)
	case "label":
		v := hook.RawJSON(value)
		return a.Session().Label(v.String("entryId"), v.String("label"))
	}
	return nil
}

// effortOf is the effort that is nearest to a level, of those that all providers know.
func effortOf(level string) string {
	switch level {
	case "off", "minimal":
		return "low"
	case "low", "medium":
		return level
	}
	return "high"
}

// AgentDo does what may wait.
func (h *Host) AgentDo(ctx context.Context, what string, args []byte) ([]byte, error) {
	a, err := h.agent()
	if err != nil {
		return nil, err
	}
	var list []jsontext.Value
	if err := json.Unmarshal(args, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	arg := hook.JSON{}
	if len(list) > 0 {
		arg = hook.RawJSON(list[0])
	}
	switch what {
	case "setModel":
		name, ok := arg.AsString()
		if !ok {
			if name = arg.String("id"); arg.String("provider") != "" {
				name = arg.String("provider") + "/" + name
			}
		}
		why, err := a.SetModel(ctx, name, "sdk")
		if err != nil {
			return nil, err
		}
		return encode(why == "")
	case "compact":
		text, _ := arg.AsString()
		e, err := a.CompactSoon(ctx, text)
		if err != nil || e == nil {
			return nil, err
		}
		return encode(map[string]any{"summary": e.Summary, "firstKeptEntryId": e.FirstKeptEntryID, "tokensBefore": e.TokensBefore})
	}
	return nil, &script.UnsupportedError{What: "pi." + what}
}
