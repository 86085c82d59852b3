package script

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui"
)

// uiSync answers what a module asks of the UI without waiting.
func (i *instance) uiSync(name string, a opArgs) ([]byte, error) {
	u := i.screen()
	switch name {
	case "has":
		return value(i.hasUI())
	case "screen":
		_, ok := i.m.opts.Host.(Screen)
		return value(ok && i.hasUI())
	case "changed":
		var id int64
		if err := json.Unmarshal(a.list(0), &id); err != nil {
			return nil, err
		}
		i.changed(id)
		return nil, nil
	case "theme":
		if u == nil {
			return value(themeOf(ui.Theme{}))
		}
		return value(themeOf(u.Theme()))
	case "looks", "themes", "setTheme", "expanded", "setExpanded", "thinkingLabel", "working", "redrawTool", "statuses", "branch":
		return i.appearance(name, a)
	case "text":
		if u == nil {
			return value("")
		}
		return value(u.EditorText())
	}
	if u == nil {
		return nil, nil
	}
	switch name {
	case "notify":
		u.Notify(a.text(0), noticeLevel(a.text(1)))
	case "status":
		u.SetStatus(a.text(0), a.text(1))
	case "title":
		u.SetTitle(a.text(0))
	case "setText":
		u.SetEditorText(a.text(0))
	case "decorate":
		return nil, i.decorate(a)
	default:
		return nil, fmt.Errorf("unknown operation %q", "ui."+name)
	}
	return nil, nil
}

// decorate shows a module's text around the editor.
func (i *instance) decorate(a opArgs) error {
	var lines []string
	if raw := a.raw(2); raw != nil {
		if err := json.Unmarshal(raw, &lines); err != nil {
			return fmt.Errorf("reading the lines: %w", err)
		}
	}
	if d, ok := i.m.opts.Host.(Decorator); ok {
		d.Decorate(a.text(0), a.text(1), lines)
	} else if lines != nil {
		i.report(Report{Kind: ReportIgnored, Message: "this host shows no text of modules at the place " + a.text(0)})
	}
	return nil
}

// hasUI reports whether a person can answer the module's dialogs.
func (i *instance) hasUI() bool {
	u := i.screen()
	return u != nil && u.HasUI()
}

func noticeLevel(s string) ui.Level {
	switch s {
	case "warning", "warn":
		return ui.Warning
	case "error":
		return ui.Error
	default:
		return ui.Info
	}
}

// theme is a theme as the runtime gets it.
type theme struct {
	Name   string            `json:"name"`
	Styles map[string]string `json:"styles"`
}

func themeOf(t ui.Theme) theme { return theme{t.Name, t.Styles} }

// appearance answers what is about how the screen looks: undefined where the host has none.
func (i *instance) appearance(name string, a opArgs) ([]byte, error) {
	look, ok := i.m.opts.Host.(Appearance)
	ok = ok && i.hasUI()
	if name == "looks" {
		return value(ok)
	}
	if !ok {
		return nil, nil
	}
	switch name {
	case "themes":
		var out []theme
		for _, t := range look.Themes() {
			out = append(out, themeOf(t))
		}
		return value(out)
	case "setTheme":
		return nil, look.SetTheme(a.text(0))
	case "expanded":
		return value(look.ToolsExpanded())
	case "branch":
		return value(look.Branch())
	case "statuses":
		return value(look.Statuses())
	case "setExpanded":
		look.SetToolsExpanded(string(a.raw(0)) == "true")
	case "thinkingLabel":
		look.SetThinkingLabel(a.text(0))
	case "redrawTool":
		look.RedrawTool(a.text(0))
	case "working":
		var w struct {
			Hidden   bool     `json:"hidden"`
			Frames   []string `json:"frames"`
			Interval float64  `json:"interval"` // milliseconds
		}
		if err := json.Unmarshal(a.raw(0), &w); err != nil {
			return nil, fmt.Errorf("reading how the work is shown: %w", err)
		}
		look.SetWorking(Working{Hidden: w.Hidden, Frames: w.Frames, Interval: time.Duration(w.Interval * float64(time.Millisecond))})
	}
	return nil, nil
}

// dialogArgs are the arguments of every dialog.
type dialogArgs struct {
	Title        string   `json:"title"`
	Message      string   `json:"message"`
	Placeholder  string   `json:"placeholder"`
	Prefill      string   `json:"prefill"`
	Choices      []string `json:"choices"`
	Timeout      float64  `json:"timeout"` // milliseconds
	InitialIndex int      `json:"initialIndex"`
}

