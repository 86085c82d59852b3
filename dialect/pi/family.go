package pi

import "github.com/hookline-dev/hookline/handler/script"

// rules are what differs between the families of modules, and between the hooks and
// the extensions of one.
type rules struct {
	// inputCounts: a change of event.input in tool_call is what runs, and what later
	// handlers see.
	inputCounts bool
	// chained: tool_result handlers see what earlier ones made of the result.
	chained bool
	// errors: tool_result may change failed calls, and say what is one.
	errors bool
	// allMessages: before_agent_start adds the message of every handler, and not only
	// the first.
	allMessages bool
	// forksStart: a fork is told as the end of a session and the start of another.
	forksStart bool
	// promptParts: a system prompt is a list of texts.
	promptParts bool
	// blocked is what the model is told when a handler blocks without a reason.
	blocked string
}

// rulesOf returns the rules that a module was written for. Those of oh-my-pi's
// extensions are what the program does, those of its hooks what its documents say.
func rulesOf(f script.Family, k script.Kind) rules {
	switch {
	case f == script.FamilyPi:
		return rules{inputCounts: true, chained: true, errors: true, allMessages: true, forksStart: true, blocked: "Tool execution was blocked"}
	case k == script.KindExtension:
		return rules{inputCounts: true, chained: true, errors: true, allMessages: true, promptParts: true, blocked: defaultBlock}
	}
	return rules{blocked: defaultBlock}
}
