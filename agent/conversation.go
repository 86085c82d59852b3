package agent

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hookline-dev/hookline/agent/compact"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/jsonx"
	"github.com/hookline-dev/hookline/session"
)

// conversation is the session that the agent works in, the transcript beside it, and what
// the next model call sends of them, which is read from the session once and then kept in
// step with it. What the agent adds to the session goes through here, so that the three
// agree. Any goroutine may call it; it calls nothing of the agent's.
type conversation struct {
	mu         sync.Mutex // guards what follows
	session    *session.Session
	transcript *session.Transcript // nil when the session is in memory, and once it was left
	title      string
	titleShown string // what the person is shown
	turns      int    // that were begun in the session

	history
	stale            bool  // the history is to be read again
	counted          int64 // tokens that the last model call filled, 0 when not known
	countedMessages  int   // messages that it covered
	leftByCompacting int64 // tokens after the last automatic compaction
}

// open makes a session, with its transcript, the one that the agent works in. Tool calls
// that were running when a process ended get their results.
func (c *conversation) open(s *session.Session, t *session.Transcript) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session, c.transcript, c.title, c.turns = s, t, s.Title(), 0
	c.history, c.countedMessages, c.leftByCompacting = history{}, 0, 0
	c.reread()
	return c.answerOpenCalls()
}

// answerOpenCalls records a result for each call that has none; c.mu is held.
func (c *conversation) answerOpenCalls() error {
	open, err := c.session.Unanswered()
	if err != nil || len(open) == 0 {
		return err
	}
	msg := model.Message{Role: model.User}
	for _, id := range open {
		msg.Content = append(msg.Content, model.ToolError(id, "The call was interrupted before it ended: the agent was stopped."))
	}
	_, err = c.append(session.Entry{Type: session.Message}, msg, stored{})
	return err
}

// leave takes the transcript away, and returns it with the session, for closing them.
func (c *conversation) leave() (*session.Session, *session.Transcript) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.transcript
	c.transcript = nil
	return c.session, t
}

// current returns the session.
func (c *conversation) current() *session.Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

// identity returns the session's id and the path of its transcript, "" for none.
func (c *conversation) identity() (id, transcript string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.transcript != nil {
		transcript = c.transcript.Path()
	}
	return c.session.ID(), transcript
}

// setDir has further lines of the transcript name another working directory.
func (c *conversation) setDir(dir string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.transcript != nil {
		c.transcript.SetCwd(dir)
	}
}

// currentTitle returns the session's title, "" when it has none.
func (c *conversation) currentTitle() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.title
}

// rename changes the title, which the person is shown, in the session too. It reports whether
// it was another one.
func (c *conversation) rename(title string) (other bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if other = title != c.title; other {
		err = c.session.SetTitle(strings.ToValidUTF8(title, "\uFFFD"))
	}
	c.title, c.titleShown = title, title
	return other, err
}

// renameHere is rename that leaves the session as it is.
func (c *conversation) renameHere(title string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.title, c.titleShown = title, title
}

// showTitle returns the title, which the person is shown now. It reports whether they were
// shown another one.
func (c *conversation) showTitle() (title string, other bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	other = c.title != c.titleShown
	c.titleShown = c.title
	return c.title, other
}

// beginTurn counts a turn.
func (c *conversation) beginTurn() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turns++
}

// turn is the number of the current turn, from 1.
func (c *conversation) turn() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.turns
}

// refresh reads the history from the session when it has to; c.mu is held.
func (c *conversation) refresh() error {
	if !c.stale {
		return nil
	}
	h, err := readHistory(c.session)
	if err != nil {
		return err
	}
	c.history, c.stale = h, false
	return nil
}

// reread has the history read anew when next it is asked for; c.mu is held.
func (c *conversation) reread() { c.stale, c.counted = true, 0 }

// record adds a message to the session, the transcript and the history. from is what the
// model's answer came with, if it is one.
func (c *conversation) record(e session.Entry, msg model.Message, from stored) (session.Entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.append(e, msg, from)
}

