package agentsdk

import (
	"cmp"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/mcp"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

// Stream tells what happens in an agent as the SDK's messages, one a line. It is safe for
// concurrent use. Bind it before the agent begins.
type Stream struct {
	// Partial tells the pieces of an answer as they arrive, too.
	Partial bool

	out     io.Writer
	agent   *host.Agent
	version string
	// structured is the answer that has to fit a schema, nil when none has.
	structured *structured

	mu        sync.Mutex
	err       error // the first line that could not be written
	start     time.Time
	api       time.Duration
	responses map[string]hook.JSON // of calls that have ended, by their ids
	answers   map[string]*growing  // by agent
}

// NewStream returns a stream that writes each line by one call of out.Write.
func NewStream(out io.Writer, version string) *Stream {
	return &Stream{out: out, version: version, start: time.Now(), responses: map[string]hook.JSON{}, answers: map[string]*growing{}}
}

// Bind says which agent it is.
func (s *Stream) Bind(a *host.Agent) { s.agent = a }

// Err returns why a line could not be written, nil when all were.
func (s *Stream) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Send writes an object as a line.
func (s *Stream) Send(v any) {
	b, err := json.Marshal(v, hook.EncodeOptions())
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		_, err = s.out.Write(append(b, '\n'))
	}
	if s.err == nil {
		s.err = err
	}
}

// Observe tells what hooks do.
func (s *Stream) Observe(m hook.Emission) {
	line := hookMessage{
		Type: m.Type, Subtype: m.Subtype, HookID: m.HookID, HookName: m.HookName, HookEvent: m.HookEvent, ExitCode: m.ExitCode, Outcome: m.Outcome,
		ids: ids{m.SessionID, m.UUID},
	}
	if m.Subtype != hook.HookStarted {
		line.hookOutput = &hookOutput{m.Stdout, m.Stderr, m.Output}
	}
	if m.Outcome == "blocked" {
		line.Outcome = "error"
	}
	s.Send(line)
}

func newIDs(ev agent.Event) ids { return ids{ev.Session, uuid.NewString()} }

// Event tells what happens in the agent.
func (s *Stream) Event(ev agent.Event) {
	switch ev.Kind {
	case agent.KindSession:
		if ev.AgentID == "" && ev.Text != "compact" {
			s.init(ev)
		}
	case agent.KindStream:
		if s.Partial {
			s.piece(ev)
		}
	case agent.KindMessage:
		s.message(ev)
	case agent.KindToolEnd:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.responses[ev.Call.ID] = ev.Response
	case agent.KindRetry:
		s.Send(newRetry(ev))
	case agent.KindTask:
		s.task(ev)
	case agent.KindDenied:
		s.Send(denied{
			Type: "system", Subtype: "permission_denied", Tool: ev.Call.Name, ID: ev.Call.ID, AgentID: ev.AgentID, Basis: ev.Source, Message: ev.Text, ids: newIDs(ev),
		})
	case agent.KindCustom:
		s.Send(informational{"system", "informational", ev.Text, string(ui.Info), newIDs(ev)})
	case agent.KindCompacted:
		line := compactBoundary{Type: "system", Subtype: "compact_boundary", ids: newIDs(ev)}
		line.Metadata.Trigger, line.Metadata.Before = ev.Source, ev.Tokens
		if ev.Source != "manual" {
			line.Metadata.Trigger = "auto"
		}
		s.Send(line)
	case agent.KindNotice:
		level := ev.Level
		if level == ui.Error {
			level = ui.Warning
		}
		s.Send(informational{"system", "informational", ev.Text, string(level), newIDs(ev)})
	}
}

// task tells that a subagent begins, or how it ended.
func (s *Stream) task(ev agent.Event) {
	t := ev.Task
	if t.Status == "" {
		s.Send(taskStarted{
			Type: "system", Subtype: "task_started", ID: t.ID, Call: t.Call, Description: t.Description, Kind: t.Type, Background: t.Background,
			TaskType: "local_agent", Prompt: t.Prompt, ids: newIDs(ev),
		})
		return
	}
	s.Send(taskEnded{
		Type: "system", Subtype: "task_notification", ID: t.ID, Call: t.Call, Status: t.Status, Summary: t.Summary,
		Usage: taskUsage{t.Usage.Context(), t.ToolCalls, t.Took.Milliseconds()}, ids: newIDs(ev),
	})
}

