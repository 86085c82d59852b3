package claude

import (
	"slices"

	"github.com/hookline-dev/hookline/internal/oracle"
)

// teamCases are teammates, which the real program has at a terminal.
func teamCases() []oracle.Case {
	var out []oracle.Case
	mate := object{"description": "look", "prompt": "SUBTASK look", "subagent_type": "general-purpose", "name": "helper", "run_in_background": true}
	list := answers("TeammateIdle")
	for _, name := range slices.Sorted(keys(list)) {
		settings := began(on("TeammateIdle", "", hook("h", object{"timeout": 20})))
		settings["env"] = object{"CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS": "1"}
		out = append(out, oracle.Case{
			Front: terminal, Name: terminal + "/TeammateIdle/" + name, Settings: settings, Allowed: []string{"Agent", "Bash", "TaskCreate"},
			Script:  oracle.Script{Turns: []oracle.Turn{oracle.Call("Agent", mate)}, Sub: map[string][]oracle.Turn{"SUBTASK": {bash("echo in-sub")}}},
			Answers: map[string][]oracle.Answer{"h": {list[name], {}}}, Steps: []oracle.Step{{Do: "say", Text: "make the file", Until: "h"}},
		})
	}
	return out
}
