package model

import (
	"errors"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// EventKind tells what an Event reports.
type EventKind int

// The event kinds, in the order a stream brings them: one Answered where a server was
// asked, one Start, then for each block its deltas and a BlockEnd, any number of
// UsageReports, one Stop.
const (
	// Start brings ID and Model of the answer.
	Start EventKind = iota + 1
	// TextDelta and ThinkingDelta bring the next piece of Text.
	TextDelta
	ThinkingDelta
	// ToolCallStart brings ID and Name of a call, ToolCallDelta the next
	// piece of its input in Text.
	ToolCallStart
	ToolCallDelta
	// BlockEnd brings the finished Block.
	BlockEnd
	// UsageReport brings the Usage so far, not an increment.
	UsageReport
	// Stop brings the Reason why the answer ended, and perhaps a Detail.
	Stop
	// Answered brings Provider, API, Status and Header, before anything of the answer.
	Answered
)

// Event is one step of a streamed answer. Kind says which fields count; Index
// numbers the block that a delta, a ToolCallStart or a BlockEnd belongs to.
type Event struct {
	Kind   EventKind
	Index  int
	Text   string
	ID     string
	Name   string
	Model  string
	Block  Block
	Usage  Usage
	Reason StopReason
	// Detail explains a refusal, or holds the stop sequence that was met.
	Detail string
	// Provider names who answers, API how it is spoken with: "anthropic-messages" or
	// "openai-completions".
	Provider, API string
	// Status and Header are those of the HTTP answer.
	Status int
	Header http.Header
	// Cost is what the Usage costs, nil where the price is not known.
	Cost *Cost
}

// StopReason says why a model stopped.
type StopReason string

// The stop reasons.
const (
	StopEndTurn      StopReason = "end_turn"
	StopToolUse      StopReason = "tool_use"
	StopMaxTokens    StopReason = "max_tokens"
	StopSequence     StopReason = "stop_sequence"
	StopPauseTurn    StopReason = "pause_turn"
	StopRefusal      StopReason = "refusal"
	StopContextLimit StopReason = "model_context_window_exceeded"
)

// Response is a whole answer.
type Response struct {
	ID      string
	Model   string
	Message Message
	Usage   Usage
	Reason  StopReason
	Detail  string
	// Provider, API and Cost are those of the events.
	Provider, API string
	Cost          *Cost
}

// Accumulate reads a stream to its end. Each event is first shown to observe,
// if there is one. When the stream fails, the error comes with the response as
// far as it got: finished blocks, and text that was still growing; a tool call
// that was not finished is left out, since nobody may run it. A stream that
// ends without a Stop is an error of kind KindTruncated.
//
// An observer that wants to cut the answer returns an error, which Accumulate
// hands back unchanged.
func Accumulate(stream iter.Seq2[Event, error], observe func(Event) error) (*Response, error) {
	var a accumulator
	for ev, err := range stream {
		if err != nil {
			return a.response(), err
		}
		a.add(ev)
		if observe != nil {
			if err := observe(ev); err != nil {
				return a.response(), err
			}
		}
	}
	if !a.stopped {
		return a.response(), &APIError{Kind: KindTruncated, Message: "the answer ended before the model had finished"}
	}
	return a.response(), nil
}

// accumulator sorts by index, since a provider may interleave blocks.
type accumulator struct {
	resp    Response
	done    map[int]Block
	growing map[int]*strings.Builder // the text blocks that have no end yet
	stopped bool
}

func (a *accumulator) add(ev Event) {
	switch ev.Kind {
	case Answered:
		a.resp.Provider, a.resp.API = ev.Provider, ev.API
	case Start:
		a.resp.ID, a.resp.Model = ev.ID, ev.Model
	case TextDelta:
		if a.growing == nil {
			a.growing = make(map[int]*strings.Builder)
		}
		b := a.growing[ev.Index]
		if b == nil {
			b = new(strings.Builder)
			a.growing[ev.Index] = b
		}
		b.WriteString(ev.Text)
	case BlockEnd:
		if a.done == nil {
			a.done = make(map[int]Block)
		}
		delete(a.growing, ev.Index)
		a.done[ev.Index] = ev.Block
	case UsageReport:
		a.resp.Usage, a.resp.Cost = ev.Usage, ev.Cost
	case Stop:
		a.resp.Reason, a.resp.Detail = ev.Reason, ev.Detail
		a.stopped = true
	}
}

// response closes what is still open. Thinking that was cut has no signature
// and so can not go back to a provider: it is left out.
func (a *accumulator) response() *Response {
	for i, b := range a.growing {
		if a.done == nil {
			a.done = make(map[int]Block)
		}
		a.done[i] = Text(b.String())
	}
	a.resp.Message.Role = Assistant
	for _, i := range slices.Sorted(maps.Keys(a.done)) {
		a.resp.Message.Content = append(a.resp.Message.Content, a.done[i])
	}
	return &a.resp
}

// IsRetryable reports whether the same request may succeed when it is sent
// again later.
func IsRetryable(err error) bool {
	apiErr, ok := errors.AsType[*APIError](err)
	return ok && apiErr.Retryable()
}
