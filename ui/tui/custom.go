package tui

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/ui"
)

// ShowCustom shows what a module draws until it is done, ctx ends or the person presses
// Ctrl-C twice: at the lower edge, or over the screen. It has all keys meanwhile, an overlay
// those that it takes.
func (a *App) ShowCustom(ctx context.Context, c script.Component) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	v := &custom{now: a.cfg.Now, work: make(chan struct{}, 1)}
	failed := make(chan error, 1)
	go func() {
		defer close(failed)
		defer a.recovered()
		if err := v.serve(ctx, c, func() { a.post(func(*screen) {}) }); err != nil {
			failed <- err
			cancel()
		}
	}()
	show := a.show
	if c.Overlay() {
		show = a.lay
	}
	err := show(ctx, &question{dialog: v})
	cancel()
	if fault := <-failed; fault != nil {
		return fault
	}
	return err
}

// custom is a dialog that a module draws. The module is called by serve alone; the screen
// shows what it drew last.
type custom struct {
	now   func() time.Time
	work  chan struct{} // there is input, or another size
	endAt time.Time     // of the first Ctrl-C; only the screen uses it
	front int           // of the drawing when it was last brought forward; likewise

	mu            sync.Mutex // guards what follows
	width, height int
	drawn         script.Drawing
	keys          []string
}

// serve calls the module for as long as ctx lasts: with what was typed, and to be drawn.
func (v *custom) serve(ctx context.Context, c script.Component, show func()) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-v.work:
		case <-c.Changed():
		}
		v.mu.Lock()
		width, height, keys := v.width, v.height, v.keys
		v.keys = nil
		v.mu.Unlock()
		for _, data := range keys {
			if err := c.Input(ctx, data); err != nil {
				return customFault(ctx, err)
			}
		}
		if width == 0 || ctx.Err() != nil {
			continue
		}
		d, err := c.Render(ctx, width, height)
		if err != nil {
			return customFault(ctx, err)
		}
		v.mu.Lock()
		v.drawn = d
		v.mu.Unlock()
		show()
	}
}

// customFault is why a module could not be shown; that it was done meanwhile is not a fault.
func customFault(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, context.Canceled) {
		return nil
	}
	return fmt.Errorf("show what the module draws: %w", err)
}

func (v *custom) rank() int { return 3 }

func (v *custom) draw(width, height int, _ ui.Theme) ([]string, *tea.Cursor) {
	lines := v.look(width, height).Lines
	return cut(lines[:min(len(lines), height)], width), nil
}

// look is what the module drew last; it is asked to draw anew for another size.
func (v *custom) look(width, height int) script.Drawing {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.width != width || v.height != height {
		v.width, v.height = width, height
		v.wake()
	}
	return v.drawn
}

// wake makes serve look.
func (v *custom) wake() {
	select {
	case v.work <- struct{}{}:
	default:
	}
}

func (v *custom) key(k tea.KeyPressMsg) bool {
	if k.String() == "ctrl+c" {
		if now := v.now(); !v.endAt.IsZero() && now.Sub(v.endAt) < endWait {
			return true
		}
		v.endAt = v.now()
	}
	v.typed(keyData(k))
	return false
}

func (v *custom) paste(p tea.PasteMsg) { v.typed("\x1b[200~" + p.Content + "\x1b[201~") }

func (v *custom) typed(data string) {
	if data == "" {
		return
	}
	v.mu.Lock()
	v.keys = append(v.keys, data)
	v.mu.Unlock()
	v.wake()
}

// sequences are what terminals send for keys without a character.
var sequences = map[string]string{
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
	"insert": "\x1b[2~", "delete": "\x1b[3~", "pgup": "\x1b[5~", "pgdown": "\x1b[6~",
	"enter": "\r", "tab": "\t", "shift+tab": "\x1b[Z", "backspace": "\x7f", "esc": "\x1b",
	"ctrl+up": "\x1b[1;5A", "ctrl+down": "\x1b[1;5B", "ctrl+right": "\x1b[1;5C", "ctrl+left": "\x1b[1;5D",
	"shift+up": "\x1b[1;2A", "shift+down": "\x1b[1;2B", "shift+right": "\x1b[1;2C", "shift+left": "\x1b[1;2D",
	"f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS", "f5": "\x1b[15~", "f6": "\x1b[17~",
	"f7": "\x1b[18~", "f8": "\x1b[19~", "f9": "\x1b[20~", "f10": "\x1b[21~", "f11": "\x1b[23~", "f12": "\x1b[24~",
}

// keyData is a key as a terminal sends it, which modules read; "" for none.
func keyData(k tea.KeyPressMsg) string {
	if data, ok := sequences[k.String()]; ok {
		return data
	}
	switch {
	case k.Text != "":
		return k.Text
	case k.Mod == tea.ModCtrl && k.Code >= '@' && k.Code < 0x80:
		return string(k.Code & 0x1f)
	case k.Mod == tea.ModAlt && k.Code < 0x80:
		return "\x1b" + string(k.Code)
	}
	return ""
}
