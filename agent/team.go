package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/subagent"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/hook"
)

// team is the subagents of an agent that work in the background, and the tasks that
// they share. Without Config.Team there are no tasks, and each is gone when it has reported.
type team struct {
	lead *Agent

	mu        sync.Mutex
	teammates map[string]*teammate
	started   int // how many there were
	tasks     []*teamTask
	taskID    int
	news      chan struct{} // holds a token when something has come in for the lead
}

// teammate is one of them.
type teammate struct {
	name        string
	description string // what it does, in a few words
	agent       *Agent
	inbox       chan string
	unfinished  int // what it works on and what waits; guarded by the team's mutex
}

func newTeam(lead *Agent) *team {
	return &team{lead: lead, teammates: map[string]*teammate{}, news: make(chan struct{}, 1)}
}

// name is what hooks are told that the team is called: after its session.
func (t *team) name() string {
	id := t.lead.SessionID()
	return "session-" + id[max(0, len(id)-8):]
}

const maxInbox = 64 // messages that wait for a teammate

// startTeammate starts a subagent in the background.
func (a *Agent) startTeammate(ctx context.Context, def subagent.Definition, args taskInput, call string) (string, any, error) {
	t := a.family.team
	t.mu.Lock()
	t.started++
	if args.Name == "" {
		args.Name = fmt.Sprintf("%s-%d", def.Name, t.started)
	}
	_, taken := t.teammates[args.Name]
	full := len(t.teammates) >= cap(a.family.slots)
	m := &teammate{name: args.Name, description: args.Description, inbox: make(chan string, maxInbox)}
	if !taken && !full {
		t.teammates[args.Name] = m
	}
	t.mu.Unlock()
	switch {
	case taken:
		return "", nil, fmt.Errorf("a teammate is called %q already; send it a message with SendMessage", args.Name)
	case full:
		return "", nil, fmt.Errorf("there are %d teammates, which is the limit", cap(a.family.slots))
	}
	child, err := t.lead.newChild(ctx, def, identity{call: call, teammate: m})
	if err != nil {
		t.forget(m)
		return "", nil, err
	}
	t.mu.Lock()
	m.agent, m.unfinished = child, m.unfinished+1 // it may have messages already
	t.mu.Unlock()
	if !t.lead.holder.inBackground(func() { t.serve(m, args.Prompt) }) {
		child.dismiss(ctx)
		t.forget(m)
		return "", nil, ErrClosed
	}
	text := m.name + " works in the background and reports when it is done."
	if w, _, ok := child.Worktree(); ok {
		text += " It works in the worktree " + w.Path + "."
	}
	return text, launchResponse{true, "async_launched", child.id, m.name, args.Description, args.Prompt}, ctx.Err()
}

