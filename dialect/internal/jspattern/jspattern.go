// Package jspattern is the matchers that are regular expressions of JavaScript.
package jspattern

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/dlclark/regexp2/v2"

	"github.com/hookline-dev/hookline/hook"
)

// MaxLength bounds a pattern, in bytes.
const MaxLength = 8 << 10

// Bounds of one match on the backtracking engine.
const (
	matchBudget = 100 * time.Millisecond
	matchStack  = 1 << 20 // integers
	maxSubject  = 1 << 10 // bytes of subject that a backtracking match looks at
)

func matched(ok bool) hook.Matched {
	if ok {
		return hook.MatchYes
	}
	return hook.MatchNo
}

// Parse compiles a JavaScript pattern of at most MaxLength bytes, which may match anywhere
// in the subject. One that Go's engine cannot run, or would read differently, runs on a
// backtracking engine within a budget; when that is used up, the answer is
// hook.MatchUncertain.
func Parse(pattern string) (hook.Matcher, error) {
	if len(pattern) > MaxLength {
		return nil, fmt.Errorf("matcher of %d bytes: at most %d are allowed", len(pattern), MaxLength)
	}
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
	return "it is not a regular expression: " + msg
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
