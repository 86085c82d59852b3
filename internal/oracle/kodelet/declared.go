package kodelet

import "github.com/hookline-dev/hookline/internal/oracle"

// DeclaredDifferences are those that stay; docs/dialects/kodelet.md shows them.
var DeclaredDifferences = []oracle.Declared{
	{
		Cases: "before_tool_call/*, several/*, plugin, after_tool_call/of-a-*", Fact: "model: result *",
		What: "the reason of a block, and the end of a command that failed, reach the model without kodelet's frame", Reason: "the model reads the hook's own words, in whichever dialect it is written",
	},
	{
		Cases: "after_tool_call/output", Fact: "model: result *",
		What: "`output` is what the model reads; kodelet shows it to the person only, and the model reads the original", Reason: "what a hook takes out must not reach the model",
	},
	{
		Cases: "*", Fact: "hook * .tool_output",
		What: "`output` of bash has no last line break, `error` is what the model reads, and a written file has no `language`", Reason: "the tools are Hookline's own",
	},
	{
		Cases: "session/*", Fact: "hook stop#0 .messages",
		What: "in `messages` of agent_stop the text of a tool's result is what the model reads", Reason: "kodelet has a text for the screen there",
	},
}
