package claude

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dlclark/regexp2/v2"

	"github.com/hookline-dev/hookline/hook"
)

// Bounds of a pattern and of one match on the backtracking engine.
const (
	maxPattern  = 8 << 10 // bytes
	matchBudget = 100 * time.Millisecond
	matchStack  = 1 << 20 // integers
	maxSubject  = 1 << 10 // bytes of subject that a backtracking match looks at
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
	case len(pattern) > maxPattern:
		return nil, fmt.Errorf("matcher of %d bytes: at most %d are allowed", len(pattern), maxPattern)
	case isList(ev, pattern):
		return namesMatcher{names: splitNames(pattern), text: pattern}, nil
	}
	return parseRegexp(pattern)
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
	return matched(slices.Contains(m.names, subject))
}

func matched(ok bool) hook.Matched {
	if ok {
		return hook.MatchYes
	}
	return hook.MatchNo
}

// parseRegexp compiles a JavaScript pattern.
func parseRegexp(pattern string) (hook.Matcher, error) {
	if i := strings.Index(pattern, "(?"); i >= 0 && bareFlags(pattern[i+2:]) {
		return nil, fmt.Errorf("matcher %q: JavaScript has no (?flags) that hold to the end; write (?i:...) around what they are for", pattern)
	}
	if !readDifferently(pattern) {
		if re, err := regexp.Compile(pattern); err == nil {
			return linearMatcher{re}, nil
		}
	}
	re, err := regexp2.Compile(pattern, regexp2.ECMAScript, regexp2.OptionMaxBacktrackingStackSize(matchStack))
	if err != nil {
		return nil, fmt.Errorf("matcher %q: %s", pattern, reason(err, pattern))
	}
	re.MatchTimeout = matchBudget
	return backtrackMatcher{re: re, text: pattern}, nil
}

// reason is the engine's complaint without a repetition of the pattern.
func reason(err error, pattern string) string {
	msg := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	msg = strings.TrimSuffix(msg, fmt.Sprintf(" in `%s`", pattern))
	return "it is no regular expression: " + msg
}

// bareFlags reports whether a group that starts with s after its "(?" sets flags
// for the rest of the pattern.
func bareFlags(s string) bool {
	i := strings.IndexFunc(s, func(r rune) bool { return !strings.ContainsRune("imsUx-", r) })
	return i > 0 && s[i] == ')'
}

// readDifferently reports whether a pattern has something that Go's engine takes
// in another sense than JavaScript, or takes although JavaScript does not.
func readDifferently(pattern string) bool {
	for _, s := range []string{`[]`, `[^]`, `[[:`, `(?P`, `\p`, `\P`, `\x{`} {
		if strings.Contains(pattern, s) {
			return true
		}
	}
	for i := 0; i+1 < len(pattern); i++ {
		if pattern[i] != '\\' {
			continue
		}
		if strings.IndexByte("AzZQECaG", pattern[i+1]) >= 0 {
			return true
		}
		i++
	}
	return false
}

type linearMatcher struct{ re *regexp.Regexp }

func (m linearMatcher) String() string                    { return m.re.String() }
func (m linearMatcher) Match(subject string) hook.Matched { return matched(m.re.MatchString(subject)) }

type backtrackMatcher struct {
	re   *regexp2.Regexp
	text string
}

func (m backtrackMatcher) String() string { return m.text }

// Match gives up, uncertain, when the budget is used up or the subject is longer
// than any name.
func (m backtrackMatcher) Match(subject string) hook.Matched {
	if len(subject) > maxSubject {
		return hook.MatchUncertain
	}
	ok, err := m.re.MatchString(subject)
	if err != nil {
		return hook.MatchUncertain
	}
	return matched(ok)
}
