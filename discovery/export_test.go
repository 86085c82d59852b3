package discovery

// Waiting returns how many processes wait for an event.
func (l *Loader) Waiting() int { return l.kit.Pool.Waiting() }
