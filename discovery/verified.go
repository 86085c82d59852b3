package discovery

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/handler/command"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/scriptrefs"
	"github.com/hookline-dev/hookline/trust"
)

// verified runs a hook only while the files that it names are as they were when it
// was allowed: they are looked at right before the run and once more after it, and
// an answer of files that changed in between does not count.
type verified struct {
	hook.Handler
	gate     trust.Gate
	artifact trust.Artifact
}

func (v *verified) Handle(ctx context.Context, call *hook.Call) (hook.Result, error) {
	before := v.gate.Check(v.artifact)
	if !before.Allowed {
		return hook.Result{}, hook.Failf(hook.FailureLaunch, "not run: %s: what it would run is not what was approved", before.Why)
	}
	res, err := v.Handler.Handle(ctx, call)
	if after := v.gate.Check(v.artifact); after.Digest != before.Digest {
		return hook.Result{}, hook.Failf(hook.FailureLaunch, "its files changed while it ran, so its answer does not count")
	}
	return res, err
}

// Identity is that of the hook.
func (v *verified) Identity() string {
	if id, ok := v.Handler.(hook.Identifier); ok {
		return id.Identity()
	}
	return ""
}

// Grace is that of the hook.
func (v *verified) Grace() time.Duration {
	if g, ok := v.Handler.(hook.Graceful); ok {
		return g.Grace()
	}
	return 0
}

// mirrorer is a gate that keeps what it allowed in private copies.
type mirrorer interface {
	Mirror(a trust.Artifact) (string, error)
}

// verify makes a hook that names files run what was allowed and nothing else: from
// private copies where the command can be told to, otherwise with a look at the
// files before and after.
func (l *Loader) verify(f *Found, e *claude.Entry) {
	h, isCommand := l.made[e].(*command.Hook)
	if isCommand {
		f.warm = h
	}
	r := f.Registration
	if r == nil || r.Handler == nil || len(f.Artifact.Files) == 0 {
		return
	}
	// What was started before must not go on with old code.
	switch h := l.made[e].(type) {
	case *command.Hook:
		h.WarmFiles = f.Artifact.Files
	case *workerHook:
		h.spec.Files = f.Artifact.Files
	}
	if l.fromMirror(f, e) {
		return
	}
	if isCommand {
		artifact := f.Artifact
		h.WarmCheck = func() error { return l.stillAllowed(artifact) }
	}
	r.Handler = &verified{r.Handler, l.gate, f.Artifact}
}

// fromMirror lets the command of an entry run the copies of its files.
func (l *Loader) fromMirror(f *Found, e *claude.Entry) bool {
	m, ok := l.gate.(mirrorer)
	h, isCommand := l.made[e].(*command.Hook)
	if !ok || !isCommand {
		return false
	}
	dir, err := m.Mirror(f.Artifact)
	if err != nil || dir == "" {
		return false
	}
	o := l.refOptions(f.Artifact.Root)
	to := scriptrefs.Below(f.Artifact.Files, f.Artifact.Root, dir)
	if e.Args != nil {
		program, args, ok := scriptrefs.RewriteExec(h.Command, h.Args, o, to)
		if ok {
			h.Command, h.Args = program, args
			h.Copies, h.Original = dir, f.Artifact.Root
		}
		return ok
	}
	text, ok := scriptrefs.Rewrite(h.Command, o, to)
	if ok {
		h.Command = text
		h.Copies, h.Original = dir, f.Artifact.Root
	}
	return ok
}

// programFiles returns the files that an executable is made of: itself, what it
// sources and what it imports from beside it, as far as they lie below root; and in
// words what cannot be seen through.
func (l *Loader) programFiles(path, root string) (files, unseen []string) {
	refs := scriptrefs.Exec(path, nil, l.refOptions(root))
	files = append([]string{path}, refs.Files...)
	slices.Sort(files)
	return slices.Compact(files), refs.Unseen
}

func (l *Loader) refOptions(root string) scriptrefs.Options {
	return scriptrefs.Options{
		Dir: l.opts.Dirs.Project, Root: root,
		Vars: map[string]string{"CLAUDE_PROJECT_DIR": l.opts.Dirs.Project, "HOME": l.opts.Dirs.Home},
	}
}

// scriptFiles returns the files that a command names, which approval covers along
// with the command itself, and in words what it cannot see through.
func (l *Loader) scriptFiles(e *claude.Entry, f *claude.Settings) (files, unseen []string) {
	if e.Type != claude.TypeCommand && e.Type != claude.TypeWorker {
		return nil, nil
	}
	o := l.refOptions(l.opts.Dirs.Project)
	if f.Scope == claude.ScopeUser || f.Scope == claude.ScopeManaged {
		// A person's hook may run scripts from anywhere; those of the system are left out.
		o.Root = filepath.VolumeName(l.opts.Dirs.Home) + string(filepath.Separator)
	}
	if f.Plugin != nil {
		o.Root = f.Plugin.Root
		o.Vars["CLAUDE_PLUGIN_ROOT"] = f.Plugin.Root
	}
	var refs scriptrefs.Refs
	switch {
	case e.Args != nil:
		refs = scriptrefs.Exec(e.Command, e.Args, o)
	case e.Shell == "powershell" || e.Shell == "pwsh":
		refs = scriptrefs.PowerShell(e.Command, o)
	default:
		refs = scriptrefs.Command(e.Command, o)
	}
	return refs.Files, refs.Unseen
}
