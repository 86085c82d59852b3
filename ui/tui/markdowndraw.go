package tui

import (
	"bytes"
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
	"github.com/yuin/goldmark/ast"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/hookline-dev/hookline/ui"
	"github.com/hookline-dev/hookline/ui/clean"
)

// drawMarkdown draws markdown, which was cleaned, in lines that fit.
func drawMarkdown(s string, width int, th ui.Theme) []string {
	d := markdown{src: []byte(s), th: th}
	return d.blocks(markdownParser().Parse(gmtext.NewReader(d.src)), max(1, width))
}

// markdown draws what was parsed of src.
type markdown struct {
	src     []byte
	th      ui.Theme
	inTable bool
}

// blocks draws the blocks within a node, apart but in an item of a tight list.
func (d *markdown) blocks(parent ast.Node, width int) []string {
	list, _ := parent.Parent().(*ast.List)
	apart := list == nil || !list.IsTight
	var out []string
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		lines := d.block(n, width)
		if len(lines) > 0 && len(out) > 0 && apart {
			out = append(out, "")
		}
		out = append(out, lines...)
	}
	return out
}

func (d *markdown) block(n ast.Node, width int) []string {
	switch n := n.(type) {
	case *ast.Heading:
		return d.wrap(d.th.Paint(strings.Repeat("#", n.Level)+" ", "mdHeading")+d.inlines(n, "mdHeading"), width)
	case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock:
		return d.wrap(d.th.Paint(d.raw(n), "mdCodeBlock"), width)
	case *ast.Blockquote:
		return d.within(d.th.Paint("│ ", "mdQuoteBorder"), d.th.Paint("│ ", "mdQuoteBorder"), n, width)
	case *ast.List:
		return d.list(n, width)
	case *ast.ThematicBreak:
		return []string{d.th.Paint(strings.Repeat("─", width), "mdHr")}
	case *tableNode:
		return d.table(n, width)
	}
	return d.wrap(d.inlines(n), width)
}

// list draws the items of a list, each behind its mark.
func (d *markdown) list(l *ast.List, width int) []string {
	var out []string
	for n, item := l.Start, l.FirstChild(); item != nil; n, item = n+1, item.NextSibling() {
		mark := "• "
		if l.IsOrdered() {
			mark = fmt.Sprintf("%d. ", n)
		}
		if !l.IsTight && len(out) > 0 {
			out = append(out, "")
		}
		lines := d.within(d.th.Paint(mark, "mdListBullet"), strings.Repeat(" ", len([]rune(mark))), item, width)
		if len(lines) == 0 {
			lines = []string{d.th.Paint(mark, "mdListBullet")}
		}
		out = append(out, lines...)
	}
	return out
}

// within draws the blocks of a node behind a mark; their lines but the first get rest.
func (d *markdown) within(mark, rest string, n ast.Node, width int) []string {
	room := width - clean.Width(rest)
	if room < 8 { // too deep for the screen: as if it were not within anything
		return d.blocks(n, width)
	}
	lines := d.blocks(n, room)
	for i := range lines {
		lines[i] = mark + lines[i]
		mark = rest
	}
	return lines
}

// table draws a table, no wider than the screen.
func (d *markdown) table(n ast.Node, width int) []string {
	d.inTable = true
	defer func() { d.inTable = false }()
	t := table.New().Border(lipgloss.NormalBorder()).BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).
		BorderStyle(lipgloss.NewStyle()).Wrap(true)
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, d.inlines(cell))
		}
		if row == n.FirstChild() {
			t.Headers(cells...)
		} else {
			t.Row(cells...)
		}
	}
	s := t.Render()
	if lipgloss.Width(s) > width {
		s = t.Width(width).Render()
	}
	return d.wrap(s, width)
}

// inlines draws what stands in a block, in the given colours.
func (d *markdown) inlines(parent ast.Node, styles ...string) string {
	var b strings.Builder
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		b.WriteString(d.inline(n, styles))
	}
	return b.String()
}

