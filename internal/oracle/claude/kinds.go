package claude

import (
	"strings"

	"github.com/hookline-dev/hookline/internal/oracle"
)

// askedHooks are hooks that ask a model.
func askedHooks() []oracle.Case {
	var out []oracle.Case
	const yes, no = `{"ok":true}`, `{"ok":false,"reason":"MARK-ASKED"}`
	add := func(event, name, kind, answer string, more object, script oracle.Script) {
		h := object{"type": kind, "prompt": "JUDGE this: $ARGUMENTS"}
		for k, v := range more {
			h[k] = v
		}
		script.Aside = map[string]string{"JUDGE": answer}
		out = append(out, oracle.Case{Name: "asked/" + name, Settings: on(event, "", h), Script: script})
	}
	for _, event := range []string{"UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolBatch", "Stop"} {
		add(event, event+"-yes", "prompt", yes, nil, making)
		add(event, event+"-no", "prompt", no, nil, making)
		add(event, event+"-no-go-on", "prompt", no, object{"continueOnBlock": true}, making)
	}
	add("PreToolUse", "PreToolUse-nonsense", "prompt", "who knows", nil, making)
	add("PreToolUse", "PreToolUse-decision", "prompt", `{"decision":"block","reason":"MARK-ASKED"}`, nil, making)
	add("SubagentStop", "SubagentStop-no", "prompt", no, nil, looking)
	expanding := oracle.Case{Name: "asked/UserPromptExpansion-no", Settings: on("UserPromptExpansion", "", object{"type": "prompt", "prompt": "JUDGE this: $ARGUMENTS"}), Prompt: "/hi", Script: making}
	expanding.Script.Aside = map[string]string{"JUDGE": no}
	expanding.Files = map[string]string{".claude/commands/hi.md": "---\ndescription: greets\n---\nSay hi\n"}
	return append(out, expanding)
}

// background is the call of a subagent that is not waited for.
var background = object{"description": "look", "prompt": "SUBMARKER look", "subagent_type": "general-purpose", "run_in_background": true}

// subagentCases are what subagents cause.
func subagentCases() []oracle.Case {
	sub := func(t ...oracle.Turn) oracle.Script {
		return oracle.Script{Turns: []oracle.Turn{oracle.Call("Agent", agent)}, Sub: map[string][]oracle.Turn{"SUBMARKER": t}}
	}
	deny := specific("PreToolUse", object{"permissionDecision": "deny", "permissionDecisionReason": "MARK-NO"})
	behind := oracle.Script{Turns: []oracle.Turn{oracle.Call("Agent", background)}, Sub: map[string][]oracle.Turn{"SUBMARKER": {bash("echo in-sub")}}}
	own := ownHooks("subagent/own", ".claude/agents/looker.md")
	own.Files["~/.claude.json"] = `{"projects":{"$PROJ":{"hasTrustDialogAccepted":true}}}` // as ours is told by --trust-project
	return []oracle.Case{
		{Name: "subagent/denied-by-hook", Settings: on("PreToolUse", "Bash", hook("h")), Answers: map[string][]oracle.Answer{"h": {deny}}, Script: sub(bash("echo in-sub"))},
		{Name: "subagent/no-permission", Settings: object{}, Script: sub(bash("./make.sh")), Allowed: []string{"Agent"}, Files: unpermitted.Files},
		{Name: "subagent/background", Settings: on("SubagentStart", "", hook("h")), Script: behind},
		{Name: "subagent/background-denied", Settings: on("PreToolUse", "Bash", hook("h")), Answers: map[string][]oracle.Answer{"h": {deny}}, Script: behind},
		own,
		ownHooks("subagent/own-of-person", "~/.claude/agents/looker.md"),
	}
}

// ownHooks is a subagent with hooks in its file.
func ownHooks(name, file string) oracle.Case {
	return oracle.Case{Name: name, Settings: everything(), Files: map[string]string{
		file: "---\nname: looker\ndescription: looks\ntools: Bash\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: $HOOK own\n---\nYou look.\n",
	}, Script: oracle.Script{
		Turns: []oracle.Turn{oracle.Call("Agent", object{"description": "look", "prompt": "SUBMARKER look", "subagent_type": "looker", "run_in_background": false})},
		Sub:   map[string][]oracle.Turn{"SUBMARKER": {bash("echo in-sub")}},
	}}
}

