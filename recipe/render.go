package recipe

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// RenderOptions are the values for a rendering.
type RenderOptions struct {
	// Args are the arguments by name. For a command, ARGUMENTS stands for all
	// of them and 0, 1, ... for single ones.
	Args map[string]string
	// Positional are the arguments of a command in their order. A template
	// takes none.
	Positional []string
	// Exec runs a command for {{bash "program" "argument"}} and gives its
	// output. It is called from the goroutine of Render, and must honour the
	// context. Nil makes such a recipe fail: rendering runs nothing by itself.
	// An error is written into the prompt in place of the output, as
	// [ERROR executing command '...': ...].
	Exec func(ctx context.Context, argv []string) (string, error)
	// Shell does the same for a line of a command such as !`git status`, which a shell
	// is to read.
	Shell func(ctx context.Context, line string) (string, error)
}

// missingArgumentError names the arguments that a recipe needs and was not given.
type missingArgumentError struct {
	Recipe string
	Names  []string
	Place  string // file:line:column, or the file
}

// Error implements error.
func (e *missingArgumentError) Error() string {
	flags := make([]string, len(e.Names))
	for i, n := range e.Names {
		flags[i] = "--arg " + n + "=..."
	}
	return fmt.Sprintf("%s: recipe %s needs the argument %s; give %s", e.Place, e.Recipe, strings.Join(e.Names, ", "), strings.Join(flags, " "))
}

// unknownArgumentError names an argument that a recipe neither declares nor
// mentions: most likely a slip of the keyboard.
type unknownArgumentError struct {
	Recipe string
	Name   string
	Known  []string
}

// Error implements error.
func (e *unknownArgumentError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("recipe %s takes no arguments, so no %q", e.Recipe, e.Name)
	}
	return fmt.Sprintf("recipe %s has no argument %q; it has %s", e.Recipe, e.Name, strings.Join(e.Known, ", "))
}

// errExec is what bash gives when the program that renders does not allow it.
var errExec = errors.New("running commands from recipes is not allowed here")

// Render makes the prompt. An argument that has no value, no default and cannot
// be done without is an error; one that the recipe does not
// know is another; a fault of the template an *[diag.Diagnostic] with the
// line in the file.
func (r *Recipe) Render(ctx context.Context, o RenderOptions) (string, error) {
	if r.Err != nil {
		return "", r.Err
	}
	switch r.Format {
	case Command:
		return r.renderCommand(ctx, o)
	case Prompt:
		return r.renderPrompt(o)
	}
	if len(o.Positional) > 0 {
		return "", &unknownArgumentError{Recipe: r.Name, Name: o.Positional[0], Known: r.known()}
	}
	data, err := r.values(o.Args)
	if err != nil {
		return "", err
	}
	return r.execute(ctx, o, data)
}

// known lists the arguments that the recipe declares or mentions.
func (r *Recipe) known() []string {
	names := maps.Clone(r.mentions)
	if names == nil {
		names = make(map[string]bool)
	}
	for _, a := range r.Arguments {
		names[a.Name] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// values joins what was given with the defaults.
func (r *Recipe) values(args map[string]string) (map[string]string, error) {
	known := r.known()
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if !slices.Contains(known, name) {
			return nil, &unknownArgumentError{Recipe: r.Name, Name: name, Known: known}
		}
	}
	data := make(map[string]string, len(known))
	for name := range r.optional {
		data[name] = ""
	}
	var missing []string
	for _, a := range r.Arguments {
		_, given := args[a.Name]
		switch {
		case given:
		case a.HasDefault:
			data[a.Name] = a.Default
		case !r.optional[a.Name]:
			missing = append(missing, a.Name)
		}
	}
	if len(missing) > 0 {
		return nil, &missingArgumentError{Recipe: r.Name, Names: missing, Place: r.Path}
	}
	maps.Copy(data, args)
	return data, nil
}
