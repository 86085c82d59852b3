package script

import (
	"context"
	"fmt"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/hookline-dev/hookline/agent/model"
)

// player sends one turn. Its methods report whether the caller wants more; err
// holds what the stream ends with, if it does not end well.
type player struct {
	ticket
	ctx   context.Context
	yield func(model.Event, error) bool
	usage model.Usage
	err   error

	index  int
	blocks int // how many there are in all
	pieces int // sent so far
}

func (p *player) emit(ev model.Event) bool { return p.yield(ev, nil) }

func (p *player) play(modelName string) bool {
	t := p.turn
	p.blocks = len(t.ToolCalls)
	for _, s := range []string{t.Thinking, t.Text} {
		if s != "" {
			p.blocks++
		}
	}
	if t.Error != nil && p.blocks == 0 {
		p.err = t.Error.err()
		return true
	}
	if !p.emit(model.Event{Kind: model.Answered, Provider: "script", API: "script", Status: http.StatusOK}) {
		return false
	}
	start := model.Event{Kind: model.Start, ID: fmt.Sprintf("msg_script_%04d", p.call), Model: modelName}
	if !p.emit(start) || !p.content() {
		return false
	}
	switch {
	case p.err != nil:
	case t.Error != nil:
		p.err = t.Error.err()
	case t.Truncate:
		p.err = &model.APIError{Provider: "script", Kind: model.KindTruncated, Message: "the stream ended before the model had finished"}
	default:
		return p.emit(model.Event{Kind: model.UsageReport, Usage: p.usage}) &&
			p.emit(model.Event{Kind: model.Stop, Reason: t.stopReason()})
	}
	return true
}

func (p *player) content() bool {
	t := p.turn
	if t.Thinking != "" && !p.block(model.ThinkingDelta, t.Thinking, model.Block{
		Type: model.ThinkingBlock, Thinking: t.Thinking, Signature: "script",
	}) {
		return false
	}
	if t.Text != "" && !p.block(model.TextDelta, t.Text, model.Text(t.Text)) {
		return false
	}
	for i, c := range t.ToolCalls {
		id := c.ID
		if id == "" {
			id = fmt.Sprintf("toolu_script_%04d", p.firstID+i)
		}
		if p.err != nil {
			return true
		}
		if !p.emit(model.Event{Kind: model.ToolCallStart, Index: p.index, ID: id, Name: c.Name}) {
			return false
		}
		if !p.block(model.ToolCallDelta, c.text, model.ToolUse(id, c.Name, c.text)) {
			return false
		}
	}
	return true
}

// block sends a text in pieces and then its end. A truncated turn gets half of
// its last block and no end.
func (p *player) block(kind model.EventKind, text string, b model.Block) bool {
	if p.err != nil {
		return true
	}
	cut := p.turn.Truncate && p.index == p.blocks-1
	if cut {
		text = text[:boundary(text, len(text)/2)]
	}
	for piece := range pieces(text, p.turn.Chunks) {
		if p.pieces++; p.pieces > 1 {
			if p.err = wait(p.ctx, time.Duration(p.turn.ChunkDelay)); p.err != nil {
				return true
			}
		}
		if !p.emit(model.Event{Kind: kind, Index: p.index, Text: piece}) {
			return false
		}
	}
	if cut {
		return true
	}
	p.index++
	return p.emit(model.Event{Kind: model.BlockEnd, Index: p.index - 1, Block: b})
}

// pieces cuts a text into n parts of about the same length, never inside a
// rune.
func pieces(text string, n int) func(func(string) bool) {
	return func(yield func(string) bool) {
		from := 0
		for i := 1; i <= n && from < len(text); i++ {
			to := boundary(text, len(text)*i/n)
			if to > from && !yield(text[from:to]) {
				return
			}
			from = max(from, to)
		}
	}
}

// boundary moves a cut forward to where a rune begins.
func boundary(text string, at int) int {
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}
