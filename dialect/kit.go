package dialect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/hookline-dev/hookline/config"
	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/handler/httpcall"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/codedir"
	"github.com/hookline-dev/hookline/internal/fsx"
	"github.com/hookline-dev/hookline/internal/shell/refs"
	"github.com/hookline-dev/hookline/plugin"
	"github.com/hookline-dev/hookline/trust"
)

// Kit is what finders work with: where hooks may lie, which of them may run, and what
// their handlers share. It is the same for all finders of a loader and does not change.
type Kit struct {
	Dirs Dirs
	// Places are where plugins, and executables beside them, are looked for.
	Places plugin.Places
	// StartDir is where the session was started.
	StartDir string
	// Config is Hookline's own configuration, never nil.
	Config *config.Config
	// Hosting is what the host offers.
	Hosting Hosting
	// Environ is the host's environment as KEY=VALUE, and Env what hooks get of it.
	Environ, Env []string
	// NamedModules are further modules that the caller named.
	NamedModules []string
	// TheirFiles are files, and directories of them, of which the agent that we stand
	// behind runs the hooks itself.
	TheirFiles []string
	// NoHooks leaves only what the administrator put there.
	NoHooks bool

	// For, when not nil, is the one input that hooks are found for.
	For hook.Input

	// Limiter bounds how many hook processes run at once, Pool keeps those that were
	// started ahead, and HTTP is the client of all hooks that are requests.
	Limiter *process.Limiter
	Pool    *process.Pool
	HTTP    *httpcall.Client

	// Sandbox, when not nil, holds what hooks and workers may write.
	Sandbox *Sandbox

	// Gate decides which hooks may run.
	Gate trust.Gate
	// seen is what was seen while hooks are being found, nil in between.
	seen atomic.Pointer[trust.Seen]
	// Last are the hooks that the load before found, nil before the first.
	Last func() []Found
	// HeldFile reports whether what was read from a file before stays in force,
	// whatever the file says now.
	HeldFile func(path string) bool
}

// RunByHost reports whether the agent that we stand behind runs the hooks of a file itself.
func (k *Kit) RunByHost(path string) bool {
	return slices.ContainsFunc(k.TheirFiles, func(p string) bool {
		return path == p || strings.HasPrefix(path, p+string(filepath.Separator))
	})
}

// ManagedLevel is the level of what the administrator put there.
const ManagedLevel = "managed"

// Note makes a diagnostic of a file with a formatted message.
func Note(severity diag.Severity, path, format string, args ...any) diag.Diagnostic {
	return diag.Diagnostic{Severity: severity, Path: path, Message: fmt.Sprintf(format, args...)}
}

// Finding lets what hooks have in common be looked at once until end is called. Looks at
// files right before a run are not among it.
func (k *Kit) Finding() (end func()) {
	k.seen.Store(&trust.Seen{})
	return func() { k.seen.Store(nil) }
}

// artifact is a hook's artifact with what was seen while hooks are found.
func (k *Kit) artifact(f *Found) trust.Artifact {
	a := f.Artifact
	a.Seen = k.seen.Load()
	return a
}

func (k *Kit) check(f *Found) trust.Verdict { return k.Gate.Check(k.artifact(f)) }

// Allow asks the gate about a hook and records the answer in it. It reports whether
// the hook may run.
func (k *Kit) Allow(f *Found) bool {
	v := k.check(f)
	f.Digest, f.Uncovered, f.unapproved, f.mayWrite = v.Digest, v.Uncovered, v.Override, v.MayWrite
	if v.Allowed || f.Status != Active {
		return v.Allowed
	}
	f.Status, f.Why, f.verdict = Untrusted, v.Why, v
	if f.Level == ManagedLevel {
		f.Status = Broken // no person can approve it
	}
	return false
}

// Fail makes of a guard that is broken or untrusted a hook that fails wherever it would
// have run, if it is in force: by its level, or because a person approved it as it was
// before. What nobody ever approved was never a guard. That of the administrator fails
// closed, and so does one of the person that cannot run because of what the project
// holds. Of one that could not be asked what it is for it is taken that it guards tools.
func (k *Kit) Fail(f *Found) {
	v := f.verdict
	if v.Why == "" {
		v = k.check(f)
	}
	inForce, r := v.Allowed || v.InForce, f.Registration
	switch {
	case f.Status == Broken && !inForce:
		f.Registration = nil
		return
	case r == nil:
		r = &hook.Registration{Event: cmp.Or(f.Event, hook.EventPreToolUse)}
		f.Registration = r
	}
	k.Policy(f)
	if !inForce || !Guards(r) {
		return
	}
	f.Failed = true
	if r.Handler == nil || f.Status == Untrusted || f.Level == ManagedLevel {
		what := map[bool]string{true: "a managed hook cannot run: ", false: "not run: "}[f.Level == ManagedLevel]
		if f.Status == Broken && f.Level != ManagedLevel {
			what = ""
		}
		r.Handler = Unusable(errors.New(what + f.Why))
	}
	if f.Level == ManagedLevel || v.Project || f.Shut {
		r.OnFailure = hook.FailClosed
	}
}

