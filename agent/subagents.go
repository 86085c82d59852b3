package agent

import (
	"errors"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/agent/model"
)

// Task is work that a subagent has got.
type Task struct {
	// ID is the subagent's, Call that of the tool call that started it.
	ID, Call string
	// Type is the kind of subagent, Description and Prompt are what it was asked.
	Type, Description, Prompt string
	Background                bool

	// Of its end: Status is completed, failed or stopped, Summary what it reports.
	Status, Summary string
	Usage           model.Usage
	ToolCalls       int
	Took            time.Duration
}

// subagents are those of a session, by id.
type subagents struct {
	mu      sync.Mutex
	running map[string]*Agent
}

func (s *subagents) add(a *Agent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[a.id] = a
}

func (s *subagents) remove(a *Agent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, a.id)
}

// ErrTaskStopped is why a subagent ends that StopSubagent ends.
var ErrTaskStopped = errors.New("the task was stopped")

// StopSubagent ends what a subagent works on. It reports whether there is one of the id.
func (a *Agent) StopSubagent(id string) bool {
	a.subs.mu.Lock()
	child := a.subs.running[id]
	a.subs.mu.Unlock()
	if child == nil {
		return false
	}
	child.Abort(ErrTaskStopped)
	return true
}

// taskBegun tells that a subagent begins on a task.
func (a *Agent) taskBegun(t *Task) { a.emit(Event{Kind: KindTask, Task: t}) }

// toolCalls counts the calls in messages.
func toolCalls(messages []model.Message) (n int) {
	for _, m := range messages {
		n += len(m.ToolUses())
	}
	return n
}

// taskOver tells how a task ended.
func (a *Agent) taskOver(t Task, start time.Time, res Result, err error) {
	t.Status, t.Summary, t.Usage, t.Took = "completed", res.Text, res.Usage, time.Since(start)
	t.ToolCalls = toolCalls(res.Messages)
	switch {
	case errors.Is(err, ErrTaskStopped):
		t.Status = "stopped"
	case err != nil:
		t.Status, t.Summary = "failed", err.Error()
	case res.End != EndDone:
		t.Status, t.Summary = "failed", res.Reason
	}
	a.emit(Event{Kind: KindTask, Task: &t})
}
