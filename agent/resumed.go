package agent

import (
	"math"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
)

// cacheKept is how long providers keep a prompt in their cache when nobody asks for more.
const cacheKept = 5 * time.Minute

// measure says how large a resumed session is, for how long it was left alone, and what
// that means for the provider's cache.
func (a *Agent) measure(in *hook.SessionStart) {
	branch, err := a.Session().BranchEntries("")
	if err != nil {
		return
	}
	in.ContextTokens = a.conversation.tokens()
	last := true
	for _, e := range slices.Backward(branch) {
		switch e.Type {
		case session.Compaction, session.CustomMessage, session.BranchSummary:
			last = false
			continue
		case session.Message:
		default:
			continue
		}
		var said answerInfo
		if json.Unmarshal(e.Message, &said, rawOptions) != nil || said.Usage == nil {
			last = false
			continue
		}
		if last {
			in.ContextTokens = said.Usage.Context()
		}
		age := time.Since(e.Time)
		in.SecondsSinceLastResponse, in.PromptCacheLikelyExpired = math.Floor(age.Seconds()), age > cacheKept
		break
	}
	if a.Model() != a.cfg.ModelName {
		return // of which the price is not known here
	}
	in.EstimatedCacheWriteUSD = math.Round(float64(in.ContextTokens)*a.cfg.CacheWrite/100) / 1e4
}
