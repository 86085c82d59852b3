package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui"
	"github.com/hookline-dev/hookline/ui/clean"
)

// blockKind says what a block shows.
type blockKind int

const (
	personBlock blockKind = iota + 1
	agentBlock
	thinkingBlock
	toolBlock
	hookBlock
	noticeBlock
	summaryBlock
	customBlock
	entryBlock // of a module, which alone draws it
)

// block is one part of the conversation. Whoever changes it calls touch.
type block struct {
	kind  blockKind
	text  string
	level ui.Level // of a notice
	label string   // of what is not the person's or the agent's
	// printed says of a hook's block that it is what the hook printed.
	printed bool

	call   *model.Block // of a tool, and what became of it
	result *model.Block
	steps  int // calls of the subagent that it started

	// render, when not nil, has a module draw it; asked is what the module was asked for
	// last, and own what it drew. version counts changes of what it draws.
	render  renderer
	asked   request
	own     ownDrawing
	version int

	drawn *drawing
	// done is how much of markdown is complete, and drawn as doneLines.
	width     int // that doneLines are for, and their theme
	theme     string
	done      int
	doneLines []string
}

// drawing is what a block looked like.
type drawing struct {
	width    int
	expanded bool
	theme    string
	lines    []string
}

func (b *block) touch() { b.drawn = nil }

// changed notes that a module has to draw it anew.
func (b *block) changed() {
	b.version++
	b.touch()
}

// say replaces the text.
func (b *block) say(text string) { b.text, b.done, b.doneLines, b.drawn = text, 0, nil, nil }

// collapsed is how many lines of a tool's output are shown before it is opened.
const collapsed = 5

// form is how blocks are drawn: how wide, opened or not, in which colours.
type form struct {
	width    int
	expanded bool
	theme    ui.Theme
}

// lines draws the block.
func (b *block) lines(as form) []string {
	if d := b.drawn; d != nil && d.width == as.width && d.expanded == as.expanded && d.theme == as.theme.Name {
		return d.lines
	}
	if b.width != as.width || b.theme != as.theme.Name {
		b.width, b.theme = as.width, as.theme.Name
		b.done, b.doneLines = 0, nil
	}
	lines := b.draw(as)
	if len(lines) > 0 {
		lines = append(lines[:len(lines):len(lines)], "")
	}
	b.drawn = &drawing{as.width, as.expanded, as.theme.Name, lines}
	return lines
}

func (b *block) draw(as form) []string {
	width, th := as.width, as.theme
	switch b.kind {
	case personBlock:
		return mark(th.Style("accent", "> "), wrap(clean.PlainText(b.text), width-2))
	case agentBlock:
		return b.markdown(width, th)
	case thinkingBlock:
		switch {
		case as.expanded:
			return styled(th, "thinking", wrap("thinking: "+clean.PlainText(b.text), width))
		case b.label != "":
			return cut([]string{th.Style("thinking", b.label)}, width)
		}
		return []string{th.Style("thinking", clean.Cut("thinking: "+clean.PlainLine(b.text), width))}
	case toolBlock:
		return b.tool(as)
	case hookBlock:
		return styled(th, map[ui.Level]string{ui.Error: "error", ui.Warning: "warning"}[b.level], labelled(b.label, clean.PlainText(b.text), width))
	case summaryBlock:
		if !as.expanded {
			return []string{th.Style("muted", clean.Cut("─ the conversation was compacted; ctrl-o shows the summary", width))}
		}
		return styled(th, "muted", wrap("─ "+clean.PlainText(b.text), width))
	case entryBlock:
		return cut(b.own.rest, width)
	case customBlock:
		if b.own.rest != nil {
			return cut(b.own.rest, width)
		}
		return append([]string{th.Style("muted", clean.Cut("["+clean.PlainLine(b.label)+"]", width))}, wrap(clean.Text(b.text), width)...)
	}
	label := map[ui.Level]string{ui.Error: "error: ", ui.Warning: "warning: "}[b.level]
	return styled(th, string(b.level), wrap(label+clean.Text(b.text), width))
}