// launchResponse is what hooks see of the call that started a subagent in the background.
type launchResponse struct {
	IsAsync     bool   `json:"isAsync"`
	Status      string `json:"status"`
	AgentID     string `json:"agentId"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Prompt      string `json:"prompt"`
}

func (t *team) forget(m *teammate) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.teammates, m.name)
}

// serve is the life of a teammate: work, report, be idle, work on the next message.
func (t *team) serve(m *teammate, prompt string) {
	ctx := t.lead.holder.ctx
	defer m.agent.dismiss(ctx)
	defer t.forget(m)
	if _, err := m.agent.Fire(ctx, &hook.SubagentStart{}); err != nil {
		t.reportToLead(m, "could not start: "+err.Error())
		return
	}
	for {
		text := t.work(ctx, m, prompt)
		if !t.lead.cfg.Team {
			m.agent.dismiss(ctx) // now it is known what becomes of its worktree
			if kept := m.agent.keptWorktree(); kept != "" {
				text += "\n\n(" + kept + ")"
			}
		}
		t.reportToLead(m, text)
		if !t.lead.cfg.Team {
			return
		}
		select {
		case prompt = <-m.inbox:
		case <-ctx.Done():
			return
		}
	}
}

// work lets a teammate work on a message until its hooks agree that it is done.
func (t *team) work(ctx context.Context, m *teammate, prompt string) string {
	task, start := Task{ID: m.agent.id, Call: m.agent.call, Type: m.agent.kind, Description: m.name, Prompt: prompt, Background: true}, time.Now()
	t.lead.taskStarted(&task)
	var res Result
	var err error
	defer func() { t.lead.taskEnded(task, start, res, err) }()
	for again := 0; ; again++ {
		res, err = m.agent.Run(ctx, Prompt{Text: prompt, Quiet: true})
		if err != nil {
			return "ended early: " + err.Error()
		}
		text, _, err := m.agent.report(res)
		if err != nil {
			return err.Error()
		}
		if !t.lead.cfg.Team {
			return text
		}
		idle := &hook.TeammateIdle{TeammateName: m.name, TeamName: t.name()}
		out, err := m.agent.Fire(ctx, idle)
		if err != nil || !out.KeepGoing || again >= t.lead.cfg.MaxStops {
			return text
		}
		texts := out.Continuation()
		if blocks := m.agent.continuation(&out, idle); blocks != nil {
			texts = nil
			for _, b := range blocks {
				texts = append(texts, b.Text)
			}
		}
		prompt = joinParagraphs(texts)
	}
}

// reportToLead tells the lead what a teammate has to say. The lead, which looks for work
// first and for messages then, misses nothing.
func (t *team) reportToLead(m *teammate, text string) {
	who := "The subagent"
	if t.lead.cfg.Team {
		who = "Your teammate"
	}
	t.lead.QueueNote(fmt.Sprintf("%s %s reports:\n\n%s", who, m.name, text), Steer)
	t.mu.Lock()
	m.unfinished--
	t.mu.Unlock()
	t.wakeLead()
	if t.lead.cfg.Rewake {
		t.lead.Wake()
	}
}

// wakeLead lets the lead look again, when it waits.
func (t *team) wakeLead() {
	select {
	case t.news <- struct{}{}:
	default:
	}
}

// working lists the teammates that work.
func (t *team) working() []*teammate {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []*teammate
	for _, m := range t.teammates {
		if m.unfinished > 0 && m.agent != nil {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b *teammate) int { return strings.Compare(a.name, b.name) })
	return out
}

// awaitMore takes what has come in, and waits until a teammate has reported or a message has
// come in while teammates of the lead work. It reports whether there is something new.
func (r *run) awaitMore() (more bool, err error) {
	for {
		working := r.depth == 0 && len(r.family.team.working()) > 0 // before the messages: a teammate reports first
		if more, err := r.takeQueued(Steer, NextTurn, FollowUp); more || err != nil {
			return more, err
		}
		if !working || r.over() {
			return false, r.ctxErr()
		}
		select {
		case <-r.family.team.news:
		case <-r.ctx.Done():
			return false, r.ctxErr()
		}
	}
}

// backgroundTask is a teammate as hooks see it.
type backgroundTask struct {
	ID          string `json:"id"`
	Type        string `json:"type"`
	Status      string `json:"status"`
	Description string `json:"description"`
	AgentType   string `json:"agent_type"`
	Name        string `json:"name,omitzero"` // of who can be spoken to
}

// backgroundTasks describes the teammates that work, for Stop and SubagentStop.
func (a *Agent) backgroundTasks() []hook.JSON {
	var out []hook.JSON
	for _, m := range a.family.team.working() {
		task := backgroundTask{ID: m.agent.id, Type: "subagent", Status: "running", Description: m.description, AgentType: m.agent.kind}
		if a.cfg.Team {
			task.Name = m.name
		}
		out = append(out, hook.MustJSON(task))
	}
	return out
}

// teammateName is the teammate's name, "" for the lead.
func (a *Agent) teammateName() string {
	if a.teammate == nil {
		return ""
	}
	return a.teammate.name
}

// teamName is the team's name, "" for a lead alone.
func (a *Agent) teamName() string {
	a.family.team.mu.Lock()
	defer a.family.team.mu.Unlock()
	if a.teammate == nil && len(a.family.team.teammates) == 0 {
		return ""
	}
	return a.family.team.name()
}

func (a *Agent) teamTools() []tool.Tool {
	define := func(name, description, schema string, run func(context.Context, tool.Input) (string, any, error)) *loopTool {
		return &loopTool{name: name, description: description, schema: jsontext.Value(schema), run: run}
	}
	list := define("TaskList", "Returns the tasks of the shared list.", `{"type":"object","properties":{},"additionalProperties":false}`, a.listTasks)
	list.readOnly = true
	return []tool.Tool{
		define("SendMessage", "Sends a message to a teammate, who works on it when it has finished what it does now.", `{"type":"object","properties":{
"to":{"type":"string"},"message":{"type":"string","minLength":1}},"required":["to","message"],"additionalProperties":false}`, a.sendMessage),
		define("TaskCreate", "Adds a task to the list that you share with your teammates.", `{"type":"object","properties":{
"subject":{"type":"string","minLength":1},"description":{"type":"string"}},"required":["subject"],"additionalProperties":false}`, a.createTask),
		define("TaskUpdate", "Changes a task of the shared list.", `{"type":"object","properties":{
"taskId":{"type":"string"},"status":{"type":"string","enum":["pending","in_progress","completed"]},"owner":{"type":"string"}},"required":["taskId"],"additionalProperties":false}`, a.updateTask),
		list,
	}
}

func (a *Agent) sendMessage(_ context.Context, in tool.Input) (string, any, error) {
	args, err := decodeInput[struct {
		To      string `json:"to"`
		Message string `json:"message"`
	}]("SendMessage", in)
	if err != nil {
		return "", nil, err
	}
	t := a.family.team
	t.mu.Lock()
	m := t.teammates[args.To]
	t.mu.Unlock()
	if m == nil {
		return "", nil, fmt.Errorf("there is no teammate %q", args.To)
	}
	text := args.Message
	if from := a.teammateName(); from != "" {
		text = "Your teammate " + from + " writes:\n\n" + text
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case m.inbox <- text:
		m.unfinished++ // so that the lead waits for it
		return "Sent.", map[string]any{"to": args.To}, nil
	default:
		return "", nil, fmt.Errorf("%d messages wait for %s already", maxInbox, args.To)
	}
}
