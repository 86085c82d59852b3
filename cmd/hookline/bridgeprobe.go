package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/bridge"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
)

func newBridgeProbeCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "probe HOST",
		Short: "Record what an agent sends, and say where it is not as expected",
		Long: `Record what the agent sends its hooks, until an interrupt (Ctrl-C) ends it: use the agent
meanwhile, with the bridge installed. Then say where the payloads are not as the table of
this version has them, and which events did not come. Secrets are replaced before anything
is written; nobody but you may read it; it goes after 30 days, or when it is more than
500 MB. 'hookline replay' fires it again.`,
		Example:           "  hookline bridge probe codex",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeHost,
		RunE:              func(cmd *cobra.Command, args []string) error { return runBridgeProbe(cmd.Context(), a, args[0]) },
	}
}

func runBridgeProbe(ctx context.Context, a *app, name string) (err error) {
	h, err := a.hostNamed(name)
	if err != nil {
		return err
	}
	in, err := a.installer()
	if err != nil {
		return err
	}
	_, d := dialect.HostByName(a.dialects, h.Name)
	p, err := bridge.NewProbe(ctx, in.Dirs.State, h, d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	a.printf("What %s sends its hooks is recorded in %s, secrets replaced; an interrupt ends it.\n", h.Title, escaped(p.Dir))
	<-ctx.Done()
	differ, seen, err := p.Differences(func(ev hook.Event) (hook.Input, error) { return inputOf(ev, in.Dirs.Project) })
	if err != nil {
		return err
	}
	a.reportProbe(h, differ, seen)
	return nil
}

// reportProbe says how what a host sent differs from its table.
func (a *app) reportProbe(h *dialect.Host, differ []string, seen map[string]int) {
	if len(seen) == 0 {
		a.printf("nothing was sent: 'hookline bridge status' says why\n")
		return
	}
	var unseen []string
	n := 0
	for i := range h.Events {
		if name := h.Events[i].Name; seen[name] == 0 {
			unseen = append(unseen, name)
		}
	}
	for _, of := range seen {
		n += of
	}
	a.printf("%s of %s:\n", count(n, "payload", "payloads"), count(len(seen), "event", "events"))
	for _, one := range differ {
		a.printf("  %s\n", line(one))
	}
	if len(differ) == 0 {
		a.printf("  all are as the table has them\n")
	}
	if len(unseen) > 0 {
		a.printf("not seen: %s\n", strings.Join(unseen, ", "))
	}
}
