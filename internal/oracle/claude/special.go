package claude

import (
	"fmt"

	"github.com/hookline-dev/hookline/internal/oracle"
)

// everything hooks all events that a run may fire.
func everything() object {
	hooks := object{}
	for _, s := range scenes {
		hooks[s.event] = []object{{"hooks": []object{hook(s.event)}}}
	}
	for _, e := range []string{"Notification", "PermissionDenied"} {
		hooks[e] = []object{{"hooks": []object{hook(e)}}}
	}
	return object{"hooks": hooks}
}

// wholeSessions are the order and the inputs of all events together.
func wholeSessions() []oracle.Case {
	file := "$PROJ/a.txt"
	cases := []oracle.Case{
		{Name: "session/bash"},
		{Name: "session/failing-bash", Script: turns(bash("echo out; echo err >&2; exit 3"))},
		{Name: "session/silent-bash", Script: turns(bash("true"))},
		{Name: "session/two-calls", Script: turns(oracle.Turn{Blocks: []oracle.Block{
			{Text: "I look."}, {Tool: "Bash", Input: object{"command": "echo one", "description": "d"}}, {Tool: "Bash", Input: object{"command": "echo two", "description": "d"}},
		}})},
		{Name: "session/files", Script: turns(
			oracle.Call("Write", object{"file_path": file, "content": "one\ntwo\n"}),
			oracle.Call("Read", object{"file_path": file}),
			oracle.Call("Edit", object{"file_path": file, "old_string": "two", "new_string": "zwei"}),
			oracle.Call("Write", object{"file_path": file, "content": "three\n"}),
		)},
		{Name: "session/quiet-bash", Files: map[string]string{"a.txt": "x\n", "e/x.txt": "x\n"}, Script: turns(
			bash("mkdir d"), bash("mkdir f && touch f/x"), bash("mkdir g; echo made"), bash("rm -f nothing || echo no"), bash("export A=1; cd e"), bash("true"),
			bash("touch i | cat"), bash("echo x > j"), bash("wait"), bash("mkdir o &"), bash("ln -s a l && cp ../a.txt c && mv c c2 && rm c2"), bash("chmod 600 x.txt && unset B"),
			bash("mkdir k && rmdir k"), bash("sleep 0.01"), bash("touch z > /dev/null"),
		)},
		{Name: "session/read-parts", Files: map[string]string{"a.txt": "one\ntwo\nthree\nfour\n", "b.txt": "one\ntwo", "crlf.txt": "one\r\ntwo\r\n"}, Script: turns(
			oracle.Call("Read", object{"file_path": "$PROJ/a.txt", "offset": 2, "limit": 2}),
			oracle.Call("Read", object{"file_path": "$PROJ/a.txt", "offset": 3}),
			oracle.Call("Read", object{"file_path": "$PROJ/a.txt", "limit": 2}),
			oracle.Call("Read", object{"file_path": "$PROJ/b.txt"}),
			oracle.Call("Read", object{"file_path": "$PROJ/crlf.txt"}),
			oracle.Call("Read", object{"file_path": "$PROJ/a.txt", "limit": 4}),
			oracle.Call("Read", object{"file_path": "$PROJ/a.txt", "limit": 5}),
			oracle.Call("Read", object{"file_path": "$PROJ/a.txt"}),
			oracle.Call("Read", object{"file_path": "$PROJ/a.txt"}),
		)},
		{Name: "session/read-nothing", Files: map[string]string{"a.txt": "one\ntwo\n", "c.txt": ""}, Script: turns(
			oracle.Call("Read", object{"file_path": "$PROJ/c.txt"}),
			oracle.Call("Read", object{"file_path": "$PROJ/a.txt", "offset": 9}),
		)},
		{Name: "session/edit-all", Files: map[string]string{"a.txt": "one\ntwo\none\n"}, Script: turns(
			oracle.Call("Read", object{"file_path": "$PROJ/a.txt"}),
			oracle.Call("Edit", object{"file_path": "$PROJ/a.txt", "old_string": "one", "new_string": "eins", "replace_all": true}),
		)},
		{Name: "session/unknown-tool", Script: turns(oracle.Call("NoSuchTool", object{"a": 1}))},
		{Name: "session/bad-input", Script: turns(oracle.Call("Bash", object{"cmd": "x"}))},
		{Name: "session/subagent", Script: looking},
		{Name: "session/instructions", Files: map[string]string{"CLAUDE.md": "be kind\n"}},
		{Name: "session/no-permission", Script: unpermitted.Script, Allowed: unpermitted.Allowed, Files: unpermitted.Files},
		{Name: "session/command", Prompt: "/hi there", Files: map[string]string{".claude/commands/hi.md": "Say hi to $ARGUMENTS\n"}},
		{Name: "session/continued", Again: []string{"and again"}},
		{Name: "session/cd", Script: turns(bash("cd sub"), bash("pwd >/dev/null")), Files: map[string]string{"sub/x.txt": "x"}},
		{Name: "session/error", Script: turns(oracle.Turn{Status: 401})},
	}
	for i := range cases {
		cases[i].Settings = everything()
	}
	ruled := oracle.Case{Name: "session/refused-by-rule", Settings: everything(), Script: unpermitted.Script, Files: unpermitted.Files}
	ruled.Settings["permissions"] = object{"deny": []string{"Bash(./make.sh)"}}
	answered := oracle.Case{Name: "session/refused-by-hook", Settings: everything(), Script: unpermitted.Script, Allowed: unpermitted.Allowed, Files: unpermitted.Files}
	answered.Answers = map[string][]oracle.Answer{"PermissionRequest": {specific("PermissionRequest", object{"decision": object{"behavior": "deny", "message": "MARK-DENY"}})}}
	return append(cases, ruled, answered)
}

