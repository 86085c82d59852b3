package claude

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/nearest"
)

// matcherRemark is a remark on a matcher that is valid and probably not what was meant.
type matcherRemark struct {
	Message string
	Remedy  string
}

// lintMatcher looks at a valid matcher of an event for the usual mistakes: the
// syntax of permission rules, names that can never match, names in the wrong
// case, and a matcher where the event has nothing to match.
func lintMatcher(ev hook.Event, pattern string) []matcherRemark {
	if pattern == "" || pattern == "*" {
		return nil
	}
	spec := ev.Spec()
	if spec.Subject == "" {
		return []matcherRemark{{
			fmt.Sprintf("%v has nothing that a matcher could be tested against: the hook runs every time", ev),
			"leave the matcher out",
		}}
	}
	if !isList(ev, pattern) {
		return lintRegexp(ev, pattern)
	}
	names := splitNames(pattern)
	if len(names) == 0 {
		return []matcherRemark{{"the matcher names nothing and so matches nothing", `write "*" to match everything`}}
	}
	var out []matcherRemark
	for _, name := range names {
		if l, ok := lintName(ev, name); ok {
			out = append(out, l)
		}
	}
	return out
}

func lintRegexp(ev hook.Event, pattern string) []matcherRemark {
	if m := ruleSyntax(pattern); m != "" && hasTool(ev) {
		return []matcherRemark{{
			fmt.Sprintf("matcher %q is a permission rule, but a matcher is a regular expression over the tool's name: it will practically never match", pattern),
			fmt.Sprintf(`write "matcher": %q and put the rule into the hook's "if": %q`, m, pattern),
		}}
	}
	if hasTool(ev) && strings.ContainsRune(pattern, '*') && strings.HasPrefix(pattern, "mcp__") && !strings.Contains(pattern, ".*") {
		return []matcherRemark{{
			fmt.Sprintf("in matcher %q the * repeats the character before it", pattern),
			"write .* for any run of characters",
		}}
	}
	return nil
}

// ruleSyntax returns the tool's name when a pattern looks like a permission rule.
func ruleSyntax(pattern string) string {
	tool, content, ok := strings.Cut(pattern, "(")
	content, closed := strings.CutSuffix(content, ")")
	if !ok || !closed || tool == "" || strings.ContainsFunc(tool, func(r rune) bool { return r > 'z' || r != '_' && !isLetter(byte(r)) }) {
		return ""
	}
	// Edit(or|ion) is an expression; a rule's content has blanks, colons, slashes or
	// stars, or follows a known tool.
	if strings.ContainsAny(content, " :/*") || slices.Contains(toolNames(), tool) && !strings.Contains(content, "|") {
		return tool
	}
	return ""
}

func lintName(ev hook.Event, name string) (matcherRemark, bool) {
	known := row(ev).subjects
	if hasTool(ev) {
		known = toolNames()
		if strings.HasPrefix(name, "mcp__") && strings.Count(strings.TrimPrefix(name, "mcp__"), "__") == 0 {
			return matcherRemark{
				fmt.Sprintf("%q is the name of no tool: the tools of an MCP server are named mcp__server__tool", name),
				fmt.Sprintf("write %s__.* for all of its tools", name),
			}, true
		}
	}
	if known == nil || slices.Contains(known, name) {
		return matcherRemark{}, false
	}
	if near := nearest.Spelling(name, known); near != "" {
		why := fmt.Sprintf("%q is not a %s of this event", name, ev.Spec().Subject)
		if hasTool(ev) {
			why = fmt.Sprintf("%q is the name of no built-in tool", name)
		}
		return matcherRemark{why, fmt.Sprintf("did you mean %s? Names are case-sensitive", near)}, true
	}
	if hasTool(ev) {
		return matcherRemark{}, false // a tool of somebody else's
	}
	return matcherRemark{fmt.Sprintf("%q is not a %s of this event", name, ev.Spec().Subject), "use one of " + strings.Join(known, ", ")}, true
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}
