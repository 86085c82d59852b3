package dialect

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/config"
	"github.com/hookline-dev/hookline/handler/command"
	"github.com/hookline-dev/hookline/internal/shell/refs"
)

// CommandLine is what an entry of a file starts.
type CommandLine struct {
	// Command is the line for a shell or, with Args not nil, the program.
	Command string
	Args    []string
	// PowerShell says that the line is for that shell.
	PowerShell bool
	// Dir is the directory in which it runs, and Root the one within which the files that
	// it names are covered by its approval; "" is the project. Vars are variables whose
	// values are known, and Env those that the hook gets in place of the host's.
	Dir, Root string
	Vars, Env map[string]string
}

// hostVars are variables by which a hook of the person names its files. Those that the hook
// does not get are empty.
var hostVars = []string{"USER", "LOGNAME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "XDG_BIN_HOME"}

// firstOptions are how the files of a command were found by the first rules.
func (k *Kit) firstOptions(root string, l CommandLine) refs.Options {
	o := refs.Options{Dir: cmp.Or(l.Dir, k.Dirs.Project), Root: root, Vars: map[string]string{"HOME": k.Dirs.Home}, FirstRules: true}
	maps.Copy(o.Vars, l.Vars)
	return o
}

// seeOptions are how the files of a command are found. What the project's hooks name must
// not depend on who looks.
func (k *Kit) seeOptions(level, root string, l CommandLine) refs.Options {
	o := k.firstOptions(root, l)
	o.FirstRules = false
	if configLevel(level) != config.Project && l.Args == nil {
		for _, name := range hostVars {
			o.Vars[name] = ""
		}
		for _, kv := range k.Env {
			if name, value, _ := strings.Cut(kv, "="); slices.Contains(hostVars, name) {
				o.Vars[name] = value
			}
		}
		for name, value := range l.Env {
			if slices.Contains(hostVars, name) {
				o.Vars[name] = value
			}
		}
	}
	maps.Copy(o.Vars, l.Vars)
	return o
}

// SeeCommand sets the files that a command names, which approval covers along with the
// command itself, and in words what it cannot see through. A hook of the person or of the
// administrator may run scripts from anywhere; those of the system are left out.
func (k *Kit) SeeCommand(f *Found, l CommandLine) {
	root := cmp.Or(l.Root, k.Dirs.Project)
	if configLevel(f.Level) != config.Project {
		root = filepath.VolumeName(k.Dirs.Home) + string(filepath.Separator)
	}
	see := func(o refs.Options) refs.Refs {
		switch {
		case l.Args != nil:
			return refs.Exec(l.Command, l.Args, o)
		case l.PowerShell:
			return refs.PowerShell(l.Command, o)
		}
		return refs.Command(l.Command, o)
	}
	o := k.seeOptions(f.Level, root, l)
	o.Isolated = k.OwnCode(f.Level, f.Name)
	named := see(o)
	f.Artifact.Files, f.Artifact.Trees, f.Artifact.Unseen = named.Files, treesOf(named.Trees), named.Unseen
	f.Artifact.Computed = named.Computed
	f.confine()
	f.Artifact.First = func() []string { return see(k.firstOptions(root, l)).Files }
	f.Python, f.Modules, f.Missing = named.Python, named.Modules, named.Missing
}

// RunCommand makes the command of a hook that may run start what was allowed and nothing
// else: from private copies where the command can be told to, otherwise with a look at the
// files before and after. What was started before does not go on with old code. One of the
// person or the administrator is kept from finding code in the project by accident, and
// every one stays within its sandbox. vars are variables whose values are known.
func (k *Kit) RunCommand(f *Found, h *command.Hook, vars map[string]string) {
	f.Warm = k.WarmHandler(f, h.Warm)
	if len(f.Artifact.Files)+len(f.Artifact.Trees) > 0 {
		h.WarmFiles = f.Artifact.Files
		if !k.fromMirror(f, h, vars) {
			artifact := f.Artifact
			h.WarmCheck = func() error { return k.Allowed(artifact) }
			k.WhileUnchanged(f)
		}
	}
	if k.OwnCode(f.Level, f.Name) {
		k.isolateCommand(f, h)
	}
	c, err := k.Confine(f)
	if err != nil {
		f.Registration.Handler = Unusable(err)
		return
	}
	h.Wall, h.Base, h.Dir = c.Wall, slices.Concat(h.Base, c.Env), cmp.Or(c.Dir, h.Dir)
}

// fromMirror lets a command run the copies of its files.
func (k *Kit) fromMirror(f *Found, h *command.Hook, vars map[string]string) bool {
	copies, ok := k.FromCopies(f, CommandLine{Command: h.Command, Args: h.Args, Dir: h.Dir, Vars: vars})
	if ok = ok && (copies.Command != h.Command || !slices.Equal(copies.Args, h.Args)); ok {
		h.Command, h.Args, h.Copies, h.Original = copies.Command, copies.Args, copies.Root, f.Artifact.Root
	}
	return ok
}

// FromCopies returns what is started in place of a command line so that the files that the
// approval of a hook covers are their private copies; Root is where these lie. ok is false
// when the line can't be told to, or no copies are kept.
func (k *Kit) FromCopies(f *Found, l CommandLine) (copies CommandLine, ok bool) {
	if l.Root = k.Mirror(f); l.Root == "" {
		return l, false
	}
	o := k.seeOptions(f.Level, f.Artifact.Root, l)
	to := refs.Below(f.Artifact.Files, f.Artifact.Root, l.Root)
	if l.Args != nil {
		l.Command, l.Args, ok = refs.RewriteExec(l.Command, l.Args, o, to)
	} else {
		l.Command, ok = refs.Rewrite(l.Command, o, to)
	}
	return l, ok
}

// isolateCommand keeps a command from finding code in the project by accident.
func (k *Kit) isolateCommand(f *Found, h *command.Hook) {
	h.Base = k.OwnCodeEnv(f, h.Base, Copied(f.Python, h.Original, h.Copies))
	k.Isolate(f, h.Base)
	if before, modules := h.WarmCheck, f.Modules; len(modules) > 0 {
		h.WarmCheck = func() error {
			if before != nil {
				if err := before(); err != nil {
					return err
				}
			}
			return Unshadowed(context.Background(), modules, k.StartDir, h.Base)
		}
	}
}
