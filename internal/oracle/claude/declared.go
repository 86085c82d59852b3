package claude

import "github.com/hookline-dev/hookline/internal/oracle"

// DeclaredDifferences are those that stay, one line each; docs/dialects/claude.md shows
// them.
var DeclaredDifferences = []oracle.Declared{
	{Cases: "kinds/*", Fact: "environment *", What: "CLAUDE_CODE_MESSAGING_*, CLAUDE_CODE_CHILD_NOTES_DIR and the like are not set", Reason: "they lead to services of the other program"},
	{Cases: "kinds/exit-code", Fact: "exit", What: "a run that a hook ended has exit code 3 (compared in one cell)", Reason: "a script can tell it from an answer"},
	{Cases: "kinds/*", Fact: "stream *", What: "lines about hooks have kinds of their own", Reason: "they tell more than the other program does"},
	{Cases: "session/files", Fact: "model: result toolu_*", What: "the tools' results have other words", Reason: "the tools are Hookline's own; hooks get the same object"},
}
