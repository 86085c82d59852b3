package backtest

import (
	"strings"
	"time"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
)

// own is where our own agent keeps its sessions.
var own = dialect.Archive{
	Agent: "hookline",
	Dir:   func(d dialect.Dirs, _ func(string) string) string { return d.Sessions() },
	Is: func(name string) bool {
		return strings.HasSuffix(name, ".jsonl") && !strings.HasSuffix(name, session.TranscriptPath("")) // beside it, and says the same
	},
	Reader: func(path string) dialect.SessionReader {
		return &ownSession{base: hook.Common{TranscriptPath: session.TranscriptPath(path)}}
	},
}

// ownLine is the header of a session or an entry.
type ownLine struct {
	Type    session.Type `json:"type"`
	ID      string       `json:"id"`
	CWD     string       `json:"cwd"`
	Time    time.Time    `json:"timestamp"`
	Message struct {
		Role       string    `json:"role"`
		Content    hook.JSON `json:"content"`
		StopReason string    `json:"stop_reason"`
	} `json:"message"`
}

// ownBlock is a block of a message.
type ownBlock struct {
	Type      string     `json:"type"`
	Text      string     `json:"text"`
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Input     hook.JSON  `json:"input"`
	ToolUseID string     `json:"tool_use_id"`
	Content   []ownBlock `json:"content"`
	IsError   bool       `json:"is_error"`
}

// ownSession makes the events of a session of ours again.
type ownSession struct {
	base  hook.Common
	calls dialect.PastCalls
}

// Next reads a line.
func (s *ownSession) Next(line []byte) ([]dialect.Past, error) {
	var l ownLine
	if err := dialect.PastDecode(line, &l); err != nil {
		return nil, err
	}
	if l.Type == "session" {
		s.base.SessionID, s.base.CWD = l.ID, l.CWD
	}
	if l.Type != session.Message {
		return nil, nil
	}
	blocks, err := ownBlocks(l.Message.Content)
	if err != nil {
		return nil, err
	}
	var out []dialect.Past
	text := textOf(blocks)
	for _, b := range blocks {
		switch b.Type {
		case "tool_use":
			out = append(out, s.calls.Add(l.Time, nil, &hook.PreToolUse{Common: s.base, ToolName: b.Name, ToolInput: b.Input, ToolUseID: b.ID})...)
		case "tool_result":
			said := textOf(b.Content)
			r := dialect.PastResult{Call: b.ToolUseID, Fate: dialect.FateRan, Response: hook.MustJSON(said), Failed: b.IsError, Text: said}
			if b.IsError && strings.HasPrefix(said, "Permission to use ") {
				r.Fate = dialect.FateRefused
			}
			out = append(out, s.calls.Result(l.Time, r)...)
		}
	}
	switch {
	case text == "":
	case l.Message.Role == "user":
		out = append(out, dialect.Past{Time: l.Time, Input: &hook.UserPromptSubmit{Common: s.base, Prompt: text}})
	case l.Message.StopReason == "end_turn":
		out = append(out, dialect.Past{Time: l.Time, Input: &hook.Stop{Common: s.base, LastAssistantMessage: text}})
	}
	return out, nil
}

// ownBlocks are the blocks of a message, of which a text is one.
func ownBlocks(content hook.JSON) ([]ownBlock, error) {
	return dialect.PastBlocks(content, func(text string) ownBlock { return ownBlock{Type: "text", Text: text} })
}

func textOf(blocks []ownBlock) (text string) {
	for _, b := range blocks {
		if b.Type == "text" {
			text += b.Text
		}
	}
	return text
}
