package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/trust"
	"github.com/hookline-dev/hookline/ui"
)

// The choices about what a project brings.
const (
	trustNone  = "Go on without them"
	trustLeave = "Leave"
)

// askTrust asks about what the project brings that nobody approved, before an agent is
// there that could run it. Without an approval it does not run. It reports whether the
// person wants to go on at all.
func (a *app) askTrust(ctx context.Context, person ui.UI) (bool, error) {
	if a.trustProject || a.personOnly() != nil {
		return true, nil
	}
	w, err := a.open(ctx)
	if err != nil {
		return false, err
	}
	defer w.Close()
	store := trust.NewStore(discovery.TrustDir(w.Dirs))
	artifacts, err := w.artifacts(ctx, nil)
	if err != nil {
		return false, err
	}
	pending, reader := artifacts[:0:0], store.Reader()
	for _, art := range artifacts {
		rep, err := reader.Status(art)
		if unreadable(&rep, err) {
			continue // listing it says why
		}
		if err != nil {
			return false, err
		}
		if rep.Status != trust.StatusApproved {
			pending = append(pending, art)
		}
	}
	d := ui.Dialog{Source: "trust"}
	for len(pending) > 0 {
		choices := []string{trustNone}
		for _, art := range pending {
			choices = append(choices, "Read "+art.Name+": "+strings.Join(strings.Fields(art.Command), " "))
		}
		choices = append(choices, trustLeave)
		i, ok, err := person.Select(ctx, "This project brings what nobody approved. It does not run unless you approve it.", choices, d)
		switch {
		case err != nil || ok && i == len(choices)-1:
			return false, err
		case !ok || i == 0:
			return true, nil
		}
		approved, err := askApproval(ctx, person, store, pending[i-1])
		if err != nil {
			return false, err
		}
		if approved {
			pending = append(pending[:i-1:i-1], pending[i:]...)
		}
	}
	return true, nil
}

// askApproval shows the bytes that would be approved, and approves just those.
func askApproval(ctx context.Context, person ui.UI, store *trust.Store, art trust.Artifact) (bool, error) {
	desc, err := trust.Describe(art)
	if err != nil {
		return false, fmt.Errorf("read %s: %w", art.Name, err)
	}
	var text strings.Builder
	if err := trust.RenderDescription(&text, desc, trust.Everything); err != nil {
		return false, err
	}
	ok, err := person.Confirm(ctx, "Approve "+art.Name+"?", text.String(), ui.Dialog{Source: "trust"})
	if err != nil || !ok {
		return false, err
	}
	if _, err := store.Approve(ctx, trust.ApproveOptions{Digests: []string{desc.State.Digest}, How: trust.HowAsked}, art); err != nil {
		person.Notify(fmt.Sprintf("%s is not approved: %v", art.Name, err), ui.Error)
	}
	return true, nil // it is not asked about again
}
