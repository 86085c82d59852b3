package script

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
)

// Codec translates between the engine and one event of script modules. What
// DecodeResult gets as standard output is the JSON that the handler returned,
// nothing when it returned nothing.
type Codec interface {
	handler.Codec
	// Track names the property of the payload whose changes in place count as
	// an answer; "" tracks nothing. DecodeResult gets them as a member of the
	// answer, under InPlace and the property's name.
	Track() string
}

// InPlace begins the name of the member that holds what a handler changed in place.
const InPlace = "event."

// Hook is one event handler of a module as a handler of the engine. It is safe
// for concurrent use.
type Hook struct {
	module *Module
	event  string
	index  int
	codec  Codec
}

var (
	_ hook.Handler  = (*Hook)(nil)
	_ hook.Graceful = (*Hook)(nil)
)

// NewHook returns the handler for one registered event handler of a module, as
// Info lists it.
func NewHook(m *Module, event string, index int, c Codec) *Hook {
	return &Hook{module: m, event: event, index: index, codec: c}
}

// Grace is short: a call ends with its context, whatever the module does.
func (h *Hook) Grace() time.Duration { return 100 * time.Millisecond }

// Handle runs the module's handler. That the handler threw, or that its engine
// had to be dropped, is a *hook.Failure.
func (h *Hook) Handle(ctx context.Context, call *hook.Call) (hook.Result, error) {
	payload, err := h.codec.EncodeInput(call)
	if err != nil {
		return hook.Result{}, err
	}
	reply, err := h.module.Dispatch(ctx, Call{
		Event: h.event, Index: h.index, Payload: payload, Track: h.codec.Track(),
	})
	if err != nil {
		return hook.Result{}, failure(err)
	}
	answer, err := reply.answer(h.codec.Track())
	if err != nil {
		return hook.Result{}, err
	}
	res, notes, err := h.codec.DecodeResult(call, handler.Answer{Stdout: answer})
	if len(notes) > 0 {
		if call.Report == nil {
			call.Report = &hook.Report{}
		}
		call.Report.Notes = append(call.Report.Notes, notes...)
	}
	return res, err
}

// answer is the result, with what was changed in place as if it had been
// returned.
func (r Reply) answer(track string) ([]byte, error) {
	if r.Changed == nil {
		return r.Result, nil
	}
	answer := hook.RawJSON(r.Result)
	if err := answer.Set(InPlace+track, hook.RawJSON(r.Changed)); err != nil {
		return nil, hook.Failf(hook.FailureAnswer, "the handler changed %s and returned what is not an object", track)
	}
	return []byte(answer.Raw()), nil
}

// failure says in what way a handler could not answer.
func failure(err error) error {
	if js, ok := errors.AsType[*Error](err); ok {
		if js.Name == "" {
			if js.Message == "null" { // what the engine throws when there is no room for an error
				return &hook.Failure{Kind: hook.FailureError, Err: fmt.Errorf("the hook threw null; it probably ran out of memory: %w", err)}
			}
			return &hook.Failure{Kind: hook.FailureError, Err: fmt.Errorf("the hook threw what is not an error: %w", err)}
		}
		return &hook.Failure{Kind: hook.FailureError, Err: err}
	}
	if c, ok := errors.AsType[*condemnedError](err); ok {
		kind := hook.FailureError
		if c.Reason == overBudget || c.Reason == stuck {
			kind = hook.FailureTimeout
		}
		return &hook.Failure{Kind: kind, Err: err}
	}
	if _, ok := errors.AsType[*LoadError](err); ok {
		return &hook.Failure{Kind: hook.FailureLoad, Err: err}
	}
	return err
}