// dialog asks the person. The clock of the hook that asks stands still
// meanwhile. No answer means no value, which the runtime turns into the default.
func (i *instance) dialog(ctx context.Context, name string, text []byte, callID int64) ([]byte, error) {
	u := i.screen()
	if u == nil {
		return nil, nil
	}
	if caller := i.callContext(callID); caller != nil {
		defer hook.PauseClock(caller)()
	}
	var d dialogArgs
	if name != "custom" {
		if err := json.Unmarshal(text, &d, json.RejectUnknownMembers(false)); err != nil {
			return nil, fmt.Errorf("reading the dialog: %w", err)
		}
	}
	if w, ok := i.m.opts.Host.(DialogWatcher); ok && u.HasUI() {
		defer w.WatchDialog(name, d.Title)()
	}
	if name == "custom" {
		return nil, i.showCustom(ctx, text)
	}
	if d.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(d.Timeout*float64(time.Millisecond)))
		defer cancel()
	}
	v, err := ask(ctx, u, name, d, ui.Dialog{Source: filepath.Base(i.m.path), InitialIndex: d.InitialIndex})
	if errors.Is(err, ui.ErrNoUI) {
		return nil, nil
	}
	return v, err
}

// ask shows one dialog and returns its answer as JSON, nil when dismissed.
func ask(ctx context.Context, u ui.UI, name string, d dialogArgs, o ui.Dialog) ([]byte, error) {
	var (
		answer any
		ok     = true
		err    error
	)
	switch name {
	case "select":
		answer, ok, err = u.Select(ctx, d.Title, d.Choices, o)
	case "confirm":
		answer, err = u.Confirm(ctx, d.Title, d.Message, o)
	case "input":
		answer, ok, err = u.Input(ctx, d.Title, d.Placeholder, o)
	case "editor":
		answer, ok, err = u.Editor(ctx, d.Title, d.Prefill, o)
	default:
		err = fmt.Errorf("unknown dialog %q", name)
	}
	if err != nil || !ok {
		return nil, err
	}
	return value(answer)
}

func (i *instance) callContext(id int64) context.Context {
	i.mu.Lock()
	defer i.mu.Unlock()
	if c := i.calls[id]; c != nil {
		return c.ctx
	}
	return nil
}

// component is something the module draws while it is shown.
type component struct {
	i       *instance
	id      int64
	overlay bool
	changed chan struct{}
}

func (i *instance) showCustom(ctx context.Context, text []byte) error {
	host, ok := i.m.opts.Host.(Screen)
	if !ok {
		return nil
	}
	var what struct {
		ID      int64 `json:"id"`
		Overlay bool  `json:"overlay"`
	}
	if err := json.Unmarshal(text, &what); err != nil {
		return fmt.Errorf("reading the component: %w", err)
	}
	c := &component{i: i, id: what.ID, overlay: what.Overlay, changed: make(chan struct{}, 1)}
	i.mu.Lock()
	if i.reason != nil {
		i.mu.Unlock()
		return nil
	}
	i.shown[c.id] = c
	i.mu.Unlock()
	err := host.ShowCustom(ctx, c)
	i.mu.Lock()
	delete(i.shown, c.id)
	i.mu.Unlock()
	if ctx.Err() != nil {
		return nil // closed by the module itself
	}
	return err
}

// changed tells the screen that a component wants to be drawn again.
func (i *instance) changed(id int64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if c := i.shown[id]; c != nil {
		select {
		case c.changed <- struct{}{}:
		default:
		}
	}
}

func (c *component) Changed() <-chan struct{} { return c.changed }

func (c *component) Overlay() bool { return c.overlay }

func (c *component) Render(ctx context.Context, width, height int) (Drawing, error) {
	size := fmt.Sprintf(`{"columns":%d,"rows":%d}`, width, height)
	o, err := c.i.invoke(ctx, nil, "component", int(c.id), "render", size)
	var d Drawing
	if err != nil {
		return d, err
	}
	if err := json.Unmarshal(o.result, &d); err != nil {
		return d, fmt.Errorf("reading what a component drew: %w", err)
	}
	return d, nil
}

func (c *component) Input(ctx context.Context, data string) error {
	text, err := value(data)
	if err != nil {
		return err
	}
	_, err = c.i.invoke(ctx, nil, "component", int(c.id), "input", string(text))
	return err
}

func decodeLines(text []byte) ([]string, error) {
	if text == nil {
		return nil, nil
	}
	var lines []string
	if err := json.Unmarshal(text, &lines); err != nil {
		return nil, fmt.Errorf("reading the drawn lines: %w", err)
	}
	return lines, nil
}