// Policy sets what the failure of a hook counts as where the configuration says it.
func (k *Kit) Policy(f *Found) {
	for pattern, policy := range k.Config.OnFailure {
		if config.Names(pattern, f.Name) || f.Earlier != "" && config.Names(pattern, f.Earlier) {
			f.Registration.OnFailure = map[string]hook.FailurePolicy{"open": hook.FailOpen, "closed": hook.FailClosed, "ask": hook.FailAsk}[policy]
		}
	}
}

// Guards reports whether a hook can keep something from happening. After a tool has run
// it is too late for that: there a hook guards only when its settings say so.
func Guards(r *hook.Registration) bool {
	if r.Observe || r.Async != hook.AsyncNo || !r.Event.Spec().CanFailClosed() {
		return false
	}
	switch r.Event {
	case hook.EventPostToolUse, hook.EventPostToolUseFailure, hook.EventPostToolBatch:
		return r.Guard || r.OnFailure == hook.FailClosed || r.OnFailure == hook.FailAsk
	}
	return true
}

// Skip reports whether nothing need be looked at of a hook: it is not for the one input that
// hooks are found for, and its definition is what was approved, or none was. One whose
// definition changed fails where the approved one guarded.
func (k *Kit) Skip(r *hook.Registration, a trust.Artifact, definition func() string) bool {
	if k.For == nil || r.Concerns(k.For) {
		return false
	}
	g, ok := k.Gate.(trust.Rememberer)
	a.Seen = k.seen.Load()
	return !ok || !g.Redefined(a, definition)
}

// AllowFile asks the gate about the content of a file right before it runs.
func (k *Kit) AllowFile(path, digest string) bool { return k.Gate.CheckFile(path, digest) }

// Allowed says why a hook that was allowed when it was loaded may not run now.
func (k *Kit) Allowed(a trust.Artifact) error {
	if v := k.Gate.Check(a); !v.Allowed {
		return fmt.Errorf("not run: %s", v.Why)
	}
	return nil
}

// InForce returns what a hook was when the session allowed it, nil when it never did:
// a change in the middle of a session, by a model for instance, neither runs nor
// switches the hook off.
func (k *Kit) InForce(f *Found) []Found {
	if !f.verdict.AllowedBefore {
		return nil
	}
	var out []Found
	for _, old := range k.Last() {
		if old.Status == Active && old.Dialect == f.Dialect && old.Name == f.Name && old.Path == f.Path && old.Nth == f.Nth && (f.Event == 0 || old.Event == f.Event) {
			old.Why = "changed during the session: what was approved stays in force"
			out = append(out, old)
		}
	}
	return out
}

// Unusable is the handler of something that never said what it wants: it fails
// wherever it might have guarded.
func Unusable(err error) hook.Handler {
	return hook.HandlerFunc(func(context.Context, *hook.Call) (hook.Result, error) {
		return hook.Result{}, &hook.Failure{Kind: hook.FailureLoad, Err: err}
	})
}

// configLevel is the level of the configuration that has the say over hooks of a level.
func configLevel(level string) config.Level {
	switch level {
	case ManagedLevel:
		return config.Managed
	case "user":
		return config.User
	}
	return config.Project
}

// Disabled reports whether the configuration switches a hook off, and says by what. That of
// the project has no say over a guard which a person approved: then off is false, and why
// says what has no effect.
func (k *Kit) Disabled(f *Found) (why string, off bool) {
	level, names := configLevel(f.Level), []string{f.Name, f.FullName()}
	if f.Earlier != "" {
		names = append(names, f.Earlier)
	}
	for _, name := range names {
		if why, off = k.Config.Disabled(name, min(level, config.User)); off {
			return why, off
		}
		if level == config.Project {
			if why, off = k.Config.DisabledIn(k.Dirs.Project, name); off {
				return why, off
			}
		}
	}
	for _, name := range names {
		if why, off = k.Config.Disabled(name, level); off && k.Adopted(f) {
			return Overruled(why), false
		} else if off {
			return why, off
		}
	}
	return "", false
}

// Overruled says of a guard that what would switch it off has no say over it.
func Overruled(why string) string {
	return why + ", which has no say over a guard that you approved: hookline disable"
}

// Adopted reports whether a hook of the project is a guard that a person approved, as it is
// or as it was. Of one that was not asked yet what it is for it is taken that it guards.
func (k *Kit) Adopted(f *Found) bool {
	if f.Registration != nil && !Guards(f.Registration) {
		return false
	}
	v := k.check(f)
	return v.InForce || v.Allowed && !v.Override
}

