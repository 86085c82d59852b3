package pi

import (
	"slices"
	"sync"

	"github.com/hookline-dev/hookline/hook"
)

// event is one row of the table that joins the dialect's events with the
// engine's.
type event struct {
	// names are the dialect's names; the first is the one that is sent.
	names []string
	// canonical are the engine's events, most often one.
	canonical []hook.Event
	// track is the property whose changes in place count.
	track string
	// before marks events that the first block, cancel or handled ends.
	before bool
	// beside marks events that share the engine's event with another, which that is
	// called by; first and last say whose handlers run before all others of the same
	// moment, and whose after them.
	beside, first, last bool

	encode func(c *codec, in hook.Input) (any, error)
	result func(c *codec, in hook.Input, answer hook.JSON, res *hook.Result)
	keys   []string // what an answer may have
	decode func(raw hook.JSON, base hook.Common) (hook.Input, error)
	// reply builds the answer for a foreign host; nil answers nothing.
	reply func(in hook.Input, out *hook.Outcome) any
	// says are the parts of an outcome that reply writes.
	says hook.Fields
}

func (e *event) name() string { return e.names[0] }

// events is written once, here.
func events() []event {
	return slices.Concat(toolEvents(), sessionEvents(), turnEvents(), hostEvents(), besideEvents())
}

// table is events by the dialect's name and by the engine's event.
type table struct {
	rows   []event
	byName map[string]*event
	byID   map[hook.Event]*event
}

func newTable() *table {
	t := &table{rows: events(), byName: map[string]*event{}, byID: map[hook.Event]*event{}}
	for i := range t.rows {
		row := &t.rows[i]
		for _, name := range row.names {
			t.byName[name] = row
		}
		for _, ev := range row.canonical {
			if !row.beside {
				t.byID[ev] = row
			}
		}
	}
	return t
}

// eventTable is the only instance, made when it is first needed; it never changes.
var eventTable = sync.OnceValue(newTable)

// eventsOf returns the engine's events that a handler of the dialect's event is
// for, nil when there is none.
func eventsOf(name string) []hook.Event {
	row := eventTable().byName[name]
	if row == nil {
		return nil
	}
	return slices.Clone(row.canonical)
}

// nameOf returns the dialect's name of an event, "" when it has none.
func nameOf(ev hook.Event) string {
	row := eventTable().byID[ev]
	if row == nil {
		return ""
	}
	return row.name()
}

// Names returns all names of events of the dialect, in table order.
func Names() []string {
	var out []string
	for _, row := range eventTable().rows {
		out = append(out, row.names...)
	}
	return out
}
