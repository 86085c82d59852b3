package registry

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"sync"

	"github.com/hookline-dev/hookline/agent/model"
)

// Meter counts what models cost. The zero value has counted nothing; it is safe for
// concurrent use.
type Meter struct {
	mu       sync.Mutex
	usd      float64
	unpriced string
	used     map[string]Use
}

// Use is what a model has used, and what that cost where its price is known.
type Use struct {
	Model Model
	Usage model.Usage
	USD   float64
}

// Used returns what each model has used, by its provider's name for it.
func (m *Meter) Used() map[string]Use {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.used)
}

// Cost returns what the models have cost in US dollars. unpriced names one that was asked
// and has no known price, whose cost is missing.
func (m *Meter) Cost() (usd float64, unpriced string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.usd, m.unpriced
}

func (m *Meter) add(of *Model, used model.Usage) {
	if m == nil || used == (model.Usage{}) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !of.Priced {
		m.unpriced = of.FullName
	}
	usd := of.Price.Cost(used)
	m.usd += usd
	if m.used == nil {
		m.used = map[string]Use{}
	}
	before := m.used[of.Name]
	m.used[of.Name] = Use{*of, before.Usage.Add(used), before.USD + usd}
}

// metered is a provider of one model: what the models file says about it holds for
// requests that say nothing, and what they cost is counted.
type metered struct {
	model.Provider
	of       Model
	settings Settings
	meter    *Meter
}

var _ model.Describer = (*metered)(nil)

// String names the provider.
func (p *metered) String() string { return fmt.Sprint(p.Provider) }

// GoString is String, so that no verb of fmt shows more.
func (p *metered) GoString() string { return p.String() }

// Describe tells of the model what the provider does, and the models file and the list of
// prices say.
func (p *metered) Describe(name string) model.Description {
	var d model.Description
	if inner, ok := p.Provider.(model.Describer); ok {
		d = inner.Describe(name)
	}
	d.MaxTokens, d.Price = cmp.Or(p.settings.MaxTokens, d.MaxTokens), p.of.Price
	return d
}

// Stream calls the model; see [model.Provider].
func (p *metered) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
	r := *req
	r.MaxTokens = cmp.Or(r.MaxTokens, p.settings.MaxTokens)
	r.Effort = cmp.Or(r.Effort, p.settings.Effort)
	r.ThinkingBudget = cmp.Or(r.ThinkingBudget, p.settings.Thinking)
	return func(yield func(model.Event, error) bool) {
		var used model.Usage
		defer func() { p.meter.add(&p.of, used) }()
		for ev, err := range p.Provider.Stream(ctx, &r) {
			if ev.Kind == model.UsageReport {
				used = ev.Usage
				if p.of.Priced {
					cost := p.of.Price.Parts(used)
					ev.Cost = &cost
				}
			}
			if !yield(ev, err) {
				return
			}
		}
	}
}
