package script

import (
	"context"

	"github.com/go-json-experiment/json"
)

// call is one call into the module that somebody waits for.
type call struct {
	id       int64
	ctx      context.Context // of whoever waits
	onUpdate func([]byte)    // takes what a tool reports, or nil
	outcome  chan outcome    // one value
}

type outcome struct {
	result  []byte // JSON, nil for undefined
	tracked string // JSON of the tracked property afterwards, if that was asked for
	err     error
}

// finish settles the call; the second and later ones are dropped.
func (c *call) finish(o outcome) {
	select {
	case c.outcome <- o:
	default:
	}
}

// invoke calls a function of the runtime with a new call's id before the given
// arguments, and waits for the module to settle that call, for ctx, or for the
// end of the instance. signal, when not nil, aborts the event's signal without
// ending the call.
func (i *instance) invoke(ctx, signal context.Context, fn string, args ...any) (outcome, error) {
	return i.invokeWith(ctx, signal, nil, fn, args...)
}

func (i *instance) invokeWith(ctx, signal context.Context, onUpdate func([]byte), fn string, args ...any) (outcome, error) {
	if i.reentrant() {
		return outcome{}, errReentrant
	}
	if err := context.Cause(ctx); err != nil {
		return outcome{}, err
	}
	c, err := i.open(ctx, onUpdate)
	if err != nil {
		return outcome{}, err
	}
	defer i.closeCall(c)
	select {
	case i.queue <- func() { i.callRT(fn, append([]any{int(c.id)}, args...)...) }:
	case <-i.dead:
		return outcome{}, i.whyDropped()
	case <-ctx.Done():
		return outcome{}, context.Cause(ctx)
	}
	if signal != nil {
		defer context.AfterFunc(signal, func() { i.abortCall(c.id) })()
	}
	select {
	case o := <-c.outcome:
		return o, o.err
	case <-ctx.Done():
		i.abortCall(c.id)
		return outcome{}, context.Cause(ctx)
	}
}

func (i *instance) open(ctx context.Context, onUpdate func([]byte)) (*call, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.reason != nil {
		return nil, i.reason
	}
	i.nextCall++
	i.m.room.Store(maxPrint)
	c := &call{id: i.nextCall, ctx: ctx, onUpdate: onUpdate, outcome: make(chan outcome, 1)}
	i.calls[c.id] = c
	i.m.calls.Add(1)
	return c, nil
}

// closeCall forgets a call that is over. What it started and did not wait for
// goes on.
func (i *instance) closeCall(c *call) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.calls, c.id)
}

// abortCall aborts the signal of a call's event and closes the dialogs it has
// open.
func (i *instance) abortCall(id int64) {
	i.mu.Lock()
	for _, op := range i.pending {
		if op.call == id {
			op.cancel()
		}
	}
	dropped := i.reason != nil
	if !dropped {
		i.ops.Add(1)
	}
	i.mu.Unlock()
	if dropped {
		return
	}
	go func() {
		defer i.ops.Done()
		i.post(func() { i.callRT("abortCall", int(id)) })
	}()
}

func (i *instance) whyDropped() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.reason
}

// updated passes on what a tool reports while it runs.
func (i *instance) updated(id int64, text string) {
	i.mu.Lock()
	c := i.calls[id]
	i.mu.Unlock()
	if c != nil && c.onUpdate != nil {
		c.onUpdate([]byte(text))
	}
}

// jsException is how the runtime describes a thrown value.
type jsException struct {
	Name    string `json:"name"`
	Message string `json:"message"`
	Code    string `json:"code"`
	Stack   string `json:"stack"`
}

// settlement is the outcome of a call, kept until the slice in which it came
// is over: an answer of code that then has to be ended does not count.
type settlement struct {
	call    *call
	outcome outcome
}

var errTooLarge = &Error{Message: "the result is larger than the limit for results"}

// settled is called by the runtime when a call is over: status is "ok" with a
// result, or "error" with a jsException.
func (i *instance) settled(id int64, status, result, tracked string) {
	if i.guard.over() {
		// What settles now is code that was interrupted.
		i.condemn(overBudget, "")
		return
	}
	var o outcome
	switch limit := i.m.opts.maxResult(); {
	case status == "error":
		o.err = i.thrown(result)
	case len(result) > limit:
		o.err = errTooLarge
	default:
		o.result, o.tracked = orNil(result), tracked
	}
	i.mu.Lock()
	c := i.calls[id]
	i.mu.Unlock()
	if c != nil { // else nobody waits any more
		i.settlements = append(i.settlements, settlement{c, o})
	}
}

func orNil(s string) []byte {
	if s == "" {
		return nil
	}
	return []byte(s)
}

// deliver hands out the outcomes of a slice that ended well.
func (i *instance) deliver() {
	for _, s := range i.settlements {
		s.call.finish(s.outcome)
	}
	clear(i.settlements)
	i.settlements = i.settlements[:0]
}

// thrown reads a thrown value. One that says that the engine's memory is used
// up also condemns the instance.
func (i *instance) thrown(text string) error {
	var e jsException
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return &Error{Message: text}
	}
	if isMemoryError(e) {
		i.judge(memoryError(e))
		return i.whyDropped()
	}
	return i.jsError(e.Name, e.Message, e.Code, e.Stack)
}
