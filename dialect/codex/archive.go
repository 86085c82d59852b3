package codex

import (
	"fmt"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/internal/patch"
	"github.com/hookline-dev/hookline/hook"
)

var _ dialect.Archived = host{}

// Archives returns where Codex keeps its sessions.
func (h host) Archives() []dialect.Archive {
	return []dialect.Archive{{
		Agent: name, Dir: dialect.BelowHome("CODEX_HOME", ".codex", "sessions"),
		Is: func(name string) bool {
			return strings.HasPrefix(name, "rollout-") && strings.HasSuffix(name, ".jsonl")
		},
		Reader: func(path string) dialect.SessionReader { return &pastSession{path: path, codec: h.Codec()} },
	}}
}

// pastItem is what is read of a line of a session: what it stands for is told by its type
// and that of its payload.
type pastItem struct {
	Time    time.Time `json:"timestamp"`
	Type    string    `json:"type"`
	Payload struct {
		Type      string `json:"type"`
		ID        string `json:"id"`
		CWD       string `json:"cwd"`
		Model     string `json:"model"`
		Approval  string `json:"approval_policy"`
		TurnID    string `json:"turn_id"`
		Message   string `json:"message"`
		LastWords string `json:"last_agent_message"`
		// A call and its result.
		Name      string    `json:"name"`
		CallID    string    `json:"call_id"`
		Arguments string    `json:"arguments"`
		Text      hook.JSON `json:"input"`
		Output    hook.JSON `json:"output"`
		Action    struct {
			Command []string `json:"command"`
		} `json:"action"`
		Item struct {
			Type    string `json:"type"`
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
		} `json:"item"`
	} `json:"payload"`
}

// pastSession makes the events of a session again.
type pastSession struct {
	path, session, cwd, model, mode, turn string

	prompted bool // the turn's prompt was seen, which some versions write twice
	codec    dialect.Codec
	calls    dialect.PastCalls
}

// Next reads a line.
func (s *pastSession) Next(text []byte) ([]dialect.Past, error) {
	var l pastItem
	if err := dialect.PastDecode(text, &l); err != nil {
		return nil, err
	}
	p := &l.Payload
	switch l.Type + " " + p.Type {
	case "session_meta ":
		s.session, s.cwd = p.ID, p.CWD
	case "turn_context ":
		s.cwd, s.model, s.turn, s.prompted = p.CWD, p.Model, p.TurnID, false
		s.mode = map[string]string{"never": "bypassPermissions"}[p.Approval]
	case "event_msg user_message":
		return s.prompt(l.Time, p.Message)
	case "event_msg item_completed":
		if p.Item.Type == "UserMessage" {
			words := ""
			for _, c := range p.Item.Content {
				words += c.Text
			}
			return s.prompt(l.Time, words)
		}
	case "event_msg task_complete":
		return s.event(l.Time, "Stop", map[string]any{"stop_hook_active": false, "last_assistant_message": p.LastWords})
	case "response_item function_call", "response_item custom_tool_call", "response_item local_shell_call":
		return s.call(&l)
	case "response_item function_call_output", "response_item custom_tool_call_output":
		return s.calls.Result(l.Time, result(p.CallID, p.Output)), nil
	}
	return nil, nil
}

func (s *pastSession) prompt(at time.Time, text string) ([]dialect.Past, error) {
	if s.prompted || text == "" {
		return nil, nil
	}
	s.prompted = true
	return s.event(at, "UserPromptSubmit", map[string]any{"prompt": text})
}

// call is a call as hooks are told of it: whatever runs a command is Bash there, and a
// patch apply_patch. Calls of other tools that the host has built in are not hooked.
func (s *pastSession) call(l *pastItem) ([]dialect.Past, error) {
	p := &l.Payload
	args := hook.RawJSON(p.Arguments)
	tool, command := "Bash", ""
	switch {
	case len(p.Action.Command) > 0:
		command = shellText(p.Action.Command)
	case p.Name == patch.Tool:
		tool, command = patch.Tool, args.String("input")
		if text, ok := p.Text.AsString(); ok {
			command = text
		}
	case p.Name == "exec_command":
		command = args.String("cmd")
	case p.Name == "shell" || p.Name == "shell_command" || p.Name == "container.exec":
		var words []string
		list, _ := args.Get("command")
		if command = args.String("command"); command == "" && list.Decode(&words) == nil {
			command = shellText(words)
		}
	case strings.HasPrefix(p.Name, "mcp__"):
		return s.event(l.Time, "PreToolUse", map[string]any{"tool_name": p.Name, "tool_input": args, "tool_use_id": p.CallID})
	default:
		return nil, nil
	}
	if command == "" {
		return nil, fmt.Errorf("call %s of %s has no command", p.CallID, p.Name)
	}
	return s.event(l.Time, "PreToolUse", map[string]any{"tool_name": tool, "tool_input": map[string]string{"command": command}, "tool_use_id": p.CallID})
}

// shellText is a command line of which the words are given: what a shell is told with -c,
// or the words.
func shellText(words []string) string {
	if len(words) == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
		return words[2]
	}
	return strings.Join(words, " ")
}

func (s *pastSession) event(at time.Time, name string, members map[string]any) ([]dialect.Past, error) {
	members["hook_event_name"], members["session_id"], members["transcript_path"] = name, s.session, s.path
	members["cwd"], members["model"], members["turn_id"] = s.cwd, s.model, s.turn
	if s.mode != "" {
		members["permission_mode"] = s.mode
	}
	in, err := dialect.PastInput(s.codec, members)
	if err != nil {
		return nil, err
	}
	if name == "PreToolUse" {
		return s.calls.Add(at, s.codec, in), nil
	}
	return []dialect.Past{{Time: at, Input: in}}, nil
}

// refusals begin what a call comes to that did not run.
var refusals = []string{"Command blocked by PreToolUse hook:", "exec command rejected by user", "patch rejected by user", "rejected by user", "unsupported call:", "unsupported custom tool call:"}

func result(call string, output hook.JSON) dialect.PastResult {
	text, _ := output.AsString()
	r := dialect.PastResult{Call: call, Fate: dialect.FateRan, Response: output, Text: text}
	for _, start := range refusals {
		if strings.HasPrefix(text, start) {
			r.Fate = dialect.FateRefused
		}
	}
	return r
}
