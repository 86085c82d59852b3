package pi

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hookline-dev/hookline/internal/oracle"
)

type object = map[string]any

// Cell is one cell of the table: modules, what the model does, and what the person does.
type Cell struct {
	name string
	// modules are the bodies of functions that get pi; they have say(what, value), which
	// writes a line of their log, and text(content).
	modules []string
	// imports stand at the top of each module.
	imports string
	// host is the package that the modules are written for, "" for pi's.
	host string
	// example is a module, or the directory of one, of pi's own examples.
	example string
	// watched has a last module that logs all events: their order and members are compared.
	watched bool
	// newest is played with the newest pi only: others have nothing of what it is about.
	newest bool
	files  map[string]string
	turns  []oracle.Turn
	sub    map[string][]oracle.Turn
	// steps are what the person does over rpc; without any, one prompt is put to a
	// program that nobody sits at.
	steps []step
	// answers are those to the dialogs, in order: a text, true or false, the number of a
	// choice, or nil for a dismissal.
	answers []any
}

// step is one thing that the person does: what, and with which text or to which message.
type step struct {
	do, text string
	n        int
}

// prompts are steps that each put a prompt and wait for its end.
func prompts(texts ...string) []step {
	var out []step
	for _, t := range texts {
		out = append(out, step{do: "prompt", text: t})
	}
	return out
}

// prompt is what the person says where a cell has no steps.
const prompt = "MARK-PROMPT go on"

// source is the text of a module.
const source = `import { appendFileSync } from "node:fs";
import type { ExtensionAPI } from "%s";
%s
const LOG = "$PROJ/../log.jsonl";
const say = (what: string, value?: unknown) => appendFileSync(LOG, JSON.stringify([what, value === undefined ? null : value]) + "\n");
const text = (content: any): string => typeof content === "string" ? content : (content ?? []).map((b: any) => b.text ?? "[" + b.type + "]").join("|");
const later = (ms: number) => new Promise((r) => setTimeout(r, ms));
export default function (pi: ExtensionAPI) {
%s
}
`

// watching are the events that a watched cell logs. Updates come in any number.
var watching = strings.Fields(`resources_discover session_start session_before_switch session_before_fork session_before_compact
	session_compact session_compact_failed session_info_changed ui_prompt_start ui_prompt_end after_provider_response session_shutdown session_before_tree session_tree context before_agent_start agent_start agent_end agent_settled turn_start
	turn_end message_start message_end tool_execution_start tool_execution_end model_select tool_call tool_result input`)

// files returns the module files of a cell, by their path in the room, and the paths.
func (c *Cell) moduleFiles() (files map[string]string, paths []string) {
	files = map[string]string{}
	add := func(name, body string) {
		files["~/"+name] = fmt.Sprintf(source, cmp.Or(c.host, Packages[0].Name), c.imports, body)
		paths = append(paths, name)
	}
	for i, body := range c.modules {
		add(fmt.Sprintf("m%d.ts", i), body)
	}
	if c.watched {
		var body strings.Builder
		for _, event := range watching {
			fmt.Fprintf(&body, "pi.on(%q as any, (e: any) => say(%q, e));\n", event, event)
		}
		add("watch.ts", body.String())
	}
	return files, paths
}

// play is the case that is played: for ours, with the model calling our tools.
func (c *Cell) play(ours bool) *oracle.Case {
	out := &oracle.Case{Name: c.name, Prompt: prompt, Files: map[string]string{}, Script: oracle.Script{Turns: c.turns, Sub: c.sub}}
	if c.turns == nil {
		out.Script.Turns = []oracle.Turn{bash("echo made > made.txt; echo MARK-OUT")}
	}
	modules, _ := c.moduleFiles()
	for _, files := range []map[string]string{modules, c.files} {
		for name, text := range files {
			out.Files[name] = text
		}
	}
	if ours {
		turns := make([]oracle.Turn, len(out.Script.Turns))
		for i, t := range out.Script.Turns {
			turns[i].Status = t.Status
			for _, b := range t.Blocks {
				turns[i].Blocks = append(turns[i].Blocks, called(b))
			}
		}
		out.Script.Turns = turns
	}
	return out
}

// toolNames are pi's tools and ours.
var toolNames = map[string]string{"bash": "Bash", "read": "Read", "write": "Write", "edit": "Edit", "grep": "Grep", "find": "Glob", "ls": "LS"}

// called is a call of one of pi's tools as a call of ours.
func called(b oracle.Block) oracle.Block {
	name, ok := toolNames[b.Tool]
	if !ok {
		return b
	}
	in := object{}
	for k, v := range b.Input {
		switch {
		case k == "path" && (name == "Read" || name == "Write" || name == "Edit"):
			in["file_path"] = v
		case k == "edits":
			e := v.([]object)[0]
			in["old_string"], in["new_string"] = e["oldText"], e["newText"]
		case k == "timeout":
			in[k] = v.(int) * 1000
		default:
			in[k] = v
		}
	}
	if name == "Grep" {
		in["output_mode"] = "content"
	}
	return oracle.Block{Tool: name, Input: in}
}

// call is a turn that calls one of pi's tools.
func call(tool string, input object) oracle.Turn { return oracle.Call(tool, input) }

// bash is a turn that runs a shell command.
func bash(command string) oracle.Turn { return call("bash", object{"command": command}) }
