package discovery

import "github.com/hookline-dev/hookline/dialect"

// Waiting returns how many processes wait for an event.
func (l *Loader) Waiting() int { return l.kit.Pool.Waiting() }

// Kit is what the loader's finders work with.
func (l *Loader) Kit() *dialect.Kit { return l.kit }