// decisions are what an answer of one event may say beyond what all may.
func decisions() []oracle.Case {
	var out []oracle.Case
	add := func(event, name string, a oracle.Answer, change func(*oracle.Case)) {
		c := oracle.Case{Name: event + "/" + name, Settings: on(event, "", hook("h")), Answers: map[string][]oracle.Answer{"h": {a, {}}}}
		if change != nil {
			change(&c)
		}
		out = append(out, c)
	}
	unpermitted := func(c *oracle.Case) {
		c.Allowed, c.Script, c.Files = unpermitted.Allowed, unpermitted.Script, unpermitted.Files
	}
	for _, decision := range []string{"allow", "deny", "ask", "defer"} {
		a := specific("PreToolUse", object{"permissionDecision": decision, "permissionDecisionReason": "MARK-REASON"})
		add("PreToolUse", decision, a, nil)
		add("PreToolUse", decision+"-without-reason", specific("PreToolUse", object{"permissionDecision": decision}), nil)
		add("PreToolUse", decision+"-unpermitted", a, unpermitted)
	}
	add("PreToolUse", "silence-unpermitted", oracle.Answer{}, unpermitted)
	add("PreToolUse", "old-approve-unpermitted", oracle.Answer{JSON: object{"decision": "approve", "reason": "MARK-OLD"}}, unpermitted)
	add("PreToolUse", "exit-2-and-allow", oracle.Answer{JSON: specific("PreToolUse", object{"permissionDecision": "allow"}).JSON, Err: "MARK-EXIT2", Exit: 2}, nil)
	rewritten := object{"command": "echo rewritten > made2.txt; echo rewritten"}
	add("PreToolUse", "rewrite", specific("PreToolUse", object{"updatedInput": rewritten}), nil)
	add("PreToolUse", "rewrite-allow-unpermitted", specific("PreToolUse", object{"permissionDecision": "allow", "updatedInput": rewritten}), unpermitted)
	add("PreToolUse", "rewrite-invalid", specific("PreToolUse", object{"updatedInput": object{"no": "command"}}), nil)
	add("PreToolUse", "deny-rule-beats-allow", specific("PreToolUse", object{"permissionDecision": "allow"}), func(c *oracle.Case) {
		c.Settings["permissions"] = object{"deny": []string{"Bash(./make.sh)"}}
		unpermitted(c)
	})
	add("PostToolUse", "updated-output", specific("PostToolUse", object{"updatedToolOutput": object{"stdout": "MARK-REPLACED", "stderr": "", "interrupted": false, "isImage": false}}), nil)
	add("PostToolUse", "updated-output-of-another-kind", specific("PostToolUse", object{"updatedToolOutput": "MARK-REPLACED"}), nil)
	add("PostToolUse", "block-and-context", oracle.Answer{JSON: object{"decision": "block", "reason": "MARK-BLOCK", "hookSpecificOutput": object{"hookEventName": "PostToolUse", "additionalContext": "MARK-CONTEXT"}}}, nil)
	add("SessionStart", "initial-message", specific("SessionStart", object{"initialUserMessage": "MARK-INITIAL"}), nil)
	add("SessionStart", "environment", oracle.Answer{Append: "export VALUE=MARK-VALUE"}, func(c *oracle.Case) { c.Script = turns(bash(`echo "value=$VALUE"`)) })
	add("UserPromptSubmit", "updated-prompt", specific("UserPromptSubmit", object{"updatedPrompt": "MARK-PROMPT"}), nil)
	forever := specific("Stop", object{})
	forever.JSON = object{"decision": "block", "reason": "MARK-AGAIN"}
	add("Stop", "block-for-ever", forever, func(c *oracle.Case) { c.Answers["h"] = []oracle.Answer{forever} })
	add("Stop", "block-without-reason", oracle.Answer{JSON: object{"decision": "block"}}, nil)
	for _, d := range []object{{"behavior": "allow"}, {"behavior": "deny", "message": "MARK-DENY"}, {"behavior": "deny"}} {
		name := d["behavior"].(string)
		if name == "deny" && d["message"] == nil {
			name = "deny-without-message"
		}
		add("PermissionRequest", name, specific("PermissionRequest", object{"decision": d}), unpermitted)
	}
	for i, call := range []oracle.Turn{
		bash("curl http://127.0.0.1:9/"), bash("git push origin x"), bash("rm -rf sub"), bash("echo a && ./made.sh x | ./other.sh"),
		oracle.Call("Write", object{"file_path": "$PROJ/a.txt", "content": "a"}), oracle.Call("Read", object{"file_path": "/etc/hostname"}),
		oracle.Call("WebFetch", object{"url": "http://127.0.0.1:9/", "prompt": "p"}),
	} {
		add("PermissionRequest", fmt.Sprintf("suggestions-%d", i), oracle.Answer{}, func(c *oracle.Case) { c.Allowed, c.Script = []string{}, turns(call) })
	}
	for _, status := range []int{400, 403, 404, 413, 429, 500, 529} {
		add("StopFailure", fmt.Sprintf("status-%d", status), oracle.Answer{}, func(c *oracle.Case) { c.Script = turns(oracle.Turn{Status: status}) })
	}
	return append(out, failures()...)
}

