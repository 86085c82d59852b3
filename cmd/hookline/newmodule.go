package main

import (
	"context"
	"path/filepath"

	"github.com/hookline-dev/hookline/dialect/pi"
	"github.com/hookline-dev/hookline/hook"
)

// newModule writes a module and, beside it, the declarations that let an editor
// complete events and results.
func (a *app) newModule(ctx context.Context, o newOptions, ev hook.Event, base string) error {
	name := pi.NameOf(ev)
	if name == "" {
		return usagef("the pi dialect has no %v; use --lang bash, python or js with another dialect", ev)
	}
	if o.lang != "ts" && o.lang != "js" {
		return usagef("%v is for modules here, which are written in ts or js, not in %s: use --lang ts", ev, o.lang)
	}
	text, err := render("pi."+o.lang, o, ev)
	if err != nil {
		return err
	}
	dir := filepath.Join(base, ".hookline", "modules")
	path := filepath.Join(dir, o.name+"."+o.lang)
	if err := create(path, text, 0o644); err != nil {
		return err
	}
	types := filepath.Join(dir, "hookline.d.ts")
	if err := replace(types, []byte(pi.Declarations()), 0o644); err != nil {
		return err
	}
	return a.wrote(ctx, o, ev, base, path, types)
}
