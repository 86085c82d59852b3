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

// identity says which agent of its family one is. Nothing of it changes: all may read it.
type identity struct {
	depth int // 0 for the main agent

	// Of a subagent:
	parent   *Agent
	id, kind string
	call     string    // the id of the tool call that started it
	teammate *teammate // what it is in the team, nil for nothing
}

// family is what the main agent and the subagents below it share. Any goroutine may call it;
// it calls nothing of theirs.
type family struct {
	main      *Agent
	team      *team
	slots     chan struct{} // bounds the subagents that run at once
	eventLock sync.Mutex    // one call of Config.OnEvent at a time

	mu        sync.Mutex // guards what follows
	subagents map[string]*Agent
}

func newFamily(main *Agent) *family {
	return &family{main: main, team: newTeam(main), slots: make(chan struct{}, main.cfg.MaxSubagents), subagents: map[string]*Agent{}}
}

func (f *family) add(a *Agent) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subagents[a.id] = a
}

func (f *family) remove(a *Agent) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.subagents, a.id)
}

// find returns the subagent of an id, nil when there is none.
func (f *family) find(id string) *Agent {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.subagents[id]
}

// errTaskStopped is why a subagent ends that StopSubagent ends.
var errTaskStopped = errors.New("the task was stopped")

// StopSubagent ends what a subagent works on. It reports whether there is one of the id.
func (a *Agent) StopSubagent(id string) bool {
	child := a.family.find(id)
	if child == nil {
		return false
	}
	child.Abort(errTaskStopped)
	return true
}

// taskStarted tells that a subagent begins on a task.
func (a *Agent) taskStarted(t *Task) { a.emit(Event{Kind: KindTask, Task: t}) }

// toolCalls counts the calls in messages.
func toolCalls(messages []model.Message) (n int) {
	for _, m := range messages {
		n += len(m.ToolUses())
	}
	return n
}

// taskEnded tells how a task ended.
func (a *Agent) taskEnded(t Task, start time.Time, res Result, err error) {
	t.Status, t.Summary, t.Usage, t.Took = "completed", res.Text, res.Usage, time.Since(start)
	t.ToolCalls = toolCalls(res.Messages)
	switch {
	case errors.Is(err, errTaskStopped):
		t.Status = "stopped"
	case err != nil:
		t.Status, t.Summary = "failed", err.Error()
	case res.End != EndDone:
		t.Status, t.Summary = "failed", res.Reason
	}
	a.emit(Event{Kind: KindTask, Task: &t})
}
