package claude

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui/clean"
)

// specific reads hookSpecificOutput. A member that another event takes is read all
// the same, so that the engine can say that it had no effect here.
func (a *answer) specific(v hook.JSON) {
	members, err := object(v.Raw())
	if err != nil {
		a.wrong("hookSpecificOutput", v, "an object")
		return
	}
	if !a.rightEvent(v) {
		return
	}
	if a.r.row.specific == nil {
		a.problem("%v has no hookSpecificOutput", a.r.event())
	}
	for _, m := range members {
		if m.key == "hookEventName" {
			continue
		}
		if m.key == "reason" {
			a.r.note("reason in hookSpecificOutput is written permissionDecisionReason, or beside it; it was read all the same")
			a.text(m.key, m.value, &a.reason)
			continue
		}
		if !a.specificMember(m) {
			a.unknown(m.key, m.value, a.r.row.specific)
		}
	}
}

// rightEvent checks hookEventName: without one the current event is meant.
func (a *answer) rightEvent(v hook.JSON) bool {
	name, ok := v.Get("hookEventName")
	if !ok {
		a.r.note("hookSpecificOutput has no hookEventName: %v is taken to be meant", a.r.event())
		return true
	}
	s, isString := name.AsString()
	switch {
	case !isString:
		a.wrong("hookEventName", name, "a string")
	case s != a.r.event().String():
		a.problem("hookEventName is %q, but the event is %v: hookSpecificOutput was not read", beginning(s), a.r.event())
	default:
		return true
	}
	return false
}

func (a *answer) classifierContext(v hook.JSON) {
	to := &a.host().ClassifierContext
	a.text("classifierContext", v, to)
	if cut := truncate(*to, previewLength); cut != *to {
		*to = cut
		a.r.note("classifierContext was cut at %d characters", previewLength)
	}
}

func (a *answer) additionalContext(v hook.JSON) {
	var s string
	if a.text(addContext, v, &s); s != "" {
		a.res.Context = append(a.res.Context, s)
	}
}

func (a *answer) contextFiles(v hook.JSON) {
	var files []string
	if err := v.Decode(&files); err != nil {
		a.wrong(contextFiles, v, "an array of paths")
		return
	}
	a.res.ContextFiles = append(a.res.ContextFiles, files...)
}

func (a *answer) updatedPrompt(v hook.JSON) {
	if s, ok := v.AsString(); ok {
		a.res.UpdatedPrompt = &s
	} else {
		a.wrong("updatedPrompt", v, "a string")
	}
}

func (a *answer) permissionDecision(v hook.JSON) {
	if d, ok := a.word("permissionDecision", v); ok {
		a.say("permissionDecision", d)
	}
}

func (a *answer) watchPaths(v hook.JSON) {
	var paths []string
	if v.Decode(&paths) != nil || paths == nil {
		a.wrong("watchPaths", v, "an array of strings")
		return
	}
	a.host().WatchPaths = paths
}

func (a *answer) action(v hook.JSON) {
	var s string
	a.text("action", v, &s)
	switch s {
	case "accept", "decline", "cancel":
		a.host().ElicitationAction = s
	case "":
	default:
		a.problem("unknown action %q (the words are accept, decline and cancel)", beginning(s))
	}
}

// inputOfCall reads updatedInput where it stands beside a decision, not in one.
func (a *answer) inputOfCall(v hook.JSON) {
	if a.r.event() == hook.EventPermissionRequest {
		a.r.note("updatedInput belongs into decision: it was not read")
		return
	}
	a.updatedInput(v)
}

// updatedInput replaces the whole input.
func (a *answer) updatedInput(v hook.JSON) {
	if !strings.HasPrefix(v.Raw(), "{") {
		a.wrong("updatedInput", v, "an object")
		return
	}
	a.res.UpdatedInput = v
}

// updatedOutput replaces the tool's output. That of a tool of an MCP server may be text,
// blocks or the whole result; any other must keep its kind, and one that does not is not an
// answer: whoever wrote it does not want the model to read the original. The newer of the
// two names wins.
func (a *answer) updatedOutput(key string, v hook.JSON) {
	if key == "updatedToolOutput" {
		a.fromToolOutput = true
	} else if a.fromToolOutput {
		a.r.note("updatedMCPToolOutput is not read beside updatedToolOutput")
		return
	}
	if result, ok := keepsForm(a.r.call.Input, v); !ok {
		a.problem("%s was not taken: it is %s and the tool's result is %s", key, kindOf(v), kindOf(result))
		return
	}
	a.res.UpdatedOutput = v
}

// keepsForm reports whether a changed output is of the form that the host takes, and
// returns the tool's result.
func keepsForm(of hook.Input, changed hook.JSON) (result hook.JSON, ok bool) {
	in, isResult := of.(*hook.PostToolUse)
	if !isResult || in.ToolResponse.IsZero() || kindOf(in.ToolResponse) == kindOf(changed) {
		return hook.JSON{}, true
	}
	return in.ToolResponse, strings.HasPrefix(in.ToolName, "mcp__") && strings.ContainsAny(changed.Raw()[:1], "{[\"")
}

