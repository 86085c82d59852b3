package capabilities

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/hookline-dev/hookline/internal/reference"
)

// mostWords is how many words that a person wrote a page of docs/ may have.
const mostWords = 1500

// longer are pages that have more, and how many: they may become shorter only.
var longer = map[string]int{"docs/dialects/claude.md": 2083, "docs/dialects/pi.md": 2212}

// Made from the code, or held to it by a test, are blocks between marks and the screens of
// docs/chat.md.
var generatedBlocks = regexp.MustCompile("(?s)<!-- schema begins -->.*?<!-- schema ends -->|<!-- declared begins -->.*?<!-- declared ends -->|<!-- screen: \\S+ -->\n```text\n.*?\n```")

// handWritten counts the words of a text that a person wrote. A word has a letter or a digit:
// the frames of tables are none.
func handWritten(text string) int {
	n := 0
	for _, w := range strings.Fields(generatedBlocks.ReplaceAllString(text, "")) {
		if strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}

func TestPagesAreNotLong(t *testing.T) {
	generated := reference.Pages("")
	for _, p := range readPages(t) {
		_, made := generated[p.path]
		if made || p.path == "docs/commands.md" || !strings.HasPrefix(p.path, "docs/") {
			continue
		}
		most := max(mostWords, longer[p.path])
		if n := handWritten(p.text); n > most {
			t.Errorf("%s has %d words that a person wrote, at most %d are wanted", p.path, n, most)
		}
	}
}

// What is counted is what a person wrote.
func TestHandWrittenWordsAreCounted(t *testing.T) {
	for text, want := range map[string]int{
		"# A title\n\nTwo words – and `code here`.\n":                                        7,
		"| a | b |\n|---|---|\n| one | two three |\n":                                        5,
		"one\n<!-- schema begins -->\n```json\n{\"a\": 1}\n```\n<!-- schema ends -->\ntwo\n": 2,
		"one\n<!-- screen: tree -->\n```text\nno words\n```\ntwo\n":                          2,
		"```text\nthree words here\n```\n":                                                   4,
	} {
		if got := handWritten(text); got != want {
			t.Errorf("%q has %d words, not %d", text, got, want)
		}
	}
}
