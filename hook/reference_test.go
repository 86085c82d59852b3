package hook_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/hook"
)

// This file is a second engine, slow and made of rules that can be read: what the
// answers of one group of hooks come to. The fold is compared with it.

// asked is a hook with its answer.
type asked struct {
	answer   hook.Result
	fails    bool // it does not answer
	closed   bool // a failure counts as a deny
	observer bool
}

// rule is how several answers become one.
type rule string

const (
	added rule = "all, in order"
	once  rule = "all, in order, each once"
	last  rule = "the last"
)

// simple are the parts of an answer that only follow a rule; by path from Result,
// and from Outcome the same.
var simple = []struct {
	path  string
	field hook.Field // 0: taken on every event
	rule  rule
}{
	{"SuppressOutput", 0, last},
	{"Host.TerminalSequence", 0, last},
	{"Context", hook.FieldContext, added},
	{"ContextFiles", hook.FieldContext, once},
	{"UpdatedOutput", hook.FieldUpdatedOutput, last},
	{"IsError", hook.FieldIsError, last},
	{"UpdatedPrompt", hook.FieldUpdatedPrompt, last},
	{"Messages", hook.FieldMessages, last},
	{"Inject", hook.FieldInject, added},
	{"FollowUps", hook.FieldFollowUps, added},
	{"Cancel", hook.FieldCancel, last},
	{"SkipConversationRestore", hook.FieldSkipRestore, last},
	{"Compaction", hook.FieldCompaction, last},
	{"Summary", hook.FieldSummary, last},
	{"Compacting", hook.FieldCompacting, last},
	{"PermissionUpdates", hook.FieldPermissionUpdates, added},
	{"Interrupt", hook.FieldInterrupt, last},
	{"Host.SessionTitle", hook.FieldSessionTitle, last},
	{"Host.InitialUserMessage", hook.FieldInitialUserMessage, last},
	{"Host.WatchPaths", hook.FieldWatchPaths, added},
	{"Host.ReloadSkills", hook.FieldReloadSkills, last},
	{"Host.SuppressOriginalPrompt", hook.FieldSuppressOriginalPrompt, last},
	{"Host.SystemPrompt", hook.FieldSystemPrompt, last},
	{"Host.Handled", hook.FieldHandled, last},
	{"Host.Retry", hook.FieldRetry, last},
	{"Host.DisplayContent", hook.FieldDisplayContent, last},
	{"Host.WorktreePath", hook.FieldWorktreePath, last},
	{"Host.ClassifierContext", hook.FieldClassifierContext, last},
	{"Host.ResourcePaths", hook.FieldResourcePaths, last},
	{"Host.Message", hook.FieldMessage, last},
}

// goOn are the events on which a deny means that the agent goes on.
var goOn = []hook.Event{hook.EventStop, hook.EventSubagentStop, hook.EventTeammateIdle}

// model is the outcome in the making.
type model struct {
	ev      hook.Event
	out     hook.Outcome
	input   hook.JSON
	version int // how often the input was changed
	allowed []allowed
}

// allowed is an allow, and the version of the input that it is about.
type allowed struct {
	version      int
	hook, reason string
}

// reference is what a group of hooks comes to. Their names are hook0, hook1 and so
// on; input is the tool input before.
func reference(ev hook.Event, flow hook.Flow, input hook.JSON, hooks []asked) hook.Outcome {
	m := &model{ev: ev, input: input, out: hook.Outcome{Event: ev, Host: &hook.HostEffects{}}}
	over := false
	for i, h := range hooks {
		if over && !h.observer {
			continue
		}
		saw := m.version
		if flow == hook.Parallel && len(hooks) > 1 {
			saw = 0
		}
		denied, cancelled := m.take(fmt.Sprint("hook", i), h, saw)
		switch {
		case flow == hook.Parallel:
		case flow == hook.DenyFast && (denied || m.handled(h)), cancelled, h.halts():
			over = true
		}
	}
	m.end(input)
	return m.out
}

func (h asked) halts() bool { return !h.fails && !h.observer && h.answer.Continue == hook.No }

// handled reports whether a hook dealt with what happened.
func (m *model) handled(h asked) bool {
	return !h.fails && !h.observer && m.takes(hook.FieldHandled) && h.answer.Host != nil && h.answer.Host.Handled
}

func (m *model) takes(f hook.Field) bool { return f == 0 || m.ev.Spec().Honours&f != 0 }

