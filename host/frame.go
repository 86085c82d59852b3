package host

import (
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
)

// framer lets the dialect of each hook say how the model is told what it says.
type framer []dialect.Dialect

func (f framer) of(run *hook.Run) dialect.Framer {
	for _, d := range f {
		if own, ok := d.(dialect.Framer); ok && d.Name() == run.Hook.Dialect {
			return own
		}
	}
	return nil
}

// Frame is [agent.Framer]'s.
func (f framer) Frame(in hook.Input, run *hook.Run, reason string) []string {
	if own := f.of(run); own != nil {
		return own.Frame(in, run, reason)
	}
	return nil
}

// Label is [agent.Framer]'s.
func (f framer) Label(in hook.Input, run *hook.Run, context string) string {
	if own := f.of(run); own != nil {
		return own.Label(in, run, context)
	}
	return ""
}
