package claude

import "github.com/hookline-dev/hookline/internal/oracle"

// ofFronts are the declared differences of programs and persons that work with the agent.
var ofFronts = []oracle.Declared{
	{
		Cases: "stream/PermissionRequest/block", Fact: "files, hooks, hook can_use_tool#0 *, model: result toolu_0_0, result .permission_denials",
		What: "hooks are heard about a question before the program is asked, and a refusal of theirs counts", Reason: "the stricter one decides, not the quicker one",
	},
	{
		Cases: "stream/session/permission-write, stream/session/permission-changed", Fact: "hook PostTool*, hook can_use_tool#0 *, model: result *, hooks",
		What: "what a program changed in a call is in all events after it, with what the model had asked in `original_tool_input`; a question about a file shows the change", Reason: "a hook that looks only at the first sees what did not run",
	},
	{
		Cases: "stream/callback/PreToolUse-rewrite", Fact: "hook PreToolUse#0 .tool_input",
		What: "callbacks of a program run before hooks of settings files, which see what they changed", Reason: "a guard sees what will run",
	},
}
