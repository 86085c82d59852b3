package main

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/command"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui/clean"
)

// printer prints what run has to say, in one of its forms.
type printer struct {
	*streams
	output string
	r      *agentRun
	start  time.Time
	// tellCalls says that each tool call is told on standard error.
	tellCalls bool

	mu  sync.Mutex
	err error // the first line that could not be written
}

func newPrinter(s *streams, output string) *printer {
	return &printer{streams: s, output: output, start: time.Now()}
}

// sdkInit is the first message of a stream.
type sdkInit struct {
	Type           string      `json:"type"`
	Subtype        string      `json:"subtype"`
	CWD            string      `json:"cwd"`
	SessionID      string      `json:"session_id"`
	Tools          []string    `json:"tools"`
	MCPServers     []sdkServer `json:"mcp_servers"`
	Model          string      `json:"model"`
	PermissionMode string      `json:"permissionMode"`
	SlashCommands  []string    `json:"slash_commands"`
	Agents         []string    `json:"agents"`
	UUID           string      `json:"uuid"`
}

type sdkServer struct {
	Name   string `json:"name"`
	Status string `json:"status"`
}

// sdkMessage is a message of the assistant or the user.
type sdkMessage struct {
	Type            string         `json:"type"`
	Message         map[string]any `json:"message"`
	ParentToolUseID *string        `json:"parent_tool_use_id"`
	AgentID         string         `json:"agent_id,omitzero"`
	SessionID       string         `json:"session_id"`
	UUID            string         `json:"uuid"`
}

// sdkSystem is anything else that happens.
type sdkSystem struct {
	Type      string `json:"type"`
	Subtype   string `json:"subtype"`
	Text      string `json:"text,omitzero"`
	Level     string `json:"level,omitzero"`
	Source    string `json:"source,omitzero"`
	SessionID string `json:"session_id"`
	UUID      string `json:"uuid"`
}

// sdkResult is the last message, and all that --output json prints.
type sdkResult struct {
	Type       string      `json:"type"`
	Subtype    string      `json:"subtype"`
	IsError    bool        `json:"is_error"`
	DurationMS int64       `json:"duration_ms"`
	NumTurns   int         `json:"num_turns"`
	Result     string      `json:"result"`
	StopReason *string     `json:"stop_reason"` // the model's, or tool_deferred; null when it was not asked
	Deferred   *sdkCall    `json:"deferred_tool_use,omitzero"`
	Denials    []sdkDenial `json:"permission_denials"`
	End        string      `json:"end"` // how the run ended, and why
	Reason     string      `json:"reason,omitzero"`
	SessionID  string      `json:"session_id"`
	CostUSD    *float64    `json:"total_cost_usd"`
	Usage      model.Usage `json:"usage"`
	UUID       string      `json:"uuid"`
}

// sdkCall is the tool call at which the run was deferred.
type sdkCall struct {
	ID    string    `json:"id"`
	Name  string    `json:"name"`
	Input hook.JSON `json:"input"`
}

// sdkDenial is a tool call that was refused.
type sdkDenial struct {
	Tool  string    `json:"tool_name"`
	ID    string    `json:"tool_use_id"`
	Input hook.JSON `json:"tool_input"`
}

// Observe prints what hooks do.
func (p *printer) Observe(m hook.Emission) { p.line(m) }

// line prints one object.
func (p *printer) line(v any) {
	b, err := json.Marshal(v, hook.EncodeOptions())
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		_, err = p.out.Write(append(b, '\n'))
	}
	if p.err == nil {
		p.err = err
	}
}

// event prints what happens in the agent.
func (p *printer) event(ev agent.Event) {
	if p.output != "stream-json" {
		p.activity(ev)
		return
	}
	sys := func(subtype string) {
		p.line(sdkSystem{Type: "system", Subtype: subtype, Text: ev.Text, Level: string(ev.Level), Source: ev.Source, SessionID: ev.Session, UUID: uuid.NewString()})
	}
	switch ev.Kind {
	case agent.KindSession:
		if ev.AgentID == "" && ev.Text != "compact" {
			p.init(ev)
		}
	case agent.KindMessage:
		msg := map[string]any{"role": string(ev.Message.Role), "content": ev.Message.Content}
		if ev.Usage != nil {
			msg["id"], msg["type"], msg["usage"], msg["model"] = ev.MessageID, "message", *ev.Usage, p.r.Loop.Model()
		}
		p.line(sdkMessage{Type: string(ev.Message.Role), Message: msg, ParentToolUseID: parentOf(ev), AgentID: ev.AgentID, SessionID: ev.Session, UUID: uuid.NewString()})
	case agent.KindRetry:
		p.line(newSDKRetry(ev))
	case agent.KindDenied:
		p.line(newSDKDenied(ev))
	case agent.KindCustom:
		sys("custom_message")
	case agent.KindCompacted:
		sys("compact_boundary")
	case agent.KindNotice:
		sys("notice")
	}
}

