package permission

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/toolrule"
)

// quietTools change nothing outside the session.
var quietTools = []string{
	"TodoWrite", "TodoRead", "Task", "Agent", "TaskOutput", "AskUserQuestion", "EnterPlanMode", "ExitPlanMode",
	"BashOutput", "KillShell", "ListMcpResources",
}

// leavesWorktree reports whether a call ends the work in a worktree in a way that
// loses nothing.
func leavesWorktree(call toolrule.Call) bool {
	if call.Tool != "ExitWorktree" {
		return false
	}
	var in struct {
		Discard bool `json:"discard_changes"`
	}
	return json.Unmarshal(call.Input, &in) == nil && !in.Discard
}

// allowed looks for what allows the call; the result is an ask when nothing
// does.
func (e *evaluation) allowed() Decision {
	if toolrule.IsShell(e.req.Tool) {
		return e.shellAllowed()
	}
	var why toolrule.Match
	for i := range e.entries {
		entry := &e.entries[i]
		if entry.Behavior != Allow {
			continue
		}
		switch m := entry.Rule.rule.Covers(e.call); m.Answer {
		case toolrule.Yes:
			return ruled(hook.DecisionAllow, entry, m)
		case toolrule.Uncertain:
			why = m
		}
	}
	if d := e.readsOnly(); d.Decision == hook.DecisionAllow {
		return d
	}
	if toolrule.Edits(e.req.Tool) && e.mode == ModeAcceptEdits {
		if path, ok := e.call.Path(); ok && e.inside(path) {
			return Decision{
				Decision: hook.DecisionAllow, Basis: ByMode, Part: path,
				Reason: "the mode is acceptEdits and the file is in a working directory",
			}
		}
	}
	return e.notAllowed(why)
}

// notAllowed says why a call that nothing allows is asked about.
func (e *evaluation) notAllowed(m toolrule.Match) Decision {
	d := Decision{Decision: hook.DecisionAsk, Basis: ByDefault, Part: m.Part}
	path, isFile := e.call.Path()
	switch {
	case m.Why != "":
		d.Reason = "no rule is known to allow it: " + m.Why
	case e.req.Tool == "EnterWorktree":
		d.Reason = "a checkout runs what the settings of the repository name, and no rule allows EnterWorktree"
	case isFile && !e.inside(path):
		d.Part, d.Outside, d.Reason = path, path, path+" is outside the working directories"
	default:
		d.Reason = "no rule allows " + e.req.Tool
		if isFile {
			d.Part = path
			d.Reason += " of " + path
		}
	}
	return d
}

// readsOnly allows calls that are known to change nothing.
func (e *evaluation) readsOnly() Decision {
	ask := Decision{Decision: hook.DecisionAsk, Basis: ByDefault}
	tool := e.req.Tool
	switch {
	case slices.Contains(quietTools, tool), slices.Contains(e.c.cfg.ReadOnlyTools, tool), leavesWorktree(e.call),
		tool == "EnterWorktree" && e.repository(e.call.Cwd) == "" && e.repository(e.c.cfg.ProjectDir) == "":
		return Decision{Decision: hook.DecisionAllow, Basis: ByReadOnly, Reason: tool + " changes nothing"}
	case toolrule.Reads(tool):
		if path, ok := e.call.Path(); ok && e.inside(path) {
			return Decision{Decision: hook.DecisionAllow, Basis: ByReadOnly, Part: path, Reason: "it reads within the working directories"}
		}
	case toolrule.IsShell(tool):
		gaps := toolrule.Uncovered(e.call, func(p toolrule.Part) toolrule.Cover { return e.readOnlyPart(p) })
		if len(gaps) == 0 {
			return Decision{Decision: hook.DecisionAllow, Basis: ByReadOnly, Reason: "the command only reads"}
		}
	}
	return ask
}

