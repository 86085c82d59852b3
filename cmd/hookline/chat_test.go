//go:build linux || darwin

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/term"
)

// terminalRun is the command on a terminal.
type terminalRun struct {
	t      *testing.T
	cmd    *exec.Cmd
	master *os.File
	mu     sync.Mutex
	screen *vt.Emulator
	title  string
	before *term.State
	tty    *os.File
	exited chan error
}

// onTerminal starts the command on a terminal of its own, in a fresh project.
func onTerminal(t *testing.T, script string, args ...string) *terminalRun {
	t.Helper()
	r := prepareTerminal(t, script, args...)
	r.start()
	return r
}

func prepareTerminal(t *testing.T, script string, args ...string) *terminalRun {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no terminal to be had: %v", err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "turns.yaml"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	r := &terminalRun{t: t, master: master, tty: tty, screen: vt.NewEmulator(80, 24), exited: make(chan error, 1)}
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	if r.before, err = term.GetState(int(tty.Fd())); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	r.cmd = exec.Command("hookline", append(args, "--model", "script:turns.yaml")...)
	r.cmd.Dir = dir
	r.cmd.Env = append(os.Environ(), "HOME="+home, "TERM=xterm-256color", "NO_COLOR=1", "HOOKLINE_MANAGED_DIR="+filepath.Join(home, "managed"), "XDG_STATE_HOME=", "XDG_CONFIG_HOME=")
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = tty, tty, tty
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	return r
}

func (r *terminalRun) start() {
	r.t.Helper()
	r.screen.SetCallbacks(vt.Callbacks{Title: func(title string) { r.title = title }})
	if err := r.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	go func() { r.exited <- r.cmd.Wait() }()
	go r.draw()
	go io.Copy(r.master, r.screen) // what the terminal answers
	r.t.Cleanup(func() {
		_ = r.cmd.Process.Kill()
		_ = r.tty.Close()
		_ = r.master.Close()
		_ = r.screen.InputPipe().(io.Closer).Close() // the screen's own Close races with who reads its answers
	})
}

func (r *terminalRun) draw() {
	buf := make([]byte, 4096)
	for {
		n, err := r.master.Read(buf)
		if err != nil {
			return
		}
		r.mu.Lock()
		_, _ = r.screen.Write(buf[:n])
		r.mu.Unlock()
	}
}

func (r *terminalRun) send(keys string) {
	r.t.Helper()
	if _, err := io.WriteString(r.master, keys); err != nil {
		r.t.Fatal(err)
	}
}

// wait waits until the screen shows a text, and gone until it does not any more.
func (r *terminalRun) wait(text string) { r.t.Helper(); r.until(text, true) }
func (r *terminalRun) gone(text string) { r.t.Helper(); r.until(text, false) }

func (r *terminalRun) until(text string, shown bool) {
	r.t.Helper()
	for end := time.Now().Add(patience); r.shows(text) != shown; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("%q on the terminal stays %v:\n%s", text, !shown, r.screen.String())
		}
	}
}

// titled waits until the window's title matches a pattern.
func (r *terminalRun) titled(pattern string) {
	r.t.Helper()
	want := regexp.MustCompile(pattern)
	title := func() string {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.title
	}
	for end := time.Now().Add(patience); !want.MatchString(title()); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("the title stays %q, want %q", title(), pattern)
		}
	}
}

// answer sends keys to the question that is shown, once it takes them.
func (r *terminalRun) answer(keys string) {
	r.t.Helper()
	for r.shows("one moment") {
		time.Sleep(5 * time.Millisecond)
	}
	r.send(keys)
}

func (r *terminalRun) shows(text string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Contains(r.screen.String(), text)
}

// ended waits for the exit code, and checks that the terminal is as it was.
func (r *terminalRun) ended(code int) {
	r.t.Helper()
	select {
	case <-r.exited:
	case <-time.After(time.Minute):
		r.t.Fatal("the command does not end")
	}
	if got := r.cmd.ProcessState.ExitCode(); got != code {
		r.t.Errorf("exit code %d, want %d", got, code)
	}
	after, err := term.GetState(int(r.tty.Fd()))
	if err != nil || *after != *r.before {
		r.t.Errorf("the terminal's modes were not given back: %v", err)
	}
}

// patience is how long a test waits for what has to come; a failure takes that long.
const patience = time.Minute

const chatTurns = `turns: [{text: "Hello person.", repeat: 9}]`

// A session that is not kept is one that nobody is told to go on with. The flags of run that
// say what a session works with are those of chat.
func TestChatThatIsNotKept(t *testing.T) {
	r := onTerminal(t, chatTurns, "chat", "--no-session-persistence", "--max-thinking-tokens", "9")
	r.wait("default ·")
	r.send("Hi\r")
	r.wait("Hello person.")
	r.send("\x04")
	r.ended(0)
	if r.shows("goes on from here") {
		t.Error("it says that it goes on")
	}
}