// specificDecision reads a decision inside of hookSpecificOutput.
func (a *answer) specificDecision(v hook.JSON) {
	if a.r.event() == hook.EventPermissionRequest {
		a.requestDecision(v)
	} else {
		a.strayDecision(v)
	}
}

// strayDecision reads a decision inside of hookSpecificOutput on an event that has
// none there: a refusal is believed, anything else is not.
func (a *answer) strayDecision(v hook.JSON) {
	d, ok := a.word("hookSpecificOutput.decision", v)
	switch {
	case !ok:
	case d == hook.DecisionDeny:
		a.say("hookSpecificOutput.decision", d)
		a.r.note("decision does not belong into hookSpecificOutput; it refuses all the same")
	default:
		a.unread = append(a.unread, "hookSpecificOutput.decision")
		a.r.note("hookSpecificOutput.decision was not read (a decision is written %s)", decisionForm(a.r.row))
	}
}

// requestDecision reads the decision object of PermissionRequest.
func (a *answer) requestDecision(v hook.JSON) {
	members, err := object(v.Raw())
	if err != nil {
		a.wrong("hookSpecificOutput.decision", v, `an object such as {"behavior":"deny"}`)
		return
	}
	for _, m := range members {
		switch m.key {
		case "behavior":
			a.behavior(m.value)
		case "message":
			a.text(m.key, m.value, &a.specificReason)
		case "interrupt":
			a.bool(m.key, m.value, &a.res.Interrupt)
		case "updatedInput":
			a.updatedInput(m.value)
		case "updatedPermissions":
			a.updatedPermissions(m.value)
		default:
			a.unknown(m.key, m.value, []string{"behavior", "message", "interrupt", "updatedInput", "updatedPermissions"})
		}
	}
	switch behavior, _ := v.Get("behavior"); {
	case behavior.IsZero():
		a.problem("hookSpecificOutput.decision has no behavior")
	case behavior.Raw() == `"deny"` && (!a.res.UpdatedInput.IsZero() || a.res.PermissionUpdates != nil):
		a.r.note("updatedInput and updatedPermissions are read beside behavior allow only")
		a.res.UpdatedInput, a.res.PermissionUpdates = hook.JSON{}, nil
	case behavior.Raw() == `"allow"` && a.res.Interrupt:
		a.r.note("interrupt is read beside behavior deny only")
		a.res.Interrupt = false
	}
}

func (a *answer) behavior(v hook.JSON) {
	switch s, _ := v.AsString(); s {
	case "allow":
		a.say("behavior", hook.DecisionAllow)
	case "deny":
		a.say("behavior", hook.DecisionDeny)
	default:
		a.problem("behavior must be allow or deny, not %s", beginning(v.Raw()))
	}
}

// updatedPermissions reads rule changes; all of them or, when one is wrong, none.
func (a *answer) updatedPermissions(v hook.JSON) {
	var updates []hook.PermissionUpdate
	if v.Decode(&updates) != nil || updates == nil {
		a.problem("updatedPermissions must be an array of rule changes")
		return
	}
	for i := range updates {
		if why := wrongUpdate(&updates[i]); why != "" {
			a.problem("updatedPermissions[%d]: %s", i, why)
			return
		}
	}
	a.res.PermissionUpdates = updates
}

func wrongUpdate(u *hook.PermissionUpdate) string {
	if !slices.Contains([]string{"session", "localSettings", "projectSettings", "userSettings"}, u.Destination) {
		return fmt.Sprintf("unknown destination %q", u.Destination)
	}
	switch u.Type {
	case "addRules", "replaceRules", "removeRules":
		if !slices.Contains([]string{"allow", "deny", "ask"}, u.Behavior) {
			return fmt.Sprintf("unknown behavior %q", u.Behavior)
		}
		if u.Rules == nil || slices.ContainsFunc(u.Rules, func(r hook.PermissionRule) bool { return r.ToolName == "" }) {
			return "every rule needs a toolName"
		}
	case "setMode":
		if u.Mode == "" {
			return "setMode needs a mode"
		}
	case "addDirectories", "removeDirectories":
		if u.Directories == nil {
			return u.Type + " needs directories"
		}
	default:
		return fmt.Sprintf("unknown type %q", u.Type)
	}
	return ""
}

// terminal takes a sequence for the terminal when it is made of nothing but what
// cannot do harm: window titles and notifications (OSC 0, 1, 2, 9, 99 and 777)
// and the bell.
func (a *answer) terminal(v hook.JSON) {
	var s string
	if a.text("terminalSequence", v, &s); s == "" {
		return
	}
	if !clean.Harmless(s) {
		a.r.note("terminalSequence was not taken: only OSC 0, 1, 2, 9, 99 and 777 and the bell are allowed")
		return
	}
	a.host().TerminalSequence = s
}
