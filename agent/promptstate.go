package agent

import (
	"slices"
	"sync"

	"github.com/hookline-dev/hookline/permission"
)

// promptState is what is known of the prompt that the agent works on, or worked on last:
// what comes until the next one, SessionEnd too, belongs to it. Any goroutine may call it, as
// hooks in the background and subagents do; it calls nothing of the agent's.
type promptState struct {
	mu         sync.Mutex // guards what follows
	id         string
	haltReason string            // why a hook ends the run, "" when none does
	granted    []permission.Rule // what may run without a question
	denials    []Call            // those of subagents too
}

// begin makes a prompt the one that is worked on, with its grants. That the run is to end
// stays: a hook may have said so before.
func (p *promptState) begin(granted []permission.Rule) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.id, p.granted, p.denials = newID(), slices.Clone(granted), nil
}

// beginWithout is begin for what is like a prompt and has none, such as a compaction.
func (p *promptState) beginWithout() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.id = newID()
}

// beginAs takes over another one's id and grants, as a subagent does.
func (p *promptState) beginAs(id string, granted []permission.Rule) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.id, p.granted = id, granted
}

// beginFirst is beginWithout where nothing has begun yet.
func (p *promptState) beginFirst() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.id == "" {
		p.id = newID()
	}
}

// leave forgets the prompt: another session has none yet.
func (p *promptState) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.id = ""
}

// current is the id of the prompt.
func (p *promptState) current() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.id
}

// halt ends the prompt that runs, or the next one, after what is going on has been
// recorded. The first reason counts.
func (p *promptState) halt(reason string) {
	if reason == "" {
		reason = "a hook ended the run"
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.haltReason == "" {
		p.haltReason = reason
	}
}

// whyHalted is why a hook ends the run, "" when none does.
func (p *promptState) whyHalted() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.haltReason
}

// takeHalt forgets that a hook ends the run, since it has ended, and returns why.
func (p *promptState) takeHalt() (reason string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	reason, p.haltReason = p.haltReason, ""
	return reason
}

// grant lets calls run without a question until the next prompt begins.
func (p *promptState) grant(rules []permission.Rule) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.granted = slices.Concat(p.granted, rules)
}

// grants are the rules of calls that run without a question.
func (p *promptState) grants() []permission.Rule {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.granted
}

// deny notes a call that was refused.
func (p *promptState) deny(c Call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.denials = append(p.denials, c)
}

// denied are the calls that were refused.
func (p *promptState) denied() []Call {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.denials
}
