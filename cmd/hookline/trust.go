package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/trust"
)

// mayTrustProject keeps agents from trusting a project as a whole, and says when a
// person does.
func (a *app) mayTrustProject() error {
	if !a.trustProject {
		return nil
	}
	if v := trust.InsideAgent(a.getenv); v != "" {
		return usagef("--trust-project is for people and for machines that they set up; %s says that an agent started this", v)
	}
	dir, err := a.workDir()
	if err == nil {
		a.warnf("warning: --trust-project runs hooks of %s that nobody approved", a.dirs(dir).Project)
	}
	return err
}

// personOnly refuses a command that changes what runs or steers hooks to hooks, tools,
// servers and workers of our own agent.
func (a *app) personOnly() error {
	sign := trust.InsideHookline(a.getenv)
	if sign == "" {
		return nil
	}
	return fmt.Errorf("this is for the person to do: %s says that a tool or a hook of hookline started it; call it in a terminal outside of the session", sign)
}

// checkTrusted fails with --require-trusted when a hook is not approved.
func (a *app) checkTrusted(w *workspace) error {
	if names := w.Untrusted(); a.requireTrusted && len(names) > 0 {
		return hostError(&host.UntrustedError{Names: names})
	}
	return nil
}

// artifacts returns what approvals can be about: the hooks of the project, each
// once, and what else it brings to the agent, narrowed to names or paths.
func (w *workspace) artifacts(ctx context.Context, args []string) ([]trust.Artifact, error) {
	var out []trust.Artifact
	seen := map[string]bool{}
	used := map[string]bool{}
	for i := range w.Set().Hooks {
		h := &w.Set().Hooks[i]
		a := h.Artifact
		if !needsApproval(h) && h.Status != discovery.Untrusted {
			continue // it needs no approval
		}
		if h.Status == discovery.Broken && a.Command == "" && len(a.Files) == 0 {
			continue // there is nothing of it to approve
		}
		if len(args) > 0 {
			j := slices.IndexFunc(args, func(arg string) bool { return w.names(h, arg) })
			if j < 0 {
				continue
			}
			used[args[j]] = true
		}
		key := a.Dialect + a.Source + a.Name + a.Definition
		if !seen[key] {
			seen[key] = true
			out = append(out, a)
		}
	}
	for _, a := range w.AgentArtifacts(ctx) {
		j := slices.IndexFunc(args, func(arg string) bool { return arg == a.Name || w.below(arg, a.Source) })
		if j >= 0 {
			used[args[j]] = true
		}
		if j >= 0 || len(args) == 0 {
			out = append(out, a)
		}
	}
	for _, arg := range args {
		if !used[arg] {
			return nil, fmt.Errorf("there is no hook of this project named %q, and none in a file of that name; 'hookline list --all' lists what there is", arg)
		}
	}
	return out, nil
}

// needsApproval reports whether a hook came with the project.
func needsApproval(h *discovery.Found) bool {
	return h.Artifact.Level == "project" || h.Artifact.Level == "local"
}

// names reports whether an argument means a hook: its name, its file, or a
// directory that its file is in.
func (w *workspace) names(h *discovery.Found, arg string) bool {
	if arg == h.Name || arg == strings.Replace(h.Name, "/", "@", 1) {
		return true
	}
	return w.below(arg, h.Path)
}

// below reports whether an argument is a file, or a directory that it is in.
func (w *workspace) below(arg, file string) bool {
	path := arg
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.Dir, path)
	}
	rel, err := filepath.Rel(path, file)
	return err == nil && filepath.IsLocal(rel)
}

// trustOptions are the arguments and the flags of trust.
type trustOptions struct {
	names        []string // of hooks, or paths; none is all of the project
	yes, replace bool
	coveredOnly  bool // nothing that runs what an approval does not cover
	allowWrites  bool // what does may write what others may
	digests      []string

	exportTo, importFrom string // files of shared approvals
}

