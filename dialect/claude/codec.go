package claude

import (
	"bytes"
	"fmt"
	"math"
	"time"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
)

// MessageTo says where a hook's systemMessage goes.
type MessageTo uint8

// The places of a systemMessage.
const (
	ToPerson MessageTo = iota // shown to the person only
	ToBoth                    // shown to the person and added to the next model call
	ToModel                   // added to the next model call only
)

// String returns both, person or model.
func (m MessageTo) String() string {
	switch m {
	case ToBoth:
		return "both"
	case ToModel:
		return "model"
	}
	return "person"
}

// parseMessageTo reads both, person or model; "" is person.
func parseMessageTo(s string) (MessageTo, error) {
	switch s {
	case "", "person":
		return ToPerson, nil
	case "both":
		return ToBoth, nil
	case "model":
		return ToModel, nil
	}
	return 0, fmt.Errorf("systemMessage goes to both, person or model, not to %q", s)
}

// DefaultTextLimit is how many characters of one string reach the model.
const DefaultTextLimit = 10_000

// previewLength is how much of a longer string reaches the model.
const previewLength = 2_000

// CodecOptions configure a codec. The zero value is what the format says, with
// systemMessage going to the person.
type CodecOptions struct {
	// SystemMessage says where systemMessage goes.
	SystemMessage MessageTo
	// StopOnContinueTrue makes {"continue":true} on Stop and SubagentStop keep the
	// agent going. Otherwise it means nothing: it is the format's default value.
	StopOnContinueTrue bool
	// TextLimit is how many characters of one string may reach the model; 0 means
	// DefaultTextLimit.
	TextLimit int
	// Overflow stores a text that is longer and returns where. The model is given
	// the beginning and that path. Without it, or when it fails, only the beginning
	// is kept. It may be called from several goroutines.
	Overflow func(text string) (path string, err error)
	// Terminal says that a person sits at a terminal: SessionStart names the model then too,
	// not after a compaction only.
	Terminal bool
}

// Codec translates between the engine and hooks of this dialect, in both
// directions. It is immutable and safe for concurrent use; the zero Codec is
// ready.
type Codec struct {
	opts CodecOptions
	kind answerKind
}

// answerKind says what kind of hook an answer comes from.
type answerKind uint8

const (
	fromCommand answerKind = iota
	fromHTTP
)

// NewCodec returns the codec of command, mcp_tool, prompt and agent hooks.
func NewCodec(opts CodecOptions) *Codec { return &Codec{opts: opts} }

var (
	_ dialect.Codec      = (*Codec)(nil)
	_ handler.AsyncCodec = (*Codec)(nil)
)

// ForHTTP returns the codec of http hooks: an empty body means no opinion, a JSON
// object is the answer, and any other body is a failure. An HTTP answer has exit
// code 0.
func (c *Codec) ForHTTP() *Codec { return &Codec{c.opts, fromHTTP} }

// encodeError reports an input that could not be given to a hook.
type encodeError struct {
	Event hook.Event
	Err   error
}

func (e *encodeError) Error() string {
	return fmt.Sprintf("the input of %v cannot be given to a hook: %v", e.Event, e.Err)
}

// Unwrap returns the cause.
func (e *encodeError) Unwrap() error { return e.Err }

// EncodeInput returns what a hook reads on stdin: one JSON object on one line,
// and a line break. A tool call without arguments has an empty object, and the prompt of
// a command is what the person typed.
func (c *Codec) EncodeInput(call *hook.Call) ([]byte, error) {
	in := call.Input
	if tool, input := toolCall(in); tool != "" && input.IsZero() {
		in = withoutArguments(in)
	}
	if p, ok := in.(*hook.UserPromptSubmit); ok && p.TypedPrompt != "" {
		typed := *p
		typed.Prompt, typed.TypedPrompt = p.TypedPrompt, ""
		in = &typed
	}
	if s, ok := in.(*hook.SessionStart); ok && s.Source != "compact" && (!c.opts.Terminal || s.Source != "startup") {
		unnamed := *s
		unnamed.Model = ""
		in = &unnamed
	}
	b, err := hook.MarshalInput(in)
	if err == nil {
		b, err = payload(in.Event(), b)
	}
	if err != nil {
		return nil, &encodeError{in.Event(), err}
	}
	return append(b, '\n'), nil
}

// withoutArguments returns a copy of a tool event's input whose tool input is an
// empty object.
func withoutArguments(in hook.Input) hook.Input {
	empty := hook.RawJSON("{}")
	switch in := in.(type) {
	case *hook.PreToolUse:
		c := *in
		c.ToolInput = empty
		return &c
	case *hook.PermissionRequest:
		c := *in
		c.ToolInput = empty
		return &c
	case *hook.PermissionDenied:
		c := *in
		c.ToolInput = empty
		return &c
	case *hook.PostToolUse:
		c := *in
		c.ToolInput = empty
		return &c
	case *hook.PostToolUseFailure:
		c := *in
		c.ToolInput = empty
		return &c
	}
	return in
}

// DecodeAsync reads the first line of a hook's output: {"async":true} says that
// the hook goes on in the background, and asyncTimeout bounds that, in seconds as
// everywhere in this dialect's JSON. (The TypeScript SDK counts the same member of
// a callback's answer in milliseconds.) A timeout that is not a positive number is
// none.
func (c *Codec) DecodeAsync(line []byte) (timeout time.Duration, ok bool) {
	line = bytes.TrimSpace(bytes.TrimPrefix(line, utf8BOM))
	if !bytes.HasPrefix(line, []byte("{")) || !bytes.HasSuffix(line, []byte("}")) {
		return 0, false
	}
	obj := hook.RawJSON(line)
	if _, err := object(obj.Raw()); err != nil || !obj.Bool("async") {
		return 0, false
	}
	seconds, isNumber := obj.Float("asyncTimeout")
	if !isNumber || seconds <= 0 {
		return 0, true
	}
	return toDuration(seconds), true
}

// toDuration converts seconds, at most the longest time.Duration.
func toDuration(seconds float64) time.Duration {
	if seconds >= math.MaxInt64/float64(time.Second) {
		return math.MaxInt64
	}
	return time.Duration(seconds * float64(time.Second))
}
