package reference

import (
	"github.com/hookline-dev/hookline/dialect/pi"
	"github.com/hookline-dev/hookline/hook"
)

func piName(ev hook.Event) string { return pi.NameOf(ev) }
