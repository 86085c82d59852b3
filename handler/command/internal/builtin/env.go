package builtin

import (
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/expand"
)

// environ is a run's environment, which is not changed.
type environ struct {
	list  []string
	names map[string]expand.Variable
	extra string // the value of BASH_SOURCE, "" without one
}

var _ expand.Environ = (*environ)(nil)

func newEnviron(list []string) *environ {
	e := &environ{list: list, names: make(map[string]expand.Variable, len(list))}
	for _, kv := range list {
		if name, value, ok := strings.Cut(kv, "="); ok && name != "" {
			e.names[name] = expand.Variable{Set: true, Exported: true, Kind: expand.String, Str: value}
		}
	}
	return e
}

// inherited returns the environment of a script that is called: what is exported.
func inherited(env expand.Environ) *environ {
	e := &environ{names: make(map[string]expand.Variable, 64)}
	env.Each(func(name string, v expand.Variable) bool {
		switch {
		case v.IsSet() && v.Exported && v.Kind == expand.String:
			v.Local, v.ReadOnly = false, false
			e.names[name] = v
		default:
			delete(e.names, name) // unset or hidden further in
		}
		return true
	})
	return e
}

// from returns the environment of a script in a file of bash.
func (e *environ) from(file string) *environ {
	return &environ{list: e.list, names: e.names, extra: file}
}

// Get returns a variable.
func (e *environ) Get(name string) expand.Variable {
	if name == "BASH_SOURCE" && e.extra != "" {
		return expand.Variable{Set: true, Kind: expand.Indexed, List: []string{e.extra}}
	}
	return e.names[name]
}

// Each calls fn for each variable until it returns false.
func (e *environ) Each(fn func(string, expand.Variable) bool) {
	for name, v := range e.names {
		if !fn(name, v) {
			return
		}
	}
}

// envCache keeps the environment of the last run: most runs have the same one.
type envCache struct {
	mu   sync.Mutex
	last *environ
}

func (c *envCache) get(list []string) *environ {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil || !slices.Equal(c.last.list, list) {
		c.last = newEnviron(slices.Clone(list))
	}
	return c.last
}

// exported returns what a command that is started gets.
func exported(env expand.Environ) []string {
	index := map[string]int{}
	var list []string
	env.Each(func(name string, v expand.Variable) bool {
		i, known := index[name]
		switch {
		case !v.IsSet() || !v.Exported || v.Kind != expand.String:
			if known { // unset or hidden further in
				list[i] = ""
			}
		case known:
			list[i] = name + "=" + v.Str
		default:
			index[name] = len(list)
			list = append(list, name+"="+v.Str)
		}
		return true
	})
	return slices.DeleteFunc(list, func(kv string) bool { return kv == "" })
}
