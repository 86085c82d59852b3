package agent

import (
	"github.com/hookline-dev/hookline/agent/internal/compact"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/session"
)

// answered takes up what the provider counted for an answer, which is recorded next.
func (c *conversation) answered(tokens int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counted, c.countedMessages = tokens, len(c.messages)+1
}

// lastCount is what the provider counted for the last answer, 0 when that is not known.
func (c *conversation) lastCount() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counted
}

// tokens is how many tokens the conversation takes: what the provider counted for its last
// answer, and an estimate of what has come since; 0 when it can't be read.
func (c *conversation) tokens() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.size()
}

// size is tokens for whoever holds c.mu.
func (c *conversation) size() int64 {
	if c.refresh() != nil {
		return 0
	}
	return c.estimate()
}

// estimate is size for whoever has refreshed.
func (c *conversation) estimate() int64 {
	if c.counted > 0 && c.countedMessages <= len(c.messages) {
		return c.counted + model.EstimateTokens(c.messages[c.countedMessages:]...)
	}
	return model.EstimateTokens(c.messages...)
}

// plan says what a compaction would keep, and returns the entries of the branch.
func (c *conversation) plan(keep int64) (compact.Plan, []session.Entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.refresh(); err != nil {
		return compact.Plan{}, nil, err
	}
	entries := make([]compact.Entry, len(c.messages))
	for i, m := range c.messages {
		entries[i] = compact.Entry{ID: c.ids[i], Message: m, Summary: i == 0 && c.compacted}
	}
	plan, ok := compact.Make(entries, compact.Options{Keep: keep, TokensBefore: c.estimate()})
	if !ok {
		return plan, nil, ErrNothingToCompact
	}
	branch, err := c.session.BranchEntries("")
	return plan, branch, err
}

// fills reports whether the conversation fills a share of a window. One that an automatic
// compaction could not make smaller has to grow by a tenth of the window first.
func (c *conversation) fills(share float64, window int64) bool {
	if window <= 0 {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.size()
	return float64(now) >= share*float64(window) && now >= c.leftByCompacting+window/10
}

// compactedByItself remembers what an automatic compaction has left.
func (c *conversation) compactedByItself() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leftByCompacting = c.size()
}
