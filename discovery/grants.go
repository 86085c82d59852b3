package discovery

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/handler/script"
)

// projectGrants are what a project's module may do: of what its header asks for,
// what the configuration grants. It may always talk to the person.
func projectGrants(requests, granted []string, project string) script.Grants {
	g := script.Grants{UI: true}
	for _, r := range requests {
		if !slices.ContainsFunc(granted, func(p string) bool { return covers(p, r) }) {
			continue
		}
		kind, value, _ := strings.Cut(r, ":")
		switch kind {
		case "exec":
			g.Exec = true
		case "net":
			g.NetHosts = append(g.NetHosts, value)
		case "read":
			g.ReadRoots = append(g.ReadRoots, inProject(value, project))
		case "write":
			g.WriteRoots = append(g.WriteRoots, inProject(value, project))
		case "env":
			g.Env = append(g.Env, value)
		}
	}
	return g
}

// covers reports whether a granted capability, in which a * at the end stands for
// anything, covers one that is asked for.
func covers(granted, asked string) bool {
	if prefix, ok := strings.CutSuffix(granted, "*"); ok {
		return strings.HasPrefix(asked, prefix)
	}
	return granted == asked
}

func inProject(path, project string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(project, path)
}
