package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/command"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/ui"
	"github.com/hookline-dev/hookline/ui/clean"
)

// Config says where an App is shown.
type Config struct {
	// In and Out are the terminal.
	In  io.Reader
	Out io.Writer
	// Env is the environment that says what the terminal can do; nil is the process's.
	Env []string
	// Colour allows colours.
	Colour bool
	// Themes are further themes beside the built-in ones, and Theme names the one at the
	// start; "" is the default.
	Themes []ui.Theme
	Theme  string
	// Width and Height are the size in cells before the terminal has told its own; 0 asks it.
	Width, Height int
	// Now is the clock of questions, which take no answer for a moment after they were
	// drawn; nil is time.Now.
	Now func() time.Time
}

// Session is the agent that a person talks to: all but the functions must be set.
type Session struct {
	Loop       *agent.Agent
	Commands   *command.Set
	Permission *permission.Checker
	// Refresh, when not nil, takes up changed settings before a prompt.
	Refresh func(ctx context.Context) error
	// Modules, when not nil, lists script modules, which may have shortcuts, and draw
	// messages of their own. The screen's own keys go before.
	Modules func() []*script.Module
	// Begin, when not nil, is called once the conversation so far is shown.
	Begin func()
	// Hooks, when not nil, lists the hooks: first those that are registered, in the order in
	// which they run.
	Hooks func() []ListedHook

	files files
}

// App is the screen. It is a ui.UI, and told what happens by OnEvent, Observe
// and Record. All of
// them may be called from any goroutine, and before and after Run: then nobody answers
// dialogs, and notices are kept for the screen.
type App struct {
	cfg   Config
	wake  chan struct{} // there is mail
	ended chan struct{} // closed when Run is over

	mu         sync.Mutex // guards what follows
	mail       []func(*screen)
	running    bool
	draft      string // what the person is typing
	fault      error  // what ended the screen before its time
	appearance appearance
	viewed     *question // the question in the last view
	loop       *agent.Agent
}

var (
	_ ui.UI        = (*App)(nil)
	_ ui.Permitter = (*App)(nil)
	_ ui.Sequencer = (*App)(nil)

	_ hook.Observer = (*App)(nil)
	_ hook.Recorder = (*App)(nil)

	_ script.Screen    = (*App)(nil)
	_ script.Decorator = (*App)(nil)
)

// New returns an App that is not shown yet.
func New(cfg Config) *App {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	a := &App{cfg: cfg, wake: make(chan struct{}, 1), ended: make(chan struct{})}
	a.appearance.themes = append(ui.Themes(), cfg.Themes...)
	if !cfg.Colour {
		for i, t := range a.appearance.themes {
			a.appearance.themes[i] = t.Plain()
		}
	}
	a.appearance.theme, a.appearance.statuses = a.appearance.themes[0], map[string]string{}
	for _, t := range a.appearance.themes {
		if t.Name == cfg.Theme {
			a.appearance.theme = t
		}
	}
	return a
}

// Run shows the screen until the person ends it or ctx ends. Open makes the agent while
// the screen is there already: what the person writes meanwhile waits for it. Its error
// ends the screen, and is returned. When Run returns, the terminal is as it was, but
// for the last lines of the conversation, and no prompt was begun that has not been told
// to end.
func (a *App) Run(ctx context.Context, open func(ctx context.Context) (*Session, error)) error {
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	m := newScreen(a, func(f func(ctx context.Context)) {
		work.Go(func() {
			defer a.recovered()
			f(ctx)
		})
	})
	options := []tea.ProgramOption{
		tea.WithInput(a.cfg.In), tea.WithOutput(&drawn{a}), tea.WithoutSignalHandler(),
	}
	if a.cfg.Env != nil {
		options = append(options, tea.WithEnvironment(a.cfg.Env))
	}
	if a.cfg.Width > 0 {
		options = append(options, tea.WithWindowSize(a.cfg.Width, a.cfg.Height))
	}
	p := tea.NewProgram(m, options...)
	a.setRunning(true)
	m.spawn(func(ctx context.Context) {
		s, err := open(ctx)
		if err != nil {
			a.end(err)
			return
		}
		a.mu.Lock()
		a.loop = s.Loop
		a.mu.Unlock()
		entries, err := conversation(s.Loop)
		a.post(func(m *screen) {
			m.s = s
			m.replay(entries, err)
			m.opened()
		})
	})
	stop := context.AfterFunc(ctx, p.Quit)
	_, err := p.Run()
	stop()
	if err != nil {
		err = fmt.Errorf("show the screen: %w", err)
	} else {
		err = a.leave(m)
	}
	a.setRunning(false)
	close(a.ended)
	if m.s != nil {
		m.s.Loop.Abort(errEnded)
	}
	cancel()
	work.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	return errors.Join(a.fault, err)
}

