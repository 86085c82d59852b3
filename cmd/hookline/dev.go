package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/bridge"
	"github.com/hookline-dev/hookline/cmd/hookline/internal/report"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/trust"
)

// devOptions are the argument and the flags of dev.
type devOptions struct {
	name string // "" is all hooks of the project
	yes  bool
}

func newDevCmd(a *app) *cobra.Command {
	var o devOptions
	cmd := &cobra.Command{
		Use:   "dev [NAME]",
		Short: "Try a hook whenever its files are saved",
		Long: `Wait for changes of a hook's files and of the test files, or of those of all hooks of the
project, and for new ones. After each one a hook in Go is built, the difference to what was approved is shown
and approval is asked for; then the cases about the hook run, and the last recorded event
of its kind is fired. It goes on until it is interrupted.

--yes approves without asking what is saved in the hook's own directory, and nothing else.`,
		Example:           "  hookline dev guard\n  hookline dev guard --yes",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.completeHooks,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.name = args[0]
			}
			return runDev(cmd.Context(), a, o)
		},
	}
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "approve what is saved in the hook's own directory without asking")
	return cmd
}

func runDev(ctx context.Context, a *app, o devOptions) error {
	if err := a.personOnly(); err != nil {
		return err
	}
	if v := trust.InsideAgent(a.getenv); o.yes && v != "" {
		return usagef("--yes approves whatever is saved; %s says that an agent started this", v)
	}
	watch, err := newFileWatch()
	if err != nil {
		return err
	}
	defer watch.close()
	return a.again(ctx, watch, func() error { return a.devRound(ctx, o, watch) })
}

// devRound builds, approves and tries the hooks as they are now.
func (a *app) devRound(ctx context.Context, o devOptions, watch *fileWatch) error {
	if err := a.devApprove(ctx, o, watch); err != nil {
		return err
	}
	if err := runTest(ctx, a, testOptions{about: o.name}); err != nil && !errors.Is(err, errSilent) {
		a.warnf("no tests ran: %s", err)
	}
	return a.devFire(ctx, o.name)
}

// devApprove builds the hooks that are written in Go and asks to approve what changed.
func (a *app) devApprove(ctx context.Context, o devOptions, watch *fileWatch) error {
	w, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	hooks := w.Set().Hooks
	if o.name != "" {
		if hooks, err = w.named(o.name); err != nil {
			return err
		}
	}
	files, programs := []string{}, []string{}
	for i := range hooks {
		h := &hooks[i]
		if o.name == "" && !needsApproval(h) || !filepath.IsAbs(h.Path) {
			continue
		}
		files = append(append(files, h.Path), h.Artifact.Files...)
		if sources := dialect.GoSources(h.Path); len(sources) > 0 {
			files, programs = append(files, sources...), append(programs, h.Path)
		}
	}
	tests, err := a.findTests(w, nil)
	if err != nil {
		tests = nil // which the run of the tests says
	}
	built := func(f string) bool { return slices.Contains(programs, f) }
	if err := watch.set(slices.DeleteFunc(append(files, tests...), built), w.newFileDirs(tests)); err != nil {
		return err
	}
	for _, p := range slices.Compact(programs) {
		if err := a.build(ctx, p); err != nil {
			return err
		}
	}
	var names []string
	if o.name != "" {
		if !slices.ContainsFunc(hooks, func(h discovery.Found) bool { return needsApproval(&h) }) {
			return nil // one of the person, which needs none
		}
		names = []string{o.name}
	}
	artifacts, err := w.artifacts(ctx, names)
	if err != nil {
		return err
	}
	store := trust.NewStore(discovery.TrustDir(w.Dirs))
	for _, art := range artifacts {
		if err := a.devAsk(ctx, store, art, o.yes); err != nil {
			return err
		}
	}
	return nil
}

// devAsk shows what changed since the approval of a hook, and approves what was shown.
func (a *app) devAsk(ctx context.Context, store *trust.Store, art trust.Artifact, yes bool) error {
	rep, err := store.Status(art)
	if err != nil || rep.Status == trust.StatusApproved && len(rep.Uncovered) == 0 {
		return err
	}
	if err := trust.RenderReport(a.out, rep); err != nil {
		return err
	}
	how := trust.HowAsked
	if yes {
		how = trust.HowCommand
		own := filepath.Dir(art.Source)
		for _, f := range rep.State.Files {
			if rel, err := filepath.Rel(own, f.Abs); err != nil || !filepath.IsLocal(rel) {
				return fmt.Errorf("--yes does not approve %s: it runs %s, which is outside of %s; leave --yes out, and read it", art.Name, f.Path, own)
			}
		}
	} else if ok, err := a.confirm(ctx, "Approve "+escaped(art.Name)+" as it is now?"); err != nil || !ok {
		return err
	}
	_, err = store.Approve(ctx, trust.ApproveOptions{Digests: []string{rep.State.Digest}, How: how}, art)
	return err
}

// devFire fires the last recorded event that hooks of a name, or any, are for.
func (a *app) devFire(ctx context.Context, name string) error {
	w, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	hooks := w.Set().Hooks
	if name != "" {
		hooks = w.Set().ByName(name)
		if err := w.only([]string{name}); err != nil {
			return err
		}
	}
	var events []hook.Event
	for i := range hooks {
		if h := &hooks[i]; h.Status == discovery.Active {
			events = append(events, h.Event)
		}
	}
	if len(events) == 0 {
		return nil
	}
	last, err := a.lastRecorded(events)
	if err != nil {
		return err
	}
	if last == nil {
		a.warnf("No event of this kind is recorded; 'hookline run --record' records a session.")
		return nil
	}
	in := last.in
	out, err := bridge.Fire(ctx, w.Host, last.codec, in)
	if err != nil {
		return fmt.Errorf("fire %v: %w", in.Event(), err)
	}
	rep := report.New(&out, nil)
	a.printf("recorded %s: ", last.at.Local().Format("2006-01-02 15:04"))
	a.outcomeText(w, in, &out, &rep)
	return nil
}

// recordedEvent is an event of a recording: its input, the codec that read it, nil for one of our
// own agent, and when it was.
type recordedEvent struct {
	in    hook.Input
	codec dialect.Codec
	at    time.Time
}

// lastRecorded is the newest event of some kinds that is recorded, nil when there is none.
func (a *app) lastRecorded(events []hook.Event) (*recordedEvent, error) {
	store, err := a.recordings()
	if err != nil {
		return nil, err
	}
	sessions, err := store.Sessions()
	if err != nil {
		return nil, err
	}
	for _, s := range sessions {
		var last *recordedEvent
		for e, err := range store.Read(s.Agent, s.ID) {
			if err != nil {
				return nil, err
			}
			in, codec, err := a.recordedInput(&e)
			if err == nil && slices.Contains(events, in.Event()) && (last == nil || e.Time.After(last.at)) {
				last = &recordedEvent{in, codec, e.Time}
			}
		}
		if last != nil {
			return last, nil
		}
	}
	return nil, nil
}
