package claude

import (
	"fmt"
	"strings"

	"github.com/hookline-dev/hookline/hook"
)

// Frame is the reason of a hook as the model is told it: that a hook speaks, and which
// one when stderr or a model gave the reason. What keeps an agent going is said twice when
// it is the JSON's.
func (Dialect) Frame(in hook.Input, run *hook.Run, reason string) []string {
	r := run.Report
	named := r != nil && (r.Asked || r.ExitCode != nil && *r.ExitCode == 2 && reason == strings.TrimSpace(r.Stderr))
	said := reason
	if named {
		said = fmt.Sprintf("[%s]: %s", run.Hook.Name, reason)
	}
	tool, _ := toolCall(in)
	switch ev := in.Event(); ev {
	case hook.EventPreToolUse:
		if reason == hook.DefaultReason(run.Hook.Name) {
			said = "Blocked by hook"
		}
		return []string{fmt.Sprintf("%v:%s hook error: %s", ev, tool, said)}
	case hook.EventPermissionRequest:
		if reason == hook.DefaultReason(run.Hook.Name) {
			return []string{"Permission denied by hook"}
		}
	case hook.EventPostToolUse, hook.EventPostToolUseFailure:
		return []string{blocking(fmt.Sprintf("%v:%s", ev, tool), run, said)}
	case hook.EventPreCompact:
		return []string{fmt.Sprintf("[%s]: %s", run.Hook.Name, reason)}
	case hook.EventStop, hook.EventSubagentStop, hook.EventTeammateIdle:
		feedback := "Stop hook feedback:\n" + said
		if ev == hook.EventTeammateIdle {
			feedback = "TeammateIdle hook feedback:\n" + said
		}
		if named {
			return []string{feedback}
		}
		what := ev.String()
		if run.Hook.Scope == "program" {
			what += ":Callback"
		}
		return []string{blocking(what, run, said), feedback}
	}
	return []string{said}
}

func blocking(what string, run *hook.Run, said string) string {
	return fmt.Sprintf("%s hook blocking error from command: %q: %s", what, run.Hook.Name, said)
}

// Label tells a context that a hook printed as plain text from one of its JSON.
func (Dialect) Label(in hook.Input, run *hook.Run, context string) string {
	if r := run.Report; !row(in.Event()).text || r == nil || strings.TrimSpace(r.Stdout) != strings.TrimSpace(context) {
		return ""
	}
	if start, ok := in.(*hook.SessionStart); ok {
		return fmt.Sprintf("%v:%s hook success", in.Event(), start.Source)
	}
	return in.Event().String() + " hook success"
}