// Prewarm is how many processes of a hook wait ahead of time: what its definition
// says, or the configuration for its name.
func (k *Kit) Prewarm(name string, n int) int {
	for pattern, m := range k.Config.Prewarm {
		if config.Names(pattern, name) {
			return m
		}
	}
	return n
}

// Look is what there is of places and plugins, once for all finders: they have the same.
func (k *Kit) Look() *plugin.Look {
	l, _ := trust.LookOnce(k.seen.Load(), "places", "", func() (*plugin.Look, error) { return k.Places.Look(), nil })
	return l
}

// Levels lists the directories of one kind of executables: the administrator's first,
// and alone with NoHooks.
func (k *Kit) Levels(kind string) ([]plugin.Level, []diag.Diagnostic) {
	type listed struct {
		levels []plugin.Level
		diags  []diag.Diagnostic
	}
	var look *plugin.Look
	if !k.NoHooks {
		look = k.Look()
	}
	l, _ := trust.LookOnce(k.seen.Load(), "levels", kind, func() (l listed, _ error) {
		if look != nil {
			l.levels, l.diags = look.Levels(kind)
		}
		if dir := Join(k.Dirs.Managed, kind); dir != "" {
			if _, err := os.Stat(dir); !errors.Is(fsx.LinkFault(dir, err), fs.ErrNotExist) {
				l.levels = slices.Insert(l.levels, 0, plugin.Level{Dir: dir, Location: ManagedLevel})
			}
		}
		return l, nil
	})
	return slices.Clone(l.levels), slices.Clone(l.diags)
}

// root is the directory that the files of a level belong to.
func (k *Kit) root(lv plugin.Level) string {
	if LevelName(lv) == "project" {
		return k.Dirs.Project
	}
	return lv.Dir
}

// LevelName is managed, project or user.
func LevelName(lv plugin.Level) string {
	switch lv.Location {
	case ManagedLevel:
		return ManagedLevel
	case plugin.Local:
		return "project"
	}
	return "user"
}

// FallbackDirs are where a hook runs when the event's directory is gone.
func (k *Kit) FallbackDirs() []string {
	return slices.DeleteFunc([]string{k.StartDir, k.Dirs.Project, k.Dirs.Home, os.TempDir()}, func(dir string) bool { return dir == "" })
}

// seeProgram sets the files that an executable is made of: itself, what it sources and
// what it imports from beside it, as far as they lie below the root of its level; and in
// words what cannot be seen through. A program of the person that runs files of the
// project is approved with them, and in the project.
func (k *Kit) seeProgram(f *Found) {
	o := refs.Options{
		Dir: k.Dirs.Project, Root: f.Artifact.Root, Isolated: k.OwnCode(f.Level, f.Name),
		Vars: map[string]string{"HOME": k.Dirs.Home, "HOOKLINE_PROJECT_DIR": k.Dirs.Project},
	}
	found, root := k.programRefs(f.Path, f.Level, o)
	f.Artifact.Root, f.Artifact.Files, f.Artifact.Trees, f.Artifact.Unseen = root, found.Files, treesOf(found.Trees), found.Unseen
	f.Artifact.Computed = found.Computed
	f.confine()
	f.Python, f.Modules = found.Python, found.Modules
	path, level := f.Path, f.Level
	f.Artifact.First = func() []string {
		o.FirstRules, o.Isolated = true, false
		first, _ := k.programRefs(path, level, o)
		return first.Files
	}
}

// treesOf lists directories as an approval knows them.
func treesOf(found []codedir.Tree) []trust.Tree {
	var out []trust.Tree
	for _, t := range found {
		out = append(out, trust.Tree{Dir: t.Dir, Language: string(t.Language), Glob: t.Glob})
	}
	return out
}

// programRefs finds the files of an executable, and the root that they are approved in.
func (k *Kit) programRefs(path, level string, o refs.Options) (refs.Refs, string) {
	root := o.Root
	found := refs.Exec(path, nil, o)
	found.Files = append(found.Files, path)
	if configLevel(level) == config.User && !inside(k.Dirs.Project, path) {
		o.Root = filepath.VolumeName(k.Dirs.Home) + string(filepath.Separator)
		borrowed := refs.Exec(path, nil, o)
		found.Computed = cmp.Or(found.Computed, borrowed.Computed)
		for _, file := range borrowed.Files {
			if _, err := os.Lstat(file); err == nil && inside(k.Dirs.Project, file) {
				found.Files = append(found.Files, file)
				root = k.Dirs.Project
			}
		}
	}
	if found.Computed != "" && configLevel(level) == config.User {
		root = k.Dirs.Project
	}
	slices.Sort(found.Files)
	found.Files = slices.Compact(found.Files)
	return found, root
}
