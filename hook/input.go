package hook

import "sync"

// Input is the typed input of an event: a pointer to one of the structs of this
// package. The pointer is the mutable context: what a hook changes in place is
// what later hooks and the caller see, where the event honours that change.
type Input interface {
	// Event returns the event that this input belongs to.
	Event() Event
	// Base returns the fields that every input has.
	Base() *Common
	// Subject returns what matchers are tested against, "" for an event without.
	Subject() string

	cells() cells
}

// cells are the places of an input that hooks may change. A nil pointer means
// that the event has no such place.
type cells struct {
	input    *JSON
	output   *JSON
	content  *JSON // what the model reads of output, which ends with a change of it
	prompt   *string
	messages *[]Message
}

// Common holds the fields that every input has. Its JSON names are those of the
// claude dialect, which are the canonical ones.
type Common struct {
	SessionID      string     `json:"session_id" doc:"id of the session"`
	TranscriptPath string     `json:"transcript_path" doc:"JSONL transcript of the session; may lag behind"`
	CWD            string     `json:"cwd" doc:"current working directory of the session"`
	PermissionMode string     `json:"permission_mode,omitzero" doc:"default, plan, acceptEdits, auto, dontAsk or bypassPermissions"`
	AgentID        string     `json:"agent_id,omitzero" doc:"id of the subagent in which the event happens"`
	AgentType      string     `json:"agent_type,omitzero" doc:"type of that subagent"`
	InvokedBy      string     `json:"invoked_by,omitzero" doc:"main or subagent"`
	RecipeName     string     `json:"recipe_name,omitzero" doc:"recipe that the session was started with"`
	PromptID       string     `json:"prompt_id,omitzero" doc:"id of the prompt that is being worked on"`
	Effort         *Effort    `json:"effort,omitzero" doc:"effort level of the model"`
	ScratchpadDir  string     `json:"scratchpad_dir,omitzero" doc:"directory for temporary files of the session"`
	MCPServer      *MCPServer `json:"mcp_server,omitzero" doc:"MCP server that the tool belongs to"`

	// Live is the session that the host offers to in-process hooks; nil when there
	// is none.
	Live Session `json:"-"`
	// Meta holds metadata for an event whose host offers no session.
	Meta *Metadata `json:"-"`
}

// Effort is the effort level of the model.
type Effort struct {
	Level string `json:"level"`
}

// MCPServer names the MCP server of a tool.
type MCPServer struct {
	Name   string `json:"name"`
	Source string `json:"source,omitzero"`
}

// Base returns the common fields.
func (c *Common) Base() *Common { return c }

// Subject returns "": most events have none.
func (c *Common) Subject() string { return "" }

func (c *Common) cells() cells { return cells{} }

// Session returns the live session, or nil when the host offers none.
func (c *Common) Session() Session { return c.Live }

// Metadata returns a value stored by SetMetadata: in the live session when there
// is one, otherwise for as long as this input lives.
func (c *Common) Metadata(key string) (value any, ok bool) {
	switch {
	case c.Live != nil:
		return c.Live.Metadata(key)
	case c.Meta != nil:
		return c.Meta.Get(key)
	}
	return nil, false
}

// SetMetadata stores a value for later hooks and the caller.
func (c *Common) SetMetadata(key string, value any) {
	if c.Live != nil {
		c.Live.SetMetadata(key, value)
		return
	}
	if c.Meta == nil {
		c.Meta = &Metadata{}
	}
	c.Meta.Set(key, value)
}

// Metadata is a small store that is safe for concurrent use. The zero value is
// empty.
type Metadata struct {
	mu     sync.Mutex
	values map[string]any
}

// Get returns the value stored under a key.
func (m *Metadata) Get(key string) (value any, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, ok = m.values[key]
	return value, ok
}

// Set stores a value under a key.
func (m *Metadata) Set(key string, value any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values == nil {
		m.values = map[string]any{}
	}
	m.values[key] = value
}
