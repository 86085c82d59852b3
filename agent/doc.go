// Package agent is a coding agent that hooks can control: a loop of model calls
// and tool calls over a session, in which every event of package hook fires from
// the situation that it names, and in which every answer of a hook does what it
// says.
//
//	a, err := agent.New(agent.Config{Model: provider, Tools: set.Tools(), Hooks: engine})
//	res, err := a.Prompt(ctx, "Mend the failing test.")
//	err = a.Close(ctx)
//
// Only the model is needed. Without hooks nothing is fired, without a permission
// checker everything that doesn't only read is asked about, without a UI nobody
// answers, and without a session the conversation is kept in memory.
//
// # One prompt
//
// The loop is in loop.go: submit, then turns of a model call and its tool calls,
// then stop. It can be cancelled at every point. The session then still holds a
// result for every tool call, and the next prompt goes on from there.
//
// # Context
//
// What hooks add for the model is kept in the session as pending until the answer
// of the model call that carried it is recorded, in the same line: it reaches the
// conversation once, also when the process is killed in between.
//
// # Around the loop
//
// The packages below hold what isn't part of it: model (providers), tool (built-in
// tools), mcp (tools of MCP servers), compact (what a compaction keeps), command
// (slash commands), subagent (definition files), worktree (working trees apart from
// the person's), rules (rule files), instructions (AGENTS.md and its kin) and
// modulehost (what script modules ask of an agent).
package agent