// take folds the answer of one hook.
func (m *model) take(name string, h asked, saw int) (denied, cancelled bool) {
	r := h.answer
	switch {
	case h.fails:
		denied = h.closed && !h.observer && m.takes(hook.FieldDeny) && !slices.Contains(goOn, m.ev)
		if denied {
			m.decide(name, hook.DecisionDeny, "could not answer")
		}
		return denied, false
	case h.observer:
		r = hook.Result{SystemMessage: r.SystemMessage, Notice: r.Notice, SuppressOutput: r.SuppressOutput, Host: &hook.HostEffects{}}
		if h.answer.Host != nil {
			r.Host.TerminalSequence = h.answer.Host.TerminalSequence
		}
	}
	if m.takes(hook.FieldCancel) && (r.Cancel || r.Decision == hook.DecisionDeny) {
		r.Cancel, r.Decision = true, hook.DecisionDeny
	}
	m.text(&r)
	if fields := []hook.Field{0, hook.FieldAllow, hook.FieldAsk, hook.FieldDefer, hook.FieldDeny}; m.takes(fields[r.Decision]) {
		if r.Decision == hook.DecisionDeny && r.Reason == "" {
			r.Reason = "blocked by hook " + name
		}
		m.decide(name, r.Decision, r.Reason)
		denied = r.Decision == hook.DecisionDeny
	}
	left := m.change(&r, saw)
	if r.Decision == hook.DecisionAllow {
		m.allowed = append(m.allowed, allowed{left, name, r.Reason})
	}
	for _, p := range simple {
		if m.takes(p.field) {
			fold(p.path, p.rule, &r, &m.out)
		}
	}
	if h := r.Host; h != nil && m.takes(hook.FieldElicitation) && (h.ElicitationAction != "" || !h.ElicitationContent.IsZero()) {
		m.out.Host.ElicitationAction, m.out.Host.ElicitationContent = h.ElicitationAction, h.ElicitationContent
	}
	return denied, r.Cancel && m.takes(hook.FieldCancel)
}

// decide takes the strictest decision, the first of its kind.
func (m *model) decide(name string, d hook.Decision, reason string) {
	if d > m.out.Decision {
		m.out.Decision, m.out.Reason, m.out.DecidedBy = d, reason, name
	}
}

// text folds what is said, and whether the run ends or goes on.
func (m *model) text(r *hook.Result) {
	if r.SystemMessage != "" {
		m.out.SystemMessages = append(m.out.SystemMessages, r.SystemMessage)
	}
	if r.Notice != "" {
		m.out.Notices = append(m.out.Notices, r.Notice)
	}
	if r.Continue == hook.No && !m.out.Halt {
		m.out.Halt, m.out.StopReason = true, r.StopReason
	}
	if r.Continue == hook.Yes && m.takes(hook.FieldContinue) {
		m.out.KeepGoing = true
	}
}

// change changes the input and returns the version that the hook leaves.
func (m *model) change(r *hook.Result, saw int) int {
	if r.UpdatedInput.IsZero() || !m.takes(hook.FieldUpdatedInput) {
		return saw
	}
	next := r.UpdatedInput
	if r.InputPatch {
		next = m.input
		if next.Merge(r.UpdatedInput) != nil {
			return saw
		}
	}
	if next != m.input {
		m.input = next
		m.version++
	}
	return m.version
}

// end draws the conclusions.
func (m *model) end(before hook.JSON) {
	o := &m.out
	if len(o.ContextFiles) > 0 {
		o.Context = append(o.Context, "Files that may help here, to be read when needed:\n- "+strings.Join(o.ContextFiles, "\n- "))
	}
	if m.version > 0 {
		o.InputChanged, o.UpdatedInput, o.OriginalInput = true, m.input, before
		if o.Decision == hook.DecisionAllow {
			o.Decision, o.Reason, o.DecidedBy = hook.DecisionNone, "", ""
			for _, a := range slices.Backward(m.allowed) {
				if a.version == m.version {
					o.Decision, o.Reason, o.DecidedBy = hook.DecisionAllow, a.reason, a.hook
				}
			}
		}
	}
	if m.takes(hook.FieldCancel) && o.Decision == hook.DecisionDeny {
		o.Cancel = true
	}
	if slices.Contains(goOn, m.ev) && (o.Decision == hook.DecisionDeny || len(o.FollowUps) > 0) {
		o.KeepGoing = true
	}
	o.KeepGoing = o.KeepGoing && !o.Halt
}

// fold folds one part by its rule.
func fold(path string, how rule, r *hook.Result, o *hook.Outcome) {
	from, to := member(reflect.ValueOf(r), path), member(reflect.ValueOf(o), path)
	switch {
	case !from.IsValid() || from.IsZero():
	case how == added && from.Kind() == reflect.Pointer:
		to.Set(reflect.Append(to, from.Elem()))
	case how == added:
		to.Set(reflect.AppendSlice(to, from))
	case how == once:
		for _, s := range from.Interface().([]string) {
			if list := to.Interface().([]string); !slices.Contains(list, s) {
				to.Set(reflect.ValueOf(append(list, s)))
			}
		}
	case how == last:
		to.Set(from)
	}
}

// member returns what is at a path; nothing below a nil pointer.
func member(v reflect.Value, path string) reflect.Value {
	for name := range strings.SplitSeq(path, ".") {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return reflect.Value{}
			}
			v = v.Elem()
		}
		v = v.FieldByName(name)
	}
	return v
}
