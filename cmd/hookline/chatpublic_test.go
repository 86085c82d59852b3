//go:build linux || darwin

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// publicModules are modules of others that use the terminal: what a person does with them,
// and what is seen. A step that begins with "<" is typed, one with "?" answers a question,
// one with "-" is not seen any more, one with "^" is a pattern of the window's title, and all
// others are seen. docs/chat.md has the table.
var publicModules = []struct {
	file  string
	turns string
	args  []string
	steps []string
}{
	{"snake.ts", "", nil, []string{"</snake\r", "SNAKE", "Score: 0", "██", "<\x1b[A", "Q quit", "<\x1b", "-SNAKE", "</snake\r", "PAUSED", "<q", "-SNAKE", "<still here", "> still here"}},
	{"space-invaders.ts", "", nil, []string{"</invaders\r", "SPACE INVADERS", "<q", "-SPACE INVADERS"}},
	{"tic-tac-toe.ts", "", nil, []string{"</tic-tac-toe\r", "Tic-Tac-Toe", "<\x1b", "-Tic-Tac-Toe ──"}},
	{"plan-mode/index.ts", `turns: [{text: "Plan:\n\n1. Read the code of the engine\n2. Write the missing test\n"}, {text: "[DONE:1] read"}, {text: ok, repeat: 9}]`, nil, []string{
		"<\x1b\x10", "Plan mode enabled", "⏸ plan", "<make a plan\r", "Execute the plan", "?1", "☐ ", "📋 ",
	}},
	{"plan-mode/index.ts", "", []string{"--plan"}, []string{"⏸ plan", "<\x1b\x10", "Plan mode disabled", "-⏸ plan"}},
	{
		"todo.ts", `turns: [{tool_calls: [{name: todo, input: {action: add, text: buy milk}}]}, {tool_calls: [{name: todo, input: {action: toggle, id: 1}}]}, {tool_calls: [{name: todo, input: {action: list}}]}, {text: ok, repeat: 9}]`,
		[]string{"--permission-mode", "bypassPermissions"},
		[]string{"<go\r", "todo add \"buy milk\"", "✓ Added #1 buy milk", "todo toggle #1", "1 todo(s):", "✓ #1 buy milk", "</todos\r", "1/1 completed", "<\x1b", "-1/1 completed"},
	},
	{
		"question.ts", `turns: [{tool_calls: [{name: question, input: {question: "Which one?", options: [{label: red}, {label: blue, description: like the sea}]}}]}, {text: ok, repeat: 9}]`,
		[]string{"--permission-mode", "bypassPermissions"},
		[]string{"<go\r", "Which one?", "like the sea", "↑↓ navigate", "<\x1b[B", "> 2. blue", "<\r", "✓ 2. blue"},
	},
	{
		"question.ts", `turns: [{tool_calls: [{name: question, input: {question: "Which one?", options: [{label: red}]}}]}, {text: ok, repeat: 9}]`,
		[]string{"--permission-mode", "bypassPermissions"},
		[]string{"<go\r", "↑↓ navigate", "<\x1b[B\r", "Your answer:", "<green", "green", "<\r", "(wrote) green"},
	},
	{
		"questionnaire.ts", `turns: [{tool_calls: [{name: questionnaire, input: {questions: [{id: a, label: Size, prompt: "How big?", options: [{value: s, label: small}, {value: l, label: large}]}, {id: b, label: Colour, prompt: "What colour?", options: [{value: r, label: red}]}]}}]}, {text: ok, repeat: 9}]`,
		[]string{"--permission-mode", "bypassPermissions"},
		[]string{"<go\r", "Tab/←→ navigate", "How big?", "<\x1b[B", "> 2. large", "<\r", "What colour?", "<\r", "Ready to submit", "<\r", "✓ a: 2. large"},
	},
	{"status-line.ts", "", nil, []string{"Ready", "<hi\r", "✓ Turn 1 complete"}},
	{"model-status.ts", "", nil, []string{"</model script:turns.yaml\r", "🤖 "}},
	{"system-prompt-header.ts", "", nil, []string{"<hi\r", "System: "}},
	{"widget-placement.ts", "", nil, []string{"Above editor widget", "Below editor widget"}},
	{"custom-footer.ts", "", nil, []string{"</footer\r", "Custom footer enabled", "$0.000", "(main)", "</footer\r", "Default footer restored", "-$0.000"}},
	{"custom-header.ts", "", nil, []string{"██████████████", "</builtin-header\r", "-██████████████"}},
	{"working-indicator.ts", `turns: [{text: ok, delay: 1h}]`, nil, []string{"Indicator: custom spinner", "<hi\r", "⠹ working", "⠼ working", "<\x1b", "Interrupted."}},
	{"working-message-test.ts", `turns: [{text: ok, delay: 1h}]`, nil, []string{"<hi\r", "● Working... (custom)", "<\x1b", "Interrupted."}},
	{"hidden-thinking-label.ts", `turns: [{thinking: "deep thoughts", text: ok}]`, nil, []string{"<hi\r", "Pondering...", "ok", "<\x0f", "deep thoughts"}},
	{"titlebar-spinner.ts", `turns: [{text: ok, delay: 1h}]`, nil, []string{"<hi\r", "^^. π - ", "<\x1b", "Interrupted.", "^^π - "}},
	{"message-renderer.ts", "", nil, []string{"</status warn low on disk\r", "[WARN] low on disk", "<\x0f", "at "}},
	{"timed-confirm.ts", "", nil, []string{"</timed\r", "Timed Confirmation", "?y", "Confirmed by user!", "</timed-select\r", "Pick an option", "?2", "Selected: Option B"}},
	{"tools.ts", "", nil, []string{"</tools\r", "Tool Configuration", "<\x1b", "-Tool Configuration"}},
	{"commands.ts", "", nil, []string{"</commands\r", "?\x1b"}},
	{"preset.ts", "", nil, []string{"</preset\r", "No presets defined"}},
	{"rpc-demo.ts", "", nil, []string{"</rpc-input\r", "?some words\r", "You entered: some words", "</rpc-prefill\r", "Editor prefilled"}},
	{"confirm-destructive.ts", "", nil, []string{"<hi\r", "ok", "</new\r", "Clear session?", "?n", "Clear cancelled"}},
	{"permission-gate.ts", `turns: [{tool_calls: [{name: Bash, input: {command: "rm -rf build"}}]}, {text: ok, repeat: 9}]`, nil, []string{"<go\r", "Dangerous command", "?2", "Blocked by user"}},
	{"dirty-repo-guard.ts", "", nil, []string{"<hi\r", "ok", "</new\r", "uncommitted", "?1", "This is a new session."}},
	{"minimal-mode.ts", `turns: [{tool_calls: [{name: Read, input: {file_path: turns.yaml}}]}, {text: ok, repeat: 9}]`, []string{"--permission-mode", "bypassPermissions"}, []string{"<go\r", "read turns.yaml", "ok", "<\x0f", "tool_calls"}},
	{"built-in-tool-renderer.ts", `turns: [{tool_calls: [{name: Bash, input: {command: "echo built"}}]}, {text: ok, repeat: 9}]`, []string{"--permission-mode", "bypassPermissions"}, []string{"<go\r", "$ echo built", "ok"}},
	{"truncated-tool.ts", `turns: [{tool_calls: [{name: rg, input: {pattern: tool_calls}}]}, {text: ok, repeat: 9}]`, []string{"--permission-mode", "bypassPermissions"}, []string{"<go\r", "rg", "ok"}},
	{"overlay-test.ts", "", nil, []string{"</overlay-test\r", "Search", "esc interrupts", "<words\r", "Search: \"words\""}},
	{"overlay-qa-tests.ts", "", nil, []string{
		"</overlay-anchors\r", "Current: top-left", "< ", "Current: top-center", "<\x1b", "-Anchor Test",
		"</overlay-passive\r", "nonCapturing: true", "<\x1b", "-nonCapturing", "</overlay-maxheight\r", "Line 1", "-Line 20", "<\x1b", "-Line 1",
	}},
	{"shutdown-command.ts", "", nil, []string{"</quit\r"}},
	{"session-name.ts", "", nil, []string{"</session-name my work\r", "my work"}},
	{"send-user-message.ts", "", nil, []string{"</ask what is it\r", "> what is it", "ok"}},
	{"pirate.ts", "", nil, []string{"</pirate\r", "Pirate mode enabled"}},
	{"reload-runtime.ts", "", nil, []string{"</reload-runtime\r"}},
	{"border-status-editor.ts", "", nil, []string{"ignored: ui.setEditorComponent", "<hi\r", "ok"}},
	{"rainbow-editor.ts", "", nil, []string{"ignored: ui.setEditorComponent", "<hi\r", "ok"}},
	{"modal-editor.ts", "", nil, []string{"ignored: ui.setEditorComponent", "<hi\r", "ok"}},
	{"mac-system-theme.ts", "", nil, []string{"<hi\r", "ok", "</theme\r", "> 2. light"}},
	{"github-issue-autocomplete.ts", "", nil, []string{"not a GitHub repository"}},
	{"structured-output.ts", `turns: [{tool_calls: [{name: structured_output, input: {headline: Head, summary: Sum, actionItems: [one]}}]}, {text: ok}]`, []string{"--permission-mode", "bypassPermissions"}, []string{"<go\r", "Head", "Sum", "1. one"}},
	{"interactive-shell.ts", "", nil, []string{"<hi\r", "ok"}},
	{"dynamic-tools.ts", "", nil, []string{"</add-echo-tool echo_me\r", "Registered"}},
	{"bookmark.ts", "", nil, []string{"<hi\r", "ok", "</bookmark here\r", "Bookmarked as"}},
	{"entry-renderer.ts", "", nil, []string{"</status-card all is well\r", "[status] all is well", "<\x0f", "/20"}},
}

