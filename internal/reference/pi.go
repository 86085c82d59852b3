package reference

import "github.com/hookline-dev/hookline/hook"

func piName(hook.Event) string { return "" }