// failures are the ways in which a hook's own run fails.
func failures() []oracle.Case {
	late := map[string][]oracle.Answer{"h": {{Sleep: 8, Err: "MARK-LATE", Exit: 2}}}
	return []oracle.Case{
		{Name: "failure/timeout", Settings: on("PreToolUse", "Bash", hook("h", object{"timeout": 1})), Answers: late},
		{Name: "failure/missing-program", Settings: on("PreToolUse", "Bash", object{"type": "command", "command": "/no/such/program"})},
		{Name: "failure/killed", Settings: on("PreToolUse", "Bash", object{"type": "command", "command": "kill -9 $$"})},
		{Name: "failure/http-nobody-there", Settings: on("PreToolUse", "Bash", object{"type": "http", "url": "http://127.0.0.1:9/x"})},
		{Name: "failure/stdin-not-read", Settings: on("PreToolUse", "Bash", object{"type": "command", "command": "exit 0"})},
	}
}

// selections are which hooks run for a call.
func selections() []oracle.Case {
	var out []oracle.Case
	for _, m := range []string{"Bash", "bash", "B.*", "*", "Bash|Write", "Write, Bash", "^Bash$", "as", "Bash ", "Bash(echo *)", "mcp__.*", "Write", "["} {
		out = append(out, oracle.Case{Name: "matcher/" + m, Settings: on("PreToolUse", m, hook("h"))})
	}
	for _, m := range []string{"Agent", "Task", "^Task$", "^(?!Agent)", "^(?!Task)"} {
		out = append(out, oracle.Case{Name: "matcher/of-agent/" + m, Settings: on("PreToolUse", m, hook("h")), Script: looking})
	}
	for _, rule := range []string{"Bash(echo *)", "Bash(echo:*)", "Bash(rm *)", "Bash(*)", "Bash", "Write", "Bash(git *)", "Bash(echo *)|Bash(rm *)", "bash(echo *)"} {
		out = append(out, oracle.Case{Name: "if/" + rule, Settings: on("PreToolUse", "Bash", hook("h", object{"if": rule}))})
	}
	for i, command := range []string{"echo $(echo x)", "pwd && git push x", "for f in a; do git push $f; done", "FOO=1 git push x", "echo git push", "sh -c 'git push x'"} {
		out = append(out, oracle.Case{Name: fmt.Sprintf("if-command/%d", i), Settings: on("PreToolUse", "Bash", hook("h", object{"if": "Bash(git push *)"})), Script: turns(bash(command))})
	}
	a, b := hook("a"), hook("b")
	deny := specific("PreToolUse", object{"permissionDecision": "deny", "permissionDecisionReason": "MARK-NO"})
	allow := specific("PreToolUse", object{"permissionDecision": "allow"})
	return append(
		out,
		oracle.Case{Name: "several/deny-and-allow", Settings: on("PreToolUse", "Bash", a, b), Answers: map[string][]oracle.Answer{"a": {allow}, "b": {deny}}},
		oracle.Case{Name: "several/two-denies", Settings: on("PreToolUse", "Bash", a, b), Answers: map[string][]oracle.Answer{"a": {deny}, "b": {deny}}},
		oracle.Case{Name: "several/same-twice", Settings: on("PreToolUse", "Bash", a, a)},
		oracle.Case{Name: "several/same-with-two-conditions", Settings: on("PreToolUse", "Bash", hook("a", object{"if": "Bash(echo *)"}), hook("a", object{"if": "Bash(*)"}))},
		oracle.Case{Name: "levels/user-and-project", Settings: on("PreToolUse", "Bash", a), Project: on("PreToolUse", "Bash", b)},
		oracle.Case{Name: "levels/same-in-both", Settings: on("PreToolUse", "Bash", a), Project: on("PreToolUse", "Bash", a)},
		oracle.Case{Name: "levels/disabled", Settings: object{"disableAllHooks": true, "hooks": on("PreToolUse", "Bash", a)["hooks"]}},
		oracle.Case{Name: "kinds/async", Settings: on("PreToolUse", "Bash", hook("a", object{"async": true})), Answers: map[string][]oracle.Answer{"a": {{Exit: 2, Err: "MARK-ASYNC"}}}},
		oracle.Case{Name: "kinds/exec", Settings: on("PreToolUse", "Bash", object{"type": "command", "command": "/bin/sh", "args": []string{"-c", "echo MARK-EXEC >&2; exit 2"}})},
		oracle.Case{Name: "kinds/environment", Settings: on("PreToolUse", "Bash", a), Surroundings: true},
		oracle.Case{
			Name: "kinds/exit-code", Settings: on("UserPromptSubmit", "", a), Surroundings: true,
			Answers: map[string][]oracle.Answer{"a": {{JSON: object{"decision": "block", "reason": "MARK-BLOCK"}}}},
		},
		oracle.Case{Name: "broken/unknown-event", Settings: object{"hooks": object{"NoSuchEvent": []object{}, "PreToolUse": []object{{"hooks": []object{a}}}}}},
	)
}
