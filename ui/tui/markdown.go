package tui

import (
	"strings"

	"github.com/hookline-dev/hookline/internal/lazyregexp"
	"github.com/hookline-dev/hookline/ui"
	"github.com/hookline-dev/hookline/ui/clean"
)

// markdown draws a text of the agent. Paragraphs that are complete are drawn once, so
// that a text which grows costs no more the longer it is.
func (b *block) markdown(width int, th ui.Theme) []string {
	for n := complete(b.text[b.done:]); n > 0; n = complete(b.text[b.done:]) {
		b.doneLines = append(b.doneLines, drawMarkdown(clean.PlainText(b.text[b.done:b.done+n]), width, th)...)
		b.doneLines = append(b.doneLines, "")
		b.done += n
	}
	open := b.text[b.done:]
	if strings.TrimSpace(open) == "" {
		return b.doneLines[:max(0, len(b.doneLines)-1)]
	}
	return append(b.doneLines[:len(b.doneLines):len(b.doneLines)], drawMarkdown(clean.PlainText(open), width, th)...)
}

// continues is a line that belongs to the list before it.
var continues = lazyregexp.New(`^(\s|[-*+] |\d+[.)] )`)

// complete is how long the first part of a text of markdown is that what follows cannot
// change any more, 0 when there is none: it ends before a whole line, outside of code, that
// begins something new behind a blank one.
func complete(s string) int {
	fence, blank, at := "", false, 0
	for line := range strings.Lines(s) {
		bare := strings.TrimSpace(line)
		if blank && bare != "" && fence == "" && !continues.Get().MatchString(line) && strings.HasSuffix(line, "\n") {
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
