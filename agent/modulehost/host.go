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

// mode is what modules are told of how they run: on a screen, for a program that shows
// dialogs, or for nobody.
func (h *Host) mode() string {
	if _, draws := h.opts.UI.(screen); draws {
		return "tui"
	}
	if h.opts.UI != nil && h.opts.UI.HasUI() {
		return "rpc"
	}
	return "print"
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

// IsIdle reports whether no prompt runs.
func (h *Host) IsIdle() bool {
	a, err := h.agent()
	return err != nil || a.Idle()
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
