package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

// modelChoice is the model that answers, how hard it tries, how much it may think, and what the
// agent's model calls have used. Any goroutine may call it; it calls nothing of the agent's.
type modelChoice struct {
	// changing is held while the model changes together with what the session says of it,
	// so that the two agree.
	changing sync.Mutex

	mu       sync.Mutex // guards what follows
	chosen   chosenModel
	effort   string // in the provider's words, "" for its default
	thinking int    // tokens, 0 for the provider's default
	usage    model.Usage
	restored *restoredModel // what hooks and the person are still to be told
}

// chosenModel is a model and its names.
type chosenModel struct {
	provider  model.Provider
	name      string // what the provider calls it
	requested string // the name that it was asked for by, "" for the configured one
}

// restoredModel is what came of the model of a session that goes on: another model, or a
// problem with that.
type restoredModel struct {
	from, to chosenModel
	problem  string
}

// current is the model that answers.
func (m *modelChoice) current() chosenModel {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.chosen
}

// change has another model answer, from the next call on, and returns the one before.
func (m *modelChoice) change(to chosenModel) (from chosenModel) {
	m.mu.Lock()
	defer m.mu.Unlock()
	from, m.chosen = m.chosen, to
	return from
}

// try sets how hard the model tries.
func (m *modelChoice) try(effort string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.effort = effort
}

// tries is how hard the model tries.
func (m *modelChoice) tries() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.effort
}

// think sets how many tokens the model may think with.
func (m *modelChoice) think(tokens int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.thinking = tokens
}

// thinkingBudget is how many tokens the model may think with.
func (m *modelChoice) thinkingBudget() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.thinking
}

// used adds what a call has used.
func (m *modelChoice) used(u model.Usage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.usage = m.usage.Add(u)
}

// total is what all calls have used.
func (m *modelChoice) total() model.Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.usage
}

// remember keeps what came of the model of a session, nil for nothing, until recall takes it.
func (m *modelChoice) remember(r *restoredModel) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.restored = r
}

func (m *modelChoice) recall() *restoredModel {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.restored
	m.restored = nil
	return r
}

// Model returns the name of the model.
func (a *Agent) Model() string { return a.model.current().name }

// RequestedModel returns the name by which the model was asked for in the session, ""
// while it is the configured one.
func (a *Agent) RequestedModel() string { return a.model.current().requested }

// Described is what is known of the model that answers now.
func (a *Agent) Described() model.Description { return a.describe(a.model.current()) }

// DescribeModel is what is known of the model of a name that Config.Resolve knows, and what
// its provider calls it.
func (a *Agent) DescribeModel(name string) (id string, d model.Description, err error) {
	if a.cfg.Resolve == nil {
		return "", d, errors.New("there is no other model here")
	}
	provider, id, err := a.cfg.Resolve(name)
	if err != nil {
		return "", d, err
	}
	return id, a.describe(chosenModel{provider: provider, name: id}), nil
}

// describe is Described for any model.
func (a *Agent) describe(m chosenModel) model.Description {
	var d model.Description
	if of, ok := m.provider.(model.Describer); ok {
		d = of.Describe(m.name)
	}
	d.MaxTokens = cmp.Or(a.cfg.MaxTokens, d.MaxTokens)
	return d
}

// Effort is how hard the model tries, in its provider's words, "" for its default.
func (a *Agent) Effort() string { return a.model.tries() }

// SetEffort sets how hard the model tries, from the next call on.
func (a *Agent) SetEffort(effort string) { a.model.try(effort) }

// SetThinking sets how many tokens the model may think with, from the next call on; 0 is
// the provider's default.
func (a *Agent) SetThinking(tokens int) { a.model.think(tokens) }

// Usage returns what the agent's model calls have used, those of subagents that
// have ended included.
func (a *Agent) Usage() model.Usage { return a.model.total() }

