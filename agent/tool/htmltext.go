package tool

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// htmlText turns a page into text that keeps headings, lists, links and
// preformatted parts.
func htmlText(r io.Reader, base *url.URL) (string, error) {
	z := html.NewTokenizer(r)
	z.SetMaxBuf(fetchMax)
	w := textWriter{base: base}
	for {
		switch z.Next() {
		case html.ErrorToken:
			if err := z.Err(); !errors.Is(err, io.EOF) {
				return "", fmt.Errorf("reading the page: %w", err)
			}
			return strings.TrimSpace(w.b.String()), nil
		case html.TextToken:
			w.text(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			w.start(z.Token())
		case html.EndTagToken:
			name, _ := z.TagName()
			w.end(atom.Lookup(name))
		}
	}
}

// textWriter collects text. Blanks are collapsed outside of pre.
type textWriter struct {
	b      strings.Builder
	base   *url.URL
	skip   atom.Atom // the element whose content is left out
	depth  int       // how many of that kind are open
	pre    int
	lists  []int // the number of the next item of each open list, 0 in one without numbers
	links  []string
	space  bool // a blank is due
	breaks int  // how many newlines end the text
}

func (w *textWriter) text(s string) {
	if w.skip != 0 {
		return
	}
	if w.pre > 0 {
		w.write(s)
		return
	}
	for word := range strings.FieldsSeq(s) {
		if w.space || s[0] <= ' ' {
			w.blank()
		}
		w.write(word)
		w.space = true
	}
	if s != "" {
		w.space = s[len(s)-1] <= ' ' || w.space && strings.TrimSpace(s) == ""
	}
}

// blank separates words, but does not begin a line.
func (w *textWriter) blank() {
	if w.breaks == 0 && w.b.Len() > 0 {
		w.b.WriteByte(' ')
	}
	w.space = false
}

func (w *textWriter) write(s string) {
	if s == "" {
		return
	}
	w.b.WriteString(s)
	w.breaks = len(s) - len(strings.TrimRight(s, "\n"))
	w.space = false
}

// newline makes the text end in at least n newlines.
func (w *textWriter) newline(n int) {
	w.space = false
	for w.b.Len() > 0 && w.breaks < n {
		w.b.WriteByte('\n')
		w.breaks++
	}
}

func (w *textWriter) start(t html.Token) {
	if w.skip != 0 {
		if t.DataAtom == w.skip && t.Type == html.StartTagToken {
			w.depth++
		}
		return
	}
	switch t.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Svg, atom.Template, atom.Iframe:
		if t.Type == html.StartTagToken {
			w.skip, w.depth = t.DataAtom, 1
		}
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.newline(2)
		w.write(strings.Repeat("#", int(t.Data[1]-'0')) + " ")
	case atom.Title:
		w.newline(2)
	case atom.P, atom.Blockquote, atom.Table, atom.Dl, atom.Figure:
		w.newline(2)
	case atom.Pre:
		w.newline(2)
		w.write("```\n")
		w.pre++
	case atom.Ul:
		w.list(0)
	case atom.Ol:
		w.list(1)
	case atom.Li:
		w.item()
	case atom.Br:
		w.newline(w.breaks + 1)
	case atom.Hr:
		w.newline(2)
		w.write("---")
		w.newline(2)
	case atom.A:
		w.link(t)
	case atom.Img:
		if alt := attr(t, "alt"); alt != "" {
			w.text(" [" + alt + "] ")
		}
	case atom.Td, atom.Th:
		if w.breaks == 0 && w.b.Len() > 0 {
			w.write(" | ")
		}
	default:
		if isBlock(t.DataAtom) {
			w.newline(1)
		}
	}
}

func (w *textWriter) end(a atom.Atom) {
	if w.skip != 0 {
		if a == w.skip {
			if w.depth--; w.depth == 0 {
				w.skip = 0
			}
		}
		return
	}
	switch a {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.P, atom.Title, atom.Table, atom.Blockquote:
		w.newline(2)
	case atom.Pre:
		if w.pre > 0 {
			w.pre--
			w.newline(1)
			w.write("```")
			w.newline(2)
		}
	case atom.Ul, atom.Ol:
		if n := len(w.lists); n > 0 {
			w.lists = w.lists[:n-1]
		}
		w.newline(1)
	case atom.A:
		w.endLink()
	default:
		if isBlock(a) {
			w.newline(1)
		}
	}
}

func (w *textWriter) list(first int) {
	w.newline(1)
	w.lists = append(w.lists, first)
}

func (w *textWriter) item() {
	w.newline(1)
	n := len(w.lists)
	if n == 0 {
		w.write("- ")
		return
	}
	mark := "- "
	if num := w.lists[n-1]; num > 0 {
		mark = fmt.Sprintf("%d. ", num)
		w.lists[n-1]++
	}
	w.write(strings.Repeat("  ", min(n-1, 10)) + mark)
}

func (w *textWriter) link(t html.Token) {
	target := ""
	if u, err := w.base.Parse(attr(t, "href")); err == nil && (u.Scheme == "http" || u.Scheme == "https") && !strings.HasPrefix(attr(t, "href"), "#") {
		target = u.String()
	}
	if attr(t, "href") == "" {
		target = ""
	}
	w.links = append(w.links, target)
	if target != "" {
		if w.space {
			w.blank()
		}
		w.write("[")
	}
}

func (w *textWriter) endLink() {
	n := len(w.links)
	if n == 0 {
		return
	}
	target := w.links[n-1]
	w.links = w.links[:n-1]
	if target != "" {
		w.write("](" + target + ")")
	}
}

func attr(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}

func isBlock(a atom.Atom) bool {
	switch a {
	case atom.Div, atom.Section, atom.Article, atom.Header, atom.Footer, atom.Main, atom.Nav, atom.Aside,
		atom.Tr, atom.Dt, atom.Dd, atom.Li, atom.Form, atom.Fieldset, atom.Figcaption, atom.Body, atom.Head, atom.Option:
		return true
	}
	return false
}
