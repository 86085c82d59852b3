package acpproxy

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/hook"
)

// message is one of the agent, whose text comes in chunks. It belongs to the passing of the
// agent's messages.
type message struct {
	id    string
	text  strings.Builder
	index int
	open  bool
	count int
	last  string // the text of the one before
}

// update shows hooks what the agent tells of its work, and passes it on.
func (s *session) update(m *jsonrpc.Message) error {
	params := m.Content()
	u, _ := params.Get("update")
	s.mu.Lock()
	loading := s.loading
	s.mu.Unlock()
	switch kind := u.String("sessionUpdate"); {
	case loading:
	case kind == "agent_message_chunk":
		return s.messageChunk(m, params, u)
	case kind == "tool_call" || kind == "tool_call_update":
		s.endMessage()
		err := s.p.client.Write(m.Raw)
		s.toolUpdate(u)
		return err
	case kind == "current_mode_update" || kind == "config_option_update":
		if s.setMode(modeIn(u)) {
			err := s.p.client.Write(m.Raw)
			s.tellMode()
			return err
		}
	}
	return s.p.client.Write(m.Raw)
}

// messageChunk shows hooks a piece of a message, and passes it on as they want it shown.
func (s *session) messageChunk(m *jsonrpc.Message, params, u hook.JSON) error {
	content, _ := u.Get("content")
	delta := content.String("text")
	if id := u.String("messageId"); id != "" && id != s.message.id {
		s.endMessage()
		s.message.id = id
	}
	if !s.message.open {
		s.message.open = true
		s.message.count++
		if s.message.id == "" {
			s.message.id = fmt.Sprintf("%s-%d", s.turnID(), s.message.count)
		}
		s.observe(&hook.MessageStart{Message: s.soFar()})
	}
	s.message.text.WriteString(delta)
	if s.hooks.Hears(hook.EventMessageUpdate) {
		s.observe(&hook.MessageUpdate{Message: s.soFar(), Delta: delta})
	}
	shown := s.display(&hook.MessageDisplay{Delta: delta})
	if shown == delta {
		return s.p.client.Write(m.Raw)
	}
	err := content.Set("text", shown)
	if err == nil {
		err = u.Set("content", content)
	}
	if err == nil {
		err = params.Set("update", u)
	}
	if err != nil {
		s.say("a piece of the agent's message cannot be put together with what hooks made of it: %v", err)
		return nil
	}
	return s.p.client.Write(m.With(params))
}

// turnID is the id of the turn.
func (s *session) turnID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprint(s.turn)
}

// soFar is the message as far as it has come.
func (s *session) soFar() *hook.Message {
	return &hook.Message{Role: "assistant", Content: hook.MustJSON([]any{textBlock(s.message.text.String())})}
}

// display returns a piece of a message as hooks want it shown.
func (s *session) display(in *hook.MessageDisplay) string {
	if !s.hooks.Hears(hook.EventMessageDisplay) {
		return in.Delta
	}
	in.TurnID, in.MessageID, in.Index = s.turnID(), s.message.id, s.message.index
	delta := in.Delta
	s.message.index++
	out, err := s.fire(s.p.ctx, in, hook.FieldDisplayContent)
	if err == nil && out.Host != nil && out.Host.DisplayContent != nil {
		return *out.Host.DisplayContent
	}
	return delta
}

// endMessage ends the message that has begun, and returns the text of the last one. That a
// piece is the last is known only now: hooks that hold something back get an empty one.
func (s *session) endMessage() string {
	if s.message.open {
		if rest := s.display(&hook.MessageDisplay{Final: true}); rest != "" {
			s.chunk(rest)
		}
		s.observe(&hook.MessageEnd{Message: s.soFar()})
		s.message.last = s.message.text.String()
		s.message.text.Reset()
		s.message.id, s.message.index, s.message.open = "", 0, false
	}
	return s.message.last
}

// seenCall is a call of a tool that the agent has told of.
type seenCall struct {
	info    hook.JSON // all that was told of it
	key     string    // what hooks were asked about
	decided decided   // what they came to
	asked   bool
	started bool
	ended   bool
}

// learn adds to what is known of a call.
func (s *session) learn(part hook.JSON) *seenCall {
	c := s.calls[part.String("toolCallId")]
	if c == nil {
		c = &seenCall{}
		s.calls[part.String("toolCallId")] = c
	}
	_ = c.info.Merge(part) // what is not an object says nothing
	return c
}

// asks notes that the agent asks permission for a call.
func (s *session) asks(part hook.JSON) (*seenCall, []tool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.learn(part)
	c.asked = true
	return c, toolsOf(c.info)
}

// passes notes that a file or a terminal of the editor is used, which hooks were asked about.
func (s *session) passes(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.through[what] = true
}

// toolUpdate shows hooks what the agent tells of a call.
func (s *session) toolUpdate(part hook.JSON) {
	s.mu.Lock()
	c := s.learn(part)
	tools := toolsOf(c.info)
	status := part.String("status")
	begins := !c.started && status != "pending" && len(tools) > 0
	ends := !c.ended && (status == "completed" || status == "failed")
	c.started, c.ended = c.started || begins, c.ended || ends
	gated, info, started := s.wentThrough(c.info), c.info, c.started
	unasked := ends && status == "completed" && !c.asked && !gated
	s.mu.Unlock()
	for i := range tools {
		t := &tools[i]
		switch {
		case begins:
			s.observe(&hook.ToolExecutionStart{ToolName: t.name, ToolInput: t.input, ToolUseID: t.id})
		case started && !ends && s.hooks.Hears(hook.EventToolExecutionUpdate):
			content, _ := part.Get("content")
			s.observe(&hook.ToolExecutionUpdate{ToolName: t.name, ToolInput: t.input, ToolUseID: t.id, PartialResult: content})
		}
		if ends {
			s.toolEnded(t, info, status == "failed", gated)
		}
		if unasked {
			s.ranUnasked(t)
		}
	}
}

// wentThrough reports whether a call used a file or a terminal of the editor: then hooks were
// asked about that, and have seen what came of it. The caller has the lock.
func (s *session) wentThrough(info hook.JSON) bool {
	for _, at := range list(info, "locations") {
		if s.through[at.String("path")] {
			return true
		}
	}
	for _, c := range list(info, "content") {
		if s.through[cmp.Or(c.String("terminalId"), c.String("path"))] {
			return true
		}
	}
	return false
}

// toolEnded shows hooks what came of a call.
func (s *session) toolEnded(t *tool, info hook.JSON, failed, seen bool) {
	response := responseOf(info)
	s.observe(&hook.ToolExecutionEnd{ToolName: t.name, ToolInput: t.input, ToolUseID: t.id, Result: response, IsError: failed})
	if seen {
		return
	}
	if _, err := s.post(t, ended{response: response, failed: failed, problem: textOf(response)}); err != nil {
		s.say("%v", err)
	}
}

// responseOf is what an agent tells of a call's result.
func responseOf(info hook.JSON) hook.JSON {
	meta, _ := info.Get("_meta")
	own, _ := meta.Get("claudeCode")
	if r, ok := own.Get("toolResponse"); ok {
		return r
	}
	if r, ok := info.Get("rawOutput"); ok {
		return r
	}
	var texts []string
	for _, c := range list(info, "content") {
		text, _ := c.Get("content")
		texts = append(texts, text.String("text"))
	}
	return hook.MustJSON(joined(texts))
}
