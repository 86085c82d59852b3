package pi

import "github.com/hookline-dev/hookline/internal/oracle"

// DeclaredDifferences are those that stay, one line each; docs/dialects/pi.md shows them.
// The names of cases begin with the version of pi.
var DeclaredDifferences = []oracle.Declared{
	{Cases: "*/tool_call/throw*", Fact: "model: request *", What: "what the model is told of a `tool_call` handler that throws names the hook and the place", Reason: "a guard that failed is told apart from one that decided"},
	{Cases: "*/tool_call/reject", Fact: "model: request *", What: "so it is with one that rejects", Reason: "as above"},
}