// textCases are commands and skills: texts of files that become messages.
func textCases() []oracle.Case {
	var out []oracle.Case
	add := func(name, prompt string, files map[string]string) {
		out = append(out, oracle.Case{Name: "texts/" + name, Settings: everything(), Prompt: prompt, Files: files})
	}
	command := func(path, body string) map[string]string {
		text := "---\ndescription: greets\n---\n" + body
		if strings.HasPrefix(body, "---\n") {
			text = strings.Replace(body, "---\n", "---\ndescription: greets\n", 1)
		}
		return map[string]string{".claude/commands/" + path + ".md": text}
	}
	add("numbered", "/hi one two", command("hi", "MARK 0=$0 1=$1 2=$2\n"))
	add("numbered-quoted", `/hi "one two" three`, command("hi", "MARK 0=$0 1=$1\n"))
	add("indexed", "/hi one two", command("hi", "MARK $ARGUMENTS[0] $ARGUMENTS[1] $ARGUMENTS[2]\n"))
	add("no-placeholder", "/hi one two", command("hi", "MARK plain\n"))
	add("no-arguments", "/hi", command("hi", "MARK $ARGUMENTS and $0 and $1.\n"))
	add("named", "/hi one two", command("hi", "---\narguments: first second third\n---\nMARK $first then $second and $third, $firstly\n"))
	add("shell", "/hi", command("hi", "---\nallowed-tools: Bash(echo:*)\n---\nMARK !`echo from-shell`\n"))
	add("file", "/hi", map[string]string{".claude/commands/hi.md": "---\ndescription: greets\n---\nMARK see @note.txt\n", "note.txt": "MARK-NOTE\n"})
	add("directory", "/git:hi one", command("git/hi", "MARK $ARGUMENTS\n"))
	add("directory-slash", "/git/hi one", command("git/hi", "MARK $ARGUMENTS\n"))
	add("directory-name-alone", "/hi one", command("git/hi", "MARK $ARGUMENTS\n"))
	add("unknown", "/nothing MARK-ARG", nil)
	add("unknown-path", "/etc/hosts MARK-ARG", nil)
	skill := map[string]string{".claude/skills/greet/SKILL.md": "---\nname: greet\ndescription: greets\n---\nMARK-SKILL be kind\n"}
	add("skill-typed", "/greet MARK-ARG", skill)
	out = append(
		out,
		oracle.Case{Name: "texts/skill-used", Settings: everything(), Files: skill, Allowed: []string{"Skill"}, Script: turns(oracle.Call("Skill", object{"skill": "greet"}))},
		oracle.Case{Name: "texts/skill-used-with-args", Settings: everything(), Files: skill, Allowed: []string{"Skill"}, Script: turns(oracle.Call("Skill", object{"skill": "greet", "args": "MARK-ARG"}))},
		oracle.Case{Name: "texts/skill-with-tools", Settings: everything(), Files: map[string]string{
			".claude/skills/greet/SKILL.md": "---\nname: greet\ndescription: greets\nallowed-tools: Bash(./make.sh)\n---\nMARK-SKILL $ARGUMENTS\n", "make.sh": unpermitted.Files["make.sh"],
		}, Allowed: []string{"Skill"}, Script: turns(oracle.Call("Skill", object{"skill": "greet", "args": "kindly"}), bash("./make.sh"))},
		oracle.Case{Name: "texts/skill-with-hooks", Settings: object{}, Files: map[string]string{
			".claude/skills/greet/SKILL.md": "---\nname: greet\ndescription: greets\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: $HOOK own\n---\nMARK-SKILL\n",
		}, Allowed: []string{"Skill", "Bash"}, Script: turns(bash("echo before"), oracle.Call("Skill", object{"skill": "greet"}), bash("echo after"))},
	)
	return out
}

