package jslib

import (
	"slices"
	"strings"
)

// Names returns the module names Source knows, sorted, without the "node:"
// prefix and including the internal bridge "hookline:host".
func Names() []string {
	names := []string{hostModule}
	back := make(map[string]string, len(aliases))
	for name, file := range aliases {
		back[file] = name
	}
	entries, err := files.ReadDir("src")
	if err != nil {
		panic("jslib: embedded sources are unreadable: " + err.Error())
	}
	for _, e := range entries {
		base, ok := strings.CutSuffix(e.Name(), ".js")
		if e.IsDir() || !ok || base == "globals" || base == "host" {
			continue
		}
		if name, ok := back[base]; ok {
			base = name
		}
		names = append(names, base)
	}
	slices.Sort(names)
	return names
}
