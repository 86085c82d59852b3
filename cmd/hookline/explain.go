package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/cmd/hookline/internal/report"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
)

// considered is one registration as explain --json prints it.
type considered struct {
	Name      string   `json:"name"`
	Dialect   string   `json:"dialect"`
	Source    string   `json:"source"`
	Scope     string   `json:"scope"`
	Group     string   `json:"group,omitzero"`
	Flow      string   `json:"flow,omitzero"`
	Order     int      `json:"order"`
	Runs      bool     `json:"runs"`
	Uncertain bool     `json:"uncertain"`
	Status    string   `json:"status"`
	Why       string   `json:"why"`
	Matcher   string   `json:"matcher"`
	Timeout   float64  `json:"timeout_seconds,omitzero"`
	Policy    string   `json:"on_failure,omitzero"`
	Unseen    []string `json:"unseen,omitempty"` // what of it no approval covers
}

// explainOptions are the argument and the flags of explain.
type explainOptions struct {
	event  eventFlags
	asJSON bool
}

func newExplainCmd(a *app) *cobra.Command {
	var o explainOptions
	cmd := &cobra.Command{
		Use:   "explain [EVENT]",
		Short: "Say which hooks would run for an event, in what order, and why",
		Long:  "Say of every hook for an event whether it would run, in what order and group, and why or why not: matched, shadowed, disabled, not approved, broken. Nothing is run. Takes the flags of fire.",
		Example: `  hookline explain PreToolUse --tool Write --input '{"file_path":"/etc/passwd","content":""}'
  hookline explain Stop --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeEventArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.event.args = args
			return runExplain(cmd.Context(), a, o)
		},
	}
	o.event.add(a, cmd)
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON")
	return cmd
}

func runExplain(ctx context.Context, a *app, o explainOptions) error {
	w, in, err := a.openEvent(ctx, o.event, unrecorded)
	if err != nil {
		return err
	}
	defer w.Close()
	if err := a.explain(w, in, o.asJSON); err != nil {
		return err
	}
	return a.checkTrusted(w)
}

func (a *app) explain(w *workspace, in hook.Input, asJSON bool) error {
	eng := w.NewEngine()
	defer eng.Close()
	var rows []considered
	for _, c := range eng.Explain(in) {
		i := c.Hook
		status := statusWord(c)
		if why := unloaded(w.Set().Hooks, i); why != "" && c.Runs {
			c.Runs, c.Uncertain, c.Why, status = false, false, why, "fails"
		}
		rows = append(rows, considered{
			Name: i.Name, Dialect: i.Dialect, Source: i.Source, Scope: i.Scope, Group: i.Group, Flow: i.Flow.String(), Order: c.Order,
			Runs: c.Runs, Uncertain: c.Uncertain, Status: status, Why: c.Why, Matcher: i.Matcher, Timeout: i.Timeout.Seconds(), Policy: i.Policy.String(), Unseen: i.Unseen,
		})
	}
	rows = append(rows, notInForce(w.Set().Hooks, in.Event())...)
	if asJSON {
		if rows == nil {
			rows = []considered{}
		}
		return a.printJSON(struct {
			Event       string              `json:"event"`
			Hooks       []considered        `json:"hooks"`
			Diagnostics []report.Diagnostic `json:"diagnostics"`
		}{in.Event().String(), rows, report.Diagnostics(w.Set().Diagnostics)})
	}
	a.printDiagnostics(w.Set().Diagnostics)
	a.explainText(w, in, rows)
	return nil
}

func statusWord(c hook.Consideration) string {
	if c.Runs {
		return "runs"
	}
	return "skipped"
}

// unloaded says why a hook fails where it would run, "" for one that can run.
func unloaded(hooks []discovery.Found, i *hook.Info) string {
	for n := range hooks {
		h := &hooks[n]
		if r := h.Registration; r != nil && (h.Failed || h.Status == discovery.Broken) && r.Name == i.Name && r.Source == i.Source && r.Event == i.Event {
			return h.Why
		}
	}
	return ""
}

// notInForce lists hooks for the event that are not registered at all.
func notInForce(hooks []discovery.Found, ev hook.Event) []considered {
	var out []considered
	for i := range hooks {
		h := &hooks[i]
		registered := h.Registration != nil && h.Registration.Event == ev && (h.Status == discovery.Active || h.Status == discovery.Untrusted || h.Status == discovery.Broken)
		if registered || h.Event != ev && h.Event != 0 {
			continue
		}
		out = append(out, considered{
			Name: h.FullName(), Dialect: h.Dialect, Source: h.Source, Scope: h.Level, Status: string(h.Status), Why: h.Why, Matcher: h.Matcher, Unseen: h.Artifact.Unseen,
		})
	}
	return out
}

func (a *app) explainText(w *workspace, in hook.Input, rows []considered) {
	head := in.Event().String()
	if s := in.Subject(); s != "" {
		head += " " + s
	}
	a.printf("%s\n", a.style("1", escaped(head)))
	if len(rows) == 0 {
		a.printf("  no hook is for this event\n")
	}
	for _, r := range rows {
		mark := "-"
		if r.Order > 0 {
			mark = fmt.Sprint(r.Order)
		}
		a.printf("  %2s  %s  (%s, %s)\n", mark, a.style("1", escaped(r.Name)), r.Dialect, escaped(w.relative(r.Source)))
		why := r.Why
		if r.Uncertain {
			why = "runs, but " + why
		}
		a.printf("      %s: %s\n", r.Status, line(why))
		if r.Order > 0 {
			a.printf("      group %s (%s), timeout %s, a failure counts as %s\n", r.Group, r.Flow, timeoutText(r.Timeout), policyText(r.Policy))
		}
		for _, u := range r.Unseen {
			a.printf("      not covered by an approval: %s\n", line(u))
		}
	}
}

func timeoutText(seconds float64) string {
	if seconds == 0 {
		return "none"
	}
	return fmt.Sprintf("%g s", seconds)
}

func policyText(p string) string {
	switch p {
	case "closed":
		return "a deny"
	case "ask":
		return "a question to the person"
	}
	return "no opinion"
}
