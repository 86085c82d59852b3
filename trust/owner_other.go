//go:build !unix

package trust

const (
	openNonblock = 0
	openNoFollow = 0
)

// writers says why somebody else could have written a file. Here access lists
// decide that, which the directories of a person's profile inherit.
func writers(string) string { return "" }

// directoryWriters judges a directory in which files are made.
func directoryWriters(string) string { return "" }
