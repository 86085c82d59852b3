package agent

import (
	"github.com/hookline-dev/hookline/agent/instructions"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

// Session returns the session that the agent works in.
func (a *Agent) Session() *session.Session { return a.conversation.current() }

// SessionID returns the id of the session, which subagents share with their
// parent.
func (a *Agent) SessionID() string {
	if a.parent != nil {
		return a.parent.SessionID()
	}
	return a.Session().ID()
}

// Instructions returns the files of instructions that the model is given.
func (a *Agent) Instructions() []instructions.File { return a.cfg.Instructions }

// Permission returns what decides about tool calls.
func (a *Agent) Permission() Permission { return a.cfg.Permission }

// Title returns the session's title, "" when it has none.
func (a *Agent) Title() string { return a.conversation.currentTitle() }

// SetTitle names the session for the person. The session keeps the name.
func (a *Agent) SetTitle(title string) {
	if title == "" {
		return
	}
	if a.depth > 0 {
		a.conversation.renameHere(title)
		a.cfg.UI.SetTitle(title)
		return
	}
	other, err := a.conversation.rename(title)
	if err != nil {
		a.notify(err.Error(), ui.Warning)
	}
	a.cfg.UI.SetTitle(title)
	if other {
		a.announce(&hook.SessionRenamed{Title: title})
	}
}

// DialogStarted tells hooks that one of them waits for the person, and DialogEnded that it
// does not any more.
func (a *Agent) DialogStarted(kind, title string) {
	a.announce(&hook.DialogStart{Kind: kind, Title: title})
}

// DialogEnded is the end of what DialogStarted tells.
func (a *Agent) DialogEnded(kind, title string) {
	a.announce(&hook.DialogEnd{Kind: kind, Title: title})
}
