package kodelet

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/jsonx"
)

// Codec translates between the engine and executable hooks. The zero Codec is
// ready for use.
type Codec struct {
	// Now is the clock for the timestamps of tool results; nil is time.Now.
	Now func() time.Time
}

var _ dialect.Codec = Codec{}

// payload is what a hook reads from stdin.
type payload struct {
	Event      string `json:"event"`
	ConvID     string `json:"conv_id"`
	CWD        string `json:"cwd"`
	InvokedBy  string `json:"invoked_by"`
	RecipeName string `json:"recipe_name,omitzero"`

	ToolName   string     `json:"tool_name,omitzero"`
	ToolInput  hook.JSON  `json:"tool_input,omitzero"`
	ToolError  string     `json:"tool_input_error,omitzero"`
	ToolOutput *result    `json:"tool_output,omitzero"`
	ToolUserID string     `json:"tool_user_id,omitzero"`
	Message    *string    `json:"message,omitzero"`
	Messages   *[]message `json:"messages,omitzero"`
	Response   *string    `json:"response,omitzero"`
	TurnNumber int        `json:"turn_number,omitzero"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// result is kodelet's StructuredToolResult.
type result struct {
	ToolName     string    `json:"toolName"`
	Success      bool      `json:"success"`
	Error        string    `json:"error,omitzero"`
	MetadataType string    `json:"metadataType,omitzero"`
	Metadata     hook.JSON `json:"metadata,omitzero"`
	Timestamp    time.Time `json:"timestamp"`
}

// errNoType is the error for an event that no hook type covers.
var errNoType = errors.New("no kodelet hook type covers this event")

// EncodeInput returns the payload of a call.
func (c Codec) EncodeInput(call *hook.Call) ([]byte, error) { return c.Encode(call.Input) }

// Encode returns the payload for an input, one JSON object on one line.
func (c Codec) Encode(in hook.Input) ([]byte, error) {
	typ := TypeOf(in.Event())
	if typ == "" {
		return nil, fmt.Errorf("encode %v: %w", in.Event(), errNoType)
	}
	b := in.Base()
	p := payload{Event: typ, ConvID: b.SessionID, CWD: b.CWD, InvokedBy: invokedBy(b), RecipeName: b.RecipeName}
	switch in := in.(type) {
	case *hook.PreToolUse:
		p.tool(in.ToolName, in.ToolInput, in.ToolUseID)
	case *hook.PostToolUse:
		p.tool(in.ToolName, in.ToolInput, in.ToolUseID)
		p.ToolOutput = c.result(ran{in.ToolName, in.ToolInput, in.ToolResponse, "", b.CWD, in.DurationMS})
	case *hook.PostToolUseFailure:
		p.tool(in.ToolName, in.ToolInput, in.ToolUseID)
		p.ToolOutput = c.result(ran{in.ToolName, in.ToolInput, in.ToolResponse, in.Error, b.CWD, in.DurationMS})
	case *hook.UserPromptSubmit:
		p.Message = &in.Prompt
	case *hook.Stop:
		p.Messages = history(in.Messages, in.LastAssistantMessage)
	case *hook.SubagentStop:
		p.Messages = history(in.Messages, in.LastAssistantMessage)
	case *hook.TurnEnd:
		p.Response, p.TurnNumber = &in.Response, in.TurnIndex+1
	}
	var out bytes.Buffer
	if err := json.MarshalWrite(&out, &p, hook.EncodeOptions()); err != nil {
		return nil, fmt.Errorf("encode %s payload: %w", typ, err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

func (p *payload) tool(name string, input hook.JSON, id string) {
	p.ToolName, p.ToolInput = tools.Out(name, input)
	p.ToolUserID = id
	if !input.IsZero() && !input.Valid() {
		p.ToolError = "the tool input is not valid JSON; it is given as a string"
	}
}

func invokedBy(b *hook.Common) string {
	switch {
	case b.InvokedBy != "":
		return b.InvokedBy
	case b.AgentID != "":
		return "subagent"
	}
	return "main"
}

// history renders messages as text, which is all that a hook of this dialect gets: one for
// each block, with the words that kodelet 0.4.22 has before calls, results and thoughts, all
// of which are the assistant's there.
func history(msgs []hook.Message, last string) *[]message {
	out := []message{}
	for _, m := range msgs {
		out = append(out, rendered(m)...)
	}
	if len(out) == 0 && last != "" {
		out = append(out, message{"assistant", last})
	}
	return &out
}

// block is a part of a message's content.
type block struct {
	Type     string    `json:"type"`
	Text     string    `json:"text"`
	Thinking string    `json:"thinking"`
	Name     string    `json:"name"`
	Input    hook.JSON `json:"input"`
	Content  hook.JSON `json:"content"`
}

func rendered(m hook.Message) []message {
	var blocks []block
	if m.Content.Decode(&blocks) != nil {
		return []message{{m.Role, m.Text()}}
	}
	var out []message
	for _, b := range blocks {
		switch b.Type {
		case "text":
			out = append(out, message{m.Role, b.Text})
		case "tool_use":
			name, input := tools.Out(b.Name, b.Input)
			out = append(out, message{"assistant", fmt.Sprintf("🔧 Using tool: %s with input: %s", name, input.Raw())})
		case "tool_result":
			out = append(out, message{"assistant", "🔄 Tool result:\n" + hook.Message{Content: b.Content}.Text()})
		case "thinking":
			out = append(out, message{"assistant", "💭 Thinking: " + strings.TrimLeft(b.Thinking, "\n")})
		}
	}
	return out
}

// answer is what a hook may write to stdout.
type answer struct {
	Blocked   *bool          `json:"blocked"`
	Reason    string         `json:"reason"`
	Input     hook.JSON      `json:"input"`
	Output    *result        `json:"output"`
	FollowUps []string       `json:"follow_up_messages"`
	Rest      jsontext.Value `json:",embed"`
}

// DecodeResult reads a hook's answer. Empty stdout is not an action; a code other than
// 0 and stdout that is not a JSON object are failures, whatever else was said.
func (c Codec) DecodeResult(call *hook.Call, a handler.Answer) (hook.Result, []string, error) {
	if err := exitFailure(a); err != nil {
		return hook.Result{}, nil, err
	}
	if a.StdoutTruncated {
		return hook.Result{}, nil, hook.Failf(hook.FailureAnswer, "its answer is larger than the cap, and part of an answer is none")
	}
	text := bytes.TrimSpace(bytes.TrimPrefix(a.Stdout, []byte("\ufeff")))
	if len(text) == 0 {
		return hook.Result{}, nil, nil
	}
	var ans answer
	// Names count in any case, as for kodelet; the same one twice is not an answer.
	if err := json.Unmarshal(text, &ans, json.MatchCaseInsensitiveNames(true)); err != nil {
		return hook.Result{}, nil, hook.Failf(hook.FailureAnswer, "stdout is not one JSON object of its kind: %s (it begins %q)", jsonx.ErrorText(err), begin(text))
	}
	return c.decode(call, &ans)
}

func exitFailure(a handler.Answer) error {
	switch {
	case a.Signal != "":
		return hook.Failf(hook.FailureSignal, "ended by %s", a.Signal)
	case a.ExitCode != 0:
		var hint string
		if a.ExitCode == 2 {
			hint = ` (it is not a block here: that is {"blocked": true} on stdout and exit code 0)`
		}
		if line := lastLine(a.Stderr); line != "" {
			return hook.Failf(hook.FailureExit, "exit code %d: %s%s", a.ExitCode, line, hint)
		}
		return hook.Failf(hook.FailureExit, "exit code %d%s", a.ExitCode, hint)
	}
	return nil
}

func lastLine(b []byte) string {
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(b), "\uFFFD")), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// didYouMean names the key of this dialect that an unknown one was probably to be.
func didYouMean(key string) string {
	for known, others := range map[string][]string{
		"blocked":            {"block", "deny", "denied", "decision", "permissionDecision", "hookSpecificOutput", "result"},
		"reason":             {"message", "reasons", "stopReason"},
		"input":              {"updatedInput", "tool_input", "inputs"},
		"output":             {"updatedToolOutput", "tool_output", "outputs"},
		"follow_up_messages": {"follow_up", "followUpMessages", "follow_ups", "messages"},
	} {
		for _, other := range others {
			if strings.EqualFold(key, other) || strings.EqualFold(key, known) {
				return fmt.Sprintf(" (did you mean %s?)", known)
			}
		}
	}
	return ""
}

func begin(b []byte) string { return string(b[:min(len(b), 80)]) }

func (c Codec) decode(call *hook.Call, ans *answer) (res hook.Result, notes []string, err error) {
	typ := TypeOf(call.Input.Event())
	for _, k := range hook.RawJSON(ans.Rest).Keys() {
		if k != "success" && k != "message" { // what hooks that have nothing to say like to print
			notes = append(notes, fmt.Sprintf("unknown key %q means nothing%s", k, didYouMean(k)))
		}
	}
	if ans.Blocked != nil && *ans.Blocked {
		if typ == BeforeToolCall || typ == UserMessageSend {
			res.Decision, res.Reason = hook.DecisionDeny, ans.Reason
		} else { // kodelet reads it nowhere else
			notes = append(notes, fmt.Sprintf("\"blocked\" means nothing for %s", typ))
		}
	}
	if !ans.Input.IsZero() {
		if err := c.decodeInput(call, ans, &res); err != nil {
			return hook.Result{}, notes, err
		}
	}
	if ans.Output != nil {
		res.UpdatedOutput = response(ans.Output)
		if _, failed := call.Input.(*hook.PostToolUseFailure); ans.Output.Success == failed {
			res.IsError = map[bool]hook.Tri{true: hook.No, false: hook.Yes}[ans.Output.Success]
		}
	}
	res.FollowUps = ans.FollowUps
	if call.Strict && typ == UserMessageSend && ans.Blocked == nil {
		return hook.Result{}, notes, hook.Failf(hook.FailureAnswer, "the answer has no \"blocked\"")
	}
	return res, notes, nil
}

// decodeInput translates a replaced tool input back; one that is not an object is a
// failure, since the tool could not run with it.
func (c Codec) decodeInput(call *hook.Call, ans *answer, res *hook.Result) error {
	if ans.Input.Raw() == "null" {
		return nil
	}
	if !strings.HasPrefix(ans.Input.Raw(), "{") {
		return hook.Failf(hook.FailureAnswer, "\"input\" is not a JSON object")
	}
	name := ""
	if pre, ok := call.Input.(*hook.PreToolUse); ok {
		name = tools.DialectName(pre.ToolName)
	}
	_, res.UpdatedInput = tools.In(name, ans.Input)
	return nil
}
