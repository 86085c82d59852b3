package agentsdk

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
)

// callbackTimeout is how long a callback has when it does not say so, maxTimeout the
// longest it can ask for.
const (
	callbackTimeout = time.Minute
	maxTimeout      = 24 * time.Hour
)

// callback is a hook that runs in the program.
type callback struct {
	s       *Server
	id      string
	timeout time.Duration
	codec   *claude.Codec
}

// Handle asks the program. A call whose guard does not answer is refused where one can be,
// whatever its policy says of failures that the program reports.
func (c *callback) Handle(ctx context.Context, call *hook.Call) (hook.Result, error) {
	input, err := c.codec.EncodeInput(call)
	if err != nil {
		return hook.Result{}, &hook.Failure{Kind: hook.FailureLaunch, Err: err, Closed: true}
	}
	wait, cancel := context.WithTimeoutCause(ctx, c.timeout, hook.ErrTimeout)
	defer cancel()
	request := struct {
		Subtype    string         `json:"subtype"`
		CallbackID string         `json:"callback_id"`
		Input      jsontext.Value `json:"input"`
		ToolUseID  string         `json:"tool_use_id,omitzero"`
	}{"hook_callback", c.id, input, hook.RawJSON(input).String("tool_use_id")}
	out, err := c.s.ask(wait, request)
	switch {
	case err == nil:
	case errors.Is(err, errGone), ctx.Err() == nil && wait.Err() != nil:
		kind := hook.FailureLaunch
		if wait.Err() != nil {
			kind, err = hook.FailureTimeout, fmt.Errorf("it did not answer within %s", c.timeout)
		}
		return hook.Result{}, &hook.Failure{Kind: kind, Err: err, Closed: true}
	default:
		return hook.Result{}, &hook.Failure{Kind: hook.FailureError, Err: err}
	}
	said := out.Raw()
	switch jsontext.Value(said).Kind() {
	case '{', jsontext.KindInvalid: // the latter when there is no answer, which says nothing
	case 'n':
		said = ""
	default:
		return hook.Result{}, hook.Failf(hook.FailureAnswer, "its answer is not an object: %.40s", said)
	}
	res, notes, err := c.codec.DecodeResult(call, handler.Answer{Stdout: []byte(said)})
	call.Report = &hook.Report{Notes: notes}
	return res, err
}
