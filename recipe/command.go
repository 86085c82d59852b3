package recipe

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hookline-dev/hookline/diag"
)

// placeholder is $ARGUMENTS, $ARGUMENTS[0] or $1 in a command.
var placeholder = regexp.MustCompile(`\$(?:ARGUMENTS(?:\[(\d{1,3})\])?|([1-9]))`)

// renderCommand fills in a Claude Code command. Values are put in as they are
// and not looked at again. A command that mentions no argument gets them at its
// end.
func (r *Recipe) renderCommand(o RenderOptions) (string, error) {
	positional, all, err := r.commandArgs(o)
	if err != nil {
		return "", err
	}
	at := func(i int) string {
		if i >= 0 && i < len(positional) {
			return positional[i]
		}
		return ""
	}
	used := false
	out := placeholder.ReplaceAllStringFunc(r.Body, func(s string) string {
		used = true
		m := placeholder.FindStringSubmatch(s)
		switch {
		case m[1] != "":
			i, _ := strconv.Atoi(m[1]) // digits, as matched
			return at(i)
		case m[2] != "":
			i, _ := strconv.Atoi(m[2])
			return at(i - 1)
		}
		return all
	})
	if !used && all != "" {
		out = strings.TrimRight(out, "\n") + "\n\nARGUMENTS: " + all + "\n"
	}
	if len(out) > maxRendered {
		return "", &diag.Diagnostic{Path: r.Path, Line: r.BodyLine, Message: errTooLong.Error(), Remedy: "make it shorter"}
	}
	return out, nil
}

// commandArgs brings positional and named arguments together.
func (r *Recipe) commandArgs(o RenderOptions) (positional []string, all string, err error) {
	positional = slices.Clone(o.Positional)
	all, whole := o.Args["ARGUMENTS"]
	if whole && len(positional) == 0 {
		positional = strings.Fields(all)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Args)) {
		if name == "ARGUMENTS" {
			continue
		}
		i, err := strconv.Atoi(name)
		if err != nil || i < 1 || i > 100 {
			return nil, "", &UnknownArgumentError{Recipe: r.Name, Name: name, Known: []string{"ARGUMENTS", "1", "2", "..."}}
		}
		for len(positional) < i {
			positional = append(positional, "")
		}
		positional[i-1] = o.Args[name]
	}
	if !whole {
		all = strings.Join(positional, " ")
	}
	return positional, all, nil
}
