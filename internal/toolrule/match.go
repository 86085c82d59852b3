package toolrule

import (
	"net/url"
	"strings"
)

// Answer is whether a rule speaks about a call. The zero value is No.
type Answer uint8

// The answers.
const (
	No Answer = iota
	Yes
	Uncertain
)

func (a Answer) String() string {
	switch a {
	case Yes:
		return "yes"
	case Uncertain:
		return "uncertain"
	}
	return "no"
}

// Match is an answer with its grounds.
type Match struct {
	Answer Answer
	// Part is the part of the call that decided: a command, a path, a host. It
	// is empty when the whole call did.
	Part string
	// Why says in words what decided; it is always set for Uncertain.
	Why string
}

func yes(part, why string) Match   { return Match{Answer: Yes, Part: part, Why: why} }
func no(why string) Match          { return Match{Why: why} }
func doubt(part, why string) Match { return Match{Answer: Uncertain, Part: part, Why: why} }

// stronger returns the match that counts more when any part decides.
func stronger(a, b Match) Match {
	rank := func(m Match) int { return [...]int{No: 0, Uncertain: 1, Yes: 2}[m.Answer] }
	if rank(b) > rank(a) {
		return b
	}
	return a
}

// Match is the reading for deny and ask rules: Yes when any part of the call is
// what the rule speaks about, Uncertain when that can't be excluded. A caller
// that gets Uncertain asks.
func (r Rule) Match(call Call) Match {
	call = call.Analyzed()
	if call.script != nil && isFileRule(r.tool) && !r.all {
		return r.matchFilesOf(call)
	}
	return r.anyPart(call, toForbid)
}

// purpose is what a rule is read for. Forbidding misses nothing, and so is in doubt
// often; filtering hooks is as Claude Code does it; allowing takes only what is certain.
type purpose int

const (
	toForbid purpose = iota // deny and ask
	toFilter                // the if of a hook
	toAllow
)

// anyPart looks for a part of the call that the rule speaks about, to forbid it or to
// filter.
func (r Rule) anyPart(call Call, p purpose) Match {
	if !toolMatches(r.tool, call.Tool) {
		return no("another tool")
	}
	if r.all {
		return yes("", "every call of "+r.tool)
	}
	switch {
	case r.shell != nil:
		return r.anyCommand(call, p)
	case r.path != "":
		return r.anyPath(call)
	case r.host != "":
		return r.hostMatch(call, p)
	}
	return r.nameMatch(call)
}

// Covers is the reading for allow rules: Yes only when the rule alone speaks
// about every part of the call. A caller that gets anything else has nothing
// allowed by this rule; several rules together are asked with [Uncovered].
func (r Rule) Covers(call Call) Match {
	call = call.Analyzed()
	if !toolMatches(r.tool, call.Tool) {
		return no("another tool")
	}
	if r.all {
		return yes("", "every call of "+r.tool)
	}
	switch {
	case r.shell != nil:
		return r.everyCommand(call)
	case r.path != "":
		given, ok := call.Path()
		if !ok {
			return doubt("", "the input holds no path")
		}
		return r.CoversPath(given, call)
	case r.host != "":
		return r.hostMatch(call, toAllow)
	}
	return r.nameMatch(call)
}

// MatchIf is the reading for the filter of a hook: Yes when a command, a path,
// a host or a name in the call is what the rule says, No when none is, and
// Uncertain, which runs the hook, when that can't be known. That is so more often than for
// who forbids a call: hooks know it from Claude Code, see [shell.Dynamic].
func MatchIf(r Rule, call Call) Match { return r.anyPart(call.Analyzed(), toFilter) }

// hostMatch matches the host of a url; what forbids a host forbids those below it too.
func (r Rule) hostMatch(call Call, p purpose) Match {
	text, ok := call.text("url")
	if !ok {
		return doubt("", "the input holds no url")
	}
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Hostname() == "" || strings.ContainsAny(text, "\\\t\r\n") {
		return doubt(text, "the url can't be read")
	}
	host := normalHost(u.Hostname())
	below, wild := strings.CutPrefix(r.host, "*.")
	switch {
	case wild && strings.HasSuffix(host, "."+below),
		!wild && starMatch(r.host, host),
		!wild && p != toAllow && !strings.Contains(r.host, "*") && strings.HasSuffix(host, "."+r.host):
		if p == toAllow && u.Scheme != "http" && u.Scheme != "https" {
			return doubt(host, "the scheme is "+u.Scheme)
		}
		return yes(host, "the host is "+host)
	}
	return no("the host is " + host)
}

func normalHost(host string) string {
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

// subjects names the input field that a rule's content is compared with.
var subjects = map[string][]string{
	"Agent":     {"subagent_type"},
	"Task":      {"subagent_type"},
	"Skill":     {"skill", "name", "command"},
	"WebSearch": {"query"},
}

func (r Rule) nameMatch(call Call) Match {
	fields, ok := subjects[call.Tool]
	if !ok {
		return doubt("", "rules for "+r.tool+" with content in parentheses are not known")
	}
	for _, f := range fields {
		if name, ok := call.text(f); ok {
			// The glob works on words; a name may hold blanks, so it is split
			// as the pattern is.
			if r.name.match(symbols(strings.Fields(name)), surely) {
				return yes(name, f+" is "+name)
			}
			return no(f + " is " + name)
		}
	}
	return doubt("", "the input names no "+fields[0])
}

// symbols joins known words into a text to match.
func symbols(words []string) []symbol {
	var out []symbol
	for i, w := range words {
		if i > 0 {
			out = append(out, symbol{c: sep})
		}
		for j := range len(w) {
			out = append(out, symbol{c: w[j]})
		}
	}
	return out
}
