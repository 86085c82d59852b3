//go:build linux || darwin

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// pane is a shell in a terminal of tmux, which lays lines out anew when its size changes,
// as no emulator of the tests does.
type pane struct {
	t       *testing.T
	socket  string
	screens int
}

// newPane starts a shell in a directory.
func newPane(t *testing.T, dir string, env ...string) *pane {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("no tmux")
	}
	p := &pane{t: t, socket: filepath.Join(t.TempDir(), "tmux")}
	cmd := exec.Command("tmux", "-S", p.socket, "-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30", "-c", dir, "sh -i")
	cmd.Env = append(append(os.Environ(), "ENV=", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TERM=xterm-256color"), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("tmux does not start: %v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", p.socket, "kill-server").Run() })
	p.until("a prompt", func(s string) bool { return strings.TrimSpace(s) != "" })
	p.keys("PS1='sh> '; clear", "Enter")
	p.wait("sh>")
	return p
}

func (p *pane) tmux(args ...string) string {
	p.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", p.socket}, args...)...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return string(out)
}

// keys presses keys by their names, and types what is none.
func (p *pane) keys(keys ...string) { p.t.Helper(); p.tmux(append([]string{"send-keys"}, keys...)...) }

// paste pastes as a terminal does.
func (p *pane) paste(text string) {
	p.t.Helper()
	p.tmux("set-buffer", text)
	p.tmux("paste-buffer", "-p")
}

func (p *pane) resize(width, height int) {
	p.t.Helper()
	p.tmux("resize-window", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height))
}

func (p *pane) screen() string { p.t.Helper(); return p.tmux("capture-pane", "-p") }

