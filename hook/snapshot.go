package hook

import (
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

type groupPlan struct {
	group *Group
	runs  []planned
}

type planned struct {
	e         *entry
	uncertain bool
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
		last.runs = append(last.runs, planned{e, m == MatchUncertain})
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
