package main

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/command"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agentsdk"
	"github.com/hookline-dev/hookline/ui/clean"
)

// printer prints what run has to say, in one of its forms.
type printer struct {
	*streams
	output string
	stream *agentsdk.Stream
	// tellCalls says that each tool call is told on standard error.
	tellCalls bool
	// live prints answers while they arrive: what has come of this one, what was shown of
	// the last, and whether the cursor is in the middle of a line.
	live           bool
	arrived, shown string
	midLine        bool
	// known are the calls that ran, or of which it was told that they did not, by id.
	known sync.Map
}

func newPrinter(s *streams, output string) *printer {
	return &printer{streams: s, output: output, stream: agentsdk.NewStream(s.out, currentVersion().Version)}
}

// event prints what happens in the agent.
func (p *printer) event(ev agent.Event) {
	if p.output == "stream-json" {
		p.stream.Event(ev)
		return
	}
	p.stream.Count(ev)
	switch ev.Kind {
	case agent.KindToolStart, agent.KindDenied:
		p.known.Store(ev.Call.ID, true)
	case agent.KindToolEnd: // of one that neither ran nor was denied by rules, a hook refused it
		if _, known := p.known.LoadAndDelete(ev.Call.ID); !known {
			ev.Kind, ev.Text = agent.KindDenied, ev.ToolResult.ResultText()
		}
	}
	if p.live && ev.AgentID == "" {
		p.show(ev)
	}
	switch {
	case ev.Kind == agent.KindToolStart && p.tellCalls:
		p.warnf("%s %s", ev.Call.Name, firstLine(ev.Call.InputText()))
	case ev.Kind == agent.KindDenied:
		p.warnf("Not run: %s %s: %s", ev.Call.Name, firstLine(ev.Call.InputText()), line(ev.Text))
	case ev.Kind == agent.KindRetry:
		p.warnf("Asking the model again in %s (%d of %d): %s", ev.Retry.Delay, ev.Retry.Attempt, ev.Retry.Max, line(ev.Retry.Err.Error()))
	} // notices come by the user interface
}

// show prints an answer while it arrives, as hooks want it shown.
func (p *printer) show(ev agent.Event) {
	switch {
	case ev.Kind == agent.KindText:
		if text := clean.PlainText(ev.Text); text != "" {
			p.printf("%s", text)
			p.midLine = !strings.HasSuffix(text, "\n")
		}
		return
	case ev.Kind == agent.KindStream && ev.Stream.Kind == model.Start:
		p.arrived = ""
	case ev.Kind == agent.KindStream && ev.Stream.Kind == model.TextDelta:
		p.arrived += ev.Stream.Text
	}
	switch ev.Kind {
	case agent.KindMessage, agent.KindDiscard, agent.KindToolStart, agent.KindDenied, agent.KindRetry:
		if p.midLine {
			p.printf("\n")
		}
		p.midLine = false
	}
	if ev.Kind == agent.KindMessage && ev.Message.Role == model.Assistant {
		p.shown = p.arrived
	}
}

// finish prints the result.
func (p *printer) finish(reply command.Reply, runErr error) error {
	r := p.stream.Result(reply, runErr)
	var unanswered error
	if r.Subtype == agentsdk.NoAnswer {
		unanswered = errors.New(r.Reason)
	}
	if p.output == "text" {
		text := reply.Output
		if reply.Result != nil && reply.Result.Text != "" {
			text = reply.Result.Text
		}
		if r.Structured != nil {
			text = string(r.Structured)
		}
		if text == p.shown {
			return unanswered // it was printed as it arrived
		}
		if text != "" && runErr == nil {
			p.printf("%s\n", clean.PlainText(text))
		}
		return unanswered
	}
	p.stream.Send(r)
	if err := p.stream.Err(); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	return unanswered
}
