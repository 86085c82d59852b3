package script

import (
	"github.com/hookline-dev/hookline/handler/script/internal/node"
)

// newPrimitives returns the Go side of the Node built-ins for one module,
// within what it was granted.
func newPrimitives(o Options, path string, print func(level, line string)) (*node.Primitives, error) {
	return node.New(node.Options{Grants: o.Grants.forNode(), Cwd: o.Cwd, Env: o.Env, Log: print, Script: path})
}

func (g Grants) forNode() node.Grants {
	if g.All {
		return node.All()
	}
	return node.Grants{Exec: g.Exec, Net: g.NetHosts, Read: g.ReadRoots, Write: g.WriteRoots, Env: g.Env}
}
