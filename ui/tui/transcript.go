package tui

import (
	"slices"

	"github.com/hookline-dev/hookline/ui"
)

// transcript is the conversation. What is shown ends skip lines above the end of the
// block at; the lower edge of the whole is followed while that is the last line.
type transcript struct {
	theme    func() ui.Theme
	ask      func(b *block, want request) // has a module draw what it draws
	blocks   []*block
	at, skip int
	expanded bool
	fresh    int      // blocks that came while the person looked at older ones
	cached   []*block // those with drawings, the oldest first
}

// keptDrawings is how many drawings are kept of what is out of sight.
const keptDrawings = 200

// add appends a block.
func (t *transcript) add(b *block) *block {
	following := t.following()
	t.blocks = append(t.blocks, b)
	if following {
		t.follow()
	} else {
		t.fresh++
	}
	return b
}

// remove takes blocks away.
func (t *transcript) remove(gone func(*block) bool) {
	following := t.following()
	t.blocks = slices.DeleteFunc(t.blocks, gone)
	if t.at >= len(t.blocks) || following {
		t.follow()
	}
}

func (t *transcript) following() bool { return t.at >= len(t.blocks)-1 && t.skip == 0 }

// follow shows the end.
func (t *transcript) follow() { t.at, t.skip, t.fresh = max(0, len(t.blocks)-1), 0, 0 }

func (t *transcript) lines(i, width int) []string {
	b := t.blocks[i]
	if b.drawn == nil {
		t.cached = append(t.cached, b)
	}
	th := t.theme()
	if b.render != nil {
		t.ask(b, request{width, t.expanded, th.Name, b.version})
	}
	return b.lines(form{width, t.expanded, th})
}

// scroll moves by lines, up when n is positive.
func (t *transcript) scroll(n, width, height int) {
	if len(t.blocks) == 0 {
		return
	}
	t.skip += n
	for t.skip < 0 {
		if t.at++; t.at >= len(t.blocks) {
			t.follow()
			return
		}
		t.skip += len(t.lines(t.at, width))
	}
	for t.at > 0 && t.skip >= len(t.lines(t.at, width)) {
		t.skip -= len(t.lines(t.at, width))
		t.at--
	}
	above := -t.skip // lines from the top to the lower edge, as far as they matter
	for i := t.at; i >= 0 && above < height; i-- {
		above += len(t.lines(i, width))
	}
	if missing := height - above; missing > 0 && n > 0 {
		t.scroll(-missing, width, height)
	}
	if t.following() {
		t.fresh = 0
	}
}

// window returns the lines that are shown, at most height. Only the blocks in sight are
// drawn.
func (t *transcript) window(width, height int) []string {
	if len(t.blocks) == 0 || height <= 0 {
		return nil
	}
	t.at = min(t.at, len(t.blocks)-1)
	var parts [][]string
	count := 0
	for i := t.at; i >= 0 && count < height; i-- {
		lines := t.lines(i, width)
		if i == t.at {
			t.skip = min(t.skip, max(0, len(lines)-1))
			lines = lines[:len(lines)-t.skip]
		}
		parts = append(parts, lines)
		count += len(lines)
	}
	slices.Reverse(parts)
	out := slices.Concat(parts...)
	t.forget()
	return out[max(0, len(out)-height):]
}

// forget drops the oldest drawings.
func (t *transcript) forget() {
	if len(t.cached) <= 2*keptDrawings {
		return
	}
	old := t.cached[:len(t.cached)-keptDrawings]
	for _, b := range old {
		if !slices.Contains(t.cached[len(old):], b) {
			b.drawn, b.done, b.doneLines = nil, 0, nil
		}
	}
	t.cached = slices.Clone(t.cached[len(old):])
}
