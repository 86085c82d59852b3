package claude

import (
	"fmt"
	"strings"

	"github.com/hookline-dev/hookline/hook"
)

// Frame is the reason of a refused tool call as the model is told it: it says that a hook
// speaks, and which command when stderr is the reason.
func (Dialect) Frame(in hook.Input, run *hook.Run, reason string) string {
	tool, _ := toolCall(in)
	switch r := run.Report; {
	case reason == hook.DefaultReason(run.Hook.Name):
		reason = "Blocked by hook"
	case r != nil && r.ExitCode != nil && *r.ExitCode == 2 && reason == strings.TrimSpace(r.Stderr):
		reason = fmt.Sprintf("[%s]: %s", run.Hook.Name, reason)
	}
	return fmt.Sprintf("%v:%s hook error: %s", in.Event(), tool, reason)
}
