package hook

import (
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
)

// snapshot is an immutable view of a registry, by event.
type snapshot struct{ events [eventCount]*eventTable }

// eventTable holds the registrations of one event in the order in which they run,
// and remembers which of them match a subject.
type eventTable struct {
	entries []*entry
	subject bool // whether the event has a subject

	mu    sync.Mutex // guards additions to plans
	plans atomic.Pointer[map[string]*plan]
}

// plan is the registrations that match one subject, by group. A nil plan is empty.
type plan struct {
	groups []groupPlan
	count  int
	guards bool // one of them wants to see the final input
}

// groupPlan is the candidates of a group in the order in which they run.
type groupPlan struct {
	group      *Group
	candidates []candidate
}

// candidate is a registration whose matcher matches, or may match.
type candidate struct {
	reg   *entry
	maybe bool
}

// Bounds of the memory of plans: a model can make up any number of tool names.
const (
	maxPlans   = 512
	maxSubject = 128
)

func newSnapshot(entries []*entry) *snapshot {
	s := &snapshot{}
	for _, e := range sorted(entries) {
		t := s.events[e.Event]
		if t == nil {
			t = &eventTable{subject: e.Event.spec().Subject != ""}
			t.plans.Store(&map[string]*plan{})
			s.events[e.Event] = t
		}
		t.entries = append(t.entries, e)
	}
	return s
}

// plan returns what runs for a subject, nil when nothing does.
func (t *eventTable) plan(subject string) *plan {
	if !t.subject {
		subject = ""
	}
	if p, ok := (*t.plans.Load())[subject]; ok {
		return p
	}
	p := t.build(subject)
	if len(subject) <= maxSubject {
		t.remember(subject, p)
	}
	return p
}

func (t *eventTable) remember(subject string, p *plan) {
	t.mu.Lock()
	defer t.mu.Unlock()
	old := *t.plans.Load()
	if len(old) >= maxPlans {
		return
	}
	next := maps.Clone(old)
	next[subject] = p
	t.plans.Store(&next)
}

func (t *eventTable) build(subject string) *plan {
	p := &plan{}
	for _, e := range t.entries {
		m := t.match(e, subject)
		if m == MatchNo {
			continue
		}
		g := e.Registration.Group
		if n := len(p.groups); n == 0 || p.groups[n-1].group != g {
			p.groups = append(p.groups, groupPlan{group: g})
		}
		last := &p.groups[len(p.groups)-1]
		last.candidates = append(last.candidates, candidate{e, m == MatchUncertain})
		p.count++
		p.guards = p.guards || e.Guard
	}
	if p.count == 0 {
		return nil
	}
	return p
}

// match tests an entry's matcher; on an event without a subject there is nothing
// to test, and every hook runs.
func (t *eventTable) match(e *entry, subject string) Matched {
	if e.Matcher == nil || !t.subject {
		return MatchYes
	}
	return e.Matcher.Match(subject)
}

// gate skips a run whose hook does not run, and otherwise says what could not be decided.
func (f *fire) gate(r *run) {
	e := r.reg
	switch {
	case e.gone.Load():
		r.skip("it was removed")
		return
	case e.AgentID != "" && e.AgentID != f.base.AgentID:
		r.skip("it belongs to agent " + e.AgentID)
		return
	case e.MainOnly && f.base.AgentID != "":
		r.skip("it does not run in subagents")
		return
	case !e.Summaries && isSummary(f.in):
		r.skip("for its format a summary is no subagent")
		r.Unmatched = true
		return
	}
	if r.Uncertain {
		r.Why = fmt.Sprintf("uncertain whether matcher %q matches", e.Matcher.String())
	}
	if e.Condition != nil {
		switch m, reason := e.Condition(f.in); m {
		case MatchNo:
			r.skip("its condition does not hold: " + reason)
			r.Unmatched = true
			return
		case MatchUncertain:
			r.Why, r.Uncertain = "uncertain whether its condition holds: "+reason, true
		}
	}
	if e.Inactive != "" {
		r.skip(e.Inactive)
		return
	}
	if e.Once {
		if _, done := f.eng.once.Load(onceKey{e.seq, f.base.SessionID}); done {
			r.skip("it runs once a session and has run")
		}
	}
}

// isSummary reports whether what stops has summarised a conversation.
func isSummary(in Input) bool {
	stop, ok := in.(*SubagentStop)
	return ok && stop.Summary
}

// skip says that the hook does not run.
func (r *run) skip(why string) { r.Status, r.Why, r.Uncertain = StatusSkipped, why, false }

// traceUnmatched records the registrations whose matcher does not match.
func (f *fire) traceUnmatched(t *eventTable) {
	for _, e := range t.entries {
		if t.match(e, f.in.Subject()) == MatchNo {
			r := f.newRun(candidate{reg: e})
			r.skip(unmatched(e, f.in.Subject()))
			r.Unmatched = true
			f.record(r)
		}
	}
}

// Consideration says whether a registration would run for an event, and why.
type Consideration struct {
	Hook *Info
	// Order is the place among those that would run, from 1; 0 for the others.
	Order     int
	Runs      bool
	Uncertain bool
	Why       string
}

// Explain says of every registration of an event whether it would run, in the
// order in which they would, without running anything.
func (e *Engine) Explain(in Input) []Consideration {
	s := e.reg.snap.Load()
	if s == nil || s.events[in.Event()] == nil {
		return nil
	}
	t := s.events[in.Event()]
	f := fire{eng: e, in: in, base: in.Base()}
	out := make([]Consideration, 0, len(t.entries))
	order, seen := 0, map[string]*entry{}
	for _, en := range t.entries {
		c := Consideration{Hook: en.info}
		m := t.match(en, in.Subject())
		if m == MatchNo {
			c.Why = unmatched(en, in.Subject())
		} else {
			r := &run{Run: Run{Status: statusConsidered, Uncertain: m == MatchUncertain}, reg: en}
			f.gate(r)
			c.Why, c.Runs, c.Uncertain = r.Why, r.Status == statusConsidered, r.Uncertain
			if first, dup := seen[dupKey(en)]; c.Runs && dup && dupKey(en) != "" {
				c.Runs, c.Why = false, sameHook(en, first)
			}
		}
		if c.Runs {
			order++
			c.Order = order
			seen[dupKey(en)] = en
			if c.Why == "" {
				c.Why = matchedBecause(en, t.subject)
			}
		}
		out = append(out, c)
	}
	return out
}

func unmatched(en *entry, subject string) string {
	return fmt.Sprintf("matcher %q does not match %q", en.Matcher.String(), subject)
}

func matchedBecause(en *entry, subject bool) string {
	switch {
	case !subject || en.Matcher == nil:
		return "runs for every " + en.Event.String()
	case en.Condition != nil:
		return fmt.Sprintf("matcher %q and its condition match", en.Matcher.String())
	}
	return fmt.Sprintf("matcher %q matches", en.Matcher.String())
}

// dupKey identifies a hook within a parallel group, "" when it has no identity.
func dupKey(en *entry) string {
	if en.ident == "" || en.Registration.Group.flow != Parallel {
		return ""
	}
	return en.Registration.Group.name + "\x00" + en.ident
}

// sameHook says why en does not run: first is the same hook. Two of one name are
// told apart by where they are.
func sameHook(en, first *entry) string {
	why := "the same hook as " + first.info.Name
	if first.info.Name == en.info.Name && first.info.Source != "" {
		why += " of " + first.info.Source
	}
	return why
}
