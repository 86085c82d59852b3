package agent

import (
	"slices"

	"github.com/hookline-dev/hookline/agent/instructions"
	"github.com/hookline-dev/hookline/agent/tool"
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
	other, err := a.conversation.rename(title, a.depth == 0)
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

// Tools returns the tools that the model is offered: those of AllTools that are active.
func (a *Agent) Tools() []tool.Tool {
	a.mu.Lock()
	active := a.active
	a.mu.Unlock()
	if len(a.cfg.Sources) == 0 && active == nil {
		return a.cfg.Tools
	}
	all := a.AllTools()
	if active == nil {
		return all
	}
	return slices.DeleteFunc(all, func(t tool.Tool) bool { return !slices.Contains(active, t.Name()) })
}

// AllTools returns all tools, active or not: a source's in the place of one of the
// same name, and the first source's of each name.
func (a *Agent) AllTools() []tool.Tool {
	var more []tool.Tool
	for _, s := range a.cfg.Sources {
		more = append(more, s.Tools()...)
	}
	more = distinct(more)
	all := slices.Clone(a.cfg.Tools)
	for i, t := range all {
		if j := slices.IndexFunc(more, func(m tool.Tool) bool { return m.Name() == t.Name() }); j >= 0 {
			all[i] = more[j]
			more = slices.Delete(more, j, j+1)
		}
	}
	return append(all, more...)
}

// distinct returns the first tool of each name.
func distinct(all []tool.Tool) []tool.Tool {
	seen := make(map[string]bool, len(all))
	out := make([]tool.Tool, 0, len(all))
	for _, t := range all {
		if !seen[t.Name()] {
			seen[t.Name()] = true
			out = append(out, t)
		}
	}
	return out
}

// SetActiveTools limits what the model is offered to the tools of these names, from
// the next model call on; nil lifts the limit.
func (a *Agent) SetActiveTools(names []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.active = slices.Clone(names)
}
