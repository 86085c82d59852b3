package permission

import "slices"

// ProtectedNames returns the names of files and directories that every checker asks
// about: of one or two path elements, joined by a slash.
func ProtectedNames() []string { return slices.Concat(protectedDirs, protectedFiles, protectedPairs) }
