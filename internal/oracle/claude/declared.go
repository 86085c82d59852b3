package claude

import (
	"slices"

	"github.com/hookline-dev/hookline/internal/oracle"
)

// DeclaredDifferences are those that stay, one line each; docs/dialects/claude.md shows
// them.
var DeclaredDifferences = slices.Concat(ofOnePrompt, ofFronts, ofTerminal)

// ofOnePrompt are those of runs for one prompt.
var ofOnePrompt = []oracle.Declared{
	{Cases: "kinds/*", Fact: "environment *", What: "CLAUDE_CODE_MESSAGING_*, CLAUDE_CODE_CHILD_NOTES_DIR and the like are not set", Reason: "they lead to services of the other program"},
	{Cases: "kinds/exit-code", Fact: "exit", What: "a run that a hook ended has exit code 3 (compared in one cell)", Reason: "a script can tell it from an answer"},
	{Cases: "kinds/*", Fact: "stream *", What: "lines about hooks have kinds of their own", Reason: "they tell more than the other program does"},
	{
		Cases: "Setup/continue-false, FileChanged/continue-false, SessionStart/continue-false, InstructionsLoaded/continue-false, CwdChanged/continue-false, PermissionRequest/continue-false, " +
			"PostToolUseFailure/continue-false, PreToolUse/continue-false, SubagentStart/continue-false, PreCompact/continue-false, TaskCreated/continue-false, " +
			"TaskCompleted/continue-false, WorktreeCreate/continue-false, WorktreeRemove/continue-false", Fact: "*",
		What: "`continue: false` ends the run on every event, before the tool that it is about", Reason: "the format says so, and a hook that says stop is obeyed",
	},
	{Cases: "StopFailure/status-400, StopFailure/status-404", Fact: "model: requests", What: "a request that was refused as bad or for a model that is not there is not sent again in other forms", Reason: "ours has no such forms: no beta headers to leave out, no answer in one piece"},
	{Cases: "PermissionRequest/suggestions-2", Fact: "hook h#0 .permission_suggestions", What: "acceptEdits is not suggested for `rm`", Reason: "it does not allow `rm`"},
	{
		Cases: "plan/bash*, plan/write", Fact: "files, hooks, hook P*, model: result *, result .permission_denials",
		What: "plan mode refuses edits, which fires PermissionDenied, and asks about what may do more than read, whatever rules allow", Reason: "a plan changes nothing",
	},
	{Cases: "UserPromptSubmit/updated-prompt", Fact: "model: context", What: "`updatedPrompt` rewrites the prompt", Reason: "an extension"},
	{Cases: "subagent/background-denied", Fact: "result .permission_denials", What: "calls that were refused to a subagent in the background are in the result", Reason: "what was refused is to be seen"},
	{Cases: "asked/PreToolUse-decision", Fact: "*", What: "a model that answers a hook with `decision` or `permissionDecision` is believed", Reason: "a refusal must not pass as nonsense"},
	{Cases: "texts/file", Fact: "model: context", What: "a file that a command names with @ is read by the model", Reason: "hooks that guard reading see it"},
	{Cases: "*/cut-off-json", Fact: "model: context", What: "JSON that was cut off is a failure, and no text for the model", Reason: "half of a refusal must not pass as a remark"},
	{
		Cases: "if-command/5, if-behind/*, if-unknown/variable-as-program-set", Fact: "files, hooks, hook h#0 *, model: result *, result .permission_denials",
		What: "`if` sees commands that others start (in nested shells, by `env`, `eval`, `find` or `trap`), by their path and with options before the subcommand; a program that a variable names may be any", Reason: "`sh -c` is no way past a guard",
	},
}
