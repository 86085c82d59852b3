package pi

import (
	"fmt"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
)

// name is the name of the dialect in records.
const name = "pi"

// rank places the dialect's hooks among those of others.
const rank = 300

// groups are the groups that carry the dialect's rules of order.
var groups = [...]dialect.Group{
	{Name: "pi gates", Flow: hook.DenyFast, Rank: rank}, {Name: name, Flow: hook.Sequential, Rank: rank}, {Name: "pi last", Flow: hook.Sequential, Rank: rank + 1},
}

// Groups are the groups that carry the dialect's rules of order. All modules
// of a registry share them: handlers run in the order of the modules, and within
// a module in the order of registration.
type Groups struct {
	// Gates holds the handlers of events whose first block or cancel ends them, and of
	// those that come before another one of the same moment, Last those of the dialect's events that come after another one of the same
	// moment, Others all other handlers.
	Gates, Others, Last *hook.Group
}

// NewGroups makes the groups in a registry.
func NewGroups(r *hook.Registry) Groups {
	return Groups{
		Gates:  r.Group(groups[0].Name, groups[0].Flow, groups[0].Rank),
		Others: r.Group(groups[1].Name, groups[1].Flow, groups[1].Rank),
		Last:   r.Group(groups[2].Name, groups[2].Flow, groups[2].Rank),
	}
}

// notCompacted matches how sessions start: a compaction starts none in this dialect.
type notCompacted struct{}

// Match matches all but compactions.
func (notCompacted) Match(source string) hook.Matched {
	if source == "compact" {
		return hook.MatchNo
	}
	return hook.MatchYes
}

// String says it for a person.
func (notCompacted) String() string { return "all but compact" }

// Registrations returns a registration for each event handler of a module, and
// a remark for each handler that can never run because the engine has no such
// event. The caller fills in what it knows besides, such as the scope.
func Registrations(m *script.Module, g Groups) (regs []hook.Registration, remarks []string) {
	info := m.Info()
	for _, h := range info.Handlers {
		c, ok := newCodec(h.Event, info.Family, info.Kind)
		if !ok {
			remarks = append(remarks, fmt.Sprintf("%s: no event of this host is called %q; its handler never runs%s", info.Path, h.Event, didYouMean(h.Event, Names())))
			continue
		}
		events := c.row.canonical
		if (h.Event == "session_start" || h.Event == "session_shutdown") && c.rules.forksStart {
			events = append(events[:len(events):len(events)], hook.EventSessionBranch)
		}
		for _, ev := range events {
			reg := hook.Registration{
				Event: ev, Handler: script.NewHook(m, h.Event, h.Index, c),
				Name: fmt.Sprintf("%s#%s[%d]", info.Path, h.Event, h.Index), Dialect: name, Source: info.Path,
				Group: g.Others, OnFailure: hook.FailOpen,
			}
			if ev == hook.EventSessionStart {
				reg.Matcher = notCompacted{}
			}
			switch {
			case c.row.before, c.row.first:
				reg.Group = g.Gates
			case c.row.last:
				reg.Group = g.Last
			}
			if ev == hook.EventPreToolUse {
				reg.OnFailure = hook.FailClosed
			}
			regs = append(regs, reg)
		}
	}
	return regs, remarks
}
