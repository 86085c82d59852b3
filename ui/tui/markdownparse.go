package tui

import (
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdownParser is the parser, made when there is something to draw: goldmark's own, and
// what models write beside it: tables and struck text.
var markdownParser = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithInlineParsers(util.Prioritized(strikeParser{}, 500)),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		parser.WithParagraphTransformers(util.Prioritized(tableParser{}, 200)),
	)
})

var (
	kindTable  = ast.NewNodeKind("Table")
	kindStrike = ast.NewNodeKind("Strike")
)

// tableNode is a table: its children are rows, the first one is the head; theirs are cells.
type tableNode struct{ ast.BaseBlock }

func (*tableNode) Kind() ast.NodeKind           { return kindTable }
func (n *tableNode) Dump(src []byte, level int) { ast.DumpHelper(n, src, level, nil, nil) }

// strikeNode is text that is struck through.
type strikeNode struct{ ast.BaseInline }

func (*strikeNode) Kind() ast.NodeKind           { return kindStrike }
func (n *strikeNode) Dump(src []byte, level int) { ast.DumpHelper(n, src, level, nil, nil) }

// strikeParser finds the tildes, one or two, before and behind text that is struck through.
type strikeParser struct{}

func (strikeParser) Trigger() []byte         { return []byte{'~'} }
func (strikeParser) IsDelimiter(b byte) bool { return b == '~' }
func (strikeParser) OnMatch(int) ast.Node    { return &strikeNode{} }

func (strikeParser) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char && opener.OriginalLength == closer.OriginalLength
}

func (p strikeParser) Parse(_ ast.Node, block gmtext.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	d := parser.ScanDelimiter(line, before, 1, p)
	if d == nil || d.OriginalLength > 2 || before == '~' {
		return nil
	}
	d.Segment = segment.WithStop(segment.Start + d.OriginalLength)
	block.Advance(d.OriginalLength)
	pc.PushDelimiter(d)
	return d
}

// tableParser makes a table of the end of a paragraph: a head, a line of dashes with as many
// cells, and rows.
type tableParser struct{}

func (tableParser) Transform(p *ast.Paragraph, r gmtext.Reader, _ parser.Context) {
	lines, src := p.Lines(), r.Source()
	for i := 1; i < lines.Len(); i++ {
		head, columns := cells(lines.At(i-1), src), columns(lines.At(i), src)
		if len(head) != columns {
			continue
		}
		table := &tableNode{}
		table.AppendChild(table, tableRow(head, columns))
		for _, line := range lines.Sliced(i+1, lines.Len()) {
			table.AppendChild(table, tableRow(cells(line, src), columns))
		}
		p.Parent().InsertAfter(p.Parent(), p, table)
		if i == 1 {
			p.Parent().RemoveChild(p.Parent(), p)
			return
		}
		lines.SetSliced(0, i-1)
		last := lines.At(i - 2)
		lines.Set(i-2, last.TrimRightSpace(src))
		return
	}
}

// cells is what stands between the bars of a line, but for those behind a backslash.
func cells(line gmtext.Segment, src []byte) []gmtext.Segment {
	line = line.TrimLeftSpace(src)
	line = line.TrimRightSpace(src)
	bar := func(i int) bool { return src[i] == '|' && (i == line.Start || src[i-1] != '\\') }
	start, stop := line.Start, line.Stop
	if start < stop && bar(start) {
		start++
	}
	if start < stop && bar(stop-1) {
		stop--
	}
	var out []gmtext.Segment
	for i := start; i <= stop; i++ {
		if i == stop || bar(i) {
			cell := gmtext.NewSegment(start, i)
			cell = cell.TrimLeftSpace(src)
			out = append(out, cell.TrimRightSpace(src))
			start = i + 1
		}
	}
	return out
}

// columns is how many the line below a head has: dashes, with a colon at either end for how
// they are aligned, which is not drawn. Another line has none.
func columns(line gmtext.Segment, src []byte) int {
	if indent, _ := util.IndentWidth(line.Value(src), 0); indent > 3 {
		return 0
	}
	all := cells(line, src)
	for _, c := range all {
		dashes := strings.TrimSuffix(strings.TrimPrefix(string(c.Value(src)), ":"), ":")
		if dashes == "" || strings.Trim(dashes, "-") != "" {
			return 0
		}
	}
	return len(all)
}

// tableRow is a row of n cells.
func tableRow(cells []gmtext.Segment, n int) ast.Node {
	row := ast.NewTextBlock()
	for i := range n {
		cell := ast.NewTextBlock()
		if i < len(cells) && !cells[i].IsEmpty() {
			cell.Lines().Append(cells[i])
		}
		row.AppendChild(row, cell)
	}
	return row
}