func TestChatOnATerminal(t *testing.T) {
	r := onTerminal(t, chatTurns, "chat")
	r.wait("default ·")
	r.send("Hi\r")
	r.wait("Hello person.")
	r.send("\x04")
	r.wait("goes on from here")
	r.wait("> Hi") // what was said stays
	r.ended(0)
	if r.mu.Lock(); r.screen.IsAltScreen() || r.screen.CursorHidden() {
		t.Error("the screen was not given back")
	}
	r.mu.Unlock()
}

func TestSuspend(t *testing.T) {
	r := prepareTerminal(t, chatTurns, "chat")
	// A shell that has jobs is what a person suspends to.
	r.cmd.Args = append([]string{"sh", "-m", "-c", `"$@"; echo "stopped: $?"; read back; fg; echo "ended: $?"`, "sh"}, r.cmd.Args...)
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	r.cmd.Path = sh
	r.start()
	r.wait("default ·")
	r.send("Hi\r")
	r.wait("Hello person.")
	r.send("\x1a")
	r.wait("stopped: ")
	if r.mu.Lock(); r.screen.IsAltScreen() || r.screen.CursorHidden() {
		t.Error("the screen was not given back")
	}
	r.mu.Unlock()
	r.send("\n")
	r.wait("Hello person.")
	r.send("Once more")
	r.wait("> Once more")
	r.send("\x03\x04")
	r.wait("ended: 0")
	r.ended(0)
}

// gameModule uses each place of the screen that modules have.
const gameModule = `
export default function (pi) {
  pi.on("session_start", (ev, ctx) => {
    ctx.ui.setStatus("game", "ready to play");
    ctx.ui.setWidget("todo", ["[ ] win", "[ ] lose"]);
    ctx.ui.setHeader(["the header"]);
  });
  pi.registerCommand("foot", { handler: (args, ctx) => ctx.ui.setFooter(args ? undefined : () => ({ render: (w) => ["the footer, " + w + " wide"] })) });
  pi.registerCommand("game", { description: "play", handler: async (args, ctx) => {
    const moves = [];
    const score = await ctx.ui.custom((tui, theme, done) => ({
      render: (width) => ["snake " + moves.join(",")],
      handleInput: (data) => {
        if (data === "q") return done(moves.length);
        moves.push(JSON.stringify(data));
        tui.requestRender();
      },
    }));
    ctx.ui.notify("score " + score);
  }});
  pi.registerShortcut("ctrl+y", { description: "plan", handler: async (ctx) => {
    const on = await ctx.ui.select("Plan?", ["on", "off"]);
    ctx.ui.setStatus("plan", "plan mode " + on);
  }});
  pi.registerMessageRenderer("card", (m, options, theme) => ({ render: (w) => ["card of " + m.details.who + ": " + m.content] }));
  pi.registerCommand("card", { description: "show", handler: async () => {
    pi.sendMessage({ customType: "card", content: "hello", display: true, details: { who: "Ann" } });
  }});
}
`

func TestModulesOnTheScreen(t *testing.T) {
	module := filepath.Join(t.TempDir(), "game.ts")
	if err := os.WriteFile(module, []byte(gameModule), 0o600); err != nil {
		t.Fatal(err)
	}
	r := onTerminal(t, chatTurns, "chat", "--hook", module)
	for _, text := range []string{"ready to play", "[ ] win", "[ ] lose", "the header"} {
		r.wait(text)
	}
	// A footer stands for the model, the directory and the statuses.
	r.wait("default · script")
	r.send("/foot\r")
	r.wait("the footer, 80 wide")
	r.gone("default · script")
	r.gone("ready to play")
	r.wait("default")
	r.send("/game\r")
	r.wait("snake")
	r.send("\x1b[A")
	r.wait(`snake "\u001b[A"`)
	r.send("d")
	r.wait(`snake "\u001b[A","d"`)
	r.send("q")
	r.wait("score 2")
	r.send("/foot off\r\x19") // ctrl-y
	r.wait("Plan?")
	r.wait("game.ts asks")
	r.answer("\r")
	r.wait("plan mode on")
	r.send("/card\r")
	r.wait("card of Ann: hello")
	r.send("\x04")
	r.ended(0)
}