// errEnded is why a prompt ends that runs when the screen does.
var errEnded = errors.New("the chat ends")

// leave prints the last lines of the conversation, which left with the screen.
func (a *App) leave(m *screen) error {
	a.mu.Lock()
	fault := a.fault
	a.mu.Unlock()
	if fault != nil {
		return nil // drawing may be what failed
	}
	m.follow()
	for _, line := range m.window(m.width, m.height) {
		if _, err := fmt.Fprintln(a.cfg.Out, clean.Cut(line, m.width)); err != nil {
			return fmt.Errorf("print the end of the conversation: %w", err)
		}
	}
	return nil
}

// recovered ends the screen when the function that defers it panics.
func (a *App) recovered() {
	if r := recover(); r != nil {
		a.end(fmt.Errorf("the screen failed: %v\n%s", r, debug.Stack()))
	}
}

// end ends the screen for a reason.
func (a *App) end(err error) {
	a.mu.Lock()
	a.fault = errors.Join(a.fault, err)
	a.mu.Unlock()
	a.post(func(m *screen) { m.quit = true })
}

func (a *App) setRunning(on bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running = on
}

// post leaves something to do for the goroutine of the screen, in order.
func (a *App) post(f func(*screen)) {
	a.mu.Lock()
	a.mail = append(a.mail, f)
	a.mu.Unlock()
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// mailMsg says that there is mail.
type mailMsg struct{}

// await is the command that waits for mail.
func (a *App) await() tea.Msg {
	select {
	case <-a.wake:
	case <-a.ended:
	}
	return mailMsg{}
}

// tick returns the command that waits for a while.
func (a *App) tick(d time.Duration) tea.Cmd {
	return func() tea.Msg {
		over := time.NewTimer(d)
		defer over.Stop()
		select {
		case <-over.C:
		case <-a.ended:
		}
		return tickMsg{}
	}
}

func (a *App) takeMail() []func(*screen) {
	a.mu.Lock()
	defer a.mu.Unlock()
	mail := a.mail
	a.mail = nil
	return mail
}

// OnEvent shows what happens in the agent.
func (a *App) OnEvent(ev agent.Event) {
	if ev.Kind == agent.KindStream || ev.Kind == agent.KindNotice {
		return // they come as text, and by Notify
	}
	if ev.Kind == agent.KindSession {
		a.mu.Lock()
		loop := a.loop
		a.mu.Unlock()
		if loop != nil { // else what it holds is shown when the agent is open
			entries, err := conversation(loop)
			a.post(func(m *screen) { m.replay(entries, err) })
		}
		return
	}
	// The agent goes on with what the event points to.
	if ev.Call != nil {
		call := *ev.Call
		ev.Call = &call
	}
	if ev.ToolResult != nil {
		result := *ev.ToolResult
		ev.ToolResult = &result
	}
	if ev.Message != nil {
		ev.Message = &model.Message{Role: ev.Message.Role, Content: slices.Clone(ev.Message.Content)}
	}
	a.post(func(m *screen) { m.event(ev) })
}

// Observe shows what hooks do.
func (a *App) Observe(e hook.Emission) { a.post(func(m *screen) { m.hookSays(e) }) }

// Write shows lines for the person that are not part of the conversation, such as
// warnings. It never fails.
func (a *App) Write(b []byte) (int, error) {
	text, level := strings.TrimRight(string(b), "\n"), ui.Warning
	if said, ok := strings.CutPrefix(text, "error: "); ok {
		text, level = said, ui.Error
	}
	a.Notify(strings.TrimPrefix(text, "warning: "), level)
	return len(b), nil
}
