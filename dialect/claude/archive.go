package claude

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
)

var _ dialect.Archived = Dialect{}

// Archives returns where Claude Code keeps its sessions.
func (Dialect) Archives() []dialect.Archive {
	return []dialect.Archive{{
		Agent: "claude", Dir: dialect.BelowHome("CLAUDE_CONFIG_DIR", ".claude", "projects"),
		Is:     func(name string) bool { return strings.HasSuffix(name, ".jsonl") },
		Reader: func(path string) dialect.SessionReader { return &pastSession{path: path} },
	}}
}

// pastLine is what is read of a line of a session.
type pastLine struct {
	Type           string         `json:"type"`
	Time           time.Time      `json:"timestamp"`
	SessionID      string         `json:"sessionId"`
	CWD            string         `json:"cwd"`
	AgentID        string         `json:"agentId"`
	PromptID       string         `json:"promptId"`
	PermissionMode string         `json:"permissionMode"`
	Sidechain      bool           `json:"isSidechain"`
	Meta           bool           `json:"isMeta"`
	Summary        bool           `json:"isCompactSummary"`
	ForkedFrom     jsontext.Value `json:"forkedFrom"`
	Message        struct {
		ID         string    `json:"id"`
		Content    hook.JSON `json:"content"`
		StopReason string    `json:"stop_reason"`
	} `json:"message"`
	ToolUseResult hook.JSON `json:"toolUseResult"`
	DenialKind    string    `json:"toolDenialKind"`
	Permission    struct {
		Decision string `json:"decision"`
		Source   string `json:"source"`
		Code     string `json:"reasonCode"`
	} `json:"permissionDecision"`
}

// pastBlock is a block of a message.
type pastBlock struct {
	Type      string    `json:"type"`
	Text      string    `json:"text"`
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Input     hook.JSON `json:"input"`
	ToolUseID string    `json:"tool_use_id"`
	Content   hook.JSON `json:"content"`
	IsError   bool      `json:"is_error"`
}

// pastSession makes the events of a session again.
type pastSession struct {
	path    string
	mode    string
	stopped string // id of the message with which the last turn ended
	calls   dialect.PastCalls
}

// Next reads a line. What a fork copied from its session is that one's.
func (s *pastSession) Next(text []byte) ([]dialect.Past, error) {
	var l pastLine
	if err := dialect.PastDecode(text, &l); err != nil {
		return nil, err
	}
	if len(l.ForkedFrom) > 0 || l.Type != "user" && l.Type != "assistant" {
		return nil, nil
	}
	if l.PermissionMode != "" {
		s.mode = l.PermissionMode
	}
	blocks, err := pastBlocks(l.Message.Content)
	if err != nil {
		return nil, err
	}
	var out []dialect.Past
	prompt := ""
	for _, b := range blocks {
		switch {
		case b.Type == "tool_use":
			in, err := s.input(&l, "PreToolUse", map[string]any{"tool_name": b.Name, "tool_input": b.Input, "tool_use_id": b.ID})
			if err != nil {
				return out, err
			}
			out = append(out, s.calls.Add(l.Time, NewCodec(CodecOptions{}), in)...)
		case b.Type == "tool_result":
			out = append(out, s.calls.Result(l.Time, l.result(&b))...)
		case b.Type == "text" && l.Type == "user":
			prompt += b.Text
		case b.Type == "text" && l.Message.StopReason == "end_turn" && !l.Sidechain && s.stopped != l.Message.ID:
			s.stopped = l.Message.ID
			in, err := s.input(&l, "Stop", map[string]any{"stop_hook_active": false, "last_assistant_message": b.Text})
			if err != nil {
				return out, err
			}
			out = append(out, dialect.Past{Time: l.Time, Input: in})
		}
	}
	if prompt = typed(prompt); prompt != "" && !l.Sidechain && !l.Meta && !l.Summary {
		in, err := s.input(&l, "UserPromptSubmit", map[string]any{"prompt": prompt})
		if err != nil {
			return out, err
		}
		out = append(out, dialect.Past{Time: l.Time, Input: in})
	}
	return out, nil
}

// input is an event of the session, given by what its payload has besides the common
// members.
func (s *pastSession) input(l *pastLine, event string, members map[string]any) (hook.Input, error) {
	members["hook_event_name"], members["session_id"], members["transcript_path"], members["cwd"] = event, l.SessionID, s.path, l.CWD
	for key, value := range map[string]string{"permission_mode": s.mode, "agent_id": l.AgentID, "prompt_id": l.PromptID} {
		if value != "" {
			members[key] = value
		}
	}
	return dialect.PastInput(NewCodec(CodecOptions{}), members)
}

// result is what a block says of a call.
func (l *pastLine) result(b *pastBlock) dialect.PastResult {
	r := dialect.PastResult{Call: b.ToolUseID, Fate: dialect.FateRan, Response: l.ToolUseResult, Failed: b.IsError}
	if blocks, err := pastBlocks(b.Content); err == nil {
		for _, inner := range blocks {
			r.Text += inner.Text
		}
	}
	byPerson := strings.HasPrefix(l.Permission.Source, "user")
	// A code says why a rule did not allow the call, unless a hook or a rule refused it before.
	r.Asked = byPerson || l.Permission.Code != "" && l.Permission.Code != "hook:PreToolUse" && !strings.HasPrefix(l.Permission.Code, "rule:")
	said, _ := l.ToolUseResult.AsString()
	switch {
	case l.DenialKind != "", l.Permission.Decision == "reject", said == "User rejected tool use":
		r.Fate = dialect.FateRefused
	case byPerson:
		r.Fate = dialect.FateApproved
	}
	return r
}

// pastBlocks are the blocks of a message, of which a text is one.
func pastBlocks(content hook.JSON) ([]pastBlock, error) {
	return dialect.PastBlocks(content, func(text string) pastBlock { return pastBlock{Type: "text", Text: text} })
}

// typed is what a person typed, of a text that a session has for it; "" for what nobody
// typed, such as the output of a command.
func typed(text string) string {
	if rest, ok := strings.CutPrefix(text, "<command-message>"); ok {
		_, rest, _ = strings.Cut(rest, "<command-name>")
		name, rest, _ := strings.Cut(rest, "</command-name>")
		_, rest, _ = strings.Cut(rest, "<command-args>")
		args, _, _ := strings.Cut(rest, "</command-args>")
		return strings.TrimSpace(name + " " + args)
	}
	for _, mark := range []string{"<command-", "<local-command-", "<bash-", "<task-notification>", "[Request interrupted"} {
		if strings.HasPrefix(text, mark) {
			return ""
		}
	}
	return text
}
