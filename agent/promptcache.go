package agent

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
)

// cacheKept is how long providers keep a prompt in their cache when nobody asks for more, and
// cacheTTL how hooks are told.
const (
	cacheKept = 5 * time.Minute
	cacheTTL  = "5m"
)

// sinceAnswer says how long ago the model answered last, and how large the conversation was
// then; 0 when more was said since.
func (a *Agent) sinceAnswer() (age time.Duration, whole int64, ok bool) {
	branch, err := a.Session().BranchEntries("")
	if err != nil {
		return 0, 0, false
	}
	last := true
	for _, e := range slices.Backward(branch) {
		var said answerInfo
		switch e.Type {
		case session.Message:
			if json.Unmarshal(e.Message, &said, rawOptions) == nil && said.Usage != nil {
				if last {
					whole = said.Usage.Context()
				}
				return time.Since(e.Time), whole, true
			}
		case session.Compaction, session.CustomMessage, session.BranchSummary:
		default:
			continue
		}
		last = false
	}
	return 0, 0, false
}

// cacheWrite is what a model, by the name that it was asked for, takes to write that many tokens
// into its cache, in US dollars.
func (a *Agent) cacheWrite(tokens int64, name string) (usd float64, known bool) {
	if a.cfg.CacheWrite == nil {
		return 0, false
	}
	million, known := a.cfg.CacheWrite(name)
	return math.Round(float64(tokens)*million/100) / 1e4, known
}

// switching tells of a change of the model, and what it means for the provider's cache.
func (a *Agent) switching(from, to chosenModel, source string) *hook.PreModelSwitch {
	in := &hook.PreModelSwitch{
		FromModel: from.name, FromRequested: from.requested, ToModel: to.name, RequestedModel: to.requested,
		Source: source, ContextTokens: a.ContextTokens(), CacheTTL: cacheTTL,
	}
	age, _, ok := a.sinceAnswer()
	in.PromptCacheWarm = ok && age <= cacheKept
	usd, known := a.cacheWrite(in.ContextTokens, to.requested)
	if known {
		in.EstimatedCacheWriteUSD, in.Pricing = usd, "catalog"
	}
	return in
}

// modelSwitched tells hooks and the embedding program that the model is another. What is said of
// the cache is what was so before.
func (a *Agent) modelSwitched(ctx context.Context, before *hook.PreModelSwitch) {
	in := hook.PostModelSwitch(*before)
	in.Common = hook.Common{}
	a.observe(ctx, &in)
	if a.cfg.OnModel != nil {
		a.cfg.OnModel()
	}
}
