package openai

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hookline-dev/hookline/agent/model"
)

// call is a tool call that is still growing.
type call struct {
	wire  int // the index that the server gives
	index int // the index of our block
	id    string
	name  string
	input strings.Builder
}

func (c *call) complete() bool {
	if c.input.Len() == 0 {
		return false
	}
	_, problem := model.ParseInput(c.input.String())
	return problem == ""
}

// decoder turns chunks into events. The API has no blocks: text, reasoning and
// each tool call become one, numbered in the order they first appear. Its
// methods report whether the caller wants more.
type decoder struct {
	yield   func(model.Event, error) bool
	started bool
	next    int // the index of the next block

	text, reasoning       strings.Builder
	textAt, reasoningAt   int
	hasText, hasReasoning bool
	refusal               strings.Builder
	calls                 []*call
	usage                 model.Usage
	reason                string
}

func (d *decoder) emit(ev model.Event) bool { return d.yield(ev, nil) }

func (d *decoder) chunk(c *chunk) bool {
	if !d.started {
		d.started = true
		if !d.emit(model.Event{Kind: model.Start, ID: c.ID, Model: c.Model}) {
			return false
		}
	}
	if c.Usage != nil && !d.count(c.Usage) {
		return false
	}
	for i := range c.Choices {
		if c.Choices[i].Index == 0 && !d.choice(&c.Choices[i]) {
			return false
		}
	}
	return true
}

func (d *decoder) count(u *usage) bool {
	cached := u.PromptTokensDetails.CachedTokens
	d.usage = model.Usage{
		InputTokens: max(u.PromptTokens-cached, 0), CacheReadTokens: cached,
		OutputTokens: u.CompletionTokens, ThinkingTokens: u.CompletionTokensDetails.ReasoningTokens,
	}
	return d.emit(model.Event{Kind: model.UsageReport, Usage: d.usage})
}

func (d *decoder) choice(c *choice) bool {
	if c.FinishReason != "" {
		d.reason = c.FinishReason
	}
	if t := string(cmp.Or(c.Delta.ReasoningContent, c.Delta.Reasoning)); t != "" {
		if !d.hasReasoning {
			d.hasReasoning, d.reasoningAt = true, d.take()
		}
		d.reasoning.WriteString(t)
		if !d.emit(model.Event{Kind: model.ThinkingDelta, Index: d.reasoningAt, Text: t}) {
			return false
		}
	}
	if t := string(c.Delta.Content); t != "" {
		if !d.hasText {
			d.hasText, d.textAt = true, d.take()
		}
		d.text.WriteString(t)
		if !d.emit(model.Event{Kind: model.TextDelta, Index: d.textAt, Text: t}) {
			return false
		}
	}
	d.refusal.WriteString(string(c.Delta.Refusal))
	for i := range c.Delta.ToolCalls {
		if !d.toolCall(&c.Delta.ToolCalls[i]) {
			return false
		}
	}
	return true
}

func (d *decoder) take() int {
	d.next++
	return d.next - 1
}

// toolCall adds a piece to the call it belongs to. Under an index that is
// already used, a new id begins a new call, and so does a name without an id
// after a call that is complete.
func (d *decoder) toolCall(tc *callDelta) bool {
	var c *call
	for i := len(d.calls) - 1; i >= 0 && c == nil; i-- {
		if d.calls[i].wire == tc.Index {
			c = d.calls[i]
		}
	}
	fresh := c == nil || tc.ID != "" && tc.ID != c.id ||
		tc.ID == "" && tc.Function.Name != "" && c.complete()
	if fresh {
		c = &call{wire: tc.Index, index: d.take(), id: d.uniqueID(tc.ID), name: tc.Function.Name}
		d.calls = append(d.calls, c)
		if !d.emit(model.Event{Kind: model.ToolCallStart, Index: c.index, ID: c.id, Name: c.name}) {
			return false
		}
	} else if c.name == "" {
		c.name = tc.Function.Name
	}
	if tc.Function.Arguments == "" {
		return true
	}
	c.input.WriteString(tc.Function.Arguments)
	return d.emit(model.Event{Kind: model.ToolCallDelta, Index: c.index, Text: tc.Function.Arguments})
}

// uniqueID makes an id for servers that send none.
func (d *decoder) uniqueID(id string) string {
	if id != "" {
		return id
	}
	return fmt.Sprintf("call_%d", len(d.calls)+1)
}

// finish ends the blocks and the answer. done is false when the server had not
// yet said why the model stopped, more when the caller wants no more.
func (d *decoder) finish() (done, more bool) {
	if d.reason == "" {
		return false, true
	}
	if d.hasReasoning && !d.end(d.reasoningAt, model.Block{Type: model.ThinkingBlock, Thinking: d.reasoning.String()}) {
		return true, false
	}
	if d.hasText && !d.end(d.textAt, model.Text(d.text.String())) {
		return true, false
	}
	for _, c := range d.calls {
		if !d.end(c.index, model.ToolUse(c.id, c.name, c.input.String())) {
			return true, false
		}
	}
	return true, d.emit(model.Event{Kind: model.Stop, Reason: d.stopReason(), Detail: d.refusal.String()})
}

func (d *decoder) end(index int, b model.Block) bool {
	return d.emit(model.Event{Kind: model.BlockEnd, Index: index, Block: b})
}

func (d *decoder) stopReason() model.StopReason {
	switch {
	case d.refusal.Len() > 0, d.reason == "content_filter":
		return model.StopRefusal
	case d.reason == "length":
		return model.StopMaxTokens
	case len(d.calls) > 0:
		return model.StopToolUse
	}
	return model.StopEndTurn
}
