package agent

import (
	"slices"
	"sync"

	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

// When says when a queued message is taken up.
type When string

// The times. A steering message is taken up at the next turn of the prompt that
// runs, a follow-up when the model has nothing more to do, and one for the next
// turn waits for the next prompt when the agent is idle. One for the next prompt waits
// for that in any case, and stands behind it.
const (
	Steer      When = "steer"
	FollowUp   When = "followUp"
	NextTurn   When = "nextTurn"
	NextPrompt When = "nextPrompt"
)

// queued is a message that waits.
type queued struct {
	text   string
	person bool // the person wrote it, so that UserPromptSubmit fires
	custom *CustomMessage
	as     When
	// granted are allow rules that come with it.
	granted     []permission.Rule
	contextOnly bool // it belongs to the next prompt, and asks for nothing by itself
}

// queue is the messages that wait for their moment, in the order in which they came. Any
// goroutine may call it; it calls nothing of the agent's.
type queue struct {
	mu       sync.Mutex
	messages []queued
}

func (q *queue) add(m queued) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.messages = append(q.messages, m)
}

// putBack queues messages again that could not be taken up, before those that have come
// since.
func (q *queue) putBack(messages []queued) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.messages = slices.Concat(messages, q.messages)
}

// find returns the messages of which ok is true; what waits stays so.
func (q *queue) find(ok func(queued) bool) []queued {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(q.messages), func(m queued) bool { return !ok(m) })
}

// take takes out the messages of which ok is true.
func (q *queue) take(ok func(queued) bool) (taken []queued) {
	q.mu.Lock()
	defer q.mu.Unlock()
	var rest []queued
	for _, m := range q.messages {
		if ok(m) {
			taken = append(taken, m)
		} else {
			rest = append(rest, m)
		}
	}
	q.messages = rest
	return taken
}

// takeFirst takes out the first message of which ok is true, nil when there is none, and
// takeLast the last.
func (q *queue) takeFirst(ok func(queued) bool) *queued {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.takeAt(slices.IndexFunc(q.messages, ok))
}

func (q *queue) takeLast(ok func(queued) bool) *queued {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, m := range slices.Backward(q.messages) {
		if ok(m) {
			return q.takeAt(i)
		}
	}
	return nil
}

// takeAt takes out one message; q.mu is held.
func (q *queue) takeAt(i int) *queued {
	if i < 0 {
		return nil
	}
	m := q.messages[i]
	q.messages = slices.Delete(q.messages, i, i+1)
	return &m
}

func (a *Agent) enqueue(q queued) {
	a.queue.add(q)
	if a.depth == 0 {
		a.family.team.wakeLead() // it may be waiting for its teammates
	}
}

// Queue adds a message of the person for a later moment; UserPromptSubmit fires when
// it is taken up. An idle agent does that with its next prompt; Wake starts one.
func (a *Agent) Queue(text string, as When) { a.enqueue(queued{text: text, person: true, as: as}) }

// QueueGranted is Queue with allow rules that are in force from when the message is
// taken up to the end of the prompt.
func (a *Agent) QueueGranted(text string, granted []permission.Rule, as When) {
	a.enqueue(queued{text: text, person: true, as: as, granted: granted})
}

// QueueNote adds a message for the model that the person did not write.
func (a *Agent) QueueNote(text string, as When) { a.enqueue(queued{text: text, as: as}) }

// QueueCustom adds a message of a hook's own kind.
func (a *Agent) QueueCustom(m CustomMessage, as When) { a.enqueue(queued{custom: &m, as: as}) }

// AppendEntry stores state that the model doesn't see, at once.
func (a *Agent) AppendEntry(customType string, data []byte) error {
	return a.conversation.recordEntry(session.Entry{Type: session.Custom, CustomType: customType, Data: slices.Clone(data)})
}

// AppendCustom stores a message of a hook's own kind at once; the model gets it with
// the next prompt.
func (a *Agent) AppendCustom(m CustomMessage) error {
	e, msg, err := m.entry()
	if err != nil {
		return err
	}
	if _, err = a.conversation.record(e, msg, stored{}); err == nil {
		a.showCustom(e, msg)
	}
	return err
}

// HasQueued reports whether messages wait for anything but the next prompt.
func (a *Agent) HasQueued() bool { return len(a.queue.find(queued.startsPrompt)) > 0 }

// startsPrompt reports whether the agent may begin a prompt with the message.
func (q queued) startsPrompt() bool { return q.as != NextPrompt }

func (q queued) fromPerson() bool { return q.person }

// Wake starts the idle agent on what is queued. It does nothing while a prompt
// runs, which takes the queue up by itself.
func (a *Agent) Wake() {
	a.WhenIdle(func() { // a message is taken only then, so that none is lost
		if q := a.queue.takeFirst(queued.startsPrompt); q != nil {
			a.runWoken(Prompt{Text: q.text, Custom: q.custom, Quiet: !q.person, Granted: q.granted})
		}
	})
}

// runWoken works on a prompt for whose result nobody waits.
func (a *Agent) runWoken(p Prompt) {
	_, err := (&run{Agent: a, fromQueue: true}).begin(a.holder.ctx, p)
	if err != nil && a.holder.ctx.Err() == nil {
		a.notify(err.Error(), ui.Warning)
	}
}

// takeQueued records the messages that are due: those that wait for one of the moments.
func (r *run) takeQueued(now ...When) (more bool, err error) {
	due := r.queue.take(func(q queued) bool { return slices.Contains(now, q.as) })
	for i, q := range due {
		if r.over() {
			r.queue.putBack(due[i:])
			return more, nil
		}
		taken, err := r.take(q)
		if err != nil {
			r.queue.putBack(due[i:])
			return more, err
		}
		more = more || taken
	}
	return more, nil
}

// take records a message that was queued, unless a hook refuses it.
func (r *run) take(q queued) (taken bool, err error) {
	switch {
	case q.custom != nil:
		r.agentStarts()
		return true, r.recordCustom(*q.custom)
	case !q.person:
		r.agentStarts()
		if q.contextOnly {
			r.res.ContextOnly++
		}
		return true, r.recordUser(q.text)
	}
	p := Prompt{Text: q.text}
	out, err := r.firePrompt(&p)
	if err != nil || out.Blocked() || r.over() {
		return false, err
	}
	r.prompt.grant(q.granted)
	return true, r.recordSubmitted(p, &out)
}

// Waiting returns the messages of the person that wait, in the order in which they came.
func (a *Agent) Waiting() (texts []string) {
	for _, q := range a.queue.find(queued.fromPerson) {
		texts = append(texts, q.text)
	}
	return texts
}

// TakeBack removes the newest message of the person that waits, and returns it; ok is
// false when there is none.
func (a *Agent) TakeBack() (text string, ok bool) {
	q := a.queue.takeLast(queued.fromPerson)
	if q == nil {
		return "", false
	}
	return q.text, true
}
