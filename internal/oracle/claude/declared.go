package claude

import "github.com/hookline-dev/hookline/internal/oracle"

// DeclaredDifferences are those that stay, one line each; docs/dialects/claude.md shows
// them.
var DeclaredDifferences = []oracle.Declared{
	{Cases: "kinds/*", Fact: "environment *", What: "CLAUDE_CODE_MESSAGING_*, CLAUDE_CODE_CHILD_NOTES_DIR and the like are not set", Reason: "they lead to services of the other program"},
	{Cases: "kinds/exit-code", Fact: "exit", What: "a run that a hook ended has exit code 3 (compared in one cell)", Reason: "a script can tell it from an answer"},
	{Cases: "kinds/*", Fact: "stream *", What: "lines about hooks have kinds of their own", Reason: "they tell more than the other program does"},
	{
		Cases: "session/files", Fact: "model: result toolu_*, hook PostToolBatch* .tool_calls, hook PostToolUse#1 .tool_response",
		What: "the tools' results have other words, and Read counts no empty last line", Reason: "the tools are Hookline's own; hooks get the same object",
	},
	{
		Cases: "SessionStart/continue-false, InstructionsLoaded/continue-false, CwdChanged/continue-false, PermissionRequest/continue-false, " +
			"PostToolUseFailure/continue-false, PreToolUse/continue-false, SubagentStart/continue-false, PreCompact/continue-false, TaskCreated/continue-false, " +
			"TaskCompleted/continue-false", Fact: "*",
		What: "`continue: false` ends the run on every event, before the tool that it is about", Reason: "the format says so, and a hook that says stop is obeyed",
	},
	{
		Cases: "StopFailure/status-*", Fact: "hooks, hook h#0 *, model: requests, result .result",
		What: "some kinds of errors, how often a call is tried again, advice about the service, and that the hook is waited for", Reason: "`overloaded` and `invalid_request` are what the format lists; the advice is about the other program",
	},
	{
		Cases: "PermissionRequest/suggestions-*", Fact: "hook h#0 .permission_suggestions, result .permission_denials",
		What: "suggested rules for some calls; a denial's input has the model's order", Reason: "they are what Hookline's rules and modes cover: acceptEdits is not for shell commands",
	},
	{Cases: "UserPromptSubmit/updated-prompt", Fact: "model: context", What: "`updatedPrompt` rewrites the prompt", Reason: "an extension"},
	{Cases: "Stop/block-for-ever, settings/stop-cap, asked/Stop-no*", Fact: "result .*", What: "when hooks have kept the agent going too often, its last answer is the result", Reason: "it was given"},
	{
		Cases: "SessionStart/initial-message, Stop/context", Fact: "result .num_turns",
		What: "an initial message, and context that keeps the agent going, are counted as messages", Reason: "they are messages of their own",
	},
	{
		Cases: "PermissionRequest/block, PermissionRequest/block-exit-1", Fact: "model: result toolu_*",
		What: "the reason of a `decision: block` on PermissionRequest reaches the model", Reason: "a refusal is believed although it stands in the wrong place",
	},
	{
		Cases: "PreToolUse/rewrite-invalid", Fact: "model: result toolu_*, result .permission_denials",
		What: "what is told of a call that a hook made invalid", Reason: "it is the call as the hook left it",
	},
	{Cases: "session/bad-input", Fact: "hooks, hook PreToolUse*", What: "PreToolUse fires for an input that does not fit the tool", Reason: "a hook may mend it"},
	{
		Cases: "session/cd", Fact: "hooks, hook PostToolUse#0 *, hook CwdChanged*",
		What: "`cd` counts for what comes after the call's own hooks, and CwdChanged fires before PostToolBatch", Reason: "the hooks of a call run in the directory in which it was made",
	},
	{
		Cases: "session/continued", Fact: "hook SessionStart#1 *",
		What: "a resumed session has its size by Hookline's count, and no estimates about a cache", Reason: "the provider's cache is not known",
	},
	{Cases: "session/subagent, subagent/own", Fact: "hook PostToolUse#1 .tool_response", What: "the result of a subagent has members of its own", Reason: "the other program counts what Hookline does not"},
	{Cases: "subagent/own", Fact: "hooks, hook own*", What: "hooks of a subagent's file run with `-p` too", Reason: "they were approved"},
	{
		Cases: "subagent/background*", Fact: "model: context, result .num_turns",
		What: "a run waits for its subagents in the background, and has one result", Reason: "a script gets one answer",
	},
	{Cases: "subagent/background-denied", Fact: "result .permission_denials", What: "calls that were refused to a subagent in the background are in the result", Reason: "what was refused is to be seen"},
	{Cases: "asked/PreToolUse-decision", Fact: "*", What: "a model that answers a hook with `decision` or `permissionDecision` is believed", Reason: "a refusal must not pass as nonsense"},
	{Cases: "texts/file", Fact: "model: context", What: "a file that a command names with @ is read by the model", Reason: "hooks that guard reading see it"},
	{Cases: "session/two-calls", Fact: "hooks", What: "shell commands of one turn run one after the other", Reason: "one may need what another does"},
	{Cases: "*/cut-off-json", Fact: "model: context", What: "JSON that was cut off is a failure, and no text for the model", Reason: "half of a refusal must not pass as a remark"},
	{Cases: "if-command/*", Fact: "*", What: "`if` sees commands in nested shells, and substitutions run no hook that they are not about", Reason: "a shell parser decides it"},
}
