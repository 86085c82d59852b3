package tui

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/command"
	"github.com/hookline-dev/hookline/agent/model/script"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"), // it ends by itself
		// bubbletea 2.1.1 reads on after its program has ended where a key came just then,
		// and offers that key to a channel that nobody reads any more and that is not ours.
		goleak.IgnoreAnyFunction("github.com/charmbracelet/ultraviolet.(*TerminalReader).sendEvents"))
}

// clock is a clock that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// glass is a terminal in memory: what is written to it is drawn by an emulator, and counted.
type glass struct {
	mu            sync.Mutex
	e             *vt.Emulator
	bytes, frames int
	raw           bytes.Buffer
}

// Write takes bare line feeds, as no terminal driver is there to add the carriage return.
func (g *glass) Write(b []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.bytes, g.frames = g.bytes+len(b), g.frames+1
	g.raw.Write(b)
	_, err := g.e.Write(bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")))
	return len(b), err
}

func (g *glass) text() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	lines := strings.Split(g.e.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \r")
	}
	return strings.Join(lines, "\n")
}

// chat is an App that a test types to.
type chat struct {
	t    *testing.T
	app  *App
	clk  *clock
	g    *glass
	keys *io.PipeWriter
	dir  string
	over chan error
	loop *agent.Agent
}

// setup is what a chat runs with.
type setup struct {
	turns    string // of the scripted model
	hooks    func(*hook.Registry)
	settings func(*Session)
	config   func(*agent.Config)
	width    int
	height   int
	named    string // the directory's name, where it matters
}

func newChat(t *testing.T, s setup) *chat {
	t.Helper()
	if s.width == 0 {
		s.width, s.height = 80, 24
	}
	c := &chat{t: t, clk: &clock{now: time.Unix(1_000_000, 0)}, dir: t.TempDir(), over: make(chan error, 1)}
	if s.named != "" {
		short, err := os.MkdirTemp("", "") // it fits into a line
		if err == nil {
			t.Cleanup(func() { _ = os.RemoveAll(short) })
			c.dir = filepath.Join(short, s.named)
			err = os.Mkdir(c.dir, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	c.g = &glass{e: vt.NewEmulator(s.width, s.height)}
	answers := make(chan struct{})
	go func() { defer close(answers); _, _ = io.Copy(io.Discard, c.g.e) }()
	in, keys := io.Pipe()
	c.keys = keys
	c.app = New(Config{In: in, Out: c.g, Env: []string{"TERM=xterm-256color"}, Width: s.width, Height: s.height, Now: c.clk.Now})
	go func() {
		c.over <- c.app.Run(t.Context(), func(context.Context) (*Session, error) { return c.open(s) })
		close(c.over)
	}()
	t.Cleanup(func() {
		c.app.end(nil)
		<-c.over
		_ = in.Close()
		if c.loop != nil {
			if err := c.loop.Close(context.Background()); err != nil {
				t.Error(err)
			}
		}
		_ = c.g.e.InputPipe().(io.Closer).Close() // its own Close races with who reads its answers
		<-answers
	})
	return c
}

func (c *chat) open(s setup) (*Session, error) {
	provider, err := script.Parse([]byte(s.turns), script.Options{})
	if err != nil {
		return nil, err
	}
	registry := hook.NewRegistry()
	if s.hooks != nil {
		s.hooks(registry)
	}
	engine := hook.New(registry, hook.WithObserver(c.app), hook.WithRecorder(c.app))
	c.t.Cleanup(func() { _ = engine.Close() })
	checker, err := permission.New(permission.Config{ProjectDir: c.dir})
	if err != nil {
		return nil, err
	}
	tools, err := tool.New(tool.Config{Dir: c.dir, UI: c.app})
	if err != nil {
		return nil, err
	}
	c.t.Cleanup(func() { _ = tools.Close() })
	cfg := agent.Config{Model: provider, ModelName: "scripted", Hooks: engine, Permission: checker, UI: c.app, OnEvent: c.app.OnEvent, Dir: c.dir, Tools: tools.Tools()}
	if s.config != nil {
		s.config(&cfg)
	}
	if c.loop, err = agent.New(cfg); err != nil {
		return nil, err
	}
	out := &Session{Loop: c.loop, Commands: command.New(c.loop, command.Options{Dir: c.dir}), Permission: checker}
	out.Hooks = func() (list []ListedHook) {
		for _, h := range registry.Infos() {
			list = append(list, ListedHook{Info: h})
		}
		return list
	}
	if s.settings != nil {
		s.settings(out)
	}
	return out, nil
}

// type sends keys, as a terminal does.
func (c *chat) send(keys string) {
	c.t.Helper()
	if _, err := io.WriteString(c.keys, keys); err != nil {
		c.t.Fatal(err)
	}
}

// patience is how long a test waits for what has to come; a failure takes that long.
const patience = 5 * time.Second

// wait waits until the screen shows all of the texts, and returns it.
func (c *chat) wait(texts ...string) string {
	c.t.Helper()
	return c.until(fmt.Sprintf("%q", texts), func(screen string) bool {
		for _, s := range texts {
			if !strings.Contains(screen, s) {
				return false
			}
		}
		return true
	})
}

func (c *chat) until(what string, there func(screen string) bool) string {
	c.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(2 * time.Millisecond) {
		screen := c.g.text()
		if there(screen) {
			return screen
		}
		if time.Now().After(end) {
			c.t.Fatalf("the screen never shows %s:\n%s", what, screen)
		}
	}
}

// idle waits until the agent has nothing to do, and the screen shows that.
func (c *chat) idle() {
	c.t.Helper()
	c.until("an idle agent", func(screen string) bool { return !strings.Contains(screen, "● ") })
}

// bottom is the last lines of the screen.
func (c *chat) bottom(n int) string {
	lines := strings.Split(c.g.text(), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// ready makes the question on the screen take keys.
func (c *chat) ready(texts ...string) {
	c.t.Helper()
	c.until("a question", func(screen string) bool {
		return strings.Contains(screen, "A question waits") || strings.Contains(screen, texts[0])
	})
	c.clk.advance(2 * typing) // the person has stopped typing
	c.wait(texts...)
	for strings.Contains(c.g.text(), "one moment") { // until it was drawn, and has seen that
		c.clk.advance(settle)
		time.Sleep(2 * time.Millisecond)
	}
}
