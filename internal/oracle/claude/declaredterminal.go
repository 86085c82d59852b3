package claude

import "github.com/hookline-dev/hookline/internal/oracle"

// ofTerminal are the declared differences of a person at a terminal.
var ofTerminal = []oracle.Declared{
	{
		Cases: "pty/PermissionRequest/block", Fact: "files, model: result *",
		What: "at a terminal a `decision` of `block` refuses the call, and nobody is asked", Reason: "a refusal must not pass as nonsense",
	},
	{
		Cases: "pty/Setup/silence", Fact: "hooks, hook h#0 *",
		What: "`--init` and `--maintenance` fire Setup at a terminal too", Reason: "the other program opens the session there without Setup and SessionStart",
	},
	{
		Cases: "pty/session/subagent", Fact: "hooks, hook P*, hook Stop*, hook SubagentStop#0 .background_tasks, hook UserPromptSubmit#1 *, hook MessageDisplay#1 *, model: requests",
		What: "`run_in_background: false` holds at a terminal too", Reason: "the model asked for the answer",
	},
}
