package agent

import (
	"context"
	"fmt"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

// How a session becomes the agent's: the model and the title come with one that was
// there before; in one that goes on with the conversation, or begins beside it, the
// model stays.
const (
	resuming = iota
	beginning
	branching
)

// settle takes up the model of a session that becomes the agent's.
func (a *Agent) settle(s *session.Session, how int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.resumed = nil
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

// restoreModel changes to the model that a session was left with, or to the configured
// one. A model that can't be had any more is told when the session has started, and
// the configured one goes on.
func (a *Agent) restoreModel(last session.Entry, ok bool) {
	from, name := a.modelName, requested(last)
	a.provider, a.modelName, a.requested = a.cfg.Model, a.cfg.ModelName, ""
	if ok && name != "" {
		provider, resolved, err := a.cfg.Resolve(name)
		if err != nil {
			a.resumed = &resumed{problem: fmt.Sprintf("The session's model, %s, can't be had; %s goes on: %v", name, a.modelName, err)}
			return
		}
		a.provider, a.modelName, a.requested = provider, resolved, name
	}
	if a.modelName != from {
		a.resumed = &resumed{from: from, to: a.modelName, requested: name}
	}
}

// resumed is what came of the model of a session that goes on.
type resumed struct{ from, to, requested, problem string }

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

// tellResumed tells hooks and the person about a title and a model that came with the
// session.
func (a *Agent) tellResumed(ctx context.Context) {
	title, other := a.conversation.showTitle()
	a.mu.Lock()
	r := a.resumed
	a.resumed = nil
	a.mu.Unlock()
	if other {
		a.cfg.UI.SetTitle(title)
	}
	switch {
	case r == nil:
	case r.problem != "":
		a.notify(r.problem, ui.Warning)
	default:
		a.modelSwitched(ctx, &hook.PostModelSwitch{FromModel: r.from, ToModel: r.to, RequestedModel: r.requested, Source: "resume", ContextTokens: a.ContextTokens()})
	}
}

// keepModel puts the model that goes on, when it was changed, on record in a session.
func (a *Agent) keepModel(s *session.Session, last session.Entry, ok bool) error {
	if ok && last.ModelID == a.modelName || !ok && a.modelName == a.cfg.ModelName {
		return nil
	}
	_, err := s.Append(session.Entry{Type: session.ModelChange, ModelID: a.modelName, RequestedModel: a.requested})
	return err
}
