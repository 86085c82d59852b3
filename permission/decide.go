package permission

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/toolrule"
)

// Decide says whether a call may run. It joins, the strictest first: a hook's
// deny, deny rules and plan mode's refusal of edits; ask rules, protected names
// and a hook's ask; the mode; a hook's allow; allow rules and what only reads. What nothing speaks about is
// asked.
//
// Decide only looks at the file system to follow symbolic links. It never
// changes anything.
func (c *Checker) Decide(req Request) Decision {
	e := c.newEvaluation(req)
	if d, ok := e.denied(); ok {
		return d
	}
	if req.Hook == hook.DecisionDefer {
		return Decision{Decision: hook.DecisionDefer, Basis: ByHook, Reason: e.hookReason("deferred the call")}
	}
	ask, asked := e.mustAsk()
	if asked {
		return e.asking(ask)
	}
	if e.mode == ModeBypass {
		return Decision{Decision: hook.DecisionAllow, Basis: ByMode, Reason: "the mode is bypassPermissions"}
	}
	if e.mode == ModePlan {
		if d, ok := e.planned(); ok {
			return d
		}
	}
	if req.Hook == hook.DecisionAllow {
		return Decision{Decision: hook.DecisionAllow, Basis: ByHook, Reason: e.hookReason("allowed the call")}
	}
	d := e.allowed()
	if d.Decision == hook.DecisionAllow {
		return d
	}
	return e.asking(d)
}

// evaluation is one decision being made.
type evaluation struct {
	c     *Checker
	req   Request
	mode  Mode
	state *state
	// entries are the rules, those that are granted for this call behind the others.
	entries []Entry
	// roots are the working directories and guarded what the host protects,
	// each as given and as resolved.
	roots, guarded []string
	// call is what would run; calls are all readings that deny and ask rules
	// see: the original input too, and every directory a command may be in.
	call  toolrule.Call
	calls []toolrule.Call
	// allDirs are the directories in which the call may be, and dirs those in which
	// it does more than change directory; dirsKnown reports that there are no others.
	allDirs, dirs []string
	dirsKnown     bool
	// maybe is a deny rule that can't be excluded; denied sets it.
	maybe    *Entry
	maybeWhy toolrule.Match
}

func (c *Checker) newEvaluation(req Request) *evaluation {
	s := c.state.Load()
	e := &evaluation{c: c, req: req, mode: s.mode, state: s, entries: s.entries}
	for _, g := range req.Granted {
		e.entries = append(e.entries[:len(e.entries):len(e.entries)], Entry{Rule: g, Behavior: Allow, Scope: ScopeSession})
	}
	e.call = e.callOf(req.Input)
	e.allDirs, _ = e.call.Dirs()
	e.dirs, e.dirsKnown = e.call.RunDirs()
	e.roots, e.guarded = e.bothForms(e.workDirs()), e.bothForms(c.cfg.Protected)
	inputs := []toolrule.Call{e.call}
	if !req.OriginalInput.IsZero() && req.OriginalInput.Raw() != req.Input.Raw() {
		inputs = append(inputs, e.callOf(req.OriginalInput))
	}
	if req.Root != "" {
		for _, call := range inputs {
			call.ProjectDir = c.cfg.ProjectDir
			inputs = append(inputs, call)
		}
	}
	for _, call := range inputs {
		dirs, _ := call.Dirs()
		for _, dir := range dirs {
			call.Cwd = dir
			e.calls = append(e.calls, call)
		}
	}
	return e
}

// workDirs lists the working directories of the call.
func (e *evaluation) workDirs() []string {
	dirs := e.c.roots(e.state)
	if e.req.Root == "" {
		return dirs
	}
	if e.c.cfg.ProjectDir != "" {
		dirs = dirs[1:]
	}
	return append([]string{e.req.Root}, dirs...)
}

// bothForms lists directories as given and, where that differs, as resolved.
func (e *evaluation) bothForms(dirs []string) []string {
	out := make([]string, 0, len(dirs)+1)
	for _, d := range dirs {
		if lexical, ok := e.call.Lexical(d); ok {
			out = append(out, lexical)
		}
		if real, err := e.call.Resolve(d); err == nil && !slices.Contains(out, real) {
			out = append(out, real)
		}
	}
	return out
}

func (e *evaluation) callOf(input hook.JSON) toolrule.Call {
	project := e.c.cfg.ProjectDir
	if e.req.Root != "" {
		project = e.req.Root
	}
	cwd := e.req.Cwd
	if cwd == "" {
		cwd = project
	}
	return toolrule.Call{
		Tool: e.req.Tool, Input: jsontext.Value(input.Raw()),
		Cwd: cwd, ProjectDir: project, Home: e.c.cfg.Home,
	}.Analyzed()
}

// find returns the first entry with a behavior that matches any reading of the
// call, and the first that can't be excluded.
func (e *evaluation) find(b Behavior) (hit, maybe *Entry, m, mm toolrule.Match) {
	for i := range e.entries {
		entry := &e.entries[i]
		if entry.Behavior != b {
			continue
		}
		for _, call := range e.calls {
			switch got := entry.Rule.rule.Match(call); {
			case got.Answer == toolrule.Yes:
				return entry, maybe, got, mm
			case got.Answer == toolrule.Uncertain && maybe == nil:
				maybe, mm = entry, got
			}
		}
	}
	return nil, maybe, m, mm
}

