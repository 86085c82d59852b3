package recipe

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

// maxPosition bounds the numbers of arguments.
const maxPosition = 99

var (
	// placeholder is $ARGUMENTS, $ARGUMENTS[0], $0, or the name of an argument.
	placeholder = lazyregexp.New(`\$(?:ARGUMENTS\[(\d{1,3})\]|(\d{1,3})|(\w+))`)
	// shellLine is !`command`: what it prints stands in its place.
	shellLine = lazyregexp.New("(?m)(^|\\s)!`([^`\n]+)`")
)

// renderCommand fills in a Claude Code command. Values are put in as they are
// and not looked at again, and a number that has no value stays as it is. A command that
// mentions no argument gets them at its end.
func (r *Recipe) renderCommand(ctx context.Context, o RenderOptions) (string, error) {
	positional, all, err := r.commandArgs(o)
	if err != nil {
		return "", err
	}
	a := &given{names: r.Arguments, positional: positional, all: all}
	var out strings.Builder
	rest := r.Body
	for at := shellLine.Get().FindStringSubmatchIndex(rest); at != nil; at = shellLine.Get().FindStringSubmatchIndex(rest) {
		out.WriteString(a.fill(rest[:at[3]]))
		printed, err := runShell(ctx, o, a.fill(rest[at[4]:at[5]]))
		if err != nil {
			return "", err
		}
		out.WriteString(printed)
		rest = rest[at[1]:]
	}
	out.WriteString(a.fill(rest))
	text := a.close(out.String())
	if len(text) > maxRendered {
		return "", &diag.Diagnostic{Path: r.Path, Line: r.BodyLine, Message: errTooLong.Error(), Remedy: "make it shorter"}
	}
	return text, nil
}

// FillArguments puts the arguments into a text as into a command's: that of a skill.
func FillArguments(text, arguments string) string {
	a := &given{positional: splitWords(arguments), all: arguments}
	return a.close(a.fill(text))
}

// given are the arguments of a command.
type given struct {
	names      []Argument
	positional []string
	all        string
	used       bool // a text mentioned one
}

func (a *given) fill(text string) string {
	return placeholder.Get().ReplaceAllStringFunc(text, func(s string) string {
		value, known := a.value(placeholder.Get().FindStringSubmatch(s))
		if !known {
			return s
		}
		a.used = true
		return value
	})
}

// close puts at the end of a text what it did not mention.
func (a *given) close(text string) string {
	if a.used || a.all == "" {
		return text
	}
	return strings.TrimRight(text, "\n") + "\n\nARGUMENTS: " + a.all + "\n"
}

// value is what a placeholder, taken apart, stands for.
func (a *given) value(m []string) (value string, known bool) {
	if m[3] == "ARGUMENTS" {
		return a.all, true
	}
	i := slices.IndexFunc(a.names, func(n Argument) bool { return n.Name == m[3] })
	named := i >= 0 // one that was not given is empty
	if digits := m[1] + m[2]; digits != "" {
		i, _ = strconv.Atoi(digits) // digits, as matched
	}
	if i < 0 || i >= len(a.positional) {
		return "", named
	}
	return a.positional[i], true
}

// commandArgs brings positional and named arguments together.
func (r *Recipe) commandArgs(o RenderOptions) (positional []string, all string, err error) {
	positional = slices.Clone(o.Positional)
	all, whole := o.Args["ARGUMENTS"]
	if whole && len(positional) == 0 {
		positional = splitWords(all)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Args)) {
		if name == "ARGUMENTS" {
			continue
		}
		i := slices.IndexFunc(r.Arguments, func(a Argument) bool { return a.Name == name })
		if n, err := strconv.Atoi(name); err == nil {
			i = n
		}
		if i < 0 || i > maxPosition {
			known := []string{"ARGUMENTS", "0", "1", "..."}
			for _, a := range r.Arguments {
				known = append(known, a.Name)
			}
			return nil, "", &unknownArgumentError{Recipe: r.Name, Name: name, Known: known}
		}
		for len(positional) <= i {
			positional = append(positional, "")
		}
		positional[i] = o.Args[name]
	}
	if !whole {
		all = strings.Join(positional, " ")
	}
	return positional, all, nil
}

// splitWords cuts a line into words as a shell does, quotes taken away; a line whose
// quotes do not close is cut at its blanks.
func splitWords(line string) []string {
	var words []string
	var word strings.Builder
	var quote rune
	open, escaped := false, false
	for _, c := range line {
		switch {
		case escaped:
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'':
			open, escaped = true, true
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			open, quote = true, c
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			if open {
				words = append(words, word.String())
				word.Reset()
			}
			open = false
		default:
			open = true
			word.WriteRune(c)
		}
	}
	if quote != 0 || escaped {
		return strings.Fields(line)
	}
	if open {
		words = append(words, word.String())
	}
	return words
}
