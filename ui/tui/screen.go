package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/command"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/ui"
)

// screen is all that is on the screen. Only bubbletea's goroutine touches it.
type screen struct {
	a     *App
	spawn func(func(ctx context.Context)) // runs something beside the screen
	s     *Session                        // nil until the agent is open

	width, height int
	transcript
	input     textarea.Model
	history   []string
	menu      menu
	recalled  int // index in history of what the input shows, len(history) for none
	early     []string
	live      []*block // what the model is saying
	calls     map[string]*block
	entries   map[string]bool // ids of those of modules that are shown
	shown     string          // id of the message that is shown last
	working   int             // inputs that are worked on
	since     time.Time
	lastKey   time.Time
	endAsked  time.Time // of the Ctrl-C that asked for another one
	escAt     time.Time // of an Esc that had nothing to do
	questions []*question
	overlays  []*question // what modules laid over the screen, the foremost last
	status    ui.Status
	branch    string
	title     string
	terminal  []tea.Cmd // what the terminal is told
	around    map[string]map[string][]string
	hooks     hookCounts
	repeats   []string // notices that say what is shown already
	thinking  string   // what stands for thinking that is not shown
	sign      script.Working
	ticking   bool
	quit      bool
}

func newScreen(a *App, spawn func(func(ctx context.Context))) *screen {
	m := &screen{a: a, spawn: spawn, width: a.cfg.Width, height: a.cfg.Height, around: map[string]map[string][]string{}, calls: map[string]*block{}, entries: map[string]bool{}, hooks: hookCounts{map[string]*hookCount{}, map[string]hook.Emission{}, map[string]string{}}}
	m.transcript = transcript{theme: a.Theme, ask: m.ask}
	m.input = newInput(10)
	return m
}

// newInput is an empty text to edit that grows to some lines.
func newInput(lines int) textarea.Model {
	in := textarea.New()
	in.ShowLineNumbers, in.DynamicHeight, in.MinHeight, in.MaxHeight, in.MaxContentHeight = false, true, 1, lines, 10_000
	in.CharLimit = 0
	in.SetStyles(textarea.Styles{})
	in.SetVirtualCursor(false)
	in.KeyMap.InsertNewline.SetKeys("shift+enter", "ctrl+j")
	in.KeyMap.Paste.SetEnabled(false)
	in.SetPromptFunc(2, func(at textarea.PromptInfo) string {
		if at.LineNumber > 0 {
			return "  "
		}
		return "> "
	})
	in.Focus()
	return in
}

// Init waits for mail.
func (m *screen) Init() tea.Cmd { return m.a.await }

// tickMsg comes while something moves by itself.
type tickMsg struct{}

// Update takes what the terminal says, and mail.
func (m *screen) Update(msg tea.Msg) (next tea.Model, cmd tea.Cmd) {
	next, cmd = m, tea.Quit // after a panic
	defer m.a.recovered()
	var cmds []tea.Cmd
	switch msg := msg.(type) {
	case mailMsg:
		for _, f := range m.a.takeMail() {
			f(m)
		}
		cmds = append(cmds, m.a.await)
	case tea.WindowSizeMsg:
		if m.width != msg.Width {
			defer m.tellModules()
		}
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		m.key(msg)
	case tea.PasteMsg:
		m.paste(msg)
	case tea.MouseWheelMsg:
		m.scroll(map[bool]int{true: 3, false: -3}[msg.Button == tea.MouseWheelUp], m.width, m.room())
	case tickMsg:
		m.ticking = false
	}
	if m.moves() && !m.ticking {
		m.ticking = true
		cmds = append(cmds, m.a.tick(map[bool]time.Duration{true: settle / 2, false: m.frameTime()}[m.waits()]))
	}
	cmds = append(cmds, m.terminal...)
	m.terminal = nil
	m.a.setDraft(m.input.Value())
	if m.quit {
		return m, tea.Quit
	}
	return m, tea.Batch(cmds...)
}

// moves reports whether the screen changes with time alone.
func (m *screen) moves() bool {
	return m.busy() || m.waits()
}

