package claude

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/oracle"
)

// What is said under every front end, and beside it what programs hear: an answer with
// continue false only on events where ours does not differ for one prompt already.
var (
	everywhere = strings.Fields("silence block exit-2")
	inPrograms = strings.Fields("context system-message")
	ending     = strings.Fields("UserPromptSubmit PostToolUse PostToolBatch Stop")
)

// twice says that a prompt is put and then another.
func twice(prompt string) []oracle.Step {
	return []oracle.Step{{Do: "say", Text: cmp.Or(prompt, "make the file")}, {Do: "say", Text: "and again"}}
}

// allowing answers what a program is asked about a call.
var allowing = []oracle.Answer{{JSON: object{"behavior": "allow", "updatedInput": unpermitted.Script.Turns[0].Blocks[0].Input}}}

// fronts are the scenes of a run for one prompt under the other front ends.
func fronts() []oracle.Case {
	var out []oracle.Case
	for _, s := range scenes {
		list := answers(s.event)
		names := slices.Concat(everywhere, inPrograms)
		if slices.Contains(ending, s.event) {
			names = append(names, "continue-false")
		}
		for _, name := range names {
			h := map[string][]oracle.Answer{"h": {list[name], {}}, "can_use_tool": allowing}
			c := s.Case
			c.Settings, c.Answers = on(s.event, "", hook("h", object{"timeout": 20})), h
			c.Front, c.Name, c.Steps = streaming, streaming+"/"+s.event+"/"+name, twice(c.Prompt)
			if s.event == "StopFailure" { // of which the real program does not wait for the hooks
				c.Steps = c.Steps[:1]
			}
			out = append(out, c)
			if slices.Contains(inPrograms, name) || s.event == "Setup" {
				continue
			}
			c.Settings = began(on(s.event, "", hook("h", object{"timeout": 20})))
			c.Front, c.Name, c.Steps = terminal, terminal+"/"+s.event+"/"+name, []oracle.Step{{Do: "say", Text: cmp.Or(c.Prompt, "make the file")}}
			switch {
			case s.event == "PermissionRequest" && name == "block":
				c.Steps = append(c.Steps, oracle.Step{Do: "enter", Only: "theirs"})
			case s.event == "PermissionRequest":
				c.Steps = append(c.Steps, press("enter"))
			case s.event == "UserPromptSubmit" && name != "silence": // the prompt stands in the input again
				c.Steps = append(c.Steps, oracle.Step{Do: "ctrl-c", Until: nothing})
			case strings.HasPrefix(s.event, "Subagent"):
				c.Script = lookingBeside
			}
			out = append(out, c)
		}
	}
	return slices.Concat(out, byPerson(), byProgram())
}

// lookingBeside has a subagent in the background: at a terminal the real program runs each so.
var lookingBeside = oracle.Script{Turns: []oracle.Turn{oracle.Call("Agent", beside)}, Sub: looking.Sub}

// began puts a hook into settings that says when a session has begun.
func began(settings object) object {
	addHook(settings, "SessionStart", "began")
	return settings
}

// also puts the recording hook of an event, which has its name, into settings.
func also(settings object, events ...string) object {
	for _, event := range events {
		addHook(settings, event, event)
	}
	return settings
}

// addHook puts the recording hook of that name into settings.
func addHook(settings object, event, name string) {
	hooks := settings["hooks"].(object)
	groups, _ := hooks[event].([]object)
	hooks[event] = append(groups, object{"hooks": []object{hook(name)}})
}

// say, press and request are steps.
func say(text string) oracle.Step { return oracle.Step{Do: "say", Text: text} }

func press(key string) oracle.Step { return oracle.Step{Do: key} }

func request(members object) oracle.Step {
	raw, _ := json.Marshal(members)
	return oracle.Step{Do: "request", Text: string(raw)}
}

// otherModel is what is changed to.
const otherModel = "claude-sonnet-4-5"

// asking calls the tool of an MCP server that asks the person.
var asking = oracle.Case{
	Args: []string{"--mcp-config", `{"mcpServers":{"toy":{"command":"toolserver"}}}`}, Allowed: []string{"mcp__toy"},
	Script: turns(oracle.Call("mcp__toy__ask", object{})),
}

