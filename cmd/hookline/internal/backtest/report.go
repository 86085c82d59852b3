package backtest

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/hookline-dev/hookline/dialect"
)

// Bounds of what a report keeps, however many calls there were.
const (
	maxGroups   = 1000
	maxExamples = 3
)

// Report is what hooks would have done. Texts in it are redacted.
type Report struct {
	Sessions int `json:"sessions"`
	// Events is how many were fired, and Unread how many lines could not be understood.
	Events int `json:"events"`
	Unread int `json:"unread"`
	// Groups are equal answers of one hook, Differences equal differences between the two
	// versions, and Hooks the hooks that ran; Sorted puts them in their order.
	Groups      []*Group     `json:"groups"`
	Differences []*Group     `json:"differences"`
	Hooks       []*HookTimes `json:"hooks"`
}

// Key says what the answers of a group have in common.
type Key struct {
	// Hook is "" for a difference, which is of all hooks together.
	Hook  string `json:"hook,omitzero"`
	Event string `json:"event"`
	Tool  string `json:"tool,omitzero"`
	// Answer is the decision and the other parts of the answer, such as deny or
	// updated_input; of a difference the old one, an arrow, and the new one.
	Answer string `json:"answer"`
	Reason string `json:"reason,omitzero"`
}

// Group counts equal answers.
type Group struct {
	Key
	Count int `json:"count"`
	// Ran is how many of the calls ran in their sessions, Approved those of them that a
	// person had approved.
	Ran      int       `json:"ran"`
	Approved int       `json:"approved"`
	Examples []Example `json:"examples"`
}

// Example is one event of a group.
type Example struct {
	// Place is the session's file and the line in it.
	Place string    `json:"place"`
	Time  time.Time `json:"time"`
	Text  string    `json:"text"`
}

// HookTimes is how often a hook ran and for how long. Failed runs and those that were
// refused something by the sandbox are not in the groups; Fault is what one of them said.
type HookTimes struct {
	Hook    string  `json:"hook"`
	Runs    int     `json:"runs"`
	Failed  int     `json:"failed"`
	Refused int     `json:"refused"`
	Fault   string  `json:"fault,omitzero"`
	TotalMS float64 `json:"total_ms"`
	MaxMS   float64 `json:"max_ms"`
}

// find returns the group of a key among others. Where there are too many, reasons are no
// longer told apart.
func find(list *[]*Group, k Key) *Group {
	at := func() int { return slices.IndexFunc(*list, func(g *Group) bool { return g.Key == k }) }
	i := at()
	if i < 0 && len(*list) >= maxGroups {
		k.Reason = "(various)"
		i = at()
	}
	if i < 0 {
		*list = append(*list, &Group{Key: k, Examples: []Example{}})
		i = len(*list) - 1
	}
	return (*list)[i]
}

func (r *Report) hook(name string) *HookTimes {
	i := slices.IndexFunc(r.Hooks, func(h *HookTimes) bool { return h.Hook == name })
	if i < 0 {
		r.Hooks = append(r.Hooks, &HookTimes{Hook: name})
		i = len(r.Hooks) - 1
	}
	return r.Hooks[i]
}

// add counts an event.
func (g *Group) add(e Example) {
	g.Count++
	if len(g.Examples) < maxExamples {
		g.Examples = append(g.Examples, e)
	}
}

// became counts what became of one of the calls.
func (g *Group) became(f dialect.Fate) {
	if f == dialect.FateRan || f == dialect.FateApproved {
		g.Ran++
	}
	if f == dialect.FateApproved {
		g.Approved++
	}
}

// merge adds another report.
func (r *Report) merge(o *Report) {
	r.Sessions += o.Sessions
	r.Events += o.Events
	r.Unread += o.Unread
	mergeGroups(&r.Groups, o.Groups)
	mergeGroups(&r.Differences, o.Differences)
	for _, h := range o.Hooks {
		to := r.hook(h.Hook)
		to.Runs, to.Failed, to.Refused = to.Runs+h.Runs, to.Failed+h.Failed, to.Refused+h.Refused
		to.Fault, to.TotalMS, to.MaxMS = cmp.Or(to.Fault, h.Fault), to.TotalMS+h.TotalMS, max(to.MaxMS, h.MaxMS)
	}
}

func mergeGroups(to *[]*Group, from []*Group) {
	for _, g := range from {
		t := find(to, g.Key)
		t.Count, t.Ran, t.Approved = t.Count+g.Count, t.Ran+g.Ran, t.Approved+g.Approved
		t.Examples = append(t.Examples, g.Examples[:min(len(g.Examples), maxExamples-len(t.Examples))]...)
	}
}

// sort puts the most frequent groups first, and hooks by their names.
func (r *Report) sort() {
	byCount := func(a, b *Group) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Hook, b.Hook), cmp.Compare(a.Answer, b.Answer), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Reason, b.Reason))
	}
	slices.SortStableFunc(r.Groups, byCount)
	slices.SortStableFunc(r.Differences, byCount)
	slices.SortFunc(r.Hooks, func(a, b *HookTimes) int { return cmp.Compare(a.Hook, b.Hook) })
}

// Answers counts the answers of all groups by what they are.
func (r *Report) Answers() (names []string, counts map[string]int) {
	counts = map[string]int{}
	for _, g := range r.Groups {
		counts[g.Answer] += g.Count
	}
	return slices.Sorted(maps.Keys(counts)), counts
}
