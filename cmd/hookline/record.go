package main

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/bridge"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/internal/recording"
)

func newRecordCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "record",
		Short: "What was recorded of sessions",
		Long: `Show and remove recordings of sessions: the payloads of events as they came, secrets
replaced. Sessions are recorded by 'hookline run --record' and 'rpc --record', and those of
other agents by 'hookline bridge probe'. Nobody but you may read recordings; they go after 30
days, or when there are more than 500 MB.`,
		Example: "  hookline run --record 'tidy up'\n  hookline record list\n  hookline record remove 01a22542",
	}
	var asJSON bool
	list := &cobra.Command{
		Use: "list", Short: "List the recorded sessions", Example: "  hookline record list --json", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.recordList(asJSON) },
	}
	list.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	remove := &cobra.Command{
		Use: "remove SESSION...", Short: "Remove recordings", Example: "  hookline record remove 01a22542", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.recordRemove(cmd.Context(), args) },
	}
	cmd.AddCommand(list, remove)
	return cmd
}

// recordings is the store of recordings, and where it is.
func (a *app) recordings() (*recording.Store, error) {
	dir, err := a.workDir()
	if err != nil {
		return nil, err
	}
	return recording.In(a.dirs(dir).State), nil
}

func (a *app) recordList(asJSON bool) error {
	store, err := a.recordings()
	if err != nil {
		return err
	}
	sessions, err := store.Sessions()
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(sessions)
	}
	t := &table{}
	for _, s := range sessions {
		t.row(s.ID, s.Agent, count(s.Entries, "event", "events"), s.Last.Local().Format("2006-01-02 15:04"), s.Dir)
	}
	t.print(a.streams)
	if len(sessions) == 0 {
		a.printf("Nothing is recorded in %s.\n", escaped(store.Dir))
	}
	return nil
}

func (a *app) recordRemove(ctx context.Context, ids []string) error {
	store, err := a.recordings()
	if err != nil {
		return err
	}
	for _, id := range ids {
		s, err := recorded(store, id)
		if err != nil {
			return err
		}
		if err := store.Remove(ctx, s.Agent, s.ID); err != nil {
			return err
		}
	}
	return nil
}

// recorded finds the recording of a session by its id or the beginning of one.
func recorded(store *recording.Store, id string) (recording.Session, error) {
	sessions, err := store.Sessions()
	if err != nil {
		return recording.Session{}, err
	}
	found := slices.DeleteFunc(sessions, func(s recording.Session) bool { return !strings.HasPrefix(s.ID, id) })
	if i := slices.IndexFunc(found, func(s recording.Session) bool { return s.ID == id }); i >= 0 {
		return found[i], nil
	}
	switch len(found) {
	case 0:
		return recording.Session{}, fmt.Errorf("no session %q is recorded; 'hookline record list' lists what there is", id)
	case 1:
		return found[0], nil
	}
	return recording.Session{}, fmt.Errorf("%d recorded sessions begin with %q; give more of the id", len(found), id)
}

// replayOptions are the argument and the flags of replay.
type replayOptions struct {
	session, saveTest string
	only              []string
	asJSON            bool
}

func newReplayCmd(a *app) *cobra.Command {
	var o replayOptions
	cmd := &cobra.Command{
		Use:   "replay SESSION",
		Short: "Fire the events of a recorded session again",
		Long: `Fire the events of a recorded session through the real hooks of this directory, and say
which decisions differ from those of then. SESSION is an id, or the beginning of one, as
'hookline record list' shows it. Hooks do what they always do, outside too. Exits with 1 when
a decision differs.`,
		Example: "  hookline replay 01a22542\n  hookline replay 01a22542 --only guard --save-test .hookline/guard.hooktest.yaml",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.session = args[0]
			return runReplay(cmd.Context(), a, o)
		},
	}
	cmd.Flags().StringArrayVar(&o.only, "only", nil, "run only the hook of this name (repeatable)")
	cmd.Flags().StringVar(&o.saveTest, "save-test", "", "add the events and what they come to as cases to this test file")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON")
	_ = cmd.MarkFlagFilename("save-test")
	_ = cmd.RegisterFlagCompletionFunc("only", a.completeHookFlag)
	return cmd
}