// activity shows a person what the agent does. Notices come by the user interface.
func (p *printer) activity(ev agent.Event) {
	switch {
	case ev.Kind == agent.KindToolStart && p.tellCalls:
		p.warnf("%s %s", ev.Call.Name, firstLine(ev.Call.InputText()))
	case ev.Kind == agent.KindDenied:
		p.warnf("Not run: %s %s: %s", ev.Call.Name, firstLine(ev.Call.InputText()), line(ev.Text))
	case ev.Kind == agent.KindRetry:
		p.warnf("Asking the model again in %s (%d of %d): %s", ev.Retry.Delay, ev.Retry.Attempt, ev.Retry.Max, line(ev.Retry.Err.Error()))
	}
}

func (p *printer) init(ev agent.Event) {
	r := p.r
	m := sdkInit{
		Type: "system", Subtype: "init", CWD: r.Loop.Dir(), SessionID: ev.Session, Tools: []string{}, MCPServers: []sdkServer{}, Model: r.Loop.Model(),
		PermissionMode: string(r.Permission.Mode()), SlashCommands: []string{}, Agents: []string{}, UUID: uuid.NewString(),
	}
	for _, t := range r.Loop.Tools() {
		m.Tools = append(m.Tools, t.Name())
	}
	for _, s := range r.Servers() {
		m.MCPServers = append(m.MCPServers, sdkServer{s.Name, string(s.State)})
	}
	if list, err := r.Commands.List(context.Background()); err == nil {
		for _, c := range list {
			m.SlashCommands = append(m.SlashCommands, c.Name)
		}
	}
	for _, d := range r.Subagents {
		m.Agents = append(m.Agents, d.Name)
	}
	p.line(m)
}

// finish prints the result.
func (p *printer) finish(reply command.Reply, runErr error) error {
	if p.output == "text" {
		text := reply.Output
		if reply.Result != nil && reply.Result.Text != "" {
			text = reply.Result.Text
		}
		if text != "" && runErr == nil {
			p.printf("%s\n", clean.PlainText(text))
		}
		return nil
	}
	p.line(p.result(reply, runErr))
	if p.err != nil {
		return fmt.Errorf("write the output: %w", p.err)
	}
	return nil
}

// said counts what the model was told in a run: the prompt, what came after it, and each
// result of a tool.
func said(messages []model.Message) (n int) {
	for _, m := range messages {
		results := 0
		for _, b := range m.Content {
			if b.Type == model.ToolResultBlock {
				results++
			}
		}
		if m.Role == model.User {
			n += max(1, results)
		}
	}
	return n
}

// calls says why the model stopped, and which tool calls did not run.
func (r *sdkResult) calls(res *agent.Result) {
	if res.StopReason != "" {
		r.StopReason = &res.StopReason
	}
	for _, d := range res.Denials {
		r.Denials = append(r.Denials, sdkDenial{d.Tool, d.ID, d.Input})
	}
	if d := res.Deferred; d != nil {
		deferred := "tool_deferred"
		r.NumTurns-- // the model was not told that it is deferred
		r.StopReason, r.Deferred = &deferred, &sdkCall{d.ID, d.Tool, d.Input}
	}
}

func (p *printer) result(reply command.Reply, runErr error) sdkResult {
	r := sdkResult{
		Type: "result", Subtype: "success", DurationMS: time.Since(p.start).Milliseconds(), Result: reply.Output, Denials: []sdkDenial{}, End: string(agent.EndDone),
		SessionID: p.r.Loop.SessionID(), Usage: p.r.Loop.Usage(), UUID: uuid.NewString(),
	}
	if cost, known := p.r.Cost(); known {
		r.CostUSD = &cost
	}
	if res := reply.Result; res != nil {
		r.NumTurns, r.Result, r.End, r.Reason = said(res.Messages), res.Text, string(res.End), res.Reason
		r.calls(res)
		if res.Text == "" || res.Said != "" {
			r.Result = cmp.Or(res.Said, reply.Output)
		}
		switch res.End {
		case agent.EndMaxTurns:
			r.Subtype, r.IsError = "error_max_turns", true
		case agent.EndBudget:
			r.Subtype, r.IsError = "error_max_budget_usd", true
		case agent.EndInterrupted, agent.EndFailed:
			r.Subtype, r.IsError = "error_during_execution", true
		}
	}
	if runErr != nil {
		r.Subtype, r.IsError, r.Reason = "error_during_execution", true, runErr.Error()
		if reply.Result != nil && reply.Result.Said != "" { // that is the result
			stopped := "stop_sequence"
			r.Subtype, r.StopReason = "success", &stopped
		}
	}
	return r
}