// ReadsOnly reports whether a shell call is known to change nothing, the directory in
// which it leaves the shell included, so that it may run beside others like it.
func (c *Checker) ReadsOnly(req Request) bool {
	e := c.newEvaluation(req)
	return toolrule.IsShell(req.Tool) && len(toolrule.Uncovered(e.call, func(p toolrule.Part) toolrule.Cover {
		if p.Command != nil && p.Command.Name() == "cd" {
			return toolrule.NotCovered
		}
		return e.readOnlyPart(p)
	})) == 0
}

// readOnlyPart covers the parts of a shell call that only read within the
// working directories.
func (e *evaluation) readOnlyPart(p toolrule.Part) toolrule.Cover {
	switch {
	case p.Whole:
		return toolrule.NotCovered
	case p.Redirect != nil:
		if !p.Redirect.Write && e.wordInside(p.Redirect.Path) {
			return toolrule.CoveredWhole
		}
	case e.readOnly(p.Command):
		return toolrule.Covered
	}
	return toolrule.NotCovered
}

// shellAllowed looks for what allows every part of a shell command.
func (e *evaluation) shellAllowed() Decision {
	var used []*Entry
	modeUsed, whole := false, false
	gaps := toolrule.Uncovered(e.call, func(p toolrule.Part) toolrule.Cover {
		best := toolrule.NotCovered
		var by *Entry
		for i := range e.entries {
			entry := &e.entries[i]
			if entry.Behavior != Allow {
				continue
			}
			if got := entry.Rule.rule.Cover(p, e.call); got > best {
				best, by = got, entry
			}
		}
		if by != nil {
			used = append(used, by)
			whole = whole || p.Whole
			return best
		}
		if got := e.readOnlyPart(p); got != toolrule.NotCovered {
			return got
		}
		if e.mode == ModeAcceptEdits && e.acceptsEdit(p) {
			modeUsed = true
			return toolrule.Covered
		}
		return toolrule.NotCovered
	})
	if len(gaps) > 0 {
		return e.gapDecision(gaps)
	}
	if d, ok := e.elsewhere(); ok && !whole {
		return d
	}
	d := Decision{Decision: hook.DecisionAllow, Basis: ByReadOnly, Reason: "the command only reads"}
	switch {
	case len(used) > 0:
		d.Basis, d.Entry, d.Reason = ByRule, used[0], used[0].String()
		for _, entry := range used[1:] {
			if entry != used[0] && !slices.Contains(d.Notes, entry.String()) {
				d.Notes = append(d.Notes, entry.String())
			}
		}
	case modeUsed:
		d.Basis, d.Reason = ByMode, "the mode is acceptEdits and the command changes files in the working directories only"
	}
	return d
}

// gapDecision asks because of the parts that nothing allows.
func (e *evaluation) gapDecision(gaps []toolrule.Gap) Decision {
	d := Decision{Decision: hook.DecisionAsk, Basis: ByDefault, Part: gaps[0].Text}
	var parts []string
	for _, g := range gaps {
		part := fmt.Sprintf("%s: %s", clip(g.Text), e.gapReason(g))
		if !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	if len(parts) > 4 {
		parts = append(parts[:4], fmt.Sprintf("and %d more", len(parts)-4))
	}
	d.Reason = strings.Join(parts, "; ")
	return d
}

// gapReason says what keeps a part from running unasked, and what would help.
func (e *evaluation) gapReason(g toolrule.Gap) string {
	switch {
	case g.Doubt && g.Redirect == nil:
		return g.Why
	case g.Redirect != nil && !g.Redirect.Path.Literal:
		return g.Why + " whose name is computed"
	case g.Redirect != nil && g.Redirect.Write:
		return g.Why + "; a rule for Edit would allow it"
	case g.Redirect != nil:
		return g.Why + " outside the working directories; a rule for Read would allow it"
	case g.Why != noReader:
		return g.Why
	}
	return cmp.Or(e.notReadOnly(g.Command), g.Why)
}

// clip shortens a command for a reason.
func clip(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	runes := []rune(s)
	if len(runes) > 80 {
		return string(runes[:79]) + "…"
	}
	return s
}