// waits reports whether a question will take keys in a moment.
func (m *screen) waits() bool {
	return len(m.questions) > 0 && m.questions[0].waits(m.a.cfg.Now())
}

// busy reports whether the agent works.
func (m *screen) busy() bool { return m.working > 0 || m.s != nil && !m.s.Loop.Idle() }

// errInterrupted is why a prompt ends that the person interrupts, which is said at once.
var errInterrupted = errors.New("the person interrupted")

// opened begins with the agent, and sends what was written before it was there.
func (m *screen) opened() {
	m.tellModules()
	m.refuseShortcuts()
	m.findBranch()
	if m.s.Begin != nil {
		m.s.Begin()
	}
	early := m.early
	m.early = nil
	for _, text := range early {
		m.submit(text, agent.Steer)
	}
}

// submit sends what the person wrote: to the agent at once, or behind what it works on.
func (m *screen) submit(text string, when agent.When) {
	switch {
	case strings.TrimSpace(text) == "":
		return
	case m.ownCommand(text):
		return
	case m.s == nil:
		m.early = append(m.early, text)
		return
	case m.busy() && !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "!"):
		m.s.Loop.Queue(text, when)
		return
	}
	if m.working++; m.working == 1 {
		m.since = m.a.cfg.Now()
	}
	s, a := m.s, m.a
	m.spawn(func(ctx context.Context) {
		reply, err := s.input(ctx, a, text)
		a.post(func(m *screen) { m.replied(text, reply, err) })
	})
}

// input works on what the person wrote. A command may move in the session: then what it
// holds is shown anew.
func (s *Session) input(ctx context.Context, a *App, text string) (command.Reply, error) {
	if s.Refresh != nil && s.Loop.Idle() {
		if err := s.Refresh(ctx); err != nil {
			return command.Reply{}, err
		}
	}
	reply, err := s.Commands.Input(ctx, text, command.Interactive)
	if strings.HasPrefix(text, "/") {
		entries, unread := conversation(s.Loop)
		a.post(func(m *screen) { m.moved(entries, unread) })
	}
	return reply, err
}

// replied shows what became of an input.
func (m *screen) replied(text string, r command.Reply, err error) {
	m.working--
	switch {
	case err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, errInterrupted):
		m.notice(err.Error(), ui.Error)
	case r.Output != "":
		m.notice(r.Output, ui.Info)
	}
	if r.Result != nil && r.Result.Reason != "" && r.Result.End != agent.EndDone && !errors.Is(err, errInterrupted) && (err == nil || err.Error() != r.Result.Reason) {
		m.notice(string(r.Result.End)+": "+r.Result.Reason, ui.Warning)
	}
	// A refused prompt is to be changed; a refused command was meant as it is.
	if (r.Blocked && !strings.HasPrefix(text, "/") || errors.Is(err, agent.ErrBusy)) && m.input.Value() == "" {
		m.setInput(text)
	}
	m.quit = m.quit || r.Quit
	m.findBranch()
	m.awaitIdle()
}

// awaitIdle draws again once the agent is idle.
func (m *screen) awaitIdle() {
	if s, a := m.s, m.a; s != nil && !s.Loop.Idle() {
		m.spawn(func(ctx context.Context) {
			_ = s.Loop.WaitIdle(ctx) // it fails only when the screen ends
			a.post(func(*screen) {})
		})
	}
}

func (m *screen) notice(text string, level ui.Level) {
	m.add(&block{kind: noticeBlock, text: text, level: level})
}

// interrupt ends the prompt that runs.
func (m *screen) interrupt() {
	m.s.Loop.Abort(errInterrupted)
	m.notice("Interrupted.", ui.Info)
}

// nextMode goes on to the next permission mode; the one without questions is only there
// for who began with it.
func (m *screen) nextMode() {
	if m.s == nil {
		return
	}
	modes := []permission.Mode{permission.ModeDefault, permission.ModeAcceptEdits, permission.ModePlan}
	next := modes[(slices.Index(modes, m.s.Permission.Mode())+1)%len(modes)]
	if err := m.s.Permission.SetMode(next); err != nil {
		m.notice(fmt.Sprintf("The permission mode stays: %v", err), ui.Warning)
	}
}
