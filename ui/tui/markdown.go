package tui

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"charm.land/glamour/v2"
	"charm.land/glamour/v2/styles"

	"github.com/hookline-dev/hookline/ui"
	"github.com/hookline-dev/hookline/ui/clean"
)

// markdown draws a text of the agent. Paragraphs that are complete are drawn once, so
// that a text which grows costs no more the longer it is.
func (b *block) markdown(width int, th ui.Theme) []string {
	for n := complete(b.text[b.done:]); n > 0; n = complete(b.text[b.done:]) {
		b.doneLines = append(b.doneLines, renderMarkdown(clean.PlainText(b.text[b.done:b.done+n]), width, th)...)
		b.doneLines = append(b.doneLines, "")
		b.done += n
	}
	open := b.text[b.done:]
	if strings.TrimSpace(open) == "" {
		return b.doneLines[:max(0, len(b.doneLines)-1)]
	}
	return append(b.doneLines[:len(b.doneLines):len(b.doneLines)], renderMarkdown(clean.PlainText(open), width, th)...)
}

// continues is a line that belongs to the list before it.
var continues = regexp.MustCompile(`^(\s|[-*+] |\d+[.)] )`)

// complete is how long the first part of a text of markdown is that what follows cannot
// change any more, 0 when there is none: it ends before a whole line, outside of code, that
// begins something new behind a blank one.
func complete(s string) int {
	fence, blank, at := "", false, 0
	for line := range strings.Lines(s) {
		bare := strings.TrimSpace(line)
		if blank && bare != "" && fence == "" && !continues.MatchString(line) && strings.HasSuffix(line, "\n") {
			return at
		}
		blank = bare == ""
		at += len(line)
		if strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~") {
			switch {
			case fence == "":
				fence = bare[:3]
			case strings.HasPrefix(bare, fence):
				fence = ""
			}
		}
	}
	return 0
}

// rendererKey is what a renderer of markdown is made for.
type rendererKey struct {
	width  int
	colour bool
}

var renderers struct {
	sync.Mutex
	made map[rendererKey]*glamour.TermRenderer
}

// renderMarkdown draws markdown. What cannot be drawn is shown as it is.
func renderMarkdown(s string, width int, th ui.Theme) []string {
	renderers.Lock()
	defer renderers.Unlock()
	key := rendererKey{width, th.Styles != nil}
	r := renderers.made[key]
	if r == nil {
		style := styles.DarkStyleConfig
		if !key.colour {
			style = styles.NoTTYStyleConfig
		}
		none := uint(0)
		style.Document.Margin, style.Document.BlockPrefix, style.Document.BlockSuffix, style.Document.Color = &none, "", "", nil
		style.CodeBlock.Margin = &none
		var err error
		if r, err = glamour.NewTermRenderer(glamour.WithStyles(style), glamour.WithWordWrap(max(1, width))); err != nil {
			return wrap(s, width)
		}
		renderers.made = map[rendererKey]*glamour.TermRenderer{key: r} // of one width at a time
	}
	text, err := r.Render(s)
	if err != nil {
		return wrap(s, width)
	}
	var out []string
	for line := range strings.Lines(text) {
		for _, part := range wrap(strings.TrimSuffix(line, "\n"), width) {
			out = append(out, trimRight(part))
		}
	}
	empty := func(line string) bool { return clean.PlainLine(line) == "" }
	first := slices.IndexFunc(out, func(line string) bool { return !empty(line) })
	if first < 0 {
		return nil
	}
	for empty(out[len(out)-1]) {
		out = out[:len(out)-1]
	}
	return out[first:]
}

// blanks are spaces at the end of a line with the colours around them.
var blanks = regexp.MustCompile(`(?:\x1b\[[0-9;]*m| )+$`)

// trimRight cuts the blanks at the end of a line.
func trimRight(line string) string {
	tail := blanks.FindString(line)
	if tail == "" {
		return line
	}
	line = strings.TrimSuffix(line, tail)
	if strings.Contains(tail, "\x1b") {
		line += "\x1b[0m"
	}
	return line
}
