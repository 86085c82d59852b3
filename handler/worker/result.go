package worker

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/hook"
)

// decodeResult reads a hook's answer. A member that does not exist is a failure, since
// it may be a deny that was misspelt.
func decodeResult(body []byte) (hook.Result, error) {
	var r hook.Result
	if len(body) > 2 { // more than {}
		if err := json.Unmarshal(body, &r, json.RejectUnknownMembers(true)); err != nil {
			return hook.Result{}, hook.Failf(hook.FailureAnswer, "its answer cannot be read: %w", err)
		}
	}
	if in := r.UpdatedInput; !in.IsZero() && in.Raw()[0] != '{' {
		return hook.Result{}, hook.Failf(hook.FailureAnswer, "updated_input is not a JSON object")
	}
	return r, nil
}

// EncodeResult returns the message with which a worker answers a call.
func EncodeResult(id uint64, r hook.Result) ([]byte, error) {
	body, err := json.Marshal(r, hook.EncodeOptions())
	if err != nil {
		return nil, fmt.Errorf("encode a result: %w", err)
	}
	b := strconv.AppendUint([]byte(`{"type":"result","id":`), id, 10)
	if len(body) > 2 {
		b = append(b, ',')
	}
	return append(append(b, body[1:]...), '\n'), nil
}
