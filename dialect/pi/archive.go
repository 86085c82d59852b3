package pi

import (
	"strings"
	"time"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
)

var _ dialect.Archived = Dialect{}

// Archives returns where pi and oh-my-pi keep their sessions, which have one form.
func (Dialect) Archives() []dialect.Archive {
	read := func(path string) dialect.SessionReader { return &pastSession{path: path} }
	is := func(name string) bool { return strings.HasSuffix(name, ".jsonl") }
	return []dialect.Archive{
		{Agent: name, Dir: dialect.BelowHome("PI_CODING_AGENT_DIR", ".pi/agent", "sessions"), Is: is, Reader: read},
		{Agent: "omp", Dir: dialect.BelowHome("", ".omp/agent", "sessions"), Is: is, Reader: read},
	}
}

// pastEntry is what is read of an entry of a session.
type pastEntry struct {
	Type    string    `json:"type"`
	ID      string    `json:"id"`
	Time    time.Time `json:"timestamp"`
	CWD     string    `json:"cwd"`
	Message struct {
		Role       string    `json:"role"`
		Content    hook.JSON `json:"content"`
		StopReason string    `json:"stopReason"`
		ToolCallID string    `json:"toolCallId"`
		Details    hook.JSON `json:"details"`
		IsError    bool      `json:"isError"`
	} `json:"message"`
}

// pastBlock is a block of a message.
type pastBlock struct {
	Type      string    `json:"type"`
	Text      string    `json:"text"`
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Arguments hook.JSON `json:"arguments"`
}

// pastSession makes the events of a session again.
type pastSession struct {
	path, id, cwd string

	calls dialect.PastCalls
}

// Next reads an entry.
func (s *pastSession) Next(line []byte) ([]dialect.Past, error) {
	var e pastEntry
	if err := dialect.PastDecode(line, &e); err != nil {
		return nil, err
	}
	if e.Type == "session" {
		s.id, s.cwd = e.ID, e.CWD
		return nil, nil
	}
	if e.Type != "message" {
		return nil, nil
	}
	blocks, err := pastBlocks(e.Message.Content)
	if err != nil {
		return nil, err
	}
	text := ""
	for _, b := range blocks {
		text += b.Text
	}
	switch e.Message.Role {
	case "user":
		return s.event(e.Time, map[string]any{"type": "before_agent_start", "prompt": text, "systemPrompt": ""})
	case "toolResult":
		r := dialect.PastResult{Call: e.Message.ToolCallID, Fate: dialect.FateRan, Failed: e.Message.IsError, Text: text}
		r.Response = hook.MustJSON(values{"content": e.Message.Content, "details": e.Message.Details})
		return s.calls.Result(e.Time, r), nil
	case "assistant":
		return s.answer(&e, blocks, text)
	}
	return nil, nil
}

// answer is what an answer of the model leads to: calls, or the end of the turn.
func (s *pastSession) answer(e *pastEntry, blocks []pastBlock, text string) (out []dialect.Past, err error) {
	for _, b := range blocks {
		if b.Type == "toolCall" {
			more, err := s.event(e.Time, map[string]any{"type": "tool_call", "toolName": b.Name, "toolCallId": b.ID, "input": b.Arguments})
			if err != nil {
				return out, err
			}
			out = append(out, more...)
		}
	}
	if e.Message.StopReason == "stop" {
		out = append(out, dialect.Past{Time: e.Time, Input: &hook.Stop{
			Common: hook.Common{SessionID: s.id, TranscriptPath: s.path, CWD: s.cwd}, LastAssistantMessage: text,
		}})
	}
	return out, nil
}

func (s *pastSession) event(at time.Time, members map[string]any) ([]dialect.Past, error) {
	members["cwd"], members["sessionId"], members["sessionFile"] = s.cwd, s.id, s.path
	in, err := dialect.PastInput(foreignCodec{}, members)
	if err != nil {
		return nil, err
	}
	if _, call := in.(*hook.PreToolUse); call {
		return s.calls.Add(at, foreignCodec{}, in), nil
	}
	return []dialect.Past{{Time: at, Input: in}}, nil
}

// pastBlocks are the blocks of a message, of which a text is one.
func pastBlocks(content hook.JSON) ([]pastBlock, error) {
	return dialect.PastBlocks(content, func(text string) pastBlock { return pastBlock{Type: "text", Text: text} })
}
