package recipe

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/template"
)

// functions are those that templates have beside Go's own. Go's functions that
// make text are replaced by ones with a bound: a few lines that double a
// variable would fill any memory.
func functions(ctx context.Context, o RenderOptions) template.FuncMap {
	return template.FuncMap{
		"default": func(value string, fallback any) (string, error) {
			if value == "" {
				return bounded(fmt.Sprint(fallback))
			}
			return value, nil
		},
		"bash":     func(argv ...string) (string, error) { return runCommand(ctx, o, argv) },
		"print":    func(args ...any) (string, error) { return bounded(fmt.Sprint(args...)) },
		"println":  func(args ...any) (string, error) { return bounded(fmt.Sprintln(args...)) },
		"printf":   func(format string, args ...any) (string, error) { return bounded(fmt.Sprintf(format, args...)) },
		"html":     func(args ...any) (string, error) { return bounded(template.HTMLEscaper(args...)) },
		"js":       func(args ...any) (string, error) { return bounded(template.JSEscaper(args...)) },
		"urlquery": func(args ...any) (string, error) { return bounded(template.URLQueryEscaper(args...)) },
	}
}

func bounded(s string) (string, error) {
	if len(s) > maxRendered {
		return "", errTooLong
	}
	return s, nil
}

func runCommand(ctx context.Context, o RenderOptions, argv []string) (string, error) {
	if len(argv) == 0 {
		return "", errors.New("bash needs a program")
	}
	if o.Exec == nil {
		return "", errExec
	}
	out, err := o.Exec(ctx, argv)
	return printed(ctx, strings.Join(argv, " "), out, err)
}

func runShell(ctx context.Context, o RenderOptions, line string) (string, error) {
	if o.Shell == nil {
		return "", errExec
	}
	out, err := o.Shell(ctx, line)
	return printed(ctx, line, out, err)
}

// printed is what stands in a prompt for a command that has run.
func printed(ctx context.Context, command, out string, err error) (string, error) {
	switch {
	case err != nil && ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		return fmt.Sprintf("[ERROR executing command '%s': %v]", command, err), nil
	}
	return bounded(strings.TrimRight(out, "\r\n"))
}