// append is record for whoever holds c.mu.
func (c *conversation) append(e session.Entry, msg model.Message, from stored) (session.Entry, error) {
	seen, err := hook.Message{Role: string(msg.Role)}, error(nil)
	if hasDetails(msg) { // which only hooks see
		if seen, err = toHook(msg); err != nil {
			return e, err
		}
	}
	switch e.Type {
	case session.Message:
		from.Role, from.Content = msg.Role, msg.Content
		if e.Message, err = jsonx.Marshal(from, msg.Size(), rawOptions); err != nil {
			return e, fmt.Errorf("encoding a message: %w", err)
		}
		seen.Extra = from.extra()
	case session.CustomMessage:
		seen = seenAsCustom(seen, e.CustomType, e.Details, e.Display)
	}
	if e, err = c.appendEntry(e); err != nil {
		return e, err
	}
	if !c.stale {
		stamp(&seen, e.Time)
		c.add(e.ID, msg, seen)
	}
	return e, nil
}

// recordEntry adds what is not a message to the session and the transcript.
func (c *conversation) recordEntry(e session.Entry) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.appendEntry(e)
	return err
}

// recordModel adds the entry of a change of the model, whose way to count is another.
func (c *conversation) recordModel(e session.Entry) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counted = 0
	_, err := c.appendEntry(e)
	return err
}

// recordCompaction adds a compaction, after which other messages are sent.
func (c *conversation) recordCompaction(e session.Entry) (session.Entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reread()
	return c.appendEntry(e)
}

// appendEntry adds an entry to the session and the transcript; c.mu is held.
func (c *conversation) appendEntry(e session.Entry) (session.Entry, error) {
	e, err := c.session.Append(e)
	if err == nil && c.transcript != nil {
		err = c.transcript.Add(e)
	}
	return e, err
}

// leafMoved takes up that the session goes on from another entry. A summary of what was left,
// nil for none, gets into the transcript.
func (c *conversation) leafMoved(summary *session.Entry) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reread()
	if c.transcript == nil || summary == nil {
		return nil
	}
	return c.transcript.Add(*summary)
}

// replace puts messages, and what they are for the model, in the place of the conversation:
// the leaf goes back to the last message that stays, and the others are added below it. What
// was there remains in the session, on a branch that was left.
func (c *conversation) replace(msgs []hook.Message, decoded []model.Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.refresh(); err != nil {
		return err
	}
	seen, err := c.forHooks()
	if err != nil {
		return err
	}
	same, target := 0, ""
	for !c.compacted && same < len(msgs) && same < len(seen) &&
		msgs[same].Role == seen[same].Role && msgs[same].Content == seen[same].Content {
		target = c.ids[same]
		same++
	}
	if same == len(msgs) && same == len(seen) {
		return nil
	}
	if _, err := c.session.Navigate(target, nil); err != nil {
		return err
	}
	c.reread()
	for i, m := range decoded[same:] {
		if _, err := c.append(entryFor(msgs[same+i]), m, stored{}); err != nil {
			return err
		}
	}
	return nil
}

// length is how many messages there are.
func (c *conversation) length() (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.refresh()
	return len(c.messages), err
}

// toSend returns the messages that the next model call sends. The caller does not change them.
func (c *conversation) toSend() ([]model.Message, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.refresh()
	return slices.Clip(c.messages), err
}

// toSendAndShow is toSend, with what hooks see of the messages.
func (c *conversation) toSendAndShow() (msgs []model.Message, seen []hook.Message, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err = c.refresh(); err == nil {
		seen, err = c.forHooks()
	}
	return slices.Clip(c.messages), seen, err
}

// since returns the messages from one on.
func (c *conversation) since(first int) []model.Message {
	msgs, err := c.toSend()
	if err != nil {
		return nil
	}
	return slices.Clone(msgs[min(first, len(msgs)):])
}

// seenSince returns the messages from one on as hooks see them, nil when they can't be read.
func (c *conversation) seenSince(first int) []hook.Message {
	_, seen, _ := c.toSendAndShow()
	return slices.Clone(seen[min(first, len(seen)):])
}

// lastCalls names the tools that the model called last, by the ids of the calls.
func (c *conversation) lastCalls() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	called := map[string]string{}
	for _, m := range slices.Backward(c.messages) {
		if m.Role != model.Assistant {
			continue
		}
		for _, call := range m.ToolUses() {
			called[call.ID] = call.Name
		}
		break
	}
	return called
}

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
