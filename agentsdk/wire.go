package agentsdk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/jsonx"
)

// maxLine bounds a line of the program, in bytes.
const maxLine = 64 << 20

// errGone is why a program can't be asked.
var errGone = errors.New("the program has closed its side and answers no more")

// inbound is a line of the program.
type inbound struct {
	Type      string         `json:"type"`
	RequestID string         `json:"request_id"`
	Request   jsontext.Value `json:"request"`
	Response  struct {
		Subtype   string         `json:"subtype"`
		RequestID string         `json:"request_id"`
		Response  jsontext.Value `json:"response"`
		Error     string         `json:"error"`
	} `json:"response"`
	userMessage
}

// decode reads what a program wrote. A member that is there twice is refused: nobody knows
// which of the two it means.
func decode(raw jsontext.Value, to any) error {
	return json.Unmarshal(raw, to, jsontext.AllowInvalidUTF8(true))
}

// controlRequest is what we ask the program, or it asks us.
type controlRequest struct {
	Type      string `json:"type"`
	RequestID string `json:"request_id"`
	Request   any    `json:"request,omitzero"`
}

type controlResponse struct {
	Type     string        `json:"type"`
	Response controlAnswer `json:"response"`
}

type controlAnswer struct {
	Subtype   string `json:"subtype"` // success or error
	RequestID string `json:"request_id"`
	Response  any    `json:"response,omitzero"`
	Error     string `json:"error,omitzero"`
}

// asking is the requests of ours that wait for an answer. It is safe for concurrent use.
type asking struct {
	send func(any)
	gone chan struct{} // closed when the program says nothing more

	mu      sync.Mutex
	last    int
	waiting map[string]chan answer
}

type answer struct {
	response jsontext.Value
	err      error
}

// ask asks the program and waits for its answer. A question that nobody waits for any more
// is taken back.
func (a *asking) ask(ctx context.Context, request any) (hook.JSON, error) {
	reply := make(chan answer, 1)
	a.mu.Lock()
	a.last++
	id := strconv.Itoa(a.last)
	a.waiting[id] = reply
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.waiting, id)
	}()
	select {
	case <-a.gone:
		return hook.JSON{}, errGone
	default:
	}
	a.send(controlRequest{"control_request", id, request})
	select {
	case got := <-reply:
		return hook.RawJSON(got.response), got.err
	case <-a.gone:
		return hook.JSON{}, errGone
	case <-ctx.Done():
		a.send(controlRequest{Type: "control_cancel_request", RequestID: id})
		return hook.JSON{}, context.Cause(ctx)
	}
}

// answered takes an answer of the program.
func (a *asking) answered(in *inbound) {
	a.mu.Lock()
	reply, ok := a.waiting[in.Response.RequestID]
	delete(a.waiting, in.Response.RequestID)
	a.mu.Unlock()
	if !ok {
		return
	}
	switch in.Response.Subtype {
	case "success":
		reply <- answer{response: in.Response.Response}
	case "error":
		reply <- answer{err: fmt.Errorf("the program answers: %s", in.Response.Error)}
	default:
		reply <- answer{err: fmt.Errorf("the program's answer is none: subtype %q", in.Response.Subtype)}
	}
}

// readLines hands on each line that is not blank, until the end, a fault, or an error of
// the function.
func readLines(r io.Reader, line func(jsontext.Value) error) error {
	err := jsonx.EachLine(r, maxLine, func(text []byte) error { return line(text) })
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// farewell is how long a slow reader has for what is written after the context has ended.
const farewell = time.Second

// patient writes for a reader that may be slow. When the context has ended, a write that
// does not return is left behind.
type patient struct {
	to    io.Writer
	over  chan struct{} // closed when nothing is written any more
	turn  chan []byte
	wrote chan error
}

func newPatient(ctx context.Context, to io.Writer) *patient {
	p := &patient{to: to, over: make(chan struct{}), turn: make(chan []byte), wrote: make(chan error, 1)}
	context.AfterFunc(ctx, func() { time.AfterFunc(farewell, func() { close(p.over) }) })
	go func() {
		for {
			select {
			case b := <-p.turn:
				_, err := p.to.Write(b)
				p.wrote <- err
			case <-p.over:
				return
			}
		}
	}()
	return p
}

// Write is for one caller at a time, and keeps p when it fails.
func (p *patient) Write(b []byte) (int, error) {
	select {
	case p.turn <- b:
	case <-p.over:
		return 0, errUnread
	}
	select {
	case err := <-p.wrote:
		return len(b), err
	case <-p.over:
		return 0, errUnread
	}
}

var errUnread = errors.New("the program does not read what is written to it")
