package tui

import (
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hookline-dev/hookline/ui"
)

// A question waits as a line while the person has typed within typing, so that it does
// not come between; and it takes no key within settle of when it was drawn, or of a key
// that it did not take: nothing that was typed for something else is its answer.
const (
	typing = time.Second
	settle = 400 * time.Millisecond
)

// dialog is what a question looks like and how it is answered.
type dialog interface {
	// draw returns its lines, and where the cursor stands, nil for nowhere.
	draw(width, height int, th ui.Theme) ([]string, *tea.Cursor)
	// key takes a key and reports whether that was the answer. The answer is read when
	// the question is over; without one the person dismissed it.
	key(k tea.KeyPressMsg) bool
	paste(p tea.PasteMsg)
	// rank says which of two goes first: the lower one.
	rank() int
}

// question is a dialog that somebody waits for.
type question struct {
	dialog
	source string
	over   chan struct{}
	open   bool // it has the keys, and is not a line that waits
	own    bool // the person asked for it

	mu      sync.Mutex // guards what follows
	drawnAt time.Time
	refused time.Time // the last key that came too early
}

// wasDrawn notes that it is on the screen.
func (q *question) wasDrawn(now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.drawnAt.IsZero() {
		q.drawnAt = now
	}
}

// ready reports whether a key of now is meant for the question.
func (q *question) ready(now time.Time) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.settled(now) {
		q.refused = now
		return false
	}
	return true
}

// settled reports whether it would take a key; q.mu is held.
func (q *question) settled(now time.Time) bool {
	return !q.drawnAt.IsZero() && now.Sub(q.drawnAt) >= settle && now.Sub(q.refused) >= settle
}

// waits reports whether the question takes no key yet.
func (q *question) waits(now time.Time) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.open || !q.free() && !q.settled(now)
}

// free reports whether any key is for it: the person asked for it, or a module draws it and
// asks for nothing.
func (q *question) free() bool {
	_, ok := q.dialog.(*custom)
	return ok || q.own
}

// asked puts a question into the row. The one that is open stays.
func (m *screen) asked(q *question) {
	i := len(m.questions)
	for i > 0 && !m.questions[i-1].open && m.questions[i-1].rank() > q.rank() {
		i--
	}
	m.questions = slices.Insert(m.questions, i, q)
}

// close ends a question; the next one is drawn anew.
func (m *screen) close(q *question) {
	i := slices.Index(m.questions, q)
	if i < 0 {
		return
	}
	m.questions = slices.Delete(m.questions, i, i+1)
	close(q.over)
}

// question is the first in the row, nil for none. It opens when the person does not type.
func (m *screen) question() *question {
	if len(m.questions) == 0 {
		return nil
	}
	q := m.questions[0]
	if !q.open && (q.free() || m.a.cfg.Now().Sub(m.lastKey) >= typing) {
		q.open = true
	}
	return q
}

// answerKey hands a key to the open question, unless it is too early to be meant for it.
func (m *screen) answerKey(q *question, k tea.KeyPressMsg, now time.Time) {
	if (q.free() || q.ready(now)) && q.key(k) {
		m.close(q)
	}
}
