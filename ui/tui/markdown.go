package tui

import (
	"regexp"
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
	if b.parts == nil {
		b.parts = map[string][]string{}
	}
	var out []string
	parts := paragraphs(clean.PlainText(b.text))
	for i, part := range parts {
		lines, ok := b.parts[part]
		if !ok {
			lines = renderMarkdown(part, width, th)
			if i < len(parts)-1 {
				b.parts[part] = lines
			}
		}
		if i > 0 {
			out = append(out, "")
		}
		out = append(out, lines...)
	}
	return out
}

// continues is a line that belongs to the list before it.
var continues = regexp.MustCompile(`^(\s|[-*+] |\d+[.)] )`)

// paragraphs splits a text of markdown at blank lines where what follows does not depend
// on what was before.
func paragraphs(s string) []string {
	var out []string
	var part []string
	fence, blank := "", false
	for _, line := range strings.Split(s, "\n") {
		bare := strings.TrimSpace(line)
		if blank && bare != "" && fence == "" && !continues.MatchString(line) {
			out, part = append(out, strings.TrimRight(strings.Join(part, "\n"), "\n")), nil
		}
		blank = bare == ""
		part = append(part, line)
		if len(bare) >= 3 && (strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~")) {
			switch {
			case fence == "":
				fence = bare[:3]
			case strings.HasPrefix(bare, fence):
				fence = ""
			}
		}
	}
	if last := strings.TrimRight(strings.Join(part, "\n"), "\n"); strings.TrimSpace(last) != "" {
		out = append(out, last)
	}
	return out
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
	for _, line := range strings.Split(strings.Trim(text, "\n"), "\n") {
		for _, part := range wrap(line, width) {
			out = append(out, trimRight(part))
		}
	}
	return out
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
