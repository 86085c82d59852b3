// Package claude judges the claude dialect by Claude Code: see package oracle. Its table
// has a cell for each event and each kind of answer, and cells for what is particular to
// one event: decisions, matchers, conditions, levels of settings, subagents, plugins.
package claude
