package anthropic

import (
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"

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
	open   map[int64]*openBlock
	usage  model.Usage
	reason model.StopReason
	detail string
}

func (d *decoder) emit(ev model.Event) bool { return d.yield(ev, nil) }

func (d *decoder) event(ev sdk.MessageStreamEventUnion) bool {
	switch ev.Type {
	case "message_start":
		u := ev.Message.Usage
		d.usage = model.Usage{
			InputTokens: u.InputTokens, OutputTokens: u.OutputTokens,
			CacheReadTokens: u.CacheReadInputTokens, CacheWriteTokens: u.CacheCreationInputTokens,
		}
		return d.emit(model.Event{Kind: model.Start, ID: ev.Message.ID, Model: string(ev.Message.Model)}) &&
			d.emit(model.Event{Kind: model.UsageReport, Usage: d.usage})
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

func (d *decoder) start(ev sdk.MessageStreamEventUnion) bool {
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
		b.start = cb.JSON.Input.Raw()
		return d.emit(model.Event{Kind: model.ToolCallStart, Index: int(ev.Index), ID: cb.ID, Name: cb.Name})
	}
	return true // a kind of block that nobody asked for
}

func (d *decoder) grow(index int64, b *openBlock, kind model.EventKind, text string) bool {
	if text == "" {
		return true
	}
	b.text.WriteString(text)
	return d.emit(model.Event{Kind: kind, Index: int(index), Text: text})
}

func (d *decoder) delta(ev sdk.MessageStreamEventUnion) bool {
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

func (d *decoder) end(index int64) bool {
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
	return d.emit(model.Event{Kind: model.BlockEnd, Index: int(index), Block: b.block})
}

// messageDelta takes over the counts that are there: each is the total so far,
// and those that do not change are left out.
func (d *decoder) messageDelta(ev sdk.MessageStreamEventUnion) bool {
	if r := ev.Delta.StopReason; r != "" {
		d.reason = model.StopReason(r)
	}
	switch d.reason {
	case model.StopRefusal:
		d.detail = ev.Delta.StopDetails.Explanation
	case model.StopSequence:
		d.detail = ev.Delta.StopSequence
	}
	u := ev.Usage
	for _, f := range []struct {
		to    *int64
		from  int64
		given bool
	}{
		{&d.usage.OutputTokens, u.OutputTokens, u.JSON.OutputTokens.Valid()},
		{&d.usage.InputTokens, u.InputTokens, u.JSON.InputTokens.Valid()},
		{&d.usage.CacheReadTokens, u.CacheReadInputTokens, u.JSON.CacheReadInputTokens.Valid()},
		{&d.usage.CacheWriteTokens, u.CacheCreationInputTokens, u.JSON.CacheCreationInputTokens.Valid()},
		{&d.usage.ThinkingTokens, u.OutputTokensDetails.ThinkingTokens, u.JSON.OutputTokensDetails.Valid()},
	} {
		if f.given {
			*f.to = f.from
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