// TestPublicModules drives the examples of another agent's package by keys. It needs the
// directory of its examples of extensions.
func TestPublicModules(t *testing.T) {
	dir := os.Getenv("HOOKLINE_PI_EXAMPLES")
	if dir == "" {
		t.Skip("HOOKLINE_PI_EXAMPLES names no directory of extensions")
	}
	for _, k := range publicModules {
		t.Run(k.file, func(t *testing.T) {
			turns := k.turns
			if turns == "" {
				turns = "turns: [{text: ok, repeat: 99}]"
			}
			r := prepareTerminal(t, turns, append([]string{"chat", "--hook", filepath.Join(dir, k.file)}, k.args...)...)
			if err := errors.Join(pty.Setsize(r.tty, &pty.Winsize{Rows: 40, Cols: 100}), exec.Command("git", "init", "-q", "-b", "main", r.cmd.Dir).Run()); err != nil {
				t.Fatal(err)
			}
			r.screen.Resize(100, 40)
			r.start()
			r.wait(" · script")
			for _, step := range k.steps {
				switch {
				case strings.HasPrefix(step, "<"):
					r.send(step[1:])
					if strings.HasSuffix(step, "\x1b") {
						time.Sleep(100 * time.Millisecond) // else it begins a sequence
					}
				case strings.HasPrefix(step, "?"):
					r.wait(" asks ")
					r.answer(step[1:])
					r.gone(" asks ")
				case strings.HasPrefix(step, "^"):
					r.titled(step[1:])
				case strings.HasPrefix(step, "-"):
					r.gone(step[1:])
				default:
					r.wait(step)
				}
			}
			if t.Failed() || testing.Verbose() {
				t.Log(r.screen.String())
			}
		})
	}
}
