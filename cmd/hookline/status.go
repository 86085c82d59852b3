package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/trust"
)

// hookStatus is one hook as status --json prints it.
type hookStatus struct {
	Name      string   `json:"name"`
	Dialect   string   `json:"dialect"`
	Source    string   `json:"source"`
	Status    string   `json:"standing"` // approved, changed, new, refused or unreadable
	Fault     string   `json:"fault,omitzero"`
	Digest    string   `json:"digest"`
	Files     []string `json:"files"`
	Changes   []string `json:"changes"`
	Uncovered []string `json:"newly_covered"`
	Unseen    []string `json:"unseen"`
	Confined  bool     `json:"confined"` // it writes to a directory of its own only
}

// statusOptions are the arguments and the flags of status.
type statusOptions struct {
	names  []string // of hooks, or paths; none is all of the project
	asJSON bool
}

func newStatusCmd(a *app) *cobra.Command {
	var o statusOptions
	cmd := &cobra.Command{
		Use:               "status [NAME|PATH...]",
		Short:             "Say which hooks of the project are approved, and what changed since",
		Example:           "  hookline status\n  hookline status --json",
		ValidArgsFunction: a.completeHooks,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.names = args
			return runStatus(cmd.Context(), a, o)
		},
	}
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON")
	return cmd
}

func runStatus(ctx context.Context, a *app, o statusOptions) error {
	w, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	artifacts, err := w.artifacts(ctx, o.names)
	if err != nil {
		return err
	}
	return a.status(w, artifacts, o.asJSON)
}

func (a *app) status(w *workspace, artifacts []trust.Artifact, asJSON bool) error {
	reader := trust.NewStore(discovery.TrustDir(w.Dirs)).Reader()
	out, unread := []hookStatus{}, 0
	var open []string // what is not approved
	for _, art := range artifacts {
		rep, err := reader.Status(art)
		switch {
		case unreadable(&rep, err):
			unread++
			rep.Status = "unreadable"
		case err != nil:
			return err
		case rep.Status != trust.StatusApproved:
			open = append(open, art.Name)
		}
		switch {
		case asJSON:
		case err != nil:
			a.printf("%s: unreadable\n  %s\n", escaped(art.Name), line(err.Error()))
			continue
		default:
			if err := trust.RenderReport(a.out, rep); err != nil {
				return err
			}
			continue
		}
		s := hookStatusOf(art, &rep)
		if err != nil {
			s.Fault = err.Error()
		}
		out = append(out, s)
	}
	switch {
	case asJSON:
		if err := a.printJSON(out); err != nil {
			return err
		}
	case len(artifacts) == 0:
		a.warnf("The project has no hooks of its own.")
	}
	if !asJSON {
		a.failedLines(w.Set(), func(h *discovery.Found) bool { return !needsApproval(h) })
		a.offLine(w.Set())
		if own := hooksOfOwnDirectory(w.Set()); w.SandboxMode() == "off" && own != "" {
			a.warnf("Hooks that%s. 'hookline trust --allow-writes' lets them write what others may.", own)
		} else if w.SandboxMode() != "off" {
			a.warnf("Sandbox of the agent's commands and hooks: %s", sandboxCheck(w).Detail)
		}
	}
	switch {
	case unread > 0:
		return errSilent
	case a.requireTrusted && len(open) > 0:
		return fmt.Errorf("--require-trusted: not approved: %s; 'hookline trust' shows and approves", strings.Join(open, ", "))
	}
	return nil
}

// hookStatusOf is a hook with what the approvals say of it.
func hookStatusOf(art trust.Artifact, rep *trust.Report) hookStatus {
	s := hookStatus{Name: art.Name, Dialect: art.Dialect, Source: art.Source, Status: string(rep.Status), Digest: rep.State.Digest, Files: []string{}, Changes: []string{}, Uncovered: append([]string{}, rep.Uncovered...), Unseen: append([]string{}, art.Unseen...)}
	s.Confined = art.Confined && (rep.Approval == nil || !rep.Approval.MayWrite)
	for _, f := range rep.State.Files {
		s.Files = append(s.Files, f.Path)
	}
	for _, c := range rep.Changes {
		s.Changes = append(s.Changes, strings.TrimSpace(c.Kind+" "+c.Path))
	}
	return s
}