// SetModel changes the model, by the name that Config.Resolve knows. source is
// command, picker or sdk. blocked says why a hook did not want it.
func (a *Agent) SetModel(ctx context.Context, name, source string) (blocked string, err error) {
	if a.cfg.Resolve == nil {
		return "", errors.New("the model can't be changed here")
	}
	provider, resolved, err := a.cfg.Resolve(name)
	if err != nil {
		return "", err
	}
	to := chosenModel{provider, resolved, name}
	in := a.switching(a.model.current(), to, source)
	out, err := a.Fire(ctx, in)
	if err != nil {
		return "", err
	}
	switch out.Decision {
	case hook.DecisionDeny:
		if source == sourceCommand { // with the next prompt the model reads what the person read
			err = a.addContext("A PreModelSwitch hook refused the change to "+resolved+": "+a.refusalText(&out, in), sourceCommand)
		}
		return out.Reason, err
	case hook.DecisionAsk:
		yes, err := a.cfg.UI.Confirm(ctx, "Change the model to "+resolved+"?", out.Reason, ui.Dialog{Source: "model"})
		if err != nil || !yes {
			return "nobody agreed: " + out.Reason, nil
		}
	}
	a.model.changing.Lock()
	from := a.model.change(to)
	err = a.conversation.recordModel(session.Entry{Type: session.ModelChange, ModelID: resolved, RequestedModel: name})
	a.model.changing.Unlock()
	if err != nil {
		return "", err
	}
	in.FromModel, in.FromRequested = from.name, from.requested
	a.modelSwitched(ctx, in)
	return "", nil
}

// Ask calls the model outside of the conversation, and again when a failure may
// pass, and returns what it says. No hooks run. Without a name in the request it is
// the agent's model.
func (a *Agent) Ask(ctx context.Context, req *model.Request) (string, error) {
	current := a.model.current()
	if req.Model == "" {
		req.Model = current.name
	}
	for attempt := 0; ; attempt++ {
		resp, err := model.Accumulate(current.provider.Stream(ctx, req), nil)
		a.model.used(resp.Usage)
		if err == nil {
			return resp.Message.Text(), nil
		}
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if !model.IsRetryable(err) || attempt >= a.cfg.Retry.Max {
			return "", err
		}
		if err := a.sleep(ctx, a.cfg.Retry.wait(attempt, err)); err != nil {
			return "", err
		}
	}
}

// opening is how a session becomes the agent's: the model comes with one that was there
// before; in one that goes on with the conversation, or begins beside it, the model stays.
type opening int

const (
	resuming opening = iota
	beginning
	branching
)

// settleModel takes up the model of a session that becomes the agent's; a.model.changing is
// held.
func (a *Agent) settleModel(s *session.Session, how opening) error {
	a.model.remember(nil)
	if a.cfg.Resolve == nil || a.depth > 0 {
		return nil
	}
	last, ok, err := s.LastModel()
	if err != nil {
		return err
	}
	if how == branching || how == beginning && !ok {
		return a.keepModel(s, last, ok)
	}
	if !a.cfg.KeepModel {
		a.restoreModel(last, ok)
	}
	return nil
}

// configured is the model that the agent was given.
func (c *Config) configured() chosenModel {
	return chosenModel{provider: c.Model, name: c.ModelName}
}

// restoreModel changes to the model that a session was left with, or to the configured
// one. A model that can't be had any more is told when the session has started, and
// the configured one goes on.
func (a *Agent) restoreModel(last session.Entry, ok bool) {
	to, problem := a.cfg.configured(), ""
	if name := requested(last); ok && name != "" {
		provider, resolved, err := a.cfg.Resolve(name)
		if err != nil {
			problem = fmt.Sprintf("The session's model, %s, can't be had; %s goes on: %v", name, to.name, err)
		} else {
			to = chosenModel{provider, resolved, name}
		}
	}
	from := a.model.change(to)
	if problem != "" || to.name != from.name {
		a.model.remember(&restoredModel{from, to, problem})
	}
}

// requested is the name by which the model of a model_change can be found again.
func requested(e session.Entry) string {
	switch {
	case e.RequestedModel != "":
		return e.RequestedModel
	case e.Provider != "" && e.ModelID != "":
		return e.Provider + "/" + e.ModelID
	}
	return e.ModelID
}

// reportResumed tells hooks and the person about a title and a model that came with the
// session.
func (a *Agent) reportResumed(ctx context.Context) {
	title, other := a.conversation.showTitle()
	r := a.model.recall()
	if other {
		a.cfg.UI.SetTitle(title)
	}
	switch {
	case r == nil:
	case r.problem != "":
		a.notify(r.problem, ui.Warning)
	default:
		a.modelSwitched(ctx, a.switching(r.from, r.to, "resume"))
	}
}

// keepModel puts the model that goes on, when it was changed, on record in a session.
func (a *Agent) keepModel(s *session.Session, last session.Entry, ok bool) error {
	now := a.model.current()
	if ok && last.ModelID == now.name || !ok && now.name == a.cfg.ModelName {
		return nil
	}
	_, err := s.Append(session.Entry{Type: session.ModelChange, ModelID: now.name, RequestedModel: now.requested})
	return err
}
