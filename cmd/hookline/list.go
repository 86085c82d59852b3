package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/cmd/hookline/internal/report"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
)

// listed is one hook as list --json prints it.
type listed struct {
	Name      string   `json:"name"`
	Event     string   `json:"event"`
	Type      string   `json:"type,omitzero"`
	Matcher   string   `json:"matcher"`
	Dialect   string   `json:"dialect"`
	Scope     string   `json:"scope"`
	Plugin    string   `json:"plugin,omitzero"`
	Trust     string   `json:"trust"`
	Enabled   bool     `json:"enabled"`
	Status    string   `json:"status"`
	Failed    bool     `json:"failed,omitzero"` // it cannot run and fails where it would have run
	Why       string   `json:"why,omitzero"`
	Command   string   `json:"command,omitzero"`
	File      string   `json:"file"`
	Source    string   `json:"source"`
	Digest    string   `json:"digest,omitzero"`
	Timeout   float64  `json:"timeout_seconds,omitzero"`
	Policy    string   `json:"on_failure,omitzero"`
	Also      []string `json:"also,omitempty"`
	Registers []string `json:"registers,omitempty"`
	Unseen    []string `json:"unseen,omitempty"` // what of it no approval covers
	Sandbox   string   `json:"sandbox,omitzero"` // what it may write there: project, data, or anything
}

// listOptions are the flags of list.
type listOptions struct {
	all, asJSON bool
	event       eventName
}

func newListCmd(a *app) *cobra.Command {
	var o listOptions
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List every hook that was found",
		Long:  "List the hooks that are in force: name, event, matcher, dialect, scope, status and file. Those that wait for approval are listed too. With --all also those that are shadowed, disabled or broken, and why.",
		Example: `  hookline list
  hookline list --all --event PreToolUse
  hookline list --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runList(cmd.Context(), a, o) },
	}
	cmd.Flags().BoolVar(&o.all, "all", false, "also hooks that are not in force, and why")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON")
	cmd.Flags().Var(&o.event, "event", "only hooks for this event")
	_ = cmd.RegisterFlagCompletionFunc("event", completeEvents)
	return cmd
}

func runList(ctx context.Context, a *app, o listOptions) error {
	events, err := a.eventsOf(o.event)
	if err != nil {
		return err
	}
	w, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	hooks := ofEvents(w.Set().Hooks, events)
	show := a.listText
	if o.asJSON {
		show = a.listJSON
	}
	if err := show(w, hooks, o.all); err != nil {
		return err
	}
	return a.checkTrusted(w)
}

// ofEvents returns the hooks for any of the events, and those whose event is not
// known.
func ofEvents(hooks []discovery.Found, events []hook.Event) []discovery.Found {
	if events == nil {
		return hooks
	}
	var out []discovery.Found
	for _, h := range hooks {
		if h.Event == 0 || slices.Contains(events, h.Event) {
			out = append(out, h)
		}
	}
	return out
}

func (a *app) listJSON(w *workspace, hooks []discovery.Found, all bool) error {
	out := struct {
		Hooks       []listed            `json:"hooks"`
		Diagnostics []report.Diagnostic `json:"diagnostics"`
	}{[]listed{}, report.Diagnostics(a.findings(w))}
	for _, h := range hooks {
		if all || h.Status == discovery.Active || h.Status == discovery.Untrusted || h.Failed {
			out.Hooks = append(out.Hooks, describe(&h))
		}
	}
	return a.printJSON(out)
}

func describe(h *discovery.Found) listed {
	l := listed{
		Name: h.FullName(), Event: eventWord(h), Type: h.Type, Matcher: h.Matcher, Dialect: h.Dialect, Scope: h.Level, Plugin: h.Plugin,
		Trust: trustWord(h), Enabled: h.Status != discovery.Disabled, Status: string(h.Status), Failed: h.Failed, Why: h.Why, Command: h.Command,
		File: h.Path, Source: h.Source, Digest: h.Digest, Also: h.Also, Registers: h.Registers, Unseen: h.Artifact.Unseen,
		Sandbox: string(h.Writes),
	}
	if r := h.Registration; r != nil {
		l.Timeout = r.Timeout.Seconds()
		l.Policy = policyWord(r)
	}
	return l
}

func policyWord(r *hook.Registration) string {
	p := r.OnFailure
	if p == hook.FailDefault {
		p = max(r.Event.Spec().OnFailure, hook.FailOpen)
	}
	return p.String()
}

func eventWord(h *discovery.Found) string {
	switch {
	case h.Event != 0:
		return h.Event.String()
	case h.Type != "":
		return h.Type
	}
	return "unknown"
}

// trustWord says what became of the question for approval; "-" where it was not
// asked, because the hook is not in force or needs none.
func trustWord(h *discovery.Found) string {
	switch {
	case h.Status == discovery.Untrusted:
		return "untrusted"
	case h.Status == discovery.Active && needsApproval(h):
		return "trusted"
	}
	return "-"
}

func (a *app) listText(w *workspace, hooks []discovery.Found, all bool) error {
	t := &table{}
	shown, hidden := 0, 0
	for i := range hooks {
		h := &hooks[i]
		if !all && h.Status != discovery.Active && h.Status != discovery.Untrusted && !h.Failed {
			hidden++
			continue
		}
		if shown == 0 {
			t.row("NAME", "EVENT", "MATCHER", "DIALECT", "SCOPE", "STATUS", "FILE")
		}
		shown++
		scope := h.Level
		if h.Plugin != "" {
			scope += " plugin"
		}
		t.row(h.FullName(), eventWord(h), orDash(h.Matcher), h.Dialect, scope, string(h.Status), w.relative(h.Source))
		if (all || h.Failed) && h.Why != "" && h.Why != string(h.Status) {
			t.remark(h.Why)
		}
		if all {
			for _, u := range h.Artifact.Unseen {
				t.remark("not covered by an approval: " + u)
			}
			if word := sandboxNote(h); word != "" {
				t.remark(word)
			}
		}
		for _, r := range h.Registers {
			t.remark("registers " + r)
		}
	}
	t.print(a.streams)
	switch {
	case shown == 0 && hidden == 0 && len(w.Set().Hooks) > 0:
		a.warnf("No hook here is for this event.")
	case shown == 0 && hidden == 0:
		a.warnf("No hooks here. 'hookline new' writes one, 'hookline demo' shows some at work.")
	case hidden > 0:
		a.warnf("%s not in force; 'hookline list --all' shows them and why.", count(hidden, "more hook is", "more hooks are"))
	}
	a.offLine(w.Set())
	a.printDiagnostics(a.findings(w))
	return nil
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
