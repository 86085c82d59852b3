package audit

import (
	"cmp"
	"iter"
	"slices"
)

// Timing sums up how long a hook took.
type Timing struct {
	Hook    string `json:"hook"`
	Dialect string `json:"dialect"`
	Event   string `json:"event"`
	// Runs is how often it ran, and Failed how often without an answer.
	Runs   int `json:"runs"`
	Failed int `json:"failed"`
	// The durations are in milliseconds.
	TotalMS  float64 `json:"total_ms"`
	MedianMS float64 `json:"median_ms"`
	P95MS    float64 `json:"p95_ms"`
	MaxMS    float64 `json:"max_ms"`
	// Phases are the means of where the time of its processes went, nil when it had
	// none.
	Phases *Phases `json:"phases,omitzero"`

	durations []float64
	measured  int
}

// Slow sums up records by hook and event, what took longest in all first. Hooks that
// did not run are left out; so are errors of reading, which the caller sees by
// looking at the records itself.
func Slow(records iter.Seq2[Record, error]) []Timing {
	type key struct{ hook, dialect, event string }
	byHook := map[key]*Timing{}
	for r, err := range records {
		if err != nil || r.Kind != KindHook || r.Status == "skipped" || r.Status == "pending" {
			continue
		}
		k := key{r.Hook, r.Dialect, r.Event}
		t := byHook[k]
		if t == nil {
			t = &Timing{Hook: r.Hook, Dialect: r.Dialect, Event: r.Event}
			byHook[k] = t
		}
		t.add(&r)
	}
	out := make([]Timing, 0, len(byHook))
	for _, t := range byHook {
		out = append(out, t.done())
	}
	slices.SortFunc(out, func(a, b Timing) int {
		return cmp.Or(cmp.Compare(b.TotalMS, a.TotalMS), cmp.Compare(a.Hook, b.Hook), cmp.Compare(a.Event, b.Event), cmp.Compare(a.Dialect, b.Dialect))
	})
	return out
}

func (t *Timing) add(r *Record) {
	t.Runs++
	if r.Status != "ran" {
		t.Failed++
	}
	t.TotalMS += r.DurationMS
	t.durations = append(t.durations, r.DurationMS)
	if p := r.Phases; p != nil {
		if t.Phases == nil {
			t.Phases = &Phases{}
		}
		t.measured++
		t.Phases.StartMS += p.StartMS
		t.Phases.StdinMS += p.StdinMS
		t.Phases.RunMS += p.RunMS
		t.Phases.DrainMS += p.DrainMS
	}
}

func (t *Timing) done() Timing {
	slices.Sort(t.durations)
	n := len(t.durations)
	t.MedianMS, t.P95MS, t.MaxMS = t.durations[n/2], t.durations[min(n-1, n*95/100)], t.durations[n-1]
	if p := t.Phases; p != nil {
		m := float64(t.measured)
		t.Phases = &Phases{p.StartMS / m, p.StdinMS / m, p.RunMS / m, p.DrainMS / m}
	}
	t.durations = nil
	return *t
}
