// Package codectest has a small codec for the tests of handlers: JSON on one line
// in, and out an object whose decision is none, allow, ask or deny. Exit code 2 denies
// with stderr as its reason, whatever else was printed.
package codectest

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
)

// Plain is the codec; it knows no going on in the background.
type Plain struct{}

// Codec is Plain for hooks that may go on in the background by {"async":true}.
type Codec struct{ Plain }

var (
	_ handler.Codec      = Plain{}
	_ handler.AsyncCodec = Codec{}
)

// answer is what a hook prints.
type answer struct {
	Decision     string     `json:"decision"`
	Reason       string     `json:"reason"`
	Message      string     `json:"message"`
	Context      string     `json:"context"`
	UpdatedInput *hook.JSON `json:"updated_input"`
	UpdatedOut   *hook.JSON `json:"updated_output"`
	Async        bool       `json:"async"`
	AsyncTimeout float64    `json:"async_timeout"` // seconds
}

// EncodeInput returns the canonical form and a line break.
func (Plain) EncodeInput(call *hook.Call) ([]byte, error) {
	b, err := hook.MarshalInput(call.Input)
	if err != nil {
		return nil, err
	}
	return append(b, '\n'), nil
}

// DecodeAsync recognises {"async":true}.
func (Codec) DecodeAsync(line []byte) (time.Duration, bool) {
	var a answer
	if json.Unmarshal(line, &a) != nil || !a.Async {
		return 0, false
	}
	return time.Duration(a.AsyncTimeout * float64(time.Second)), true
}

// DecodeResult reads the answer.
func (Plain) DecodeResult(call *hook.Call, a handler.Answer) (res hook.Result, notes []string, err error) {
	out := bytes.TrimSpace(bytes.TrimPrefix(a.Stdout, []byte("\uFEFF")))
	stderr := strings.TrimSpace(string(a.Stderr))
	var got answer
	isJSON := len(out) > 0 && out[0] == '{'
	if isJSON {
		switch {
		case a.StdoutTruncated:
			err = hook.Failf(hook.FailureAnswer, "the output is too large")
		default:
			if e := json.Unmarshal(out, &got); e != nil {
				err = hook.Failf(hook.FailureAnswer, "stdout is not one JSON object: %w", e)
			}
		}
	}
	switch {
	case a.ExitCode == 2:
		if got.Reason == "" {
			got.Reason = stderr
		}
		return hook.Result{Decision: hook.DecisionDeny, Reason: got.Reason}, notes, nil
	case err != nil:
		return hook.Result{}, notes, err
	case isJSON:
		return result(got)
	case a.Signal != "":
		return hook.Result{}, notes, hook.Failf(hook.FailureSignal, "killed by %s", a.Signal)
	case a.ExitCode != 0:
		return hook.Result{}, []string{fmt.Sprintf("exit %d is not a block", a.ExitCode)}, hook.Failf(hook.FailureExit, "exit status %d: %s", a.ExitCode, stderr)
	case call.Strict && len(out) > 0:
		return hook.Result{}, notes, hook.Failf(hook.FailureAnswer, "stdout is not an answer: %.80q", out)
	}
	return hook.Result{}, notes, nil
}

func result(got answer) (res hook.Result, notes []string, err error) {
	res = hook.Result{Reason: got.Reason, SystemMessage: got.Message}
	if got.Context != "" {
		res.Context = []string{got.Context}
	}
	if got.UpdatedInput != nil {
		res.UpdatedInput = *got.UpdatedInput
	}
	if got.UpdatedOut != nil {
		res.UpdatedOutput = *got.UpdatedOut
	}
	switch got.Decision {
	case "", "none":
	case "allow":
		res.Decision = hook.DecisionAllow
	case "ask":
		res.Decision = hook.DecisionAsk
	case "deny":
		res.Decision = hook.DecisionDeny
	default:
		return hook.Result{}, nil, hook.Failf(hook.FailureAnswer, "unknown decision %q", got.Decision)
	}
	return res, nil, nil
}
