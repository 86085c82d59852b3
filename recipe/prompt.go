package recipe

import (
	"strconv"
	"strings"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

// slot is a placeholder of a prompt template: ${1:-instead}, with @ or ARGUMENTS for all
// arguments; ${@:2} and ${@:2:3}, arguments from one on and how many; $1, $@ or $ARGUMENTS.
var slot = lazyregexp.New(`\$\{(@|ARGUMENTS|\d+):-([^}]*)\}|\$\{@:(\d+)(?::(\d+))?\}|\$(@|ARGUMENTS|\d+)`)

// renderPrompt fills in a prompt template of pi, whose arguments count from 1. One that
// was not given is empty.
func (r *Recipe) renderPrompt(o RenderOptions) (string, error) {
	args, _, err := r.commandArgs(o)
	if err != nil {
		return "", err
	}
	text := slot.Get().ReplaceAllStringFunc(r.Body, func(s string) string {
		m := slot.Get().FindStringSubmatch(s)
		switch {
		case m[1] != "":
			if value := argument(args, m[1]); value != "" {
				return value
			}
			return m[2]
		case m[3] != "":
			return slice(args, m[3], m[4])
		}
		return argument(args, m[5])
	})
	if len(text) > maxRendered {
		return "", &diag.Diagnostic{Path: r.Path, Line: r.BodyLine, Message: errTooLong.Error(), Remedy: "make it shorter"}
	}
	return text, nil
}

// argument is the one of a number, or all of them.
func argument(args []string, which string) string {
	if which == "@" || which == "ARGUMENTS" {
		return strings.Join(args, " ")
	}
	n, err := strconv.Atoi(which)
	if err != nil || n < 1 || n > len(args) {
		return ""
	}
	return args[n-1]
}

// slice joins the arguments from a number on, as many as are wanted; "" is all.
func slice(args []string, from, count string) string {
	start, err := strconv.Atoi(from)
	if err != nil || start > len(args) {
		return "" // more than there can be
	}
	rest := args[max(start-1, 0):]
	if n, err := strconv.Atoi(count); err == nil && n < len(rest) {
		rest = rest[:n]
	}
	return strings.Join(rest, " ")
}
