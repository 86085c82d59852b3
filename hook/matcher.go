package hook

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Matched is the answer of a matcher or a condition. The zero value means no match.
type Matched uint8

// The answers. Uncertain means that it could not be decided: the hook runs, and
// its record says so.
const (
	MatchNo Matched = iota
	MatchYes
	MatchUncertain
)

// Matcher decides by an event's subject, such as the tool name, whether a hook
// runs. Its answer must depend on nothing but the subject: the engine remembers
// it. Implementations are safe for concurrent use. A nil Matcher matches all.
type Matcher interface {
	Match(subject string) Matched
	// String returns the pattern as a person wrote it.
	String() string
}

// Condition decides by the whole input whether a hook runs, and says why.
type Condition func(in Input) (m Matched, why string)

// MatchAll matches every subject.
func MatchAll() Matcher { return allMatcher{} }

type allMatcher struct{}

func (allMatcher) Match(string) Matched { return MatchYes }
func (allMatcher) String() string       { return "*" }

// MatchExact matches one subject, case-sensitively.
func MatchExact(name string) Matcher { return listMatcher{[]string{name}, name} }

// MatchList matches any of the names.
func MatchList(names ...string) Matcher {
	return listMatcher{slices.Clone(names), strings.Join(names, "|")}
}

type listMatcher struct {
	names []string
	text  string
}

func (m listMatcher) Match(subject string) Matched { return matched(slices.Contains(m.names, subject)) }
func (m listMatcher) String() string               { return m.text }

func matched(ok bool) Matched {
	if ok {
		return MatchYes
	}
	return MatchNo
}

// MatchGlob matches with a pattern in which * stands for any run of characters,
// separators included, and ? for one character. Every other character is itself.
func MatchGlob(pattern string) Matcher { return globMatcher(pattern) }

type globMatcher string

func (m globMatcher) String() string { return string(m) }

// Match runs in time proportional to pattern times subject: it remembers only the
// last star.
func (m globMatcher) Match(subject string) Matched {
	pattern, text := []rune(string(m)), []rune(subject)
	p, t, star, mark := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, t
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			p++
			t++
		case star >= 0:
			mark++
			p, t = star+1, mark
		default:
			return MatchNo
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return matched(p == len(pattern))
}

// MatchRegexp matches with an RE2 pattern, unanchored and case-sensitive.
func MatchRegexp(pattern string) (Matcher, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("matcher %q: %w", pattern, err)
	}
	return regexpMatcher{re}, nil
}

type regexpMatcher struct{ re *regexp.Regexp }

func (m regexpMatcher) Match(subject string) Matched { return matched(m.re.MatchString(subject)) }
func (m regexpMatcher) String() string               { return m.re.String() }

// ParseMatcher reads a pattern as in-process hooks write it: "" and "*" match
// all, names separated by | are a list, names with * or ? are globs, and everything
// else is a regular expression.
func ParseMatcher(pattern string) (Matcher, error) {
	switch {
	case pattern == "" || pattern == "*":
		return allMatcher{}, nil
	case !strings.ContainsFunc(pattern, func(r rune) bool { return !nameRune(r) && r != '|' }):
		return MatchList(strings.Split(pattern, "|")...), nil
	case !strings.ContainsFunc(pattern, func(r rune) bool { return !nameRune(r) && r != '*' && r != '?' && r != '|' }):
		return parseGlobs(pattern), nil
	}
	return MatchRegexp(pattern)
}

func parseGlobs(pattern string) Matcher {
	parts := strings.Split(pattern, "|")
	if len(parts) == 1 {
		return globMatcher(pattern)
	}
	m := anyMatcher{text: pattern}
	for _, p := range parts {
		m.any = append(m.any, globMatcher(p))
	}
	return m
}

type anyMatcher struct {
	any  []Matcher
	text string
}

func (m anyMatcher) Match(subject string) Matched {
	return matched(slices.ContainsFunc(m.any, func(one Matcher) bool { return one.Match(subject) == MatchYes }))
}
func (m anyMatcher) String() string { return m.text }

func nameRune(r rune) bool {
	return r == '_' || r == '-' || r == ':' || r == ' ' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}
