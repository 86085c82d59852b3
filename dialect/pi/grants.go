package pi

import (
	"path/filepath"
	"strings"

	"github.com/hookline-dev/hookline/handler/script"
)

// projectGrants are what an approved module of a project may do: what its header
// asks for, and talk to the person.
func projectGrants(requests []string, project string) script.Grants {
	g := script.Grants{UI: true}
	for _, r := range requests {
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

func inProject(path, project string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(project, path)
}