func (d *markdown) inline(n ast.Node, styles []string) string {
	with := func(name string) []string { return append(styles[:len(styles):len(styles)], name) }
	around := func(mark, name string) string {
		if d.th.Styles != nil {
			mark = ""
		}
		return mark + d.inlines(n, with(name)...) + mark
	}
	switch n := n.(type) {
	case *ast.Text:
		end := ""
		if n.HardLineBreak() {
			end = "\n"
		} else if n.SoftLineBreak() {
			end = " "
		}
		return d.th.Paint(d.text(n), styles...) + end
	case *ast.CodeSpan:
		return around("`", "mdCode")
	case *ast.Emphasis:
		if n.Level == 1 {
			return around("*", "italic")
		}
		return around("**", "bold")
	case *strikeNode:
		return around("~~", "strikethrough")
	case *ast.AutoLink:
		return d.th.Paint(clean.PlainLine(string(n.URL(d.src))), with("mdLink")...)
	case *ast.Link:
		return d.link(d.inlines(n, with("mdLink")...), n.Destination)
	case *ast.Image:
		return d.link("[image: "+d.inlines(n, styles...)+"]", n.Destination)
	case *ast.RawHTML:
		return d.th.Paint(clean.PlainLine(string(n.Segments.Value(d.src))), styles...)
	}
	return d.inlines(n, styles...)
}

// text is what a text says: all of it in code, but for the backslash before a bar in a table.
func (d *markdown) text(n *ast.Text) string {
	switch {
	case !n.IsRaw():
		return unescape(n.Value(d.src))
	case d.inTable:
		return clean.PlainLine(strings.ReplaceAll(string(n.Value(d.src)), `\|`, "|"))
	}
	return clean.PlainLine(string(n.Value(d.src)))
}

// link is a text with where it leads to, which the text may say already.
func (d *markdown) link(shown string, to []byte) string {
	if url := unescape(to); url != clean.PlainLine(shown) {
		return shown + d.th.Paint(" ("+url+")", "mdLinkUrl")
	}
	return shown
}

// raw is the text of a block as it was written.
func (d *markdown) raw(n ast.Node) string {
	var b strings.Builder
	for _, line := range n.Lines().Sliced(0, n.Lines().Len()) {
		b.Write(line.Value(d.src))
	}
	if h, ok := n.(*ast.HTMLBlock); ok && h.HasClosure() {
		b.Write(h.ClosureLine.Value(d.src))
	}
	return strings.TrimRight(b.String(), "\n")
}

// unescape is text without markdown's backslashes and HTML's entities. What those spell is
// cleaned as all text is.
func unescape(s []byte) string {
	var out []byte
	for {
		plain, rest, escape := bytes.Cut(s, []byte(`\`))
		out = append(out, decodeEntities(plain)...)
		if !escape {
			return clean.PlainLine(string(out))
		}
		s = rest
		if len(s) > 0 && util.IsPunct(s[0]) {
			out, s = append(out, s[0]), s[1:]
		} else {
			out = append(out, '\\')
		}
	}
}

// decodeEntities is text without HTML's entities, each read once: what one spells is not read
// as another.
func decodeEntities(s []byte) []byte {
	parts := bytes.Split(s, []byte("&"))
	for i, part := range parts[1:] {
		entity := append([]byte("&"), part...)
		decoded := util.ResolveNumericReferences(entity)
		if bytes.Equal(decoded, entity) {
			decoded = util.ResolveEntityNames(entity)
		}
		parts[i+1] = decoded
	}
	return bytes.Join(parts, nil)
}

// wrap breaks what was drawn into lines that fit, each with its own colours.
func (d *markdown) wrap(s string, width int) []string {
	if s == "" {
		return nil
	}
	lines := folded(strings.ReplaceAll(s, "\t", "    "), width, lipgloss.Wrap)
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}