// tool draws a call and its result.
func (b *block) tool(as form) []string {
	width, th := as.width, as.theme
	sign, style := "⋯", "muted"
	if b.result != nil {
		if sign, style = "✓", "success"; b.result.IsError {
			sign, style = "✗", "error"
		}
	}
	title := th.Style(style, sign) + " " + th.Style("toolTitle", clean.PlainLine(b.call.Name)) + " " + subject(b.call)
	if b.steps > 0 {
		title += fmt.Sprintf(" (%d calls)", b.steps)
	}
	lines := []string{clean.Cut(title, width)}
	if b.own.call != nil {
		lines = mark(th.Style(style, sign)+" ", cut(b.own.call, width-2))
	}
	if b.own.rest != nil {
		return append(lines, mark("  ", cut(b.own.rest, width-2))...)
	}
	if as.expanded {
		lines = append(lines, styled(th, "muted", wrap("  "+clean.PlainText(b.call.InputText()), width))...)
	}
	if d := change(b.call); d != "" && (b.result == nil || !b.result.IsError) {
		return append(lines, as.short(diffLines(d, width, th))...)
	}
	text := b.text
	if b.result != nil {
		text = b.result.ResultText()
	}
	if text = strings.TrimRight(clean.PlainText(text), "\n "); text == "" {
		return lines
	}
	return append(lines, as.short(styled(th, "toolOutput", mark("  ", wrap(text, width-2))))...)
}

// short cuts lines to a few unless they are opened.
func (as form) short(lines []string) []string {
	if as.expanded || len(lines) <= collapsed {
		return lines
	}
	return append(slices.Clone(lines[:collapsed]), as.theme.Style("muted", fmt.Sprintf("  … %d more, ctrl-o", len(lines)-collapsed)))
}

// subject is the member of a call's input that says most, in one line.
func subject(call *model.Block) string {
	in := hook.RawJSON(call.Input)
	for _, name := range []string{"command", "file_path", "pattern", "path", "url", "query", "description", "prompt", "skill"} {
		if s := in.String(name); s != "" {
			return clean.PlainLine(s)
		}
	}
	return clean.PlainLine(call.InputText())
}

// change is what an edit replaces, as a diff, "" for what is not an edit.
func change(call *model.Block) string {
	in := hook.RawJSON(call.Input)
	if call.Name != "Edit" && call.Name != "Write" {
		return ""
	}
	before, after := in.String("old_string"), in.String("new_string")
	if call.Name == "Write" {
		after = in.String("content")
	}
	diff := udiff.Unified("", "", ended(clean.PlainText(before)), ended(clean.PlainText(after)))
	if _, rest, ok := strings.Cut(diff, "@@\n"); ok {
		return rest
	}
	return ""
}

// ended makes the last line of a text whole.
func ended(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}

// labelled puts a label before a text, which stands below it when the label is long.
func labelled(label, text string, width int) []string {
	if clean.Width(label) > width/3 {
		return append([]string{clean.Cut(label, width)}, mark("  ", wrap(text, width-2))...)
	}
	return mark(label+" ", wrap(text, width-clean.Width(label)-1))
}

// mark puts a sign before the first line, and blanks before the others.
func mark(sign string, lines []string) []string {
	for i, line := range lines {
		if i == 0 {
			lines[i] = sign + line
		} else {
			lines[i] = strings.Repeat(" ", clean.Width(sign)) + line
		}
	}
	return lines
}

// cut cleans lines that somebody else laid out, and cuts them to a width.
func cut(lines []string, width int) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = clean.Cut(clean.Line(line), width)
	}
	return out
}

func styled(th ui.Theme, name string, lines []string) []string {
	for i, line := range lines {
		lines[i] = th.Style(name, line)
	}
	return lines
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