// serverCases are the tools of an MCP server.
func serverCases() []oracle.Case {
	var out []oracle.Case
	args := []string{"--mcp-config", `{"mcpServers":{"toy":{"command":"toolserver"}}}`}
	for _, tool := range []string{"say", "list", "count", "fail"} {
		out = append(out, oracle.Case{
			Name: "mcp/" + tool, Settings: everything(), Args: args, Allowed: []string{"mcp__toy"}, Script: turns(oracle.Call("mcp__toy__"+tool, object{"a": 1})),
		})
	}
	for name, updated := range map[string]any{"text": "MARK-REPLACED", "list": []object{{"type": "text", "text": "MARK-REPLACED"}}} {
		out = append(out, oracle.Case{
			Name: "mcp/updated-output-" + name, Settings: on("PostToolUse", "mcp__toy__.*", hook("h")), Args: args, Allowed: []string{"mcp__toy"},
			Answers: map[string][]oracle.Answer{"h": {specific("PostToolUse", object{"updatedToolOutput": updated})}}, Script: turns(oracle.Call("mcp__toy__say", object{})),
		})
	}
	out = append(out, oracle.Case{
		Name: "mcp/of-project", Settings: everything(), Files: map[string]string{".mcp.json": `{"mcpServers":{"toy":{"command":"toolserver"}}}`}, Allowed: []string{"mcp__toy"},
		Script: turns(oracle.Call("mcp__toy__say", object{})), Project: object{"enableAllProjectMcpServers": true},
	}, oracle.Case{
		Name: "mcp/hook", Settings: on("PreToolUse", "Bash", object{"type": "mcp_tool", "server": "toy", "tool": "say", "input": object{"c": "${tool_input.command}"}}), Args: args,
	})
	return out
}

// settingsCases are what settings files say beside hooks.
func settingsCases() []oracle.Case {
	forever := map[string][]oracle.Answer{"h": {{JSON: object{"decision": "block", "reason": "MARK-AGAIN"}}}}
	withEnv := func(s object, env object) object { s["env"] = env; return s }
	return []oracle.Case{
		{Name: "settings/stop-cap", Settings: withEnv(on("Stop", "", hook("h")), object{"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "3"}), Answers: forever},
		{Name: "settings/env-of-tools", Settings: withEnv(on("PreToolUse", "", hook("h")), object{"GREETING": "MARK-ENV"}), Script: turns(bash(`echo "is $GREETING"`))},
		{Name: "settings/env-of-hooks", Settings: withEnv(on("UserPromptSubmit", "", object{"type": "command", "command": `echo "$GREETING"`}), object{"GREETING": "MARK-ENV"})},
		{Name: "settings/env-of-project", Settings: on("PreToolUse", "", hook("h")), Project: object{"env": object{"GREETING": "MARK-ENV"}}, Script: turns(bash(`echo "is $GREETING"`))},
	}
}

// moreEvents are events that need more than a prompt: a compaction, tasks, worktrees.
func moreEvents() []oracle.Case {
	var out []oracle.Case
	add := func(event, name string, a oracle.Answer, base oracle.Case) {
		base.Name, base.Settings, base.Answers = event+"/"+name, on(event, "", hook("h")), map[string][]oracle.Answer{"h": {a, {}}}
		out = append(out, base)
	}
	compacting := oracle.Case{Again: []string{"/compact keep names"}, Script: oracle.Script{Turns: making.Turns, Own: "keep names", Aside: map[string]string{"keep names": "a summary"}}}
	instructed := compacting // says in the summary that it was told what to keep
	instructed.Script.Aside = map[string]string{"MARK-TEXT": "it was told"}
	add("PreCompact", "text-instructs", oracle.Answer{Out: "MARK-TEXT\n"}, instructed)
	out[len(out)-1].Settings["hooks"].(object)["PostCompact"] = []object{{"hooks": []object{hook("after")}}}
	tasks := oracle.Case{Script: turns(oracle.Call("TaskCreate", object{"subject": "tidy", "description": "do it"}), oracle.Call("TaskUpdate", object{"taskId": "1", "status": "completed"})), Allowed: []string{"TaskCreate", "TaskUpdate"}}
	creating := tasks
	creating.Script = turns(tasks.Script.Turns[0])
	enter := oracle.Call("EnterWorktree", object{"name": "side"})
	entering := oracle.Case{Script: turns(enter, bash("echo here")), Allowed: []string{"Bash", "EnterWorktree", "ExitWorktree"}}
	leaving := entering
	leaving.Script = turns(enter, oracle.Call("ExitWorktree", object{"action": "remove", "discard_changes": true}))
	for event, base := range map[string]oracle.Case{"PreCompact": compacting, "PostCompact": compacting, "TaskCreated": creating, "TaskCompleted": tasks, "WorktreeCreate": entering, "WorktreeRemove": leaving} {
		list := answers(event)
		for name := range keys(list) {
			add(event, name, list[name], base)
			if event == "WorktreeRemove" { // is fired for what a hook has made
				made := object{"type": "command", "command": `mkdir "$CLAUDE_PROJECT_DIR/side" && echo "$CLAUDE_PROJECT_DIR/side"`}
				out[len(out)-1].Settings["hooks"].(object)["WorktreeCreate"] = []object{{"hooks": []object{made}}}
			}
		}
	}
	return out
}
