package tui

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

// renderer asks a module to draw a block, beside the screen; until it has answered, and
// where it fails, the block is shown as text.
type renderer func(ctx context.Context, b block, want request) (ownDrawing, error)

// request is what a module was asked for.
type request struct {
	width    int
	expanded bool
	theme    string
	version  int
}

// ownDrawing is what a module drew: a message, or the parts of a call, each of which is
// nil when it leaves that to the screen.
type ownDrawing struct{ call, rest []string }

// ask has the block drawn by its module, when that draws it and has not been asked yet.
func (m *screen) ask(b *block, want request) {
	if b.render == nil || b.asked == want {
		return
	}
	b.asked = want
	render, a, now := b.render, m.a, *b
	m.spawn(func(ctx context.Context) {
		own, err := render(ctx, now, want)
		if ctx.Err() != nil {
			return
		}
		a.post(func(m *screen) {
			switch {
			case err != nil:
				b.render, b.own = nil, ownDrawing{}
				m.notice(fmt.Sprintf("The module cannot draw its part of the conversation: %v", err), ui.Warning)
			case b.asked == want:
				b.own = own
			}
			b.touch()
		})
	})
}

// messageRenderer is how a module draws a message of its own kind, nil where none does.
func (m *screen) messageRenderer(ev agent.Event) renderer {
	for _, mod := range m.modules() {
		if !slices.Contains(mod.Info().Renderers, ev.CustomType) {
			continue
		}
		return func(ctx context.Context, _ block, want request) (ownDrawing, error) {
			message, err := json.Marshal(map[string]any{
				"role": "custom", "customType": ev.CustomType, "content": ev.Text, "display": true, "details": ev.Details,
			}, jsontext.AllowInvalidUTF8(true))
			if err != nil {
				return ownDrawing{}, fmt.Errorf("encode the message %s: %w", ev.CustomType, err)
			}
			lines, err := mod.Render(ctx, ev.CustomType, message, want.expanded, want.width)
			return ownDrawing{rest: lines}, err
		}
	}
	return nil
}

// entry shows an entry that a module draws, and no other.
func (m *screen) entry(e session.Entry) {
	for _, mod := range m.modules() {
		if !slices.Contains(mod.Info().EntryRenderers, e.CustomType) {
			continue
		}
		m.entries[e.ID] = true
		m.add(&block{kind: entryBlock, render: func(ctx context.Context, _ block, want request) (ownDrawing, error) {
			text, err := json.Marshal(e, jsontext.AllowInvalidUTF8(true))
			if err != nil {
				return ownDrawing{}, fmt.Errorf("encode the entry %s: %w", e.CustomType, err)
			}
			lines, err := mod.RenderEntry(ctx, e.CustomType, text, want.expanded, want.width)
			return ownDrawing{rest: lines}, err
		}})
		return
	}
}

// toolRenderer is how a tool draws a call of it, nil where it does not.
func (m *screen) toolRenderer(call *model.Block) renderer {
	if m.s == nil {
		return nil
	}
	for _, t := range m.s.Loop.AllTools() {
		d, draws := t.(tool.Drawn)
		if t.Name() != call.Name || !draws || !d.Draws() {
			continue
		}
		return func(ctx context.Context, b block, want request) (ownDrawing, error) {
			c, r, err := d.Draw(ctx, tool.Drawing{Call: b.call, Result: b.result, Progress: b.text, Width: want.width, Expanded: want.expanded})
			return ownDrawing{c, r}, err
		}
	}
	return nil
}

var _ script.Screen = (*App)(nil)
