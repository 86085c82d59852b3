package agentsdk

import (
	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
)

// growing is an answer that is arriving.
type growing struct {
	begun map[int]bool // the blocks that have been begun
	usage model.Usage
}

// piece tells the next piece of an answer, as events of the model's own stream.
func (s *Stream) piece(ev agent.Event) {
	tell := func(event map[string]any) {
		s.Send(partial{Type: "stream_event", Event: event, ParentToolUseID: parentOf(ev), ids: newIDs(ev)})
	}
	m := ev.Stream
	s.mu.Lock()
	g := s.answers[ev.AgentID]
	if g == nil || m.Kind == model.Start {
		g = &growing{begun: map[int]bool{}}
		s.answers[ev.AgentID] = g
	}
	if m.Kind == model.Stop {
		delete(s.answers, ev.AgentID)
	}
	s.mu.Unlock()
	begin := func(block any) {
		if !g.begun[m.Index] {
			g.begun[m.Index] = true
			tell(map[string]any{"type": "content_block_start", "index": m.Index, "content_block": block})
		}
	}
	delta := func(typ, key, text string) {
		tell(map[string]any{"type": "content_block_delta", "index": m.Index, "delta": map[string]any{"type": typ, key: text}})
	}
	switch m.Kind {
	case model.Start:
		tell(map[string]any{"type": "message_start", "message": answerMessage(m.ID, m.Model, model.Usage{})})
	case model.TextDelta:
		begin(map[string]any{"type": "text", "text": "", "citations": nil})
		delta("text_delta", "text", m.Text)
	case model.ThinkingDelta:
		begin(map[string]any{"type": "thinking", "thinking": "", "signature": ""})
		delta("thinking_delta", "thinking", m.Text)
	case model.ToolCallStart:
		begin(map[string]any{"type": "tool_use", "id": m.ID, "name": m.Name, "input": map[string]any{}})
	case model.ToolCallDelta:
		delta("input_json_delta", "partial_json", m.Text)
	case model.BlockEnd:
		begin(m.Block) // one that came whole
		if m.Block.Signature != "" {
			delta("signature_delta", "signature", m.Block.Signature)
		}
		tell(map[string]any{"type": "content_block_stop", "index": m.Index})
	case model.UsageReport:
		g.usage = m.Usage
	case model.Stop:
		tell(map[string]any{
			"type": "message_delta", "usage": deltaTokensOf(g.usage), "context_management": nil,
			"delta": map[string]any{"stop_reason": m.Reason, "stop_sequence": nil, "stop_details": nil, "container": nil},
		})
		tell(map[string]any{"type": "message_stop"})
	}
}
