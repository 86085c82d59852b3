//go:build !linux

package process

// put marks nothing: other processes could not look at it.
func (m mark) put(int) error { return nil }
