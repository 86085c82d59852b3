package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

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
	t := a.newTrusting(w, o)
	for _, art := range artifacts {
		if err := t.one(ctx, art); err != nil {
			return err
		}
	}
	if err := t.write(ctx); err != nil {
		return err
	}
	switch {
	case t.refused > 0:
		return errSilent
	case t.asked == 0:
		a.warnf("Nothing to approve: %s", count(len(artifacts), "hook of the project is approved", "hooks of the project are approved"))
	}
	return nil
}

// unreadable reports whether a status failed because of the hook's own files: that is
// its own matter, and says nothing about the others.
func unreadable(rep *trust.Report, err error) bool { return err != nil && rep.State.Digest == "" }

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
	reader := store.Reader()
	var again []trust.Report
	for _, other := range others {
		r, err := reader.Status(other)
		if err != nil {
			return err
		}
		if r.Status == trust.StatusChanged && onlyAdded(r, written) {
			again = append(again, r)
		}
	}
	if err := store.Renew(ctx, again...); err != nil {
		return err
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
