package claude

import (
	"maps"
	"slices"

	"github.com/hookline-dev/hookline/internal/oracle"
)

type object = map[string]any

// hook is the entry of a recording hook; more are further members.
func hook(name string, more ...object) object {
	out := object{"type": "command", "command": "$HOOK " + name}
	for _, m := range more {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

// on is a settings file with hooks of one event, in a group of its own each.
func on(event, matcher string, hooks ...object) object {
	group := object{"hooks": hooks}
	if matcher != "" {
		group["matcher"] = matcher
	}
	return object{"hooks": object{event: []object{group}}}
}

// bash is a turn that runs a shell command.
func bash(command string) oracle.Turn {
	return oracle.Call("Bash", object{"command": command, "description": "d"})
}

// specific is an answer with members of hookSpecificOutput.
func specific(event string, members object) oracle.Answer {
	members["hookEventName"] = event
	return oracle.Answer{JSON: object{"hookSpecificOutput": members}}
}

// scene is how an event comes about: the case without its hooks.
type scene struct {
	event string
	oracle.Case
}

func turns(t ...oracle.Turn) oracle.Script { return oracle.Script{Turns: t} }

var (
	making = turns(bash("echo from-tool > made.txt; echo said"))
	agent  = object{"description": "look", "prompt": "SUBMARKER look", "subagent_type": "general-purpose", "run_in_background": false}
	beside = object{"description": "look", "prompt": "SUBMARKER look", "subagent_type": "general-purpose", "run_in_background": true}
	// unpermitted runs a program that needs a permission which it does not have.
	unpermitted = oracle.Case{
		Script: turns(bash("./make.sh")), Allowed: []string{}, Files: map[string]string{"make.sh": "#!/bin/sh\ntouch made.txt; echo made\n"},
	}
	looking = oracle.Script{
		Turns: []oracle.Turn{oracle.Call("Agent", agent)},
		Sub:   map[string][]oracle.Turn{"SUBMARKER": {bash("echo in-sub")}},
	}
)

// scenes are the events that a run without a person brings about.
var scenes = []scene{
	{"Setup", oracle.Case{Script: making, Args: initialising}},
	{"SessionStart", oracle.Case{Script: making}},
	{"UserPromptSubmit", oracle.Case{Script: making}},
	{"UserPromptExpansion", oracle.Case{Script: making, Prompt: "/hi there", Files: map[string]string{".claude/commands/hi.md": "Say hi to $ARGUMENTS\n"}}},
	{"PreToolUse", oracle.Case{Script: making}},
	{"PostToolUse", oracle.Case{Script: making}},
	{"PostToolUseFailure", oracle.Case{Script: turns(bash("echo out; echo err >&2; exit 3"))}},
	{"PostToolBatch", oracle.Case{Script: making}},
	{"PermissionRequest", unpermitted},
	{"MessageDisplay", oracle.Case{Script: turns(oracle.Say("first words"))}},
	{"Stop", oracle.Case{Script: making}},
	{"StopFailure", oracle.Case{Script: turns(oracle.Turn{Status: 401})}},
	{"SubagentStart", oracle.Case{Script: looking}},
	{"SubagentStop", oracle.Case{Script: looking}},
	{"InstructionsLoaded", oracle.Case{Script: making, Files: map[string]string{"CLAUDE.md": "be kind\n"}}},
	{"CwdChanged", oracle.Case{Script: turns(bash("cd sub; echo there")), Files: map[string]string{"sub/x.txt": "x"}}},
	{"SessionEnd", oracle.Case{Script: making}},
}

// answers are what every event's hook may say. The hook says it once, and nothing when
// it is asked again, so that what goes on because of it comes to an end.
func answers(event string) map[string]oracle.Answer {
	block := object{"decision": "block", "reason": "MARK-BLOCK"}
	other := "Stop"
	if event == other {
		other = "PreToolUse"
	}
	return map[string]oracle.Answer{
		"silence":         {},
		"text":            {Out: "MARK-TEXT\n"},
		"context":         specific(event, object{"additionalContext": "MARK-CONTEXT"}),
		"block":           {JSON: block},
		"block-exit-1":    {JSON: block, Exit: 1},
		"exit-1":          {Err: "MARK-EXIT1", Exit: 1},
		"exit-2":          {Err: "MARK-EXIT2", Exit: 2},
		"exit-2-json":     {JSON: object{"systemMessage": "MARK-MESSAGE"}, Err: "MARK-EXIT2", Exit: 2},
		"continue-false":  {JSON: object{"continue": false, "stopReason": "MARK-STOP"}},
		"system-message":  {JSON: object{"systemMessage": "MARK-MESSAGE"}},
		"cut-off-json":    {Out: `{"decision":"block","reason":"MARK-CUT`},
		"another's-event": specific(other, object{"additionalContext": "MARK-WRONG"}),
	}
}

var allowed = []string{"Bash", "Write", "Edit", "Read", "Glob", "Grep", "Agent", "TodoWrite"}

// Cases returns the whole table.
func Cases() []oracle.Case {
	var out []oracle.Case
	for _, s := range scenes {
		list := answers(s.event)
		for _, name := range slices.Sorted(keys(list)) {
			c := s.Case
			c.Name = s.event + "/" + name
			c.Settings = on(s.event, "", hook("h", object{"timeout": 20}))
			c.Answers = map[string][]oracle.Answer{"h": {list[name], {}}}
			out = append(out, c)
		}
	}
	out = append(out, wholeSessions()...)
	out = append(out, decisions()...)
	out = append(out, selections()...)
	for _, more := range [][]oracle.Case{askedHooks(), subagentCases(), textCases(), serverCases(), settingsCases(), moreEvents(), fronts(), setupCases(), ifCases(), watchedCases(), modeCases(), afterCompaction(), teamCases()} {
		out = append(out, more...)
	}
	for i := range out {
		c := &out[i]
		if c.Script.Turns != nil && c.Script.Turns[0].Status != 0 {
			holdEnd(c)
		}
		if c.Prompt == "" {
			c.Prompt = "make the file"
		}
		if c.Allowed == nil {
			c.Allowed = allowed
		}
		if c.Script.Turns == nil {
			c.Script = making
		}
	}
	return out
}

// holdEnd keeps a session from ending before the hooks of its last event have begun: the
// real program does not wait for those of StopFailure.
func holdEnd(c *oracle.Case) {
	hooks := maps.Clone(c.Settings["hooks"].(object))
	hooks["SessionEnd"] = []object{{"hooks": []object{hook("end", object{"timeout": 20})}}}
	c.Settings = object{"hooks": hooks}
	c.Answers = maps.Clone(c.Answers)
	if c.Answers == nil {
		c.Answers = map[string][]oracle.Answer{}
	}
	c.Answers["end"] = []oracle.Answer{{Sleep: 2.5}}
}

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// Uncaused are the events for which no case can be made, and why.
var Uncaused = map[string]string{
	"PermissionDenied": "the real program fires it for its own classifier only, which needs its service",
	"ConfigChange":     "depends on when a watcher of files wakes up",
}
