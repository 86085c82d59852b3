package main

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/audit"
	"github.com/hookline-dev/hookline/bridge"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
)

func newBridgeStatusCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Say behind which agents the hooks are, and why one did not run there",
		Long: `Say for each agent whether the bridge is installed, when it asked last, which hooks it
never asks since it has no such event, and what it could not be told in the last day; then
which hooks could not answer. 'hookline explain' says of one event which hooks match.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runBridgeStatus(cmd.Context(), a) },
	}
}

// recently is how far back status looks.
const recently = 24 * time.Hour

func runBridgeStatus(ctx context.Context, a *app) error {
	in, err := a.installer()
	if err != nil {
		return err
	}
	w, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	losses, failures, err := recentTroubles(w)
	if err != nil {
		return err
	}
	for _, h := range dialect.Hosts(a.dialects) {
		places, err := in.Places(h)
		if err != nil {
			return err
		}
		there := "no program of this name is in PATH"
		if path, err := exec.LookPath(h.Program); err == nil {
			there = path
		}
		a.printf("%s (%s): %s\n", a.style("1", h.Name), h.Title, escaped(there))
		if len(places) == 0 {
			a.printf("  not installed here; 'hookline bridge install %s'\n", h.Name)
		}
		for _, p := range places {
			a.printf("  %s: %s\n", p.Level, escaped(p.Path))
			for _, problem := range append(p.Problems, unapproved(in, h, p.Path)...) {
				a.printf("    %s\n", escaped(problem))
			}
		}
		if len(places) > 0 {
			a.printf("  %s\n", askedLast(in, h))
			for _, name := range unasked(h, w.Registry.Infos()) {
				a.printf("  never asked there, which has no such event: %s\n", escaped(name))
			}
		}
		for _, l := range losses {
			if rest, ok := strings.CutPrefix(l, bridge.LostBehind(h)); ok {
				a.printf("  lost in the last day: %s\n", line(rest))
			}
		}
		for _, n := range slices.Concat(h.Needs, h.Traps) {
			a.printf("  %s\n", n)
		}
	}
	for _, f := range failures {
		a.printf("could not answer in the last day: %s\n", line(f))
	}
	return nil
}

// unapproved says for which events a host does not run the bridge of a file, since nobody
// approved that in the host.
func unapproved(in *bridge.Installer, h *dialect.Host, path string) []string {
	if h.Unapproved == nil {
		return nil
	}
	events, err := h.Unapproved(in.Dirs, in.Getenv, path)
	switch {
	case err != nil:
		return []string{err.Error()}
	case len(events) > 0:
		return []string{"not approved in " + h.Title + ": " + strings.Join(events, ", ")}
	}
	return nil
}

// askedLast says when a host that has the bridge asked last.
func askedLast(in *bridge.Installer, h *dialect.Host) string {
	at, ok := bridge.AskedLast(in.Dirs.State, h)
	if ok {
		return "asked last: " + at.Format(time.DateTime)
	}
	return "it has never asked: no session has begun since, or it does not run these hooks: " + strings.Join(append(slices.Clone(h.Needs), "'hookline bridge test "+h.Name+"' plays it"), "; ")
}

// unasked are the hooks whose event a host does not have.
func unasked(h *dialect.Host, hooks []*hook.Info) (out []string) {
	for _, i := range hooks {
		has := slices.ContainsFunc(h.Events, func(e dialect.HostEvent) bool { return e.For(i.Event).Event == i.Event })
		if name := fmt.Sprintf("%s (%v)", i.Name, i.Event); !has && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// recentTroubles are what hosts could not be told, and the hooks that could not answer, each
// once.
func recentTroubles(w *workspace) (losses, failures []string, err error) {
	for r, err := range audit.Read(w.AuditPlaces().Path, audit.Filter{Since: time.Now().Add(-recently)}) {
		if err != nil {
			return losses, failures, fmt.Errorf("read the audit log: %w", err)
		}
		if failure := r.Hook + ": " + r.Error; r.Error != "" && !slices.Contains(failures, failure) {
			failures = append(failures, failure)
		}
		if strings.HasPrefix(r.Reason, bridge.LostBehind(nil)) && !slices.Contains(losses, r.Reason) {
			losses = append(losses, r.Reason)
		}
	}
	return losses, failures, nil
}

// bridgeChecks are the agents that have the bridge.
func (a *app) bridgeChecks() ([]check, error) {
	in, err := a.installer()
	if err != nil {
		return nil, err
	}
	var out []check
	for _, h := range dialect.Hosts(a.dialects) {
		places, err := in.Places(h)
		if err != nil {
			out = append(out, check{"bridge " + h.Name, "problem", err.Error(), ""})
		}
		for _, p := range places {
			c := check{"bridge " + h.Name, "ok", p.Path + "; " + askedLast(in, h), ""}
			if list := unapproved(in, h, p.Path); len(list) > 0 {
				c = check{c.Name, "note", c.Detail + "; " + list[0], h.Needs[0]}
			}
			if len(p.Problems) > 0 {
				c = check{c.Name, "problem", p.Path + ": " + strings.Join(p.Problems, "; "), "hookline bridge install " + h.Name + " --" + p.Level}
			}
			out = append(out, c)
		}
	}
	return out, nil
}