// compacting answers the question for a summary, which the real program asks again when the
// answer does not have its form.
var compacting = oracle.Case{Script: oracle.Script{Turns: making.Turns, Own: "keep names", Aside: map[string]string{"keep names": "<summary>a summary</summary>"}}}

// byPerson are the cells of what only a person at a terminal brings about.
func byPerson() []oracle.Case {
	var out []oracle.Case
	add := func(name string, settings object, c oracle.Case, steps ...oracle.Step) {
		c.Front, c.Name, c.Settings, c.Steps = terminal, terminal+"/"+name, began(settings), steps
		out = append(out, c)
	}
	all := func(event string, c oracle.Case, steps ...oracle.Step) {
		list := answers(event)
		for _, name := range everywhere {
			c.Answers = map[string][]oracle.Answer{"h": {list[name], {}}}
			add(event+"/"+name, on(event, "", hook("h", object{"timeout": 20})), c, steps...)
		}
	}
	change := oracle.Step{Do: "say", Text: "/model " + otherModel, Until: nothing}
	interrupt := oracle.Step{Do: "esc", Until: nothing}
	asked := oracle.Step{Do: "say", Text: "make the file", Until: "Notification"} // some seconds after the question there
	all("PreModelSwitch", oracle.Case{}, change, say("make the file"))
	all("PostModelSwitch", oracle.Case{}, change, say("make the file"))
	all("Notification", unpermitted, oracle.Step{Do: "say", Text: "make the file", Until: "h"}, press("enter"))
	adding := []oracle.Step{{Do: "say", Text: "/add-dir $HOME/side", Until: nothing}, {Do: "down", Only: "theirs", Until: nothing}, {Do: "enter", Only: "theirs", Until: nothing}, {Do: "enter", Only: "theirs"}}
	all("DirectoryAdded", oracle.Case{Files: map[string]string{"~/side/x.txt": "x\n"}}, adding...)
	all("PreCompact", compacting, say("make the file"), say("/compact keep names"))
	all("PostCompact", compacting, say("make the file"), say("/compact keep names"))
	for _, name := range everywhere { // a refusal leaves nothing to ask
		steps := []oracle.Step{say("make the file")}
		if name == "silence" {
			steps = append(steps, press("esc"))
		}
		c := asking
		c.Answers = map[string][]oracle.Answer{"h": {answers("Elicitation")[name], {}}}
		add("Elicitation/"+name, on("Elicitation", "", hook("h", object{"timeout": 20})), c, steps...)
	}
	all("ElicitationResult", asking, say("make the file"), press("esc"))

	whole := func(name string, c oracle.Case, steps ...oracle.Step) {
		add("session/"+name, also(everything(), "PreCompact", "PostCompact", "PreModelSwitch", "PostModelSwitch", "DirectoryAdded", "Elicitation", "ElicitationResult"), c, steps...)
	}
	whole("prompts", oracle.Case{}, twice("")...)
	whole("clear", oracle.Case{}, say("make the file"), say("/clear"), say("and again"))
	whole("compact", compacting, say("make the file"), say("/compact keep names"))
	whole("model", oracle.Case{}, change, say("make the file"))
	whole("directory", oracle.Case{Files: map[string]string{"~/side/x.txt": "x\n"}}, adding...)
	resumed := oracle.Case{Again: []string{"-"}}
	whole("resumed", resumed, say("make the file"))
	whole("ctrl-d", oracle.Case{}, say("make the file"), oracle.Step{Do: "ctrl-d", Until: gone, Only: "ours"}, oracle.Step{Do: "ctrl-d-twice", Until: gone, Only: "theirs"})
	whole("nothing-said", oracle.Case{})
	whole("yes", unpermitted, asked, press("enter"))
	whole("no", unpermitted, asked, interrupt, say("and again"))
	always := unpermitted
	always.Script = turns(unpermitted.Script.Turns[0], unpermitted.Script.Turns[0])
	whole("always", always, asked, oracle.Step{Do: "down", Until: nothing}, press("enter"))
	whole("question-of-hook", oracle.Case{Answers: map[string][]oracle.Answer{"PreToolUse": {specific("PreToolUse", object{"permissionDecision": "ask", "permissionDecisionReason": "MARK-REASON"})}}}, asked, press("enter"))
	slow := oracle.Case{Script: turns(bash("echo begun; sleep 120"))}
	whole("interrupted-tool", slow, oracle.Step{Do: "say", Text: "make the file", Until: "PreToolUse"}, interrupt, say("and again"))
	whole("write", oracle.Case{Allowed: []string{}, Script: turns(oracle.Call("Write", object{"file_path": "$PROJ/a.txt", "content": "a\n"}))}, asked, press("enter"))
	whole("command", oracle.Case{Files: map[string]string{".claude/commands/hi.md": "Say hi to $ARGUMENTS\n"}}, say("/hi there"))
	whole("subagent", oracle.Case{Script: looking}, say("make the file"))
	whole("asked-by-server", asking, say("make the file"), press("esc"))
	return out
}