// replayed is one event as replay --json prints it.
type replayed struct {
	Event    string `json:"event"`
	Subject  string `json:"subject"`
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
	// Was is the decision of then, "" where it was not recorded.
	Was     string `json:"was"`
	Differs bool   `json:"differs"`
}

func runReplay(ctx context.Context, a *app, o replayOptions) error {
	store, err := a.recordings()
	if err != nil {
		return err
	}
	s, err := recorded(store, o.session)
	if err != nil {
		return err
	}
	w, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	if err := a.checkTrusted(w); err != nil {
		return err
	}
	a.untrustedLine(w.Set())
	if err := w.only(o.only); err != nil {
		return err
	}
	events, tests, err := a.replay(ctx, w, store.Read(s.Agent, s.ID), o)
	if err != nil {
		return err
	}
	if o.saveTest != "" && len(tests) > 0 {
		if err := a.saveTests(o.saveTest, tests); err != nil {
			return err
		}
	}
	differ := 0
	for _, e := range events {
		if e.Differs {
			differ++
		}
	}
	if !o.asJSON {
		a.printf("%s, %d with another decision\n", count(len(events), "event", "events"), differ)
	} else if err := a.printJSON(events); err != nil {
		return err
	}
	if differ > 0 {
		return errSilent
	}
	return nil
}

// replay fires recorded events again, and prints each as text unless JSON is asked for. It
// returns what they came to, and a test of each that a test can say.
func (a *app) replay(ctx context.Context, w *workspace, entries iter.Seq2[recording.Entry, error], o replayOptions) (events []replayed, tests []hookTest, err error) {
	events = []replayed{}
	for e, err := range entries {
		if err != nil {
			return nil, nil, err
		}
		in, codec, err := a.recordedInput(&e)
		if err != nil {
			a.warnf("%s of %s: %s", e.Event, e.Time.Format(time.RFC3339), err)
			continue
		}
		payload, err := hook.MarshalInput(in) // hooks may change it
		if err != nil {
			return nil, nil, err
		}
		out, err := bridge.Fire(ctx, w.Host, codec, in)
		if err != nil {
			return nil, nil, fmt.Errorf("fire %v: %w", in.Event(), err)
		}
		r := replayed{in.Event().String(), in.Subject(), out.Decision.String(), out.Reason, e.Decision, e.Decision != "" && e.Decision != out.Decision.String()}
		events = append(events, r)
		if !o.asJSON {
			a.replayedText(&r)
		}
		if len(dialect.CallsOf(codec, in)) > 0 {
			continue // which no test can say
		}
		tests = append(tests, savedTest(in.Event(), hook.RawJSON(payload), o.only, r.Decision, r.Reason))
	}
	return events, tests, nil
}

func (a *app) replayedText(r *replayed) {
	a.printf("%s: %s", line(strings.TrimSpace(r.Event+" "+r.Subject)), a.decisionStyle(r.Decision))
	if r.Reason != "" {
		a.printf("  %s", line(r.Reason))
	}
	if r.Differs {
		a.printf("  (was %s)", r.Was)
	}
	a.printf("\n")
}

// recordedInput is the input of a recorded event, and the codec that read it, nil for one of
// our own agent.
func (a *app) recordedInput(e *recording.Entry) (hook.Input, dialect.Codec, error) {
	if e.Agent == host.RecordedAgent {
		ev, err := a.parseEvent(e.Event)
		if err != nil {
			return nil, nil, err
		}
		in, err := hook.UnmarshalInput(ev, e.Payload)
		return in, nil, err
	}
	_, d := dialect.HostByName(a.dialects, e.Agent)
	if d == nil {
		return nil, nil, fmt.Errorf("no dialect knows the agent %s", e.Agent)
	}
	in, _, err := bridge.Decode(d, e.Event, e.Payload)
	return in, d.Codec(), err
}
