package main

import (
	"github.com/hookline-dev/hookline/hook"
)

func (a *app) newModule(o newOptions, ev hook.Event, base string) error {
	return usagef("there is no %s hook in %s", o.dialect, o.lang)
}
