package toolrule

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

// maxLength is the longest rule that Parse accepts, in bytes.
const maxLength = 4096

// Rule is one parsed permission rule. The zero Rule matches nothing. Rules are
// immutable and safe for concurrent use.
type Rule struct {
	tool    string
	content string
	all     bool   // every call of the tool
	shell   *glob  // for shell tools
	path    string // for file tools: the pattern, slash-separated
	host    string // for WebFetch
	name    *glob  // for tools matched by one name
}

// syntaxError says what is wrong with the text of a rule.
type syntaxError struct {
	// Text is the rule as given.
	Text string
	// Column is where the fault is, counted in characters from 1.
	Column int
	// Msg says what is wrong.
	Msg string
}

func (e *syntaxError) Error() string {
	return fmt.Sprintf("permission rule %q: column %d: %s", e.Text, e.Column, e.Msg)
}

// Parse reads the text of a rule. Blanks around
// the rule are ignored; within the parentheses every character counts.
func Parse(text string) (Rule, error) {
	fail := func(offset int, format string, args ...any) (Rule, error) {
		column := utf8.RuneCountInString(text[:min(offset, len(text))]) + 1
		return Rule{}, &syntaxError{Text: text, Column: column, Msg: fmt.Sprintf(format, args...)}
	}
	if len(text) > maxLength {
		return fail(maxLength, "longer than %d bytes", maxLength)
	}
	if !utf8.ValidString(text) {
		return fail(strings.IndexRune(text, utf8.RuneError), "not valid UTF-8")
	}
	trimmed := strings.TrimSpace(text)
	start := strings.Index(text, trimmed)
	if trimmed == "" {
		return fail(0, "a tool name is expected")
	}
	tool, content, hasContent := trimmed, "", false
	if open := strings.IndexByte(trimmed, '('); open >= 0 {
		if open == 0 {
			return fail(start, "a tool name is expected before the parenthesis")
		}
		if !strings.HasSuffix(trimmed, ")") {
			return fail(start+len(trimmed), "the parenthesis at column %d isn't closed at the end", utf8.RuneCountInString(text[:start+open])+1)
		}
		tool, content, hasContent = trimmed[:open], trimmed[open+1:len(trimmed)-1], true
	}
	if i := strings.IndexFunc(tool, func(r rune) bool { return !nameRune(r) }); i >= 0 {
		r, _ := utf8.DecodeRuneInString(tool[i:])
		return fail(start+i, "%q can't stand in a tool name", r)
	}
	if hasContent {
		if offset, msg := faultIn(tool, content); msg != "" {
			return fail(start+len(tool)+1+offset, "%s", msg)
		}
	}
	return compile(tool, content), nil
}

// New makes a rule of its two halves, as permission updates carry them. An
// empty content stands for every call of the tool.
func New(tool, content string) (Rule, error) {
	if content == "" {
		return Parse(tool)
	}
	return Parse(tool + "(" + content + ")")
}

// Tool returns the rule's tool name.
func (r Rule) Tool() string { return r.tool }

// Content returns what stands in the parentheses, "" when there are none.
func (r Rule) Content() string { return r.content }

// String returns the rule's text. Parse of it gives an equal rule.
func (r Rule) String() string {
	if r.content == "" {
		return r.tool
	}
	return r.tool + "(" + r.content + ")"
}

// Equal reports whether two rules say the same in the same words.
func (r Rule) Equal(other Rule) bool { return r.tool == other.tool && r.content == other.content }

// another is where a second rule begins in what was to be the content of one. Shell text
// has no opening parenthesis right after a word, save where a function is defined.
var another = lazyregexp.New(`\)(?:\s*(?:\|\|?|&&|[,;])\s*|\s+)!?(?:[A-Z][A-Za-z]*|mcp__[\w-]+)\([^)]`)

func nameRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-.*:", r)
}

// faultIn looks for faults in a rule's content and returns the byte offset.
func faultIn(tool, content string) (offset int, msg string) {
	if strings.TrimSpace(content) == "" {
		return 0, "the parentheses are empty; leave them out to mean every call"
	}
	if i := strings.IndexByte(content, 0); i >= 0 {
		return i, "a NUL character"
	}
	if at := another.Get().FindStringIndex(content); at != nil {
		return at[0] + 1, "a second rule begins here; each rule stands alone"
	}
	switch {
	case isShell(tool):
		if strings.TrimSpace(strings.TrimSuffix(content, ":*")) == "" {
			return 0, "words are expected before :*"
		}
	case isFileRule(tool):
		if strings.TrimLeft(content, "/") == "" || content == "~" {
			return 0, "a path is expected"
		}
		if !doublestar.ValidatePattern(content) {
			return 0, "the path pattern isn't valid: a bracket or brace isn't closed"
		}
	case tool == "WebFetch":
		host, ok := strings.CutPrefix(content, "domain:")
		if !ok {
			return 0, "domain:HOST is expected"
		}
		if i := strings.IndexFunc(host, func(r rune) bool { return !nameRune(r) || r == ':' || r == '_' }); i >= 0 || host == "" {
			return len("domain:") + max(i, 0), "a host name is expected"
		}
	}
	return 0, ""
}

// compile makes the matchers of a rule that was found good.
func compile(tool, content string) Rule {
	r := Rule{tool: tool, content: content}
	switch {
	case content == "" || content == "*" && !isFileRule(tool):
		r.all = true
	case isShell(tool):
		g := newGlob(content)
		r.shell = &g
	case isFileRule(tool):
		r.path = content
	case tool == "WebFetch":
		r.host = normalHost(strings.TrimPrefix(content, "domain:"))
	default:
		g := newGlob(content)
		r.name = &g
	}
	return r
}
