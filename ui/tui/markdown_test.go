package tui

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/ui"
)

// TestMarkdownIsDrawn holds what each element of markdown looks like, with and without
// colour.
func TestMarkdownIsDrawn(t *testing.T) {
	const source = "# A *title*\n\nSome **bold**, ~~old~~ and `code`\nof [it](http://a/b) <http://c> &amp; \\* &#38;lt; &amp;#62;.\n\n" +
		"- one\n- [x] two\n  1. deep\n\n> said\n> so\n\n```go\nx := 1\n\n\ty()\n```\n\n| a | b |\n|---|---|\n| 1 | &lt;2 |\n\n---\n" +
		"<b>html</b>\n\n![pic](p.png)\n\nesc &#27;[31m and &#8238;\n"
	want := []string{
		"# A *title*", "",
		"Some **bold**, ~~old~~ and `code` of it (http://a/b)", "http://c & * &lt; &#62;.", "",
		"• one", "• [x] two", "  1. deep", "",
		"│ said so", "",
		"x := 1", "", "    y()", "",
		"a│b ", "─┼──", "1│<2", "",
		strings.Repeat("─", 54), "",
		"<b>html</b>", "",
		"[image: pic] (p.png)", "",
		"esc [31m and",
	}
	got := drawMarkdown(source, 54, ui.DefaultTheme().Plain())
	trim := func(lines []string) (out []string) {
		for _, line := range lines {
			out = append(out, strings.TrimRight(line, " "))
		}
		return out
	}
	if !slices.Equal(trim(got), trim(want)) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	sgr := regexp.MustCompile(`\x1b\[[0-9;]*m`)
	plain := drawMarkdown(source, 54, ui.DefaultTheme())
	if !slices.ContainsFunc(plain, sgr.MatchString) {
		t.Error("no colours")
	}
	for i := range plain {
		plain[i] = sgr.ReplaceAllString(plain[i], "")
	}
	marks := regexp.MustCompile("\\*\\*|~~|`|\\*(title)\\*")
	for i := range got {
		got[i] = marks.ReplaceAllString(got[i], "$1")
	}
	words := func(lines []string) []string { return strings.Fields(strings.Join(lines, " ")) }
	if !slices.Equal(words(plain), words(got)) {
		t.Errorf("in colour:\n%s\nwithout:\n%s", strings.Join(plain, "\n"), strings.Join(got, "\n"))
	}
}

// TestTablesAndStruckTextAreDrawn holds what is a table and what is struck through, and that
// all else stays as it was written.
func TestTablesAndStruckTextAreDrawn(t *testing.T) {
	for source, want := range map[string]string{
		"a | b\n:-|-:\n1 | 2":                         "a│b\n─┼─\n1│2",
		"| a |\n|---|\n|":                             "a\n─\n",
		"so:\n| a | b |\n|---|---|\n| 1 | 2 |":        "so:\n\na│b\n─┼─\n1│2",
		"- | a | b |\n  |---|---|\n  | 1 | **2** |":   "• a│b\n  ─┼─────\n  1│**2**",
		"> | a | b |\n> |---|---|\n> | 1 | 2 |":       "│ a│b\n│ ─┼─\n│ 1│2",
		"| a | b |\n|---|---|\n| 1 | 2 | 3 |\n| 4 |":  "a│b\n─┼─\n1│2\n4│",
		"| a \\| b | `c\\|d` |\n|--|--|\n| e | f \\|": "a | b│`c|d`\n─────┼─────\ne    │f |",
		"| a | b |\n|---|\n| 1 | 2 |":                 "| a | b | |---| | 1 | 2 |",
		"| a | b |\n|---|-x-|":                        "| a | b | |---|-x-|",
		"| a | b |\n|:|-|":                            "| a | b | |:|-|",
		"a\n    ---":                                  "a ---",
		"~a~ ~~b *c*~~ a~~b~~c":                       "~~a~~ ~~b *c*~~ a~~b~~c",
		"~~a~ ~b~~ ~~~c~~~ ~~ d ~~ \\~~e~~":           "~~a~ ~b~~ ~~~c~~~ ~~ d ~~ ~~e~~",
		"~~two\nlines~~":                              "~~two lines~~",
		"- [ ] a\n- [x] b":                            "• [ ] a\n• [x] b",
		"http://a/b_c_d?x=1&copy=2 &copy;":            "http://a/b_c_d?x=1&copy=2 ©",
		"`\\*a &lt;` \\&lt; \\a":                      "`\\*a &lt;` &lt; \\a",
	} {
		got := drawMarkdown(source, 54, ui.DefaultTheme().Plain())
		for i := range got {
			got[i] = strings.TrimRight(got[i], " ")
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("%q is drawn as\n%s\nnot as\n%s", source, strings.Join(got, "\n"), want)
		}
	}
}