// byProgram are the cells of what a program that works with the agent brings about.
func byProgram() []oracle.Case {
	var out []oracle.Case
	add := func(name string, settings object, c oracle.Case, steps ...oracle.Step) {
		c.Front, c.Name, c.Settings, c.Steps = streaming, streaming+"/"+name, settings, steps
		out = append(out, c)
	}
	change, interrupt := request(object{"subtype": "set_model", "model": otherModel}), request(object{"subtype": "interrupt"})
	interrupt.Until = result
	for _, event := range []string{"PreModelSwitch", "PostModelSwitch"} {
		list := answers(event)
		for _, name := range everywhere {
			add(event+"/"+name, on(event, "", hook("h")), oracle.Case{Answers: map[string][]oracle.Answer{"h": {list[name], {}}}}, say("make the file"), change, say("and again"))
		}
	}
	for _, event := range []string{"Elicitation", "ElicitationResult"} {
		list := answers(event)
		for _, name := range everywhere {
			c := asking
			c.Answers = map[string][]oracle.Answer{"h": {list[name], {}}, "elicitation": {{JSON: object{"action": "accept", "content": object{"name": "MARK-NAME"}}}}}
			add(event+"/"+name, on(event, "", hook("h")), c, say("make the file"))
		}
	}
	whole := func(name string, c oracle.Case, steps ...oracle.Step) {
		add("session/"+name, also(everything(), "PreModelSwitch", "PostModelSwitch", "Elicitation", "ElicitationResult"), c, steps...)
	}
	whole("prompts", oracle.Case{}, twice("")...)
	whole("nothing-said", oracle.Case{})
	add("session/compact", also(everything(), "PreCompact", "PostCompact"), compacting, say("make the file"), say("/compact keep names"))
	for _, action := range []string{"accept", "decline", "cancel"} {
		c, answer := asking, object{"action": action}
		if action == "accept" {
			answer["content"] = object{"name": "MARK-NAME"}
		}
		c.Answers = map[string][]oracle.Answer{"elicitation": {{JSON: answer}}}
		whole("asked-by-server-"+action, c, say("make the file"))
	}
	permit := func(name string, answer object, base oracle.Case) {
		base.Answers = map[string][]oracle.Answer{"can_use_tool": {{JSON: answer}}}
		whole("permission-"+name, base, say("make the file"))
	}
	permit("allow", object{"behavior": "allow", "updatedInput": unpermitted.Script.Turns[0].Blocks[0].Input}, unpermitted)
	permit("allow-as-it-is", object{"behavior": "allow"}, unpermitted)
	permit("changed", object{"behavior": "allow", "updatedInput": object{"command": "echo changed > made2.txt"}}, unpermitted)
	permit("deny", object{"behavior": "deny", "message": "MARK-NO"}, unpermitted)
	permit("deny-and-interrupt", object{"behavior": "deny", "message": "MARK-NO", "interrupt": true}, unpermitted)
	permit("nonsense", object{"behavior": "maybe"}, unpermitted)
	rules := []object{{"type": "addRules", "rules": []object{{"toolName": "Bash", "ruleContent": "./make.sh"}}, "behavior": "allow", "destination": "session"}}
	always := unpermitted
	always.Script = turns(unpermitted.Script.Turns[0], unpermitted.Script.Turns[0])
	permit("always", object{"behavior": "allow", "updatedInput": unpermitted.Script.Turns[0].Blocks[0].Input, "updatedPermissions": rules}, always)
	permit("write", object{"behavior": "allow", "updatedInput": object{"file_path": "$PROJ/a.txt", "content": "b\n"}}, oracle.Case{Allowed: []string{}, Script: turns(oracle.Call("Write", object{"file_path": "$PROJ/a.txt", "content": "a\n"}))})
	asked := oracle.Case{Answers: map[string][]oracle.Answer{
		"PreToolUse":   {specific("PreToolUse", object{"permissionDecision": "ask", "permissionDecisionReason": "MARK-REASON"})},
		"can_use_tool": {{JSON: object{"behavior": "deny", "message": "MARK-NO"}}},
	}}
	whole("question-of-hook", asked, say("make the file"))
	whole("mode", oracle.Case{Allowed: []string{}, Script: turns(oracle.Call("Write", object{"file_path": "$PROJ/a.txt", "content": "a\n"}))}, request(object{"subtype": "set_permission_mode", "mode": "acceptEdits"}), say("make the file"))
	whole("model", oracle.Case{}, change, say("make the file"))
	whole("unknown-request", oracle.Case{}, request(object{"subtype": "no_such_request"}), say("make the file"))
	slow := oracle.Case{Script: turns(bash("echo begun; sleep 120"))}
	whole("interrupted-tool", slow, oracle.Step{Do: "say", Text: "make the file", Until: "PreToolUse"}, interrupt, say("and again"))
	whole("interrupted-last", slow, oracle.Step{Do: "say", Text: "make the file", Until: "PreToolUse"}, interrupt)
	question := unpermitted
	question.Answers = map[string][]oracle.Answer{"can_use_tool": {{Out: silent}}}
	whole("interrupted-question", question, oracle.Step{Do: "say", Text: "make the file", Until: "can_use_tool"}, interrupt, say("and again"))
	return append(out, callbacks()...)
}