func newRetry(ev agent.Event) retry {
	r := ev.Retry
	out := retry{
		Type: "system", Subtype: "api_retry", Attempt: r.Attempt, MaxRetries: r.Max, DelayMS: r.Delay.Milliseconds(), Error: "unknown", ids: newIDs(ev),
	}
	if api, ok := errors.AsType[*model.APIError](r.Err); ok {
		if api.Status != 0 {
			out.Status = &api.Status
		}
		out.Error = cmp.Or(errorNames[api.Kind], out.Error)
	}
	return out
}

// parentOf is the call that started the subagent in which something happens, nil for the
// main agent.
func parentOf(ev agent.Event) *string {
	if ev.ParentCall == "" {
		return nil
	}
	return &ev.ParentCall
}

// message tells a message: each result of a tool in one of its own.
func (s *Stream) message(ev agent.Event) {
	line := message{
		Type: string(ev.Message.Role), ParentToolUseID: parentOf(ev), AgentID: ev.AgentID, ids: ids{ev.Session, session.UUIDOf(ev.Session, ev.EntryID)},
	}
	if ev.Message.Role == model.Assistant {
		s.Count(ev)
		line.Message = answerMessage(ev.MessageID, ev.Model, *ev.Usage)
		line.Message["content"], line.Message["stop_reason"] = contentOf(ev.Message.Content), orNull(ev.StopReason)
		s.Send(line)
		return
	}
	var results, rest []model.Block
	for _, b := range ev.Message.Content {
		if b.Type == model.ToolResultBlock {
			results = append(results, b)
		} else {
			rest = append(rest, b)
		}
	}
	for i, b := range results {
		one := line
		one.Message = map[string]any{"role": "user", "content": []model.Block{b}}
		s.mu.Lock()
		one.ToolUseResult = s.responses[b.ToolUseID]
		delete(s.responses, b.ToolUseID)
		s.mu.Unlock()
		if i > 0 || len(rest) > 0 {
			one.UUID = uuid.NewString()
		}
		s.Send(one)
	}
	if len(rest) > 0 || len(results) == 0 {
		line.Message = map[string]any{"role": "user", "content": rest}
		s.Send(line)
	}
}

// answerMessage is an answer of the model without its content.
func answerMessage(id, name string, u model.Usage) map[string]any {
	return map[string]any{
		"type": "message", "role": "assistant", "id": id, "model": name, "usage": tokensOf(u), "content": []any{}, "stop_reason": nil,
		"stop_sequence": nil, "stop_details": nil, "container": nil, "context_management": nil, "diagnostics": nil,
	}
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// contentOf is the content of an answer.
func contentOf(blocks []model.Block) []any {
	out := make([]any, len(blocks))
	for i, b := range blocks {
		if out[i] = b; b.Type == model.TextBlock {
			out[i] = map[string]any{"type": b.Type, "text": b.Text, "citations": nil}
		}
	}
	return out
}

// Count adds the time of a model call to the result, which Event does by itself. It does
// nothing with other events.
func (s *Stream) Count(ev agent.Event) {
	if ev.Usage == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.api += ev.Took
}

// init tells what the session has to work with.
func (s *Stream) init(ev agent.Event) {
	a := s.agent
	m := initMessage{
		Type: "system", Subtype: "init", CWD: a.Loop.Dir(), SessionID: ev.Session, Tools: []string{}, MCPServers: []serverStatus{}, Model: a.Loop.Model(),
		PermissionMode: string(a.Permission.Mode()), SlashCommands: []string{}, Agents: []string{}, Skills: []string{}, Plugins: []string{},
		APIKeySource: "none", Version: s.version, OutputStyle: "default", UUID: uuid.NewString(),
	}
	for _, t := range a.Loop.Tools() {
		m.Tools = append(m.Tools, t.Name())
	}
	for _, st := range a.Servers() {
		m.MCPServers = append(m.MCPServers, serverStatus{Name: st.Name, Status: stateName(st.State)})
	}
	if list, err := a.Commands.List(context.Background()); err == nil {
		for _, c := range list {
			m.SlashCommands = append(m.SlashCommands, c.Name)
		}
	}
	for _, d := range a.Subagents {
		m.Agents = append(m.Agents, d.Name)
	}
	s.Send(m)
}

// stateName is the SDK's word for how a server is doing.
func stateName(st mcp.State) string {
	switch st {
	case mcp.Connecting:
		return "pending"
	case mcp.Untrusted:
		return "needs-auth"
	case mcp.Closed:
		return "disabled"
	}
	return string(st)
}
