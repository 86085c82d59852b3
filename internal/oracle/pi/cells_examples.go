package pi

import (
	"strings"

	"github.com/hookline-dev/hookline/internal/oracle"
)

// exampleCells drive pi's own example modules for what each is for. They are read from
// the installed package.
func exampleCells() []Cell {
	ex := func(name, file string, steps []step, answers []any, turns ...oracle.Turn) Cell {
		for i := range turns {
			for j := range turns[i].Blocks {
				if b := &turns[i].Blocks[j]; b.Tool == "" && !strings.Contains(b.Text, oracle.Mark) {
					b.Text = oracle.Mark + " " + b.Text
				}
			}
		}
		return Cell{name: "example/" + name, example: file, steps: steps, answers: answers, turns: turns}
	}
	say := oracle.Say
	file := func(c Cell, files map[string]string) Cell { c.files = files; return c }
	go1 := prompts("MARK-GO")
	return []Cell{
		ex("hello", "hello.ts", nil, nil, call("hello", object{"name": "MARK-ANN"})),
		ex("permission-gate", "permission-gate.ts", nil, nil, bash("rm -rf nothing"), bash("echo MARK")),
		ex("permission-gate-yes", "permission-gate.ts", go1, []any{"Yes"}, bash("rm -rf nothing; echo MARK")),
		ex("permission-gate-no", "permission-gate.ts", go1, []any{"No"}, bash("sudo ls")),
		ex("protected-paths", "protected-paths.ts", nil, nil, call("write", object{"path": ".env", "content": "x"}), call("write", object{"path": "ok.txt", "content": "x"})),
		ex("confirm-destructive", "confirm-destructive.ts", []step{go1[0], {do: "new"}, {do: "prompt", text: "MARK-NEXT"}}, []any{false}, twoTurns...),
		ex("todo", "todo.ts", prompts("MARK-GO", "/todos"), nil, call("todo", object{"action": "add", "text": "MARK milk"}), call("todo", object{"action": "toggle", "id": 1}), call("todo", object{"action": "list"})),
		ex("question", "question.ts", nil, nil, call("question", object{"question": "Which?", "options": []object{{"label": "A"}}})),
		ex("questionnaire", "questionnaire.ts", nil, nil, call("questionnaire", object{"questions": []object{{"id": "q", "prompt": "Which?", "options": []object{{"value": "a", "label": "A"}}}}})),
		file(ex("tool-override", "tool-override.ts", nil, nil, call("read", object{"path": "a.txt"}), call("read", object{"path": ".env"})), map[string]string{"a.txt": "MARK-A\n", ".env": "MARK-KEY\n"}),
		ex("dynamic-tools", "dynamic-tools.ts", prompts("MARK-GO", "/add-echo-tool echo_more", "MARK-NEXT"), nil, call("echo_session", object{"message": "MARK-M"}), say("x"), call("echo_more", object{"message": "MARK-K"})),
		ex("structured-output", "structured-output.ts", nil, nil, call("structured_output", object{"headline": "MARK-H", "summary": "S", "actionItems": []string{"a"}})),
		file(ex("built-in-tool-renderer", "built-in-tool-renderer.ts", nil, nil, call("read", object{"path": "a.txt"}), bash("echo MARK-B")), map[string]string{"a.txt": "MARK-A\n"}),
		file(ex("minimal-mode", "minimal-mode.ts", nil, nil, call("read", object{"path": "a.txt"}), bash("echo MARK-B")), map[string]string{"a.txt": "MARK-A\n"}),
		file(ex("truncated-tool", "truncated-tool.ts", nil, nil, call("rg", object{"pattern": "MARK"})), map[string]string{"a.txt": "MARK-A\n"}),
		file(ex("ssh", "ssh.ts", nil, nil, call("read", object{"path": "a.txt"}), bash("echo MARK-B")), map[string]string{"a.txt": "MARK-A\n"}),
		ex("bash-spawn-hook", "bash-spawn-hook.ts", nil, nil, bash("echo MARK=$PI_SPAWN_HOOK")),
		file(ex("preset", "preset.ts", prompts("/preset plan", "MARK-GO"), nil), map[string]string{".pi/presets.json": `{"plan":{"tools":["read"],"instructions":"MARK-PRESET"}}`}),
		ex("plan-mode", "plan-mode/index.ts", prompts("/plan", "MARK-PLAN", "/todos"), []any{nil}, say("Plan:\n1. Look around\n2. Change it\n3. Test it")),
		ex("plan-mode-blocks", "plan-mode/index.ts", prompts("/plan", "MARK-DO"), []any{nil}, bash("rm -rf x"), bash("ls")),
		ex("tools", "tools.ts", prompts("/tools", "MARK-GO"), nil),
		ex("handoff", "handoff.ts", prompts("MARK-GO", "/handoff next thing", "MARK-AFTER"), []any{"MARK-EDITED"}, twoTurns...),
		ex("qna", "qna.ts", prompts("MARK-GO", "/qna"), nil, say("What is your name?")),
		ex("status-line", "status-line.ts", prompts("MARK-GO", "MARK-NEXT"), nil, twoTurns...),
		ex("widget-placement", "widget-placement.ts", go1, nil),
		ex("model-status", "model-status.ts", []step{go1[0], {do: "model"}}, nil),
		ex("send-user-message", "send-user-message.ts", prompts("/ask MARK why", "/followup MARK more"), nil, twoTurns...),
		ex("timed-confirm", "timed-confirm.ts", prompts("/timed"), []any{true}),
		ex("rpc-demo", "rpc-demo.ts", prompts("/rpc-input", "/rpc-editor", "/rpc-prefill", "MARK-GO"), []any{"MARK-TYPED", "MARK-EDITED", "Allow"}, bash("rm -rf nothing; echo MARK")),
		ex("shutdown-command", "shutdown-command.ts", prompts("MARK-GO", "/quit"), nil, say("x")),
		ex("shutdown-tool", "shutdown-command.ts", nil, nil, call("finish_and_exit", object{})),
		ex("reload-runtime", "reload-runtime.ts", prompts("/reload-runtime", "MARK-GO"), nil),
		ex("inline-bash", "inline-bash.ts", prompts("MARK !{echo INLINE}"), nil),
		ex("input-transform", "input-transform.ts", prompts("?quick MARK what", "ping"), nil),
		ex("pirate", "pirate.ts", prompts("/pirate", "MARK-GO"), nil),
		file(ex("claude-rules", "claude-rules.ts", go1, nil), map[string]string{".claude/rules/MARK-a.md": "rule a", ".claude/rules/sub/MARK-b.md": "rule b"}),
		ex("trigger-compact", "trigger-compact.ts", prompts("MARK-FIRST", "MARK-SECOND", "/trigger-compact"), nil, twoTurns...),
		ex("dynamic-resources", "dynamic-resources/index.ts", go1, nil),
		ex("message-renderer", "message-renderer.ts", prompts("/status MARK good", "MARK-GO"), nil),
		ex("entry-renderer", "entry-renderer.ts", go1, nil),
		ex("event-bus", "event-bus.ts", prompts("/emit MARK", "MARK-GO"), nil),
		ex("session-name", "session-name.ts", prompts("/session-name MARK name", "/session-name", "MARK-GO"), nil),
		ex("bookmark", "bookmark.ts", prompts("MARK-GO", "/bookmark MARK-HERE", "/unbookmark"), nil, twoTurns...),
		ex("commands", "commands.ts", prompts("/commands"), []any{nil}),
		ex("file-trigger", "file-trigger.ts", go1, nil),
		ex("prompt-customizer", "prompt-customizer.ts", go1, nil),
		ex("provider-payload", "provider-payload.ts", go1, nil),
		ex("subagent", "subagent/index.ts", go1, nil, call("subagent", object{"agent": "nobody", "task": "t"})),
		ex("snake", "snake.ts", prompts("/snake"), nil),
		ex("tic-tac-toe", "tic-tac-toe.ts", go1, nil, call("tictactoe", object{"action": "status"})),
		ex("custom-footer", "custom-footer.ts", prompts("/footer", "MARK-GO"), nil),
		ex("custom-header", "custom-header.ts", prompts("/builtin-header", "MARK-GO"), nil),
		ex("modal-editor", "modal-editor.ts", go1, nil),
		ex("rainbow-editor", "rainbow-editor.ts", go1, nil),
		ex("border-status-editor", "border-status-editor.ts", go1, nil),
		ex("notify", "notify.ts", nil, nil),
		ex("working-indicator", "working-indicator.ts", prompts("/working-indicator dot", "MARK-GO"), nil),
		ex("hidden-thinking-label", "hidden-thinking-label.ts", prompts("/thinking-label MARK", "MARK-GO"), nil),
		ex("interactive-shell", "interactive-shell.ts", go1, nil),
		ex("overlay-test", "overlay-test.ts", go1, nil),
		ex("github-issue-autocomplete", "github-issue-autocomplete.ts", go1, nil),
		ex("mac-system-theme", "mac-system-theme.ts", go1, nil),
		ex("custom-provider-gitlab-duo", "custom-provider-gitlab-duo/index.ts", go1, nil),
		ex("space-invaders", "space-invaders.ts", prompts("/invaders"), nil),
		ex("system-prompt-header", "system-prompt-header.ts", nil, nil),
		ex("jev-router", "jev-router.ts", go1, nil),
		ex("debug-provider", "debug-provider.ts", go1, nil),
		ex("project-trust", "project-trust.ts", go1, nil),
		ex("git-merge-and-resolve", "git-merge-and-resolve.ts", go1, nil),
		ex("input-transform-streaming", "input-transform-streaming.ts", prompts("MARK-GO"), nil),
	}
}
