package script

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/handler/script/internal/node"
)

// host answers the calls that the runtime makes into Go. It runs on the
// owner's goroutine, inside JavaScript.
func (i *instance) host(op string, args []any) (string, error) {
	a := hostArgs(args)
	switch op {
	case "sync":
		return i.sync(a.text(0), []byte(a.text(1))), nil
	case "async":
		i.startOp(a.number(0), a.text(1), []byte(a.text(2)), a.number(3))
	case "abort":
		i.abortOp(a.number(0))
	case "timer":
		i.startTimer(a.number(0), time.Duration(a.float(1)*float64(time.Millisecond)))
	case "untimer":
		i.stopTimer(a.number(0))
	case "done":
		i.settled(a.number(0), a.text(1), a.text(2), a.text(3))
	case "update":
		i.updated(a.number(0), a.text(1))
	case "bound":
		i.bound = true
	case "registered":
		return "", i.m.registered(a.text(0))
	case "callback":
		i.report(Report{Kind: ReportCallback, Message: a.text(0), Err: i.thrown(a.text(1))})
	case "rejection":
		i.report(Report{Kind: ReportRejection, Message: rejectedMessage, Err: i.thrown(a.text(0))})
	case "ignored":
		i.report(Report{Kind: ReportIgnored, Message: a.text(0)})
	default:
		return "", fmt.Errorf("unknown host operation %q", op)
	}
	return "", nil
}

// hostArgs reads the arguments of a host call. A missing one is the zero value.
type hostArgs []any

func (a hostArgs) text(n int) string {
	if n >= len(a) {
		return ""
	}
	s, _ := a[n].(string)
	return s
}

func (a hostArgs) float(n int) float64 {
	if n >= len(a) {
		return 0
	}
	switch v := a[n].(type) {
	case int:
		return float64(v)
	case float64:
		return v
	}
	return 0
}

func (a hostArgs) number(n int) int64 { return int64(a.float(n)) }

// sync answers a synchronous call of JavaScript with an envelope: {"v":value}
// or {"e":error}. The time budget of JavaScript does not run meanwhile.
func (i *instance) sync(op string, args []byte) string {
	i.inHost.Add(1)
	defer i.inHost.Add(-1)
	waits := mayWait(op)
	if waits {
		i.guard.pause()
		defer i.guard.resume()
	}
	return envelope(i.answer(op, args))
}

// answer calls the host's code; a panic in it becomes an error.
func (i *instance) answer(op string, args []byte) (v []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error in the host: %v\n%s", p, debug.Stack())
		}
	}()
	return i.syncOp(op, args)
}

// pendingOp is an asynchronous call of JavaScript that runs.
type pendingOp struct {
	call   int64 // the call whose dialog it is, or 0
	cancel context.CancelFunc
}

// startOp starts an asynchronous call. Its answer is posted back.
func (i *instance) startOp(id int64, op string, args []byte, callID int64) {
	ctx, cancel := context.WithCancel(i.ctx)
	i.mu.Lock()
	if i.reason != nil {
		i.mu.Unlock()
		cancel()
		return
	}
	i.pending[id] = &pendingOp{call: callID, cancel: cancel}
	i.ops.Add(1)
	i.mu.Unlock()
	emit := func(event []byte) {
		i.post(func() { i.callRT("event", int(id), string(event)) })
	}
	go func() {
		defer i.ops.Done()
		defer cancel()
		answer := envelope(i.doOp(ctx, op, args, callID, emit))
		i.mu.Lock()
		delete(i.pending, id)
		i.mu.Unlock()
		i.post(func() { i.callRT("settle", int(id), answer) })
	}()
}

// doOp calls the host's code; a panic in it becomes an error.
func (i *instance) doOp(ctx context.Context, op string, args []byte, callID int64, emit func([]byte)) (v []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error in the host: %v\n%s", p, debug.Stack())
		}
	}()
	return i.asyncOp(ctx, op, args, callID, emit)
}

func (i *instance) abortOp(id int64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if op := i.pending[id]; op != nil {
		op.cancel()
	}
}

func (i *instance) startTimer(id int64, d time.Duration) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.reason != nil {
		return
	}
	i.timers[id] = time.AfterFunc(d, func() {
		i.mu.Lock()
		delete(i.timers, id)
		i.mu.Unlock()
		i.post(func() { i.callRT("timer", int(id)) })
	})
}

func (i *instance) stopTimer(id int64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if t := i.timers[id]; t != nil {
		t.Stop()
		delete(i.timers, id)
	}
}

// envelope packs an answer for JavaScript. No value is undefined there.
func envelope(v []byte, err error) string {
	switch {
	case err != nil:
		return `{"e":` + string(node.ErrorJSON(err)) + `}`
	case v == nil:
		return "{}"
	default:
		return `{"v":` + string(v) + `}`
	}
}

const rejectedMessage = "a rejected promise that nobody handles"

// takeRejections reports the promises that were rejected without anybody
// listening by the end of a slice.
func (i *instance) takeRejections() {
	i.rejected = false
	text, err := i.eng.CallRT("rejections")
	if err != nil {
		i.judge(err)
		return
	}
	var list []jsException
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return
	}
	for _, e := range list {
		if isMemoryError(e) {
			i.judge(memoryError(e))
			return
		}
		i.report(Report{Kind: ReportRejection, Message: rejectedMessage, Err: i.jsError(e.Name, e.Message, e.Code, e.Stack)})
	}
}
