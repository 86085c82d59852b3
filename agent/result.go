package agent

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
)

// Prompt is what the agent is asked.
type Prompt struct {
	Text string
	// Images are attached to it.
	Images []model.Image
	// Quiet says that no person wrote it: UserPromptSubmit does not fire.
	Quiet bool
	// Expansion, when not nil, is fired after UserPromptSubmit: the prompt is what a command
	// came to. A hook that refuses it refuses the prompt.
	Expansion *hook.UserPromptExpansion
	// Custom makes it a message of a hook's own kind.
	Custom *CustomMessage
	// Granted are allow rules that are in force while this prompt is worked on, as a
	// command may bring them. What is refused or asked about by rules and hooks stays so.
	Granted []permission.Rule
	// Model, when not "" or inherit, is the name of the model that works on this prompt in
	// place of the agent's, as a command may ask for it. One that Config.Resolve doesn't
	// know is told to the person, and the agent's works on it. Hooks hear of no switch, as
	// in Claude Code.
	Model string
}

// CustomMessage is a message of a hook's own kind.
type CustomMessage struct {
	CustomType string
	Content    jsontext.Value // a string or content blocks
	Display    bool
	Details    jsontext.Value
}

// End says how a prompt ended.
type End string

// The ends.
const (
	EndDone        End = "done"        // the model has finished
	EndBlocked     End = "blocked"     // a hook refused the prompt
	EndHalted      End = "halted"      // a hook ended the run
	EndDeferred    End = "deferred"    // a hook deferred a tool call
	EndInterrupted End = "interrupted" // the context ended, or a refusal interrupted the turn
	EndMaxTurns    End = "max_turns"
	EndBudget      End = "budget"
	EndFailed      End = "failed" // the model could not be asked
)

// Call is a tool call of the model, as hooks left it.
type Call struct {
	ID, Tool string
	Input    hook.JSON
}

// Result is what came of a prompt.
type Result struct {
	End End
	// Reason explains every end but done, and a stop that hooks did not want.
	Reason string
	// Text is the model's last text, Replacement what is said in its place when a hook refused the
	// prompt or the model could not be asked.
	Text, Replacement string
	// StopReason is why the model stopped last, in its own words; "" when it was not asked.
	StopReason string
	// Denials are the calls that were refused, by hooks, rules or the person, those of
	// subagents included, and Deferred is the one at which a hook ended the run.
	Denials  []Call
	Deferred *Call
	// Turns is the number of model calls, Usage what they used in all.
	Turns int
	Usage model.Usage
	// Messages are the messages of this prompt. Resumed is how many of them came before what had
	// the agent go on last when it was done, such as the report of a subagent in the background;
	// ContextOnly is how many since then hooks put in that ask for nothing by themselves: an
	// initial message, and what stands for context alone.
	Messages             []model.Message
	Resumed, ContextOnly int
}
