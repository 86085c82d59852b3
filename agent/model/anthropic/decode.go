package anthropic

import (
	"strings"

	"github.com/hookline-dev/hookline/agent/model"
)

// openBlock is a content block that has started and not yet ended.
type openBlock struct {
	block model.Block
	text  strings.Builder // text, thinking or the input of a call
	start string          // the input that came with the start of a call
}

// decoder turns the API's events into ours. Its methods report whether the
// caller wants more.
type decoder struct {
	yield  func(model.Event, error) bool
	open   map[int]*openBlock
	usage  model.Usage
	reason model.StopReason
	detail string
}

func (d *decoder) emit(ev model.Event) bool { return d.yield(ev, nil) }

func (d *decoder) event(ev *event) bool {
	switch ev.Type {
	case "message_start":
		return d.emit(model.Event{Kind: model.Start, ID: ev.Message.ID, Model: ev.Message.Model}) && d.count(&ev.Message.Usage)
	case "content_block_start":
		return d.start(ev)
	case "content_block_delta":
		return d.delta(ev)
	case "content_block_stop":
		return d.end(ev.Index)
	case "message_delta":
		return d.messageDelta(ev)
	}
	return true
}

func (d *decoder) start(ev *event) bool {
	b := &openBlock{}
	cb := ev.ContentBlock
	d.open[ev.Index] = b
	switch cb.Type {
	case "text":
		b.block.Type = model.TextBlock
		return d.grow(ev.Index, b, model.TextDelta, cb.Text)
	case "thinking":
		b.block.Type, b.block.Signature = model.ThinkingBlock, cb.Signature
		return d.grow(ev.Index, b, model.ThinkingDelta, cb.Thinking)
	case "redacted_thinking":
		b.block.Type, b.block.Data = model.RedactedThinkingBlock, cb.Data
	case "tool_use":
		b.block.Type, b.block.ID, b.block.Name = model.ToolUseBlock, cb.ID, cb.Name
		b.start = string(cb.Input)
		return d.emit(model.Event{Kind: model.ToolCallStart, Index: ev.Index, ID: cb.ID, Name: cb.Name})
	}
	return true // a kind of block that nobody asked for
}

func (d *decoder) grow(index int, b *openBlock, kind model.EventKind, text string) bool {
	if text == "" {
		return true
	}
	b.text.WriteString(text)
	return d.emit(model.Event{Kind: kind, Index: index, Text: text})
}

func (d *decoder) delta(ev *event) bool {
	b := d.open[ev.Index]
	if b == nil {
		return true
	}
	switch ev.Delta.Type {
	case "text_delta":
		return d.grow(ev.Index, b, model.TextDelta, ev.Delta.Text)
	case "thinking_delta":
		return d.grow(ev.Index, b, model.ThinkingDelta, ev.Delta.Thinking)
	case "signature_delta":
		b.block.Signature += ev.Delta.Signature
	case "input_json_delta":
		return d.grow(ev.Index, b, model.ToolCallDelta, ev.Delta.PartialJSON)
	}
	return true
}

func (d *decoder) end(index int) bool {
	b := d.open[index]
	delete(d.open, index)
	if b == nil || b.block.Type == "" {
		return true
	}
	switch b.block.Type {
	case model.TextBlock:
		b.block.Text = b.text.String()
	case model.ThinkingBlock:
		b.block.Thinking = b.text.String()
	case model.ToolUseBlock:
		input := b.text.String()
		if input == "" {
			input = b.start
		}
		b.block.Input, b.block.InputError = model.ParseInput(input)
	}
	return d.emit(model.Event{Kind: model.BlockEnd, Index: index, Block: b.block})
}

func (d *decoder) messageDelta(ev *event) bool {
	if r := ev.Delta.StopReason; r != "" {
		d.reason = model.StopReason(r)
	}
	switch d.reason {
	case model.StopRefusal:
		d.detail = ev.Delta.StopDetails.Explanation
	case model.StopSequence:
		d.detail = ev.Delta.StopSequence
	}
	return d.count(&ev.Usage)
}

// count takes over the counts that are there: each is the total so far, and those that do
// not change are left out.
func (d *decoder) count(u *usage) bool {
	if details := u.OutputTokensDetails; details != nil {
		d.usage.ThinkingTokens = details.ThinkingTokens
	}
	for _, f := range []struct{ to, from *int64 }{
		{&d.usage.OutputTokens, u.OutputTokens},
		{&d.usage.InputTokens, u.InputTokens},
		{&d.usage.CacheReadTokens, u.CacheReadInputTokens},
		{&d.usage.CacheWriteTokens, u.CacheCreationInputTokens},
	} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	return d.emit(model.Event{Kind: model.UsageReport, Usage: d.usage})
}

// finish ends a stream that the server closed in good order. It is false when
// the server had not yet said why the model stopped.
func (d *decoder) finish() bool {
	if d.reason == "" {
		return false
	}
	d.emit(model.Event{Kind: model.Stop, Reason: d.reason, Detail: d.detail})
	return true
}
