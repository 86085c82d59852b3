//go:build !unix

package fsx

const noFollow = 0

// Windows flushes a rename with the file system's own journal.
func syncDir(string) error { return nil }
