package claude

import (
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/dialect/internal/jspattern"
	"github.com/hookline-dev/hookline/hook"
)

// ParseMatcher reads a matcher as settings files write it for an event.
//
// An empty matcher and "*" match everything. Text of letters, digits and
// "_- ,|" is a list of exact names, separated by | or commas, with blanks around
// them ignored; on FileChanged and StopFailure the letters, digits, "_" and "|"
// alone make such a list. Everything else is a JavaScript regular expression that
// may match anywhere in the subject. Both are case-sensitive. What matches the tool Task
// matches Agent, which was once called so.
//
// An expression that Go's engine cannot run, or would read differently, runs on a
// backtracking engine within a budget; when that is used up, the answer is
// hook.MatchUncertain.
func ParseMatcher(ev hook.Event, pattern string) (hook.Matcher, error) {
	m, err := parseMatcher(ev, pattern)
	if err == nil && hasTool(ev) && m.Match("Task") != hook.MatchNo && m.Match("Agent") != hook.MatchYes {
		m = oldName{m}
	}
	return m, err
}

// oldName is a matcher that knows the tool Agent as Task.
type oldName struct{ hook.Matcher }

func (m oldName) Match(subject string) hook.Matched {
	if subject == "Agent" {
		return max(m.Matcher.Match("Agent"), m.Matcher.Match("Task"))
	}
	return m.Matcher.Match(subject)
}

func parseMatcher(ev hook.Event, pattern string) (hook.Matcher, error) {
	switch {
	case pattern == "" || pattern == "*":
		return hook.MatchAll(), nil
	case len(pattern) <= jspattern.MaxLength && isList(ev, pattern):
		return namesMatcher{names: splitNames(pattern), text: pattern}, nil
	}
	return jspattern.Parse(pattern)
}

// isList reports whether a pattern is a list of exact names.
func isList(ev hook.Event, pattern string) bool {
	extra := "_- ,|"
	if ev == hook.EventFileChanged || ev == hook.EventStopFailure {
		extra = "_|"
	}
	return !strings.ContainsFunc(pattern, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune(extra, r)
	})
}

func splitNames(pattern string) []string {
	var out []string
	for name := range strings.FieldsFuncSeq(pattern, func(r rune) bool { return r == '|' || r == ',' }) {
		if name = strings.TrimSpace(name); name != "" {
			out = append(out, name)
		}
	}
	return out
}

type namesMatcher struct {
	names []string
	text  string
}

func (m namesMatcher) String() string { return m.text }

func (m namesMatcher) Match(subject string) hook.Matched {
	if slices.Contains(m.names, subject) {
		return hook.MatchYes
	}
	return hook.MatchNo
}