// callbacks are hooks in a program that works with the agent.
func callbacks() []oracle.Case {
	var out []oracle.Case
	add := func(event, name string, a oracle.Answer, more object) {
		matcher := object{"hookCallbackIds": []string{"callback"}}
		for k, v := range more {
			matcher[k] = v
		}
		c := oracle.Case{
			Front: streaming, Name: fmt.Sprintf("%s/callback/%s-%s", streaming, event, name), Settings: also(object{"hooks": object{}}, event),
			Answers: map[string][]oracle.Answer{"callback": {a, {}}},
		}
		c.Steps = []oracle.Step{request(object{"subtype": "initialize", "hooks": object{event: []object{matcher}}}), say("make the file")}
		out = append(out, c)
	}
	for _, event := range []string{"UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"} {
		list := answers(event)
		for _, name := range []string{"silence", "context", "block", "system-message"} {
			add(event, name, list[name], nil)
		}
	}
	add("SessionStart", "silence", oracle.Answer{}, nil)
	add("SessionEnd", "silence", oracle.Answer{}, nil)
	add("PreToolUse", "deny", specific("PreToolUse", object{"permissionDecision": "deny", "permissionDecisionReason": "MARK-REASON"}), nil)
	add("PreToolUse", "rewrite", specific("PreToolUse", object{"permissionDecision": "allow", "updatedInput": object{"command": "echo rewritten > made2.txt; echo rewritten"}}), nil)
	add("PreToolUse", "error", oracle.Answer{Err: "MARK-ERROR"}, nil)
	add("PreToolUse", "other-tool", oracle.Answer{}, object{"matcher": "Write"})
	add("PreToolUse", "no-answer", oracle.Answer{Out: silent}, object{"timeout": 2})
	later := compacting // a session that begins once the program is there
	asked := []object{{"hookCallbackIds": []string{"callback"}}}
	later.Front, later.Name, later.Settings = streaming, streaming+"/callback/compaction", also(object{"hooks": object{}}, "SessionStart", "SubagentStop")
	later.Steps = []oracle.Step{request(object{"subtype": "initialize", "hooks": object{"SessionStart": asked, "SubagentStop": asked}}), say("make the file"), say("/compact keep names")}
	return append(out, later)
}