// denied looks for a refusal.
func (e *evaluation) denied() (Decision, bool) {
	hit, maybe, m, mm := e.find(Deny)
	e.maybe, e.maybeWhy = maybe, mm
	switch {
	case e.req.Hook == hook.DecisionDeny:
		d := Decision{Decision: hook.DecisionDeny, Basis: ByHook, Reason: e.hookReason("refused the call")}
		if hit != nil {
			d.Notes = append(d.Notes, "denied too by "+hit.String())
		}
		return d, true
	case hit != nil:
		return ruled(hook.DecisionDeny, hit, m), true
	case e.mode == ModePlan && toolrule.Edits(e.req.Tool):
		return Decision{
			Decision: hook.DecisionDeny, Basis: ByMode,
			Reason: "the mode is plan: nothing is edited before the plan is accepted",
		}, true
	}
	return Decision{}, false
}

func ruled(d hook.Decision, entry *Entry, m toolrule.Match) Decision {
	out := Decision{Decision: d, Basis: ByRule, Entry: entry, Part: m.Part, Reason: entry.String()}
	if m.Part != "" {
		out.Reason += ": " + m.Part
	}
	return out
}

// mustAsk looks for what is asked about even if something allows it.
func (e *evaluation) mustAsk() (Decision, bool) {
	if hit, maybe, m, mm := e.find(Ask); hit != nil {
		return ruled(hook.DecisionAsk, hit, m), true
	} else if maybe != nil {
		return unclear(maybe, mm), true
	}
	if paths := e.widened(); paths != "" {
		return Decision{
			Decision: hook.DecisionAsk, Basis: ByProtected, Part: paths,
			Reason: fmt.Sprintf("the command is to write %s, which the sandbox would refuse; that is always asked about", paths),
		}, true
	}
	if e.mode != ModeBypass {
		if name := e.protected(); name != "" {
			return Decision{
				Decision: hook.DecisionAsk, Basis: ByProtected, Part: name,
				Reason: fmt.Sprintf("%s steers the agent or the shell; changing it is always asked about", name),
			}, true
		}
	}
	if e.maybe != nil {
		return unclear(e.maybe, e.maybeWhy), true
	}
	if e.req.Hook == hook.DecisionAsk {
		return Decision{Decision: hook.DecisionAsk, Basis: ByHook, Reason: e.hookReason("wants a person to decide")}, true
	}
	return Decision{}, false
}

// widened returns what a call wants to write beyond the sandbox, "" for nothing. A wish
// that can't be read is one.
func (e *evaluation) widened() string {
	var in struct {
		Sandbox jsontext.Value `json:"sandbox"`
	}
	if e.req.Tool != "Bash" || json.Unmarshal(e.call.Input, &in, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil || in.Sandbox == nil {
		return ""
	}
	var wish struct {
		Write []string `json:"write"`
	}
	if err := json.Unmarshal(in.Sandbox, &wish); err != nil {
		return string(in.Sandbox)
	}
	return strings.Join(wish.Write, ", ")
}

// unclear asks because a rule may speak about the call.
func unclear(entry *Entry, m toolrule.Match) Decision {
	d := ruled(hook.DecisionAsk, entry, m)
	d.Reason = fmt.Sprintf("it can't be excluded that %s is about this: %s", entry, m.Why)
	return d
}

// asking turns an ask into what the mode makes of it and adds suggestions.
func (e *evaluation) asking(d Decision) Decision {
	if e.mode == ModeDontAsk {
		d.Decision = hook.DecisionDeny
		d.Notes = append(d.Notes, "the mode is dontAsk, so what would be asked is refused")
		d.Reason = strings.TrimSuffix(d.Reason, ".") + "; nobody is asked in mode dontAsk, so a rule has to allow it"
	}
	d.Suggestions = e.suggestions(d)
	return d
}

// planned is what plan mode makes of calls other than edits.
func (e *evaluation) planned() (Decision, bool) {
	if d := e.readsOnly(); d.Decision == hook.DecisionAllow {
		return d, true
	}
	if toolrule.Reads(e.req.Tool) || e.req.Tool == "WebFetch" || e.req.Tool == "WebSearch" {
		return Decision{}, false // they change nothing: rules decide
	}
	return e.asking(Decision{
		Decision: hook.DecisionAsk, Basis: ByMode,
		Reason: "the mode is plan, and this call may do more than read",
	}), true
}

// hookReason says what the hook did and why.
func (e *evaluation) hookReason(did string) string {
	name := "a hook"
	if e.req.HookName != "" {
		name = "hook " + e.req.HookName
	}
	if e.req.HookReason == "" {
		return name + " " + did
	}
	if e.req.Hook == hook.DecisionDeny {
		return e.req.HookReason
	}
	return name + " " + did + ": " + e.req.HookReason
}
