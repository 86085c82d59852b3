package main

import (
	"strings"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui/clean"
)

// plainTeller says in lines with labels what happens in a chat.
type plainTeller struct{ out *streams }

func (p *plainTeller) say(label, text string) {
	for _, l := range strings.Split(strings.TrimRight(clean.PlainText(text), "\n"), "\n") {
		p.out.printf("%s: %s\n", label, l)
	}
}

func (p *plainTeller) event(ev agent.Event) {
	switch ev.Kind {
	case agent.KindMessage:
		if text := ev.Message.Text(); ev.Message.Role == model.Assistant && text != "" && ev.AgentID == "" {
			p.say("agent", text)
		}
	case agent.KindToolStart:
		p.say("tool", line(ev.Call.Name)+" "+line(ev.Call.InputText()))
	case agent.KindToolEnd:
		if ev.ToolResult.IsError {
			p.say("tool", line(ev.Call.Name)+" failed: "+line(ev.ToolResult.ResultText()))
		}
	case agent.KindHookOutput:
		p.say("hook", line(ev.Source)+": "+ev.Text)
	}
}

// Observe says what hooks did that mattered.
func (p *plainTeller) Observe(e hook.Emission) {
	if e.Subtype == hook.HookResponse && e.Outcome != "success" {
		p.say("hook", e.HookEvent.String()+" "+line(e.HookName)+": "+e.Outcome)
	}
}