func newTrustCmd(a *app) *cobra.Command {
	var o trustOptions
	cmd := &cobra.Command{
		Use:   "trust [NAME|PATH...]",
		Short: "Show hooks of the project and approve them by content",
		Long: `Show what would be approved (event, command, files and their content) and ask.
Approval covers exactly these bytes: a change makes a hook untrusted again. Without
arguments, all hooks of the project that are not approved are shown.

For scripts: --yes approves what is there now and prints the digests, and --digest
refuses anything else. What a hook computes or downloads before it runs it is not
covered, which is said, and such a hook writes to a directory of its own only, which
HOOKLINE_DATA_DIR names. --allow-writes lets it write what others may; --covered-only
refuses such hooks.

For teams: --export writes what is approved to a file that can be committed, and --import
approves exactly what such a file names and is here as it was there. It ends with 1 when
something of the project has no approval then, or something that was approved is not here.`,
		Example:           "  hookline trust\n  hookline trust guard\n  hookline trust --yes --digest sha256:4f2a...\n  hookline trust --export .hookline/approved.json\n  hookline trust --import .hookline/approved.json",
		ValidArgsFunction: a.completeHooks,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.names = args
			return runTrust(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&o.yes, "yes", "y", false, "approve what is there now without asking")
	f.BoolVar(&o.replace, "replace", false, "let hooks take the place of hooks of yours with the same name")
	f.BoolVar(&o.coveredOnly, "covered-only", false, "refuse hooks that run something which an approval cannot cover")
	f.BoolVar(&o.allowWrites, "allow-writes", false, "let hooks that run something which an approval cannot cover write what others may")
	f.StringArrayVar(&o.digests, "digest", nil, "approve content with this digest only (repeatable)")
	f.StringVar(&o.exportTo, "export", "", "write what is approved to this file (- for the output)")
	f.StringVar(&o.importFrom, "import", "", "approve what this file names (- for the input), and fail when it leaves something out")
	return cmd
}

func runTrust(ctx context.Context, a *app, o trustOptions) error {
	for _, d := range o.digests {
		if !trust.ValidDigest(d) {
			return usagef("--digest %s: a digest is sha256: and 64 hexadecimal digits", d)
		}
	}
	if err := a.personOnly(); err != nil {
		return err
	}
	if o.exportTo != "" || o.importFrom != "" {
		return shareTrust(ctx, a, o)
	}
	if o.yes && trust.InsideAgent(a.getenv) != "" && len(o.digests) == 0 {
		return usagef("--yes approves whatever is there; started by an agent (%s) it needs --digest", trust.InsideAgent(a.getenv))
	}
	w, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	artifacts, err := w.artifacts(ctx, o.names)
	if err != nil {
		return err
	}
	store := trust.NewStore(discovery.TrustDir(w.Dirs))
	asked, refused := 0, 0
	for _, art := range artifacts {
		rep, err := store.Status(art)
		if unreadable(&rep, err) {
			refused++
			a.warnf("%s cannot be approved: %s", escaped(art.Name), err)
			continue
		}
		if err != nil {
			return err
		}
		widen := o.allowWrites && art.Confined && rep.Approval != nil && !rep.Approval.MayWrite
		if rep.Standing == trust.StandingApproved && len(rep.Newly) == 0 && !widen {
			if err := renew(ctx, store, &rep); err != nil {
				return err
			}
			continue
		}
		if why := w.cannotRun(art); why != "" {
			if len(o.names) > 0 {
				refused++ // otherwise it may be a file that others read
			}
			a.warnf("%s is not approved: %s", escaped(art.Name), why)
			continue
		}
		if o.coveredOnly && len(art.Unseen) > 0 {
			refused++
			a.warnf("%s is not approved: an approval does not cover all that it runs", escaped(art.Name))
			a.notCovered(art)
			continue
		}
		asked++
		if len(rep.Newly) > 0 {
			a.warnf("%s is approved without these files, which an approval covers today: %s", escaped(art.Name), escaped(strings.Join(rep.Newly, ", ")))
		}
		err = a.trustOne(ctx, store, art, o)
		if _, ok := errors.AsType[*trust.ReplacesError](err); ok {
			refused++ // which says nothing about those behind it
			a.warnf("%s is not approved: %s; --replace says that it may", escaped(art.Name), err)
		} else if err != nil {
			return err
		}
	}
	switch {
	case refused > 0:
		return errSilent
	case asked == 0:
		a.warnf("Nothing to approve: %s", count(len(artifacts), "hook of the project is approved", "hooks of the project are approved"))
	}
	return nil
}

// cannotRun says why a hook could not run as it is, and would be another one when it can: an
// approval covers the execute bit.
func (w *workspace) cannotRun(art trust.Artifact) string {
	hooks := w.Set().Hooks
	if i := slices.IndexFunc(hooks, func(h discovery.Found) bool { return h.Name == art.Name && h.Artifact.Source == art.Source }); i >= 0 && hooks[i].Why == dialect.NotExecutable {
		return hooks[i].Why
	}
	return ""
}

// renew makes an approval by earlier rules, which covers the same files today, one of
// today: files that come later end it.
func renew(ctx context.Context, store *trust.Store, rep *trust.Report) error {
	if rep.Approval.Rules >= trust.Rules {
		return nil
	}
	_, err := store.Approve(ctx, trust.ApproveOptions{Digests: []string{rep.State.Digest}, Replace: true, How: rep.Approval.How, MayWrite: rep.Approval.MayWrite}, rep.Artifact)
	return err
}

// unreadable reports whether a status failed because of the hook's own files: that is
// its own matter, and says nothing about the others.
func unreadable(rep *trust.Report, err error) bool { return err != nil && rep.State.Digest == "" }

// trustOne shows one hook and asks, or takes the flags for an answer.
func (a *app) trustOne(ctx context.Context, store *trust.Store, art trust.Artifact, o trustOptions) error {
	desc, err := trust.Describe(art)
	if err != nil {
		return fmt.Errorf("read %s: %w", art.Name, err)
	}
	how := trust.HowCommand
	switch {
	case len(o.digests) > 0:
		how = trust.HowDigest
	case o.yes:
	default:
		if err := trust.RenderDescription(a.err, desc, a.asks); err != nil {
			return err
		}
		if art.Replaces != "" && !o.replace {
			a.warnf("It would take the place of your hook %s: --replace says that it may.", art.Replaces)
		}
		if art.Confined && o.allowWrites {
			a.warnf("With this approval it may write what others may.")
		}
		ok, err := a.confirm(ctx, "Approve "+escaped(art.Name)+"?")
		if err != nil || !ok {
			return err
		}
		how = trust.HowAsked
	}
	approve := trust.ApproveOptions{Digests: []string{desc.State.Digest}, Replace: o.replace, How: how, MayWrite: o.allowWrites}
	if len(o.digests) > 0 {
		approve.Digests = o.digests
	}
	if _, err := store.Approve(ctx, approve, art); err != nil {
		return err
	}
	a.printf("%s  %s\n", desc.State.Digest, escaped(art.Name))
	if how != trust.HowAsked { // who was asked has read it
		a.notCovered(art)
		a.confined(art, o)
	}
	return nil
}

// notCovered says what of a hook no approval covers.
func (a *app) notCovered(art trust.Artifact) {
	for _, u := range art.Unseen {
		a.warnf("  not covered: %s", line(u))
	}
}

// confined says that a hook writes to a directory of its own only.
func (a *app) confined(art trust.Artifact, o trustOptions) {
	if art.Confined && !o.allowWrites {
		a.warnf("  for that it writes to a directory of its own only: --allow-writes lets it write what others may")
	}
}

// approveNew approves a hook that the person has just had written, and those again that
// were approved and cover the files written, since they lie beside their own.
func (a *app) approveNew(ctx context.Context, name string, written []string) error {
	w, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	artifacts, err := w.artifacts(ctx, []string{name})
	if err != nil {
		return err
	}
	others, err := w.artifacts(ctx, nil)
	if err != nil {
		return err
	}
	store := trust.NewStore(discovery.TrustDir(w.Dirs))
	for _, other := range others {
		r, err := store.Status(other)
		if err != nil {
			return err
		}
		if r.Standing == trust.StandingChanged && onlyAdded(r, written) {
			artifacts = append(artifacts, other)
		}
	}
	_, err = store.Approve(ctx, trust.ApproveOptions{Replace: true, How: trust.HowCommand}, artifacts...)
	return err
}

// onlyAdded reports whether files of a list are all that came since the approval.
func onlyAdded(r trust.Report, written []string) bool {
	return !slices.ContainsFunc(r.Changes, func(c trust.Change) bool {
		return c.Kind != "added" || !slices.ContainsFunc(r.State.Files, func(f trust.FileState) bool {
			return f.Path == c.Path && slices.Contains(written, f.Abs)
		})
	})
}