// TestAHookIsFiredAgain has a hook that changes the input of a call: it is fired again on
// what it got, and the tool does not run again.
func TestAHookIsFiredAgain(t *testing.T) {
	r := prepareTerminal(t, `turns: [{tool_calls: [{name: Bash, input: {command: "echo before >> ran"}}]}, {text: Done.}]`, "chat", "--trust-project")
	settings := `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"cat >> seen; echo >> seen; echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"allow\",\"permissionDecisionReason\":\"as it was meant\",\"updatedInput\":{\"command\":\"echo after >> ran\"}}}'"}]}],
		"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}`
	if err := errors.Join(os.MkdirAll(filepath.Join(r.cmd.Dir, ".claude"), 0o755), os.WriteFile(filepath.Join(r.cmd.Dir, ".claude", "settings.json"), []byte(settings), 0o600)); err != nil {
		t.Fatal(err)
	}
	r.start()
	r.wait("default ·")
	r.send("Go\r")
	r.wait("Done.")
	r.send("/hooks\r")
	r.wait("← event: all (2) →")
	r.send("\x1b[C\x1b[C")
	r.wait("← event: Stop (1) →")
	r.gone("1. PreToolUse")
	r.send("\x1b[D")
	r.wait("← event: PreToolUse (1) →")
	r.wait("… · ran 1, p95 ")
	r.send("\r")
	r.wait("4. Fire it again on its last input")
	r.send("4")
	r.wait("as it was meant")
	r.send("/hooks\r")
	r.wait("← event: all (2) →")
	r.send("\r")
	r.wait("3. Which hooks run")
	r.send("3")
	r.wait("runs: matcher \"Bash\" matches")
	r.send("\x04")
	r.ended(0)
	seen, err := os.ReadFile(filepath.Join(r.cmd.Dir, "seen"))
	if n := strings.Count(string(seen), `"command":"echo before >> ran"`); err != nil || n != 2 {
		t.Errorf("the hook saw the call %d times: %v\n%s", n, err, seen)
	}
	if ran, err := os.ReadFile(filepath.Join(r.cmd.Dir, "ran")); err != nil || string(ran) != "after\n" {
		t.Errorf("the tool ran: %q, %v", ran, err)
	}
}

func TestTrustBeforeAnythingRuns(t *testing.T) {
	for _, k := range []struct {
		keys []string
		ran  bool
	}{{[]string{"\r"}, false}, {[]string{"\x1b"}, false}, {[]string{"2", "y"}, true}, {[]string{"2", "\r", "\x1b"}, false}} {
		r := prepareTerminal(t, chatTurns, "chat")
		settings := `{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"touch ran"}]}]}}`
		if err := errors.Join(os.MkdirAll(filepath.Join(r.cmd.Dir, ".claude"), 0o755), os.WriteFile(filepath.Join(r.cmd.Dir, ".claude", "settings.json"), []byte(settings), 0o600)); err != nil {
			t.Fatal(err)
		}
		r.start()
		r.wait("nobody approved")
		for _, keys := range k.keys {
			if keys != k.keys[0] {
				r.wait(map[bool]string{true: "nobody approved", false: "Approve "}[keys == "\x1b"])
			}
			r.answer(keys)
		}
		r.wait("default ·")
		r.send("\x04")
		r.ended(0)
		if _, err := os.Stat(filepath.Join(r.cmd.Dir, "ran")); (err == nil) != k.ran {
			t.Errorf("%q: the hook ran: %v", k.keys, err == nil)
		}
	}
}

func TestSignalsGiveTheTerminalBack(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		r := onTerminal(t, chatTurns, "chat")
		r.wait("default ·")
		if err := r.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		r.ended(128 + int(sig))
	}
}

func TestPlainChat(t *testing.T) {
	r := onTerminal(t, chatTurns, "chat", "--plain")
	r.wait("you:")
	r.send("Hi\n")
	r.wait("agent: Hello person.")
	r.send("\x04")
	r.ended(0)
}

func TestChatNeedsATerminal(t *testing.T) {
	out, err := exec.Command("hookline", "chat").CombinedOutput()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != exitUsage || !strings.Contains(string(out), "chat needs a terminal") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestChatSaysWhatApprovalsLeaveOut starts with an approval of a server by earlier rules.
func TestChatSaysWhatApprovalsLeaveOut(t *testing.T) {
	r := prepareTerminal(t, chatTurns, "chat", "--plain")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(r.cmd.Dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(".mcp.json", `{"mcpServers": {"srv": {"command": "python3", "args": ["-m", "tool"]}}}`)
	state := t.TempDir()
	r.cmd.Env = append(r.cmd.Env, "XDG_STATE_HOME="+state)
	trust := exec.Command("hookline", "trust", "--yes")
	trust.Dir, trust.Env = r.cmd.Dir, r.cmd.Env
	if out, err := trust.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	store := filepath.Join(state, "hookline", "trust", "trust.json")
	data, err := os.ReadFile(store)
	if err == nil {
		err = os.WriteFile(store, bytes.Replace(data, []byte(`"rules": 2`), []byte(`"rules": 1`), 1), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	write("tool.py", "")
	r.start()
	r.wait("mcp:srv: newly covered files: tool.py")
	r.wait("you:")
	r.send("\x04")
	r.ended(0)
}
