package script

import (
	"fmt"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Info lists what a module has registered, in order of registration.
type Info struct {
	Path   string
	Family Family
	Kind   Kind

	Handlers  []HandlerInfo
	Commands  []CommandInfo
	Tools     []ToolInfo
	Flags     []FlagInfo
	Shortcuts []ShortcutInfo
	// Renderers are the custom message types that the module draws.
	Renderers []string
	// EntryRenderers are the types of entries that the module draws.
	EntryRenderers []string
	// Completes reports whether the module completes what the person types.
	Completes bool
	// Providers are the model providers it registered.
	Providers []string
	// Requests are the capabilities that the module's header comment asks
	// for, such as "exec" or "net:example.com".
	Requests []string
}

// HandlerInfo is one registered event handler.
type HandlerInfo struct {
	Event string `json:"event"`
	// Index counts the module's handlers of that event from 0.
	Index int `json:"index"`
}

// CommandInfo is one slash command.
type CommandInfo struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Completes reports whether the module completes the command's arguments.
	Completes bool `json:"completes"`
}

// ToolInfo is one tool for the model.
type ToolInfo struct {
	Name        string
	Label       string
	Description string
	// Parameters is a JSON schema.
	Parameters []byte
	// PromptSnippet and PromptGuidelines go into the system prompt.
	PromptSnippet    string
	PromptGuidelines []string
	// RendersCall and RendersResult report whether the tool draws itself.
	RendersCall, RendersResult bool
}

// FlagInfo is one command-line flag.
type FlagInfo struct {
	Name        string
	Description string
	// Type is "boolean" or "string".
	Type string
	// Default is JSON, nil when there is none.
	Default []byte
}

// ShortcutInfo is one keyboard shortcut.
type ShortcutInfo struct {
	Key         string `json:"key"`
	Description string `json:"description"`
}

// registry is the Go side of what the runtime reports as registered.
type registry struct {
	mu  sync.Mutex
	now wireRegistry
}

type wireRegistry struct {
	Handlers  []HandlerInfo  `json:"handlers"`
	Commands  []CommandInfo  `json:"commands"`
	Tools     []wireTool     `json:"tools"`
	Flags     []wireFlag     `json:"flags"`
	Shortcuts []ShortcutInfo `json:"shortcuts"`
	Renderers []string       `json:"renderers"`
	Entries   []string       `json:"entryRenderers"`
	Completes bool           `json:"completes"`
	Providers []string       `json:"providers"`
}

type wireTool struct {
	Name             string         `json:"name"`
	Label            string         `json:"label"`
	Description      string         `json:"description"`
	Parameters       jsontext.Value `json:"parameters"`
	PromptSnippet    string         `json:"promptSnippet"`
	PromptGuidelines []string       `json:"promptGuidelines"`
	RendersCall      bool           `json:"rendersCall"`
	RendersResult    bool           `json:"rendersResult"`
}

type wireFlag struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Type        string         `json:"type"`
	Default     jsontext.Value `json:"default"`
}

// registered takes the runtime's list, which replaces the last one.
func (m *Module) registered(text string) error {
	var w wireRegistry
	if err := json.Unmarshal([]byte(text), &w); err != nil {
		return fmt.Errorf("reading what the module registered: %w", err)
	}
	m.regs.mu.Lock()
	defer m.regs.mu.Unlock()
	m.regs.now = w
	return nil
}

func (r *registry) info(m *Module) Info {
	r.mu.Lock()
	w := r.now
	r.mu.Unlock()
	info := Info{
		Path: m.path, Family: m.opts.Family, Kind: m.opts.Kind,
		Handlers: slices.Clone(w.Handlers), Commands: slices.Clone(w.Commands),
		Shortcuts: slices.Clone(w.Shortcuts), Renderers: slices.Clone(w.Renderers), EntryRenderers: slices.Clone(w.Entries), Completes: w.Completes,
		Providers: slices.Clone(w.Providers), Requests: slices.Clone(m.bundle.requests),
	}
	for _, t := range w.Tools {
		info.Tools = append(info.Tools, ToolInfo{
			Name: t.Name, Label: t.Label, Description: t.Description, Parameters: t.Parameters,
			PromptSnippet: t.PromptSnippet, PromptGuidelines: t.PromptGuidelines,
			RendersCall: t.RendersCall, RendersResult: t.RendersResult,
		})
	}
	for _, f := range w.Flags {
		info.Flags = append(info.Flags, FlagInfo{Name: f.Name, Description: f.Description, Type: f.Type, Default: f.Default})
	}
	return info
}
