package tui

import (
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

// event shows what happened in the agent.
func (m *screen) event(ev agent.Event) {
	if ev.AgentID != "" {
		m.subagent(ev)
		return
	}
	switch ev.Kind {
	case agent.KindText:
		m.stream(agentBlock, ev.Text)
	case agent.KindThinking:
		m.stream(thinkingBlock, ev.Text)
	case agent.KindDiscard:
		m.remove(func(b *block) bool { return slices.Contains(m.live, b) })
		m.live = nil
	case agent.KindMessage:
		m.shown = ev.EntryID
		m.message(ev.Message)
	case agent.KindCustom:
		if ev.Display {
			m.add(&block{kind: customBlock, label: ev.CustomType, text: ev.Text, render: m.messageRenderer(ev)})
		}
	case agent.KindToolStart, agent.KindToolProgress, agent.KindToolEnd, agent.KindDenied:
		m.tool(ev)
	case agent.KindRetry:
		m.notice(fmt.Sprintf("The model call failed and is made again, %d of %d, in %s: %v", ev.Retry.Attempt, ev.Retry.Max, ev.Retry.Delay.Round(time.Millisecond), ev.Retry.Err), ui.Warning)
	case agent.KindHookOutput:
		m.hookPrinted(ev.Source, ev.Text)
	case agent.KindCompacted:
		m.add(&block{kind: summaryBlock, text: ev.Text})
	case agent.KindIdle:
		m.awaitIdle()
	}
}

// stream adds to what the model is saying.
func (m *screen) stream(kind blockKind, text string) {
	if n := len(m.live); n == 0 || m.live[n-1].kind != kind {
		m.live = append(m.live, m.add(m.saying(kind, "")))
	}
	b := m.live[len(m.live)-1]
	b.text += text
	b.touch()
}

// saying is a block of what somebody says or thinks.
func (m *screen) saying(kind blockKind, text string) *block {
	b := &block{kind: kind, text: text}
	if kind == thinkingBlock {
		b.label = m.thinking
	}
	return b
}

// message shows a message that was recorded; what was streamed of it stays where it is.
func (m *screen) message(msg *model.Message) {
	live := m.live
	if msg.Role == model.Assistant {
		m.live = nil
	}
	for i := range msg.Content {
		c := &msg.Content[i]
		kind, text := agentBlock, c.Text
		switch {
		case c.Type == model.ThinkingBlock:
			kind, text = thinkingBlock, c.Thinking
		case c.Type != model.TextBlock:
			continue
		case msg.Role == model.User:
			kind = personBlock
		}
		if at := slices.IndexFunc(live, func(b *block) bool { return b.kind == kind }); at >= 0 && msg.Role == model.Assistant {
			if live[at].text != text {
				live[at].say(text)
			}
			live = live[at+1:]
		} else if text != "" {
			m.add(m.saying(kind, text))
		}
	}
}

// tool shows how a call is getting on.
func (m *screen) tool(ev agent.Event) {
	b := m.calls[ev.Call.ID]
	if b == nil {
		if ev.Kind == agent.KindDenied {
			return // its result says so
		}
		b = m.add(&block{kind: toolBlock, call: ev.Call, render: m.toolRenderer(ev.Call)})
		m.calls[ev.Call.ID] = b
	}
	switch ev.Kind {
	case agent.KindToolProgress:
		b.text = ev.Text
	case agent.KindToolEnd:
		b.result = ev.ToolResult
	}
	b.changed()
}

// subagent shows at the call that started it what a subagent does.
func (m *screen) subagent(ev agent.Event) {
	b := m.calls[ev.ParentCall]
	if b == nil || ev.Kind != agent.KindToolStart {
		return
	}
	b.steps++
	b.text = ev.AgentType + ": " + ev.Call.Name + " " + subject(ev.Call)
	b.touch()
}

// conversation is what the session holds that is open now.
func conversation(a *agent.Agent) ([]session.Entry, error) {
	s := a.Session()
	return s.BranchEntries(s.Leaf())
}

// moved shows the conversation anew when it does not end with what is shown last: somebody
// has moved in the session.
func (m *screen) moved(entries []session.Entry, err error) {
	last := ""
	for _, e := range entries {
		if e.Type == session.Message {
			last = e.ID
		}
	}
	if err != nil || last != m.shown {
		m.replay(entries, err)
	}
}

// replayOther shows an entry that is not a message of the person or the model.
func (m *screen) replayOther(e session.Entry) {
	switch {
	case e.Type == session.Compaction:
		m.add(&block{kind: summaryBlock, text: e.Summary})
	case e.Type == session.Custom:
		m.entry(e)
	case e.Type == session.CustomMessage && e.Display:
		ev := agent.Event{CustomType: e.CustomType, Text: hook.Message{Content: hook.RawJSON(e.Content)}.Text(), Details: e.Details}
		m.add(&block{kind: customBlock, label: ev.CustomType, text: ev.Text, render: m.messageRenderer(ev)})
	}
}

// replay shows the conversation of a session that was opened.
func (m *screen) replay(entries []session.Entry, err error) {
	notices := slices.DeleteFunc(m.blocks, func(b *block) bool { return b.kind != noticeBlock && b.kind != hookBlock })
	m.transcript = transcript{theme: m.theme, ask: m.ask, expanded: m.expanded}
	m.live, m.calls, m.entries = nil, map[string]*block{}, map[string]bool{}
	if err != nil {
		m.notice(fmt.Sprintf("The conversation cannot be read: %v", err), ui.Error)
	}
	m.shown = ""
	for _, e := range entries {
		if e.Type != session.Message {
			m.replayOther(e)
			continue
		}
		m.shown = e.ID
		var msg model.Message
		if err := json.Unmarshal(e.Message, &msg); err != nil {
			continue // a program of another version wrote it
		}
		m.message(&msg)
		for i := range msg.Content {
			c := &msg.Content[i]
			switch {
			case c.Type == model.ToolUseBlock:
				m.calls[c.ID] = m.add(&block{kind: toolBlock, call: c, render: m.toolRenderer(c)})
			case c.Type == model.ToolResultBlock && m.calls[c.ToolUseID] != nil:
				m.calls[c.ToolUseID].result = c
			}
		}
	}
	for _, b := range notices {
		m.add(b)
	}
}
