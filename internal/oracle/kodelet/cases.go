package kodelet

import (
	"fmt"
	"strings"

	"github.com/hookline-dev/hookline/internal/oracle"
)

// hooks are executables of the person that record what they get and answer what the case
// says, by name; their events.
type hooks map[string]string

// with is a case in which executables are in place.
func with(name string, h hooks, answers map[string][]oracle.Answer, turns ...oracle.Turn) oracle.Case {
	c := oracle.Case{Name: name, Prompt: "go on", Answers: answers, Files: map[string]string{}, Script: oracle.Script{Turns: turns}}
	for hook, event := range h {
		c.Files["~/.kodelet/hooks/"+hook] = fmt.Sprintf("#!/bin/sh\n[ \"$1\" = hook ] && { echo %s; exit 0; }\nexec \"$HOME/../bin/recorder\" %s\n", event, hook)
	}
	return c
}

// say is what a hook prints.
func say(answer any) []oracle.Answer { return []oracle.Answer{{JSON: answer}} }

type object = map[string]any

// Cases are the cells: each event, what an answer may have, and the ways of failing.
func Cases() []oracle.Case {
	all := hooks{"before": "before_tool_call", "after": "after_tool_call", "prompt": "user_message_send", "stop": "agent_stop", "turn": "turn_end"}
	bash := oracle.Call("bash", object{"command": "echo hi > made.txt; cat made.txt", "description": "d", "timeout": 20})
	write := oracle.Call("file_write", object{"file_path": "$PROJ/new.txt", "text": "some text\n"})
	before, after, stop, done := hooks{"h": "before_tool_call"}, hooks{"h": "after_tool_call"}, hooks{"h": "agent_stop"}, oracle.Say("done")
	answer := func(a any) map[string][]oracle.Answer { return map[string][]oracle.Answer{"h": say(a)} }
	out := []oracle.Case{
		with("session/bash", all, nil, bash, done),
		with("session/write", all, nil, write, done),
		with("session/text", all, nil, done),
		with("before_tool_call/blocked", before, answer(object{"blocked": true, "reason": "MARK no"}), bash, done),
		with("before_tool_call/blocked-any-case", before, answer(object{"Blocked": true, "REASON": "MARK no"}), bash, done),
		with("before_tool_call/input", before, answer(object{"input": object{"command": "touch other.txt", "description": "d", "timeout": 20}}), bash, done),
		with("before_tool_call/input-of-write", before, answer(object{"input": object{"file_path": "$PROJ/elsewhere.txt", "text": "x\n"}}), write, done),
		with("before_tool_call/empty", before, answer(object{}), bash, done),
		with("user_message_send/blocked", hooks{"h": "user_message_send"}, answer(object{"blocked": true, "reason": "MARK no"}), done),
		with("agent_stop/follow-up", stop, map[string][]oracle.Answer{"h": {{JSON: object{"follow_up_messages": []string{"MARK go on"}}}, {}}}, done, oracle.Say("really done")),
		with("turn_end/anything", hooks{"h": "turn_end"}, answer(object{"blocked": true}), bash, done),
		with("turn_end/words-and-a-call", hooks{"h": "turn_end"}, nil, oracle.Turn{Blocks: []oracle.Block{{Text: "looking"}, bash.Blocks[0]}}, done),
		with("after_tool_call/of-a-blocked-call", hooks{"a": "before_tool_call", "h": "after_tool_call"}, map[string][]oracle.Answer{"a": say(object{"blocked": true, "reason": "MARK a"})}, bash, done),
		with("after_tool_call/of-a-failed-call", after, nil, oracle.Call("bash", object{"command": "echo MARK; exit 3", "description": "d", "timeout": 20}), done),
		with("several/first-block-counts", hooks{"a": "before_tool_call", "b": "before_tool_call"}, map[string][]oracle.Answer{"a": say(object{"blocked": true, "reason": "MARK a"})}, bash, done),
	}
	output := object{"toolName": "bash", "success": true, "metadataType": "bash", "metadata": object{"command": "x", "exitCode": 0, "output": "MARK hidden"}, "timestamp": "2026-01-01T00:00:00Z"}
	out = append(out, with("after_tool_call/output", after, answer(object{"output": output}), bash, done))
	for name, a := range map[string]oracle.Answer{
		"exit-1": {Exit: 1}, "exit-2": {Exit: 2, Err: "MARK no"}, "text": {Out: "MARK some words"}, "exit-1-blocked": {Exit: 1, JSON: object{"blocked": true, "reason": "MARK"}},
	} {
		out = append(out, with("failing/"+name, before, map[string][]oracle.Answer{"h": {a}}, bash, done))
	}
	shut := with("switched-off", before, answer(object{"blocked": true, "reason": "MARK"}), bash, done)
	shut.Files["~/.kodelet/hooks/h.disable"] = shut.Files["~/.kodelet/hooks/h"]
	delete(shut.Files, "~/.kodelet/hooks/h")
	plugin := with("plugin", before, answer(object{"blocked": true, "reason": "MARK by a plugin"}), bash, done)
	for name, text := range plugin.Files {
		plugin.Files[strings.Replace(name, ".kodelet/", ".kodelet/plugins/acme@guards/", 1)] = text
		delete(plugin.Files, name)
		break
	}
	return append(out, shut, plugin)
}
