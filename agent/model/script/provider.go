package script

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"iter"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/model/internal/wire"
)

//go:embed demo.yaml
var demo []byte

// Options are what a script takes besides its turns.
type Options struct {
	// Log, when not nil, gets each request as one line of JSON: {"call",
	// "turn", "request"}, or "error" in place of "turn" when no turn answered.
	Log io.Writer
}

// Provider answers from a script. It is safe for concurrent use; calls that
// arrive together get their turns in the order they arrive.
type Provider struct {
	mu    sync.Mutex
	turns []*turn
	log   io.Writer
	calls int // answered or not
	ids   int // given to tool calls
}

// Demo returns the script that is built in.
func Demo(o Options) (*Provider, error) { return Parse(demo, o) }

// Remaining returns how many turns have not been used to the end; those that
// repeat without end do not count. A test asks it whether the agent came all
// the way.
func (p *Provider) Remaining() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, t := range p.turns {
		if t.Repeat > 0 && t.used < t.Repeat {
			n++
		}
	}
	return n
}

type logLine struct {
	Call    int            `json:"call"`
	Turn    int            `json:"turn,omitzero"`
	Error   string         `json:"error,omitzero"`
	Request *model.Request `json:"request"`
}

// ticket is a call's right to a turn.
type ticket struct {
	turn    *turn
	call    int
	firstID int // the number of the turn's first tool call
}

// take finds the turn for a request, and ids for its tool calls.
func (p *Provider) take(req *model.Request) (ticket, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	line := logLine{Call: p.calls, Request: req}
	t, n, err := p.find(req)
	line.Turn = n
	if err != nil {
		line.Error = err.Error()
	}
	if logErr := p.write(line); logErr != nil && err == nil {
		err = logErr
	}
	if err != nil {
		return ticket{}, err
	}
	t.used++
	p.ids += len(t.ToolCalls)
	return ticket{turn: t, call: p.calls, firstID: p.ids - len(t.ToolCalls) + 1}, nil
}

func (p *Provider) find(req *model.Request) (*turn, int, error) {
	for i, t := range p.turns {
		if t.Repeat > 0 && t.used >= t.Repeat || t.When.mismatch(req) != "" {
			continue
		}
		if problem := t.Expect.mismatch(req); problem != "" {
			t.used++
			return nil, 0, invalid("turn %d expects another request: %s", i+1, problem)
		}
		return t, i + 1, nil
	}
	return nil, 0, invalid("the script has run out of turns: this is call %d, and none of its %d turns is left for it", p.calls, len(p.turns))
}

func (p *Provider) write(line logLine) error {
	if p.log == nil {
		return nil
	}
	data, err := json.Marshal(line)
	if err == nil {
		_, err = p.log.Write(append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("logging a request of the script: %w", err)
	}
	return nil
}

func invalid(format string, args ...any) error {
	return &model.APIError{Provider: "script", Kind: model.KindInvalidRequest, Message: fmt.Sprintf(format, args...)}
}

// Stream answers with the next turn; see [model.Provider].
func (p *Provider) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		t, err := p.take(req)
		if err == nil {
			err = wait(ctx, time.Duration(t.turn.Delay))
		}
		if err != nil {
			yield(model.Event{}, err)
			return
		}
		pl := player{ctx: ctx, ticket: t, yield: yield, usage: t.turn.count(req)}
		if pl.play(req.Model) && pl.err != nil {
			yield(model.Event{}, pl.err)
		}
	}
}

// wait sleeps unless the context ends first.
func wait(ctx context.Context, d time.Duration) error {
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		return fmt.Errorf("calling script: %w", ctx.Err())
	}
	return nil
}

func (f *failure) err() error {
	msg := f.Message
	if msg == "" {
		msg = "as the script says"
	}
	return &model.APIError{
		Provider: "script", Kind: wire.Classify(f.Status, f.Type, f.Message),
		Status: f.Status, Type: f.Type, Message: msg, RetryAfter: time.Duration(f.RetryAfter),
	}
}

// count returns the usage the turn states, or an estimate.
func (t *turn) count(req *model.Request) model.Usage {
	if u := t.Usage; u != nil {
		return model.Usage{
			InputTokens: u.Input, OutputTokens: u.Output,
			CacheReadTokens: u.CacheRead, CacheWriteTokens: u.CacheWrite,
		}
	}
	var said []model.Block
	for _, text := range []string{t.Text, t.Thinking} {
		said = append(said, model.Text(text))
	}
	for _, c := range t.ToolCalls {
		said = append(said, model.Text(c.Name+c.text))
	}
	var system []model.Message
	for _, s := range req.System {
		system = append(system, model.UserText(s))
	}
	return model.Usage{
		InputTokens:  model.EstimateTokens(system...) + model.EstimateTokens(req.Messages...),
		OutputTokens: model.EstimateTokens(model.Message{Content: said}),
	}
}
