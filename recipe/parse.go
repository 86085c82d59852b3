package recipe

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/internal/frontmatter"
)

// Parse reads a recipe from the content of a file. The name and path are given
// to the recipe as they are. Errors are of type *[diag.Diagnostic]. The diagnostics are
// about keys that have no effect.
func Parse(name, path string, format Format, src []byte) (*Recipe, []diag.Diagnostic, error) {
	doc, err := frontmatter.Split(path, src)
	if err != nil {
		return nil, nil, err
	}
	r := &Recipe{Name: name, Path: path, Format: format, Body: doc.Body, BodyLine: doc.BodyLine}
	header, err := doc.Decode()
	if err != nil {
		return nil, nil, err
	}
	diags, err := r.readHeader(header)
	if err != nil {
		return nil, diags, err
	}
	if format == Template {
		if err := r.parseTemplate(); err != nil {
			return nil, diags, err
		}
	}
	return r, diags, nil
}

func (r *Recipe) readHeader(header frontmatter.Value) (diags []diag.Diagnostic, err error) {
	entries, err := header.Entries("the header")
	if err != nil {
		return nil, err
	}
	var defaults []Argument
	for _, e := range entries {
		switch e.Key {
		case "name":
			r.Title, err = text(e)
		case "description":
			r.Description, err = text(e)
		case "model":
			r.Model, err = text(e)
		case "argument-hint", "argument_hint":
			r.ArgumentHint, err = hint(e.Value)
		case "allowed_tools", "allowed-tools":
			r.AllowedTools, err = list(e, frontmatter.Words)
		case "allowed_commands", "allowed-commands":
			r.AllowedCommands, err = list(e, frontmatter.Commas)
		case "arguments":
			r.Arguments, err = arguments(e.Value)
		case "defaults":
			defaults, err = defaultValues(e.Value)
		case "hooks":
			r.Hooks, err = hooks(e.Value)
		case "$schema": // for editors
		default:
			diags = append(diags, diag.Diagnostic{
				Severity: diag.Info, Path: r.Path, Line: e.Line, Column: e.Column,
				Message: fmt.Sprintf("key %q has no effect in a recipe", e.Key),
			})
		}
		if err != nil {
			return diags, err
		}
	}
	r.addDefaults(defaults)
	return diags, nil
}

// text reads a key whose value is text; nothing is empty text.
func text(e frontmatter.Entry) (string, error) {
	if e.Value.Kind == frontmatter.Null {
		return "", nil
	}
	s, err := e.Value.Text(e.Key)
	return strings.TrimSpace(s), err
}

// hint reads argument-hint, which people write with or without quotes:
// unquoted, [branch] is a list.
func hint(v frontmatter.Value) (string, error) {
	if v.Kind != frontmatter.List {
		return text(frontmatter.Entry{Key: "argument-hint", Value: v})
	}
	words, err := v.Strings("argument-hint", nil)
	return "[" + strings.Join(words, ", ") + "]", err
}

// list reads a list, or one text that is cut. A key without a value is an empty list.
func list(e frontmatter.Entry, cut func(string) []string) ([]string, error) {
	names, err := e.Value.Strings(e.Key, cut)
	if names == nil {
		names = []string{}
	}
	return names, err
}

// arguments reads a map of names to {description, default}, to a default, or
// to nothing, or a list of names.
func arguments(v frontmatter.Value) ([]Argument, error) {
	if v.Kind == frontmatter.List || v.Kind == frontmatter.String {
		return argumentNames(v)
	}
	entries, err := v.Entries("arguments")
	if err != nil {
		return nil, err
	}
	var args []Argument
	for _, e := range entries {
		a := Argument{Name: e.Key}
		if err := checkArgument(e.Key, e.Value); err != nil {
			return nil, err
		}
		switch e.Value.Kind {
		case frontmatter.Null:
		case frontmatter.Map:
			if err := a.read(e.Value); err != nil {
				return nil, err
			}
		default:
			if a.Default, err = e.Value.Text("the default of argument " + e.Key); err != nil {
				return nil, err
			}
			a.HasDefault = true
		}
		args = append(args, a)
	}
	return args, nil
}

