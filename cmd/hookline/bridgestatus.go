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
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
)

func newBridgeStatusCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "status [HOST]",
		Short: "Say behind which agents the hooks are, and why one did not run there",
		Long: `Say for each agent whether the bridge is installed, when it asked last, which hooks it
never asks since it has no such event, or no tool that their matcher takes, and what it
could not be told in the last day; then which hooks could not answer. 'hookline explain' says of one event which hooks match.`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.completeHost,
		RunE: func(cmd *cobra.Command, args []string) error {
			hosts := dialect.Hosts(a.dialects)
			if len(args) == 1 {
				h, err := a.hostNamed(args[0])
				if err != nil {
					return err
				}
				hosts = []*dialect.Host{h}
			}
			return runBridgeStatus(cmd.Context(), a, hosts)
		},
	}
}

// recently is how far back status looks.
const recently = 24 * time.Hour

func runBridgeStatus(ctx context.Context, a *app, hosts []*dialect.Host) error {
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
	for _, h := range hosts {
		if err := a.hostStatus(in, w, h, losses); err != nil {
			return err
		}
	}
	for _, f := range failures {
		a.printf("could not answer in the last day: %s\n", line(f))
	}
	return nil
}

// hostStatus prints what there is to know of the bridge of one host.
func (a *app) hostStatus(in *bridge.Installer, w *workspace, h *dialect.Host, losses []string) error {
	places, err := in.Places(h)
	if err != nil {
		return err
	}
	there := "no program of this name is in PATH"
	if path, err := exec.LookPath(h.Program); err == nil {
		there = path
	}
	if h.Program == "" {
		there = "it is not a program of this machine"
	}
	a.printf("%s (%s): %s\n", a.style("1", h.Name), h.Title, escaped(there))
	others := in.Others(h)
	if len(places) == 0 {
		a.printf("  not installed here; 'hookline bridge install %s'\n", h.Name)
	}
	for _, path := range others {
		a.printf("  asks through the bridge of another agent, whose file it reads too: %s\n", escaped(path))
	}
	for _, p := range places {
		a.printf("  %s: %s\n", p.Level, escaped(p.Path))
		for _, problem := range append(p.Problems, unapproved(in, h, p.Path)...) {
			a.printf("    %s\n", escaped(problem))
		}
	}
	needs := h.Needs
	if len(places) > 0 {
		said, asked := askedLast(in, h)
		a.printf("  %s\n", said)
		if !asked {
			needs = nil // just said
		}
	}
	if len(places)+len(others) > 0 {
		for _, why := range a.never(h, w.Set().Hooks) {
			a.printf("  %s\n", escaped(why))
		}
	}
	for _, l := range lostBehind(h, losses) {
		a.printf("  lost in the last day: %s\n", line(l))
	}
	for _, n := range slices.Concat(needs, h.Traps) {
		a.printf("  %s\n", n)
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

// askedLast says when a host that has the bridge asked last, or why it may never have.
func askedLast(in *bridge.Installer, h *dialect.Host) (said string, asked bool) {
	if at, ok := bridge.AskedLast(in.Dirs.State, h); ok {
		return "asked last: " + at.Format(time.DateTime), true
	}
	return "it has never asked: no session has begun since, or it does not run these hooks: " + strings.Join(append(slices.Clone(h.Needs), "'hookline bridge test "+h.Name+"' plays it"), "; "), false
}

// never says which hooks a host never asks, and why: it has no such event, or asks about no
// tool that the hook's matcher takes.
func (a *app) never(h *dialect.Host, hooks []discovery.Found) (out []string) {
	for i := range hooks {
		f := &hooks[i]
		if f.Registration == nil || f.Status == dialect.Disabled {
			continue
		}
		why := ""
		if !slices.ContainsFunc(h.Events, func(e dialect.HostEvent) bool { return e.For(f.Event).Event == f.Event }) {
			why = "never asked there, which has no such event: "
		} else if taken := a.taken(f); len(taken) > 0 && !slices.ContainsFunc(taken, a.askedAbout(h)) {
			why = fmt.Sprintf("never asked there, which asks about no tool that the matcher %q takes: ", f.Matcher)
		}
		if said := fmt.Sprintf("%s%s (%v)", why, f.FullName(), f.Event); why != "" && !slices.Contains(out, said) {
			out = append(out, said)
		}
	}
	return out
}

// askedAbout says of tools whether a host asks about them.
func (a *app) askedAbout(h *dialect.Host) func(tool string) bool {
	_, d := dialect.HostByName(a.dialects, h.Name)
	return func(tool string) bool { return h.AsksAbout(d, tool) }
}

// taken are the tools that hosts have and that a hook's matcher takes; none where it may be
// about others too, such as those of an MCP server.
func (a *app) taken(f *discovery.Found) (tools []string) {
	m := f.Registration.Matcher
	if m == nil || f.Event.Spec().Subject != "tool_name" || strings.Contains(f.Matcher, "mcp") {
		return nil
	}
	for _, d := range a.dialects {
		for _, t := range d.Tools() {
			if !slices.Contains(tools, t.Canonical) && m.Match(t.Canonical) != hook.MatchNo {
				tools = append(tools, t.Canonical)
			}
		}
	}
	return tools
}

// lostBehind are those of the losses that are of a host.
func lostBehind(h *dialect.Host, losses []string) (out []string) {
	for _, l := range losses {
		if rest, ok := strings.CutPrefix(l, bridge.LostBehind(h)); ok {
			out = append(out, rest)
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
func (a *app) bridgeChecks(w *workspace) ([]check, error) {
	in, err := a.installer()
	if err != nil {
		return nil, err
	}
	losses, _, err := recentTroubles(w)
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
			said, _ := askedLast(in, h)
			c := check{"bridge " + h.Name, "ok", p.Path + "; " + said, ""}
			why := a.never(h, w.Set().Hooks)
			for _, l := range lostBehind(h, losses) {
				why = append(why, "lost in the last day: "+l)
			}
			if len(why) > 0 {
				c = check{c.Name, "note", c.Detail + "; " + strings.Join(why, "; "), "hookline bridge status"}
			}
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
