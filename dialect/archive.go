package dialect

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/hook"
)

// Archived is a Dialect whose hosts keep their sessions in files, from which the events can
// be made again that hooks were asked about.
type Archived interface {
	Dialect
	// Archives are those of its hosts.
	Archives() []Archive
}

// Archive is where a host keeps sessions, and how they are read.
type Archive struct {
	// Agent is the host's name in commands, one word in lower case.
	Agent string
	// Dir is the directory below which the sessions lie, "" when it is not known.
	Dir func(d Dirs, getenv func(string) string) string
	// Is reports whether a file of a name is a session.
	Is func(name string) bool
	// Reader returns what reads one session.
	Reader func(path string) SessionReader
}

// BelowHome returns the directory of an archive: below the one that the variable env names,
// or else below one in the home directory, which is given with slashes.
func BelowHome(env, home, below string) func(d Dirs, getenv func(string) string) string {
	return func(d Dirs, getenv func(string) string) string {
		if dir := getenv(env); filepath.IsAbs(dir) {
			return filepath.Join(dir, below)
		}
		return Join(d.Home, filepath.FromSlash(home), below)
	}
}

// SessionReader makes the events of one session again. It is fed the lines of the file in
// their order, and used by one goroutine.
type SessionReader interface {
	// Next returns what a line adds. With an error the line cannot be understood; those
	// behind it can.
	Next(line []byte) ([]Past, error)
}

// Past is an event of a session, or what became of a tool call.
type Past struct {
	Time time.Time
	// Input is what hooks were asked about, as the host would tell them; nil when only the
	// fate is known.
	Input hook.Input
	// Call is the id of the tool call, and Fate what became of it, which is known once it
	// has a result.
	Call string
	Fate Fate
}

// Fate is what became of a tool call.
type Fate uint8

// The fates.
const (
	FateUnknown  Fate = iota
	FateRefused       // it did not run
	FateRan           // it ran
	FateApproved      // it ran because a person said so
)

// maxOpen bounds the calls of a session that wait for their results.
const maxOpen = 1000

// PastCalls are the tool calls of a session that have no result yet. The zero value has
// none.
type PastCalls struct{ open map[string][]*hook.PreToolUse }

// Add notes a call, and returns the events that hooks are asked with: several when the
// codec makes several calls of it.
func (c *PastCalls) Add(at time.Time, codec Codec, in hook.Input) (out []Past) {
	inputs := CallsOf(codec, in)
	if inputs == nil {
		inputs = []hook.Input{in}
	}
	if c.open == nil || len(c.open) >= maxOpen {
		c.open = map[string][]*hook.PreToolUse{}
	}
	for _, in := range inputs {
		if pre, ok := in.(*hook.PreToolUse); ok {
			kept := *pre // hooks may change the other one
			c.open[pre.ToolUseID] = append(c.open[pre.ToolUseID], &kept)
			out = append(out, Past{Time: at, Input: pre, Call: pre.ToolUseID})
		}
	}
	return out
}

// PastResult is the result of a tool call.
type PastResult struct {
	Call string
	Fate Fate
	// Asked says that a person was asked whether it may run.
	Asked bool
	// Response is what the tool returned, and Failed and Text that it failed and what it said.
	Response hook.JSON
	Failed   bool
	Text     string
}

// Result returns the events that belong to a result; nil for a call that is not known.
func (c *PastCalls) Result(at time.Time, r PastResult) (out []Past) {
	for _, pre := range c.open[r.Call] {
		if r.Asked {
			out = append(out, Past{Time: at, Call: r.Call, Input: &hook.PermissionRequest{Common: pre.Common, ToolName: pre.ToolName, ToolInput: pre.ToolInput}})
		}
		past := Past{Time: at, Call: r.Call, Fate: r.Fate}
		switch {
		case r.Fate == FateRefused:
		case r.Failed:
			past.Input = &hook.PostToolUseFailure{Common: pre.Common, ToolName: pre.ToolName, ToolInput: pre.ToolInput, ToolUseID: r.Call, Error: r.Text}
		default:
			past.Input = &hook.PostToolUse{Common: pre.Common, ToolName: pre.ToolName, ToolInput: pre.ToolInput, ToolUseID: r.Call, ToolResponse: r.Response}
		}
		out = append(out, past)
	}
	delete(c.open, r.Call)
	return out
}

// PastDecode reads a line of a session into v. What a host wrote is carried, not judged.
func PastDecode(line []byte, v any) error {
	return json.Unmarshal(line, v, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// PastBlocks are the blocks of a message, of which a text is one, made by block.
func PastBlocks[B any](content hook.JSON, block func(text string) B) (out []B, err error) {
	if text, ok := content.AsString(); ok {
		return []B{block(text)}, nil
	}
	if !content.IsZero() {
		err = PastDecode([]byte(content.Raw()), &out)
	}
	return out, err
}

// PastInput is the input of which a payload is that a host would have sent, given by its
// members. Members that are nil are left out.
func PastInput(c Codec, members map[string]any) (hook.Input, error) {
	for k, v := range members {
		if v == nil {
			delete(members, k)
		}
	}
	b, err := json.Marshal(members, hook.EncodeOptions(), json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("make an event again: %w", err)
	}
	in, _, err := c.DecodeInput(b)
	if err != nil {
		return nil, fmt.Errorf("make an event again: %w", err)
	}
	return in, nil
}