func argumentNames(v frontmatter.Value) ([]Argument, error) {
	names, err := v.Strings("arguments", frontmatter.Words)
	if err != nil {
		return nil, err
	}
	var args []Argument
	for _, name := range names {
		if err := checkArgument(name, v); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(args, func(a Argument) bool { return a.Name == name }) {
			return nil, v.Errorf("remove one", "argument %q is given twice", name)
		}
		args = append(args, Argument{Name: name})
	}
	return args, nil
}

// checkArgument refuses names that a template cannot mention.
func checkArgument(name string, v frontmatter.Value) error {
	for i, c := range name {
		if c != '_' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) {
			return v.Errorf("use letters, digits and _", "argument name %q cannot be used in a template", name)
		}
	}
	if name == "" {
		return v.Errorf("give it a name", "an argument has an empty name")
	}
	return nil
}

func (a *Argument) read(v frontmatter.Value) error {
	entries, err := v.Entries("argument " + a.Name)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch e.Key {
		case "description":
			a.Description, err = text(e)
		case "default":
			if e.Value.Kind != frontmatter.Null {
				a.Default, err = e.Value.Text("the default of argument " + a.Name)
			}
			a.HasDefault = true
		case "required":
			var required bool
			if required, err = e.Value.Bool("required"); err == nil && !required {
				a.HasDefault = true
			}
		default:
			err = e.Value.Errorf("use description, default and required", "argument %s has no %q", a.Name, e.Key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func defaultValues(v frontmatter.Value) ([]Argument, error) {
	entries, err := v.Entries("defaults")
	if err != nil {
		return nil, err
	}
	var args []Argument
	for _, e := range entries {
		if err := checkArgument(e.Key, e.Value); err != nil {
			return nil, err
		}
		a := Argument{Name: e.Key, HasDefault: true}
		if e.Value.Kind != frontmatter.Null {
			if a.Default, err = e.Value.Text("the default of argument " + e.Key); err != nil {
				return nil, err
			}
		}
		args = append(args, a)
	}
	return args, nil
}

// addDefaults gives arguments the values of the key defaults, which may name
// further ones.
func (r *Recipe) addDefaults(defaults []Argument) {
	for _, d := range defaults {
		i := slices.IndexFunc(r.Arguments, func(a Argument) bool { return a.Name == d.Name })
		if i < 0 {
			r.Arguments = append(r.Arguments, d)
			continue
		}
		r.Arguments[i].Default, r.Arguments[i].HasDefault = d.Default, true
	}
}

// hooks reads a map of events to {handler, once} or to a list of those.
func hooks(v frontmatter.Value) ([]Hook, error) {
	entries, err := v.Entries("hooks")
	if err != nil {
		return nil, err
	}
	var found []Hook
	for _, e := range entries {
		items := []frontmatter.Value{e.Value}
		if e.Value.Kind == frontmatter.List {
			if items, err = e.Value.Items("hooks." + e.Key); err != nil {
				return nil, err
			}
		}
		for _, item := range items {
			h, err := oneHook(e, item)
			if err != nil {
				return nil, err
			}
			found = append(found, h)
		}
	}
	return found, nil
}

func oneHook(event frontmatter.Entry, v frontmatter.Value) (Hook, error) {
	h := Hook{Event: event.Key, Line: event.Line, Column: event.Column}
	if v.Kind != frontmatter.Map {
		return h, v.Errorf("write "+event.Key+": {handler: NAME, once: true}", "hooks.%s must be a map with a handler, not %s", event.Key, v.Kind)
	}
	entries, err := v.Entries("hooks." + event.Key)
	if err != nil {
		return h, err
	}
	for _, e := range entries {
		switch e.Key {
		case "handler":
			h.Handler, err = text(e)
		case "once":
			h.Once, err = e.Value.Bool("once")
		default:
			err = &diag.Diagnostic{Path: v.File, Line: e.Line, Column: e.Column, Message: fmt.Sprintf("hooks.%s has no %q", event.Key, e.Key), Remedy: "use handler and once"}
		}
		if err != nil {
			return h, err
		}
	}
	if h.Handler == "" {
		return h, v.Errorf("write handler: NAME", "hooks.%s names no handler", event.Key)
	}
	return h, nil
}
