package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/sandbox"
)

// sandboxCheck says what would hold the agent's commands and what holds hooks, and what
// would not.
func sandboxCheck(w *workspace) check {
	offered, mode := sandbox.Offered(), w.SandboxMode()
	c := check{Name: "sandbox", State: "ok", Detail: fmt.Sprintf("%s (%s); %s%s", mode, offered, projectSettingsProtection(w), sandboxedHooks(w.Set()))}
	switch {
	case offered.Name == "" && mode == "required":
		c.State, c.Detail = "problem", "required, and "+offered.Lost[0]
	case offered.Name == "":
		c.State, c.Detail = "note", mode+": "+offered.Lost[0]
	case mode == "off":
		c.State, c.Detail = "note", fmt.Sprintf("off; the system offers %s", offered)
		if own := hooksOfOwnDirectory(w.Set()); own != "" {
			c.Detail += "; it holds hooks that" + own
		}
		c.Remedy = `{"sandbox": {"mode": "on"}} in your config.json has the agent's commands, its servers and hooks held by it`
	case w.Config.Sandbox.Namespaces && sandbox.Namespaces() != nil:
		c.State, c.Remedy = "problem", sandbox.Namespaces().Error()
	default:
		c.Remedy = "not held: " + strings.Join(offered.Lost, "; ")
	}
	return c
}

// projectSettingsProtection says what holds the settings inside of a project.
func projectSettingsProtection(w *workspace) string {
	const compared = "compared after each command and put back"
	switch {
	case !w.Config.Sandbox.Namespaces:
		return "settings inside of a project are " + compared
	case sandbox.Namespaces() != nil:
		return "settings inside of a project are " + compared + " only: namespaces are asked for, and cannot be made here"
	}
	return "settings inside of a project are read-only mounts in namespaces, and those that are not there yet " + compared
}

// hooksOfOwnDirectory names the hooks that write to a directory of their own only, "" for none.
func hooksOfOwnDirectory(set *discovery.Set) string {
	var names []string
	for i := range set.Hooks {
		if h := &set.Hooks[i]; h.Status == discovery.Active && h.Writes == dialect.WritesData && !slices.Contains(names, h.FullName()) {
			names = append(names, h.FullName())
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " run what no approval covers, and write to a directory of their own only: " + escaped(strings.Join(names, ", "))
}

// sandboxedHooks says how many hooks the sandbox holds, and names those that it holds in another
// way than the rest.
func sandboxedHooks(set *discovery.Set) string {
	names := map[dialect.Writes][]string{}
	for i := range set.Hooks {
		if h := &set.Hooks[i]; h.Status == discovery.Active && !slices.Contains(names[h.Writes], h.FullName()) {
			names[h.Writes] = append(names[h.Writes], h.FullName())
		}
	}
	out := fmt.Sprintf("; %s in it", count(len(names[dialect.WritesProject])+len(names[dialect.WritesData]), "hook runs", "hooks run"))
	for _, k := range []struct {
		writes dialect.Writes
		what   string
	}{
		{dialect.WritesData, "write their own directory only"}, {dialect.WritesAll, "are not held, as they ask for"}, {"", "are not processes and not held"},
	} {
		if n := names[k.writes]; len(n) > 0 {
			out += fmt.Sprintf("; these %s: %s", k.what, escaped(strings.Join(n, ", ")))
		}
	}
	return out
}

// sandboxNote says what is notable about how the sandbox holds a hook.
func sandboxNote(h *discovery.Found) string {
	switch h.Writes {
	case dialect.WritesData:
		return "in the sandbox it writes to " + h.Data + " only, and to what it asks for"
	case dialect.WritesAll:
		return "it runs without the sandbox"
	}
	return ""
}
