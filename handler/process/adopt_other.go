//go:build !linux

package process

// Adopt has processes whose parents ended become children of this program; here none do.
func Adopt() error { return nil }

// EndAdopted ends the children of this program that Adopt gave it.
func EndAdopted() []int { return nil }