// wait waits until all of the texts are shown, and keeps that screen for who wants to look.
func (p *pane) wait(texts ...string) string {
	p.t.Helper()
	return p.until(fmt.Sprintf("%q", texts), func(screen string) bool {
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

func (p *pane) until(what string, there func(screen string) bool) string {
	p.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		screen := p.screen()
		if there(screen) {
			if dir := os.Getenv("HOOKLINE_SCREENS"); dir != "" {
				p.screens++
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d.txt", p.screens)), []byte(what+"\n"+screen), 0o600); err != nil {
					p.t.Fatal(err)
				}
			}
			return screen
		}
		if time.Now().After(end) {
			p.t.Fatalf("the pane never shows %s:\n%s", what, screen)
		}
	}
}

// tmuxTurns is a session of work on a small repository.
const tmuxTurns = `
turns:
  - text: "I look around first."
    tool_calls: [{name: Bash, input: {command: "git log --oneline"}}, {name: Read, input: {file_path: sum.go}}]
  - text: "The loop goes one too far."
    tool_calls: [{name: Bash, input: {command: "rm -rf build"}}]
  - text: "Then the directory stays."
    tool_calls: [{name: Edit, input: {file_path: sum.go, old_string: "i <= len(n)", new_string: "i < len(n)"}}]
  - text: "The loop is *mended*:\n\n1. it ended one too late\n2. now it does not"
  - text: "Never said."
    delay: 1h
  - text: "I am back."
  - {text: "And again.", repeat: 9}
`

var tmuxProject = map[string]string{
	"turns.yaml": tmuxTurns,
	"sum.go":     "package adder\n\nfunc Sum(n []int) (s int) {\n\tfor i := 0; i <= len(n); i++ {\n\t\ts += n[i]\n\t}\n\treturn s\n}\n",
	".claude/settings.json": `{"permissions":{"allow":["Bash(git log:*)"]},"hooks":{
		"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"if grep -q 'rm -rf'; then echo 'build is kept for the release' >&2; exit 2; fi"}]}],
		"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}`,
	".hookline/hooks/watch": `#!/bin/sh
if [ "$1" = hook ]; then echo after_tool_call; exit; fi
echo "disk is full" >&2
exit 1
`,
	".hookline/modules/steps.ts": `export default function (pi) {
  let calls = 0;
  pi.on("tool_call", (event, ctx) => ctx.ui.setStatus("steps", ++calls + " calls"));
  pi.on("session_start", (event, ctx) => ctx.ui.setWidget("aim", (tui, theme) => ({ render: (w) => ["aim: mend the loop, " + w + " cells"] })));
}
`,
}

// TestASessionInTmux works in a terminal as a person does: with hooks of a settings file,
// of an executable and of a script module, a paste, questions, other sizes, a suspended
// chat, and one that is killed.
func TestASessionInTmux(t *testing.T) {
	dir, home := filepath.Join(t.TempDir(), "adder"), t.TempDir()
	for name, text := range tmuxProject {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"add", "."}, {"-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "-q", "-m", "sum up"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("git: %v: %s", err, out)
		}
	}
	p := newPane(t, dir, "HOME="+home, "HOOKLINE_MANAGED_DIR="+filepath.Join(home, "managed"), "XDG_STATE_HOME=", "XDG_CONFIG_HOME=", "NO_COLOR=1")
	const start = "hookline chat --trust-project --model script:turns.yaml"
	p.keys(start, "Enter")
	p.wait("default · script · adder (main)", "aim: mend the loop, 100 cells")

	// A paste of lines is not sent, and stands in the input at any width.
	p.paste("Sum is wrong:\nit reads beyond the end")
	p.wait("> Sum is wrong:", "it reads beyond the end")
	for _, size := range [][2]int{{80, 24}, {60, 20}, {40, 12}, {140, 40}, {100, 30}} {
		p.resize(size[0], size[1])
		screen := p.wait(fmt.Sprintf("aim: mend the loop, %d cells", size[0]), "> Sum is wrong:")
		if n := strings.Count(screen, "> Sum is wrong:"); n != 1 {
			t.Errorf("%d inputs at %v:\n%s", n, size, screen)
		}
	}
	p.keys("Enter")
	p.wait("Allow Edit?", "-    for i := 0; i <= len(n); i++ {")
	// The question is the same after the window was smaller for a while.
	for _, size := range [][2]int{{40, 14}, {140, 40}, {70, 18}} {
		p.resize(size[0], size[1])
		p.wait("Allow Edit?", "4. No, and say why", strings.Repeat("─", size[0]-20))
	}
	p.resize(100, 30)
	p.until("a question that takes keys", func(s string) bool { return strings.Contains(s, "Allow Edit?") && !strings.Contains(s, "one moment") })
	p.keys("1")
	screen := p.wait("The loop is *mended*:", "2. now it does not", "4 calls")
	if text, err := os.ReadFile(filepath.Join(dir, "sum.go")); err != nil || !strings.Contains(string(text), "i < len(n)") {
		t.Errorf("the file was not changed: %v\n%s", err, text)
	}
	all := screen
	for i := 0; i < 9 && !strings.Contains(screen, "> Sum is wrong:"); i++ {
		p.keys("PageUp")
		screen = p.until("older lines", func(s string) bool { return s != screen })
		all += screen
	}
	// The same at other widths, for who looks.
	for _, size := range [][2]int{{40, 24}, {80, 24}, {140, 40}, {100, 30}} {
		p.resize(size[0], size[1])
		p.wait(fmt.Sprintf("aim: mend the loop, %d cells", size[0]))
	}
	for _, text := range []string{"disk is full", "⊘ blocked by PreToolUse", "build is kept for the release", "✓ Bash git log --oneline", "> Sum is wrong:"} {
		if !strings.Contains(all, text) {
			t.Errorf("%q is not in the conversation:\n%s", text, all)
		}
	}

	// Suspended while the agent works, and back.
	p.keys("Wait a bit", "Enter")
	p.wait("● working")
	p.keys("C-z")
	p.wait("Stopped")
	p.keys("echo in the", "Space", "shell", "Enter")
	p.wait("in the shell")
	p.keys("fg", "Enter")
	p.wait("> Wait a bit", "● working")
	p.keys("Escape")
	p.wait("Interrupted.")

	// Killed, by a signal that can be caught and by one that cannot: the shell has its
	// terminal back, and the conversation is there.
	for _, sig := range []string{"TERM", "KILL"} {
		if err := syscall.Kill(p.pid(), map[string]syscall.Signal{"TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL}[sig]); err != nil {
			t.Fatal(err)
		}
		p.until("the shell", func(s string) bool {
			return strings.HasSuffix(strings.TrimRight(s, " \n"), "sh>") || sig == "KILL" && strings.Contains(s, "Killed")
		})
		if sig == "KILL" { // nobody was left to give the terminal back
			p.keys("stty sane; echo rec''overed", "C-j")
			p.wait("recovered") // until then Enter is none
			p.keys("tput rmcup", "Enter")
		}
		p.keys("clear", "Enter")
		p.until("a clear screen", func(s string) bool { return strings.TrimSpace(s) == "sh>" })
		p.keys(start+" --continue", "Enter")
		p.wait("aim: mend the loop", "2. now it does not", "> Wait a bit", "default · ")
	}
	p.keys("C-d")
	p.wait("goes on from here")
}

// pid is the process that the shell of the pane runs.
func (p *pane) pid() int {
	shell := strings.TrimSpace(p.tmux("display-message", "-p", "#{pane_pid}"))
	out, err := exec.Command("pgrep", "-P", shell).Output()
	if err != nil {
		p.t.Skip("no pgrep")
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		p.t.Fatalf("the processes of the shell: %v", err)
	}
	return pid
}
