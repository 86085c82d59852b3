package trust

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
)

// agentVariables are variables by which agents tell the programs that they start
// who started them.
var agentVariables = []string{
	"HOOKLINE", "HOOKLINE_SESSION_ID", "AI_AGENT", "CLAUDECODE", "CODEX_SANDBOX", "CODEX_THREAD_ID", "COPILOT_AGENT_SESSION_ID", "GEMINI_CLI", "QWEN_CODE",
	"ANTIGRAVITY_CONVERSATION_ID", "CURSOR_AGENT", "AIDER_SESSION", "OPENCODE", "PI_CODING_AGENT", "OMPCODE", "CRUSH",
}

// agentPrograms are agents that tell nobody: on Linux they are known as parents.
var agentPrograms = []string{"kodelet"}

// runVariable is in the environment of all that a hook, a worker, a server or a tool of
// ours is: package handler/process sets it.
const runVariable = "HOOKLINE_RUN"

// InsideAgent returns the sign by which getenv, or the parents of this program, show that
// an agent started it, "" when none does. Options that switch approval off are for people,
// and for machines that people set up: a program that an agent started should refuse
// them.
func InsideAgent(getenv func(string) string) string {
	if sign := InsideHookline(getenv); sign != "" {
		return sign
	}
	for _, name := range agentVariables {
		if getenv(name) != "" {
			return name
		}
	}
	return parent(func(exe string, _ []byte) bool { return slices.Contains(agentPrograms, filepath.Base(exe)) })
}

// InsideHookline returns the sign that a hook, a worker, a server or a tool of this
// program's own agent started it, "" when there is none: a variable, or, on Linux, a
// parent that has it or is hookline itself. It is not a wall: who means to hide it can.
func InsideHookline(getenv func(string) string) string {
	if getenv(runVariable) != "" {
		return runVariable
	}
	self, _ := os.Executable()
	return parent(func(exe string, env []byte) bool {
		return filepath.Base(exe) == "hookline" || exe != "" && exe == self || bytes.Contains(append([]byte{0}, env...), []byte("\x00"+runVariable+"="))
	})
}
