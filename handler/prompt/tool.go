package prompt

import (
	"context"
	"fmt"
	"strings"

	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/handler/internal/text"
	"github.com/hookline-dev/hookline/hook"
)

// MCP calls tools of MCP servers. Implementations are safe for concurrent use.
type MCP interface {
	// CallTool returns the text of the tool's result and whether the tool reports
	// an error. The error is for calls that could not be made. It returns soon
	// after ctx has ended.
	CallTool(ctx context.Context, server, tool string, input hook.JSON) (text string, isError bool, err error)
}

// maxToolText bounds a tool's text, in bytes.
const maxToolText = 1 << 20

// Tool is a hook that calls a tool of an MCP server. Set its fields before its
// first use and none after it; it is then safe for concurrent use.
type Tool struct {
	// Server and Tool name the tool.
	Server, Tool string
	// Input is an object, the tool's arguments. ${path.in.event} in a string stands
	// for a value of the event, where numbers count the elements of arrays. A string
	// that is nothing else becomes that value, whatever its type; in others the
	// value's text is put in. A path that leads nowhere is an empty string, and the
	// record says so.
	Input hook.JSON

	// MCP makes the call; without it the hook fails.
	MCP MCP
	// Codec writes the event and reads the tool's text as it reads standard output.
	Codec handler.Codec
	// Origin tells apart hooks that read the same and are not, such as those of
	// two plugins. It is part of the identity only.
	Origin string
}

var (
	_ hook.Handler    = (*Tool)(nil)
	_ hook.Identifier = (*Tool)(nil)
)

// Handle calls the tool. Without an MCP client, or with an input that is not an
// object, the error is a *hook.Failure of kind FailureLaunch, and for a tool that
// fails one of kind FailureError. What ends with the context is an error of its
// cause.
func (h *Tool) Handle(ctx context.Context, call *hook.Call) (hook.Result, error) {
	call.Report = &hook.Report{}
	if h.MCP == nil {
		return hook.Result{}, hook.Failf(hook.FailureLaunch, "the hook needs an MCP client, and there is none")
	}
	event, err := encode(h.Codec, call)
	if err != nil {
		return hook.Result{}, err
	}
	input, missing, err := fill(h.Input, hook.RawJSON(event))
	if err != nil {
		return hook.Result{}, &hook.Failure{Kind: hook.FailureLaunch, Err: err}
	}
	for _, path := range missing {
		call.Report.Notes = append(call.Report.Notes, fmt.Sprintf("the event has no %s; it is empty in the tool's input", path))
	}
	said, isError, err := h.MCP.CallTool(ctx, h.Server, h.Tool, input)
	if err != nil {
		return hook.Result{}, failed(ctx, fmt.Sprintf("call %s of MCP server %s", h.Tool, h.Server), err)
	}
	return h.answer(call, said, isError)
}

func (h *Tool) answer(call *hook.Call, said string, isError bool) (hook.Result, error) {
	rep := call.Report
	rep.StdoutBytes = int64(len(said))
	if len(said) > maxToolText {
		said = strings.ToValidUTF8(said[:maxToolText], "")
		rep.Truncated = true
	}
	rep.Stdout = said
	if isError {
		return hook.Result{}, hook.Failf(hook.FailureError, "tool %s of MCP server %s reports an error: %s", h.Tool, h.Server, text.Quote([]byte(said)))
	}
	res, notes, err := h.Codec.DecodeResult(call, handler.Answer{Stdout: []byte(said), StdoutTruncated: rep.Truncated})
	rep.Notes = append(rep.Notes, notes...)
	return res, err
}

// Identity tells hooks apart: two hooks with the same one do the same.
func (h *Tool) Identity() string {
	return text.Identity("mcp_tool", h.Origin, h.Server, h.Tool, h.Input.Raw())
}
