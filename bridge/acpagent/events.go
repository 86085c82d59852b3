package acpagent

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
)

// change is what hooks made of the input of a call.
type change struct {
	input hook.JSON
	by    string // the names of the hooks
}

// Record notes which hooks change the input of a call.
func (e *editing) Record(_ context.Context, in hook.Input, out *hook.Outcome) {
	call, ok := in.(*hook.PreToolUse)
	if !ok || out.UpdatedInput.IsZero() {
		return
	}
	var by []string
	for _, r := range out.Runs {
		if r.Answer != nil && !r.Answer.UpdatedInput.IsZero() && !slices.Contains(by, r.Hook.Name) {
			by = append(by, r.Hook.Name)
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.changed[call.ToolUseID] = change{out.UpdatedInput, strings.Join(by, ", ")}
}

// update tells the client something of the session.
func (e *editing) update(kind string, fields map[string]any) {
	fields = maps.Clone(fields)
	fields["sessionUpdate"] = kind
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.known {
		e.early = append(e.early, fields)
		return
	}
	e.s.notify(e.id, fields)
}

// say tells the person something that is not the model's.
func (e *editing) say(text string) { e.chunk("agent_message_chunk", "\n\n"+text+"\n\n") }

func (e *editing) chunk(kind, text string) {
	e.update(kind, map[string]any{"content": textBlock(text)})
}

func textBlock(text string) map[string]string { return map[string]string{"type": "text", "text": text} }

func content(text string) map[string]any {
	return map[string]any{"type": "content", "content": textBlock(text)}
}

// event passes on what happens in the agent.
func (e *editing) event(ev agent.Event) {
	main := ev.AgentID == ""
	switch ev.Kind {
	case agent.KindText:
		if main {
			e.chunk("agent_message_chunk", ev.Text)
		}
	case agent.KindThinking:
		if main {
			e.chunk("agent_thought_chunk", ev.Text)
		}
	case agent.KindDiscard:
		e.say("(The answer broke off and is asked for again.)")
	case agent.KindRetry:
		e.say(fmt.Sprintf("The model is asked again in %v: %v", ev.Retry.Delay, ev.Retry.Err))
	case agent.KindCompacted:
		e.say("The conversation was compacted.")
	case agent.KindToolStart:
		e.begins(ev.Call, "in_progress")
	case agent.KindToolProgress:
		e.update("tool_call_update", map[string]any{"toolCallId": ev.Call.ID, "content": []any{content(ev.Text)}})
	case agent.KindToolEnd:
		e.ends(ev.Call, ev.ToolResult, ev.Response)
	}
}

// kinds are those of the protocol for tools.
var kinds = map[string]string{
	"Read": "read", "Write": "edit", "Edit": "edit", "MultiEdit": "edit", "NotebookEdit": "edit", "Bash": "execute", "Grep": "search", "Glob": "search",
	"WebFetch": "fetch", "WebSearch": "fetch", "TodoWrite": "think", "Task": "think", "Agent": "think", "ExitPlanMode": "switch_mode",
}

// describe is a call as a person reads it.
func (e *editing) describe(id, name string, input hook.JSON) map[string]any {
	kind, title := kinds[name], name
	if kind == "" {
		kind = "other"
	}
	for _, key := range []string{"command", "file_path", "pattern", "url", "query", "description"} {
		if v := input.String(key); v != "" {
			title = name + ": " + v
			break
		}
	}
	call := map[string]any{"toolCallId": id, "title": title, "kind": kind, "rawInput": input}
	path := input.String("file_path")
	if path == "" {
		return call
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(e.agent.Loop.Dir(), path)
	}
	call["locations"] = []any{map[string]string{"path": path}}
	switch {
	case name == "Write":
		call["content"] = []any{map[string]string{"type": "diff", "path": path, "newText": input.String("content")}}
	case name == "Edit":
		call["content"] = []any{map[string]string{"type": "diff", "path": path, "oldText": input.String("old_string"), "newText": input.String("new_string")}}
	}
	return call
}

// begins tells of a call, once.
func (e *editing) begins(c *model.Block, status string) {
	input := hook.RawJSON(c.Input)
	e.mu.Lock()
	changed, is := e.changed[c.ID]
	shown := e.shown[c.ID]
	e.shown[c.ID] = true
	e.mu.Unlock()
	if is {
		input = changed.input
	}
	call := e.describe(c.ID, c.Name, input)
	call["status"] = status
	if is {
		more, _ := call["content"].([]any)
		call["content"] = append(more, content(fmt.Sprintf("Changed by %s. The model asked for: %s", changed.by, c.Input)))
	}
	if shown {
		e.update("tool_call_update", call)
		return
	}
	e.update("tool_call", call)
}

// ends tells of a call's result. Of one that was refused it is the reason.
func (e *editing) ends(c, result *model.Block, response hook.JSON) {
	e.mu.Lock()
	shown := e.shown[c.ID]
	delete(e.shown, c.ID)
	e.mu.Unlock()
	if !shown { // it never ran
		e.begins(c, "pending")
	}
	status := "completed"
	if result.IsError {
		status = "failed"
	}
	end := map[string]any{"toolCallId": c.ID, "status": status}
	if text := result.ResultText(); result.IsError || kinds[c.Name] != "edit" {
		end["content"] = []any{content(text)}
	}
	if !response.IsZero() {
		end["rawOutput"] = response
	}
	e.mu.Lock()
	delete(e.changed, c.ID)
	e.mu.Unlock()
	e.update("tool_call_update", end)
	if c.Name == "TodoWrite" && !result.IsError {
		e.plan(hook.RawJSON(c.Input))
	}
}

// plan tells of the model's list of todos.
func (e *editing) plan(input hook.JSON) {
	var todos []hook.JSON
	list, _ := input.Get("todos")
	if list.Decode(&todos) != nil {
		return
	}
	entries := []any{}
	for _, t := range todos {
		status := t.String("status")
		if status != "in_progress" && status != "completed" {
			status = "pending"
		}
		entries = append(entries, map[string]string{"content": t.String("content"), "priority": "medium", "status": status})
	}
	e.update("plan", map[string]any{"entries": entries})
}

// replay shows what a session holds.
func (e *editing) replay() {
	for _, m := range e.agent.Loop.Live().Messages() {
		var blocks []model.Block
		if text, ok := m.Content.AsString(); ok {
			blocks = []model.Block{model.Text(text)}
		} else if m.Content.Decode(&blocks) != nil {
			continue
		}
		for i := range blocks {
			switch b := &blocks[i]; {
			case b.Type == model.TextBlock && m.Role == string(model.User):
				e.chunk("user_message_chunk", b.Text)
			case b.Type == model.TextBlock:
				e.chunk("agent_message_chunk", b.Text)
			case b.Type == model.ToolUseBlock:
				call := e.describe(b.ID, b.Name, hook.RawJSON(b.Input))
				call["status"] = "completed"
				e.update("tool_call", call)
			case b.Type == model.ToolResultBlock:
				e.update("tool_call_update", map[string]any{"toolCallId": b.ToolUseID, "content": []any{content(b.ResultText())}})
			}
		}
	}
}
