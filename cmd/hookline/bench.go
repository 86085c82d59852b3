package main

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/hook"
)

// benchResult is what bench --json prints; times are nanoseconds.
type benchResult struct {
	Event    string  `json:"event"`
	N        int     `json:"n"`
	MedianNS int64   `json:"median_ns"`
	P95NS    int64   `json:"p95_ns"`
	P99NS    int64   `json:"p99_ns"`
	FloorNS  int64   `json:"floor_ns"`
	Floor    string  `json:"floor"`
	Ratio    float64 `json:"ratio"`
	Decision string  `json:"decision"`
	Hooks    int     `json:"hooks"`
	Failed   int     `json:"failed"`
}

// benchOptions are the argument and the flags of bench.
type benchOptions struct {
	event  eventFlags
	n      int
	asJSON bool
}

func newBenchCmd(a *app) *cobra.Command {
	var o benchOptions
	cmd := &cobra.Command{
		Use:   "bench [EVENT]",
		Short: "Fire one event many times and measure",
		Long: `Fire one event through the real hooks, again and again, and print median, 95th and
99th percentile. In turn with it the floor is measured: a bare start of the shell
that does nothing. Takes the flags of fire.`,
		Example:           "  hookline bench PreToolUse --tool Bash --input '{\"command\":\"ls\"}' -n 200",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeEventArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.event.args = args
			return runBench(cmd.Context(), a, o)
		},
	}
	o.event.add(a, cmd)
	cmd.Flags().IntVarP(&o.n, "count", "n", 100, "how often to fire")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON")
	return cmd
}

func runBench(ctx context.Context, a *app, o benchOptions) error {
	if o.n < 1 {
		return usagef("-n %d: at least 1", o.n)
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
	in, err := a.buildInput(ctx, w.Dir, w.Dirs.State, &o.event)
	if err != nil {
		return err
	}
	if err := w.only(o.event.only); err != nil {
		return err
	}
	_ = w.Loader.Warm(*in.Base()) // what cannot be started ahead says why when it runs
	return a.bench(ctx, w, in, o.n, o.asJSON)
}

func (a *app) bench(ctx context.Context, w *workspace, in hook.Input, n int, asJSON bool) (err error) {
	eng := w.NewEngine()
	defer func() {
		if cerr := eng.Close(); err == nil {
			err = cerr
		}
	}()
	payload, err := hook.MarshalInput(in)
	if err != nil {
		return err
	}
	res := benchResult{Event: in.Event().String(), N: n}
	var times, floors []time.Duration
	for i := range n + n/10 + 1 {
		fresh, err := hook.UnmarshalInput(in.Event(), payload) // hooks may change their input
		if err != nil {
			return err
		}
		start := time.Now()
		out, err := eng.Fire(ctx, fresh)
		took := time.Since(start)
		if err != nil {
			return fmt.Errorf("fire %v: %w", in.Event(), err)
		}
		floor, err := bareStart(ctx)
		if err != nil {
			return err
		}
		if i < n/10+1 {
			continue // warming up
		}
		times, floors = append(times, took), append(floors, floor)
		res.note(&out)
	}
	slices.Sort(times)
	slices.Sort(floors)
	res.MedianNS, res.P95NS, res.P99NS = at(times, 50), at(times, 95), at(times, 99)
	res.FloorNS, res.Floor = at(floors, 50), bareName
	res.Ratio = float64(res.MedianNS) / float64(max(res.FloorNS, 1))
	if asJSON {
		return a.printJSON(res)
	}
	a.printf("%s, %d times, %s, decision %s\n", res.Event, n, count(res.Hooks, "hook", "hooks"), res.Decision)
	a.printf("median %s  p95 %s  p99 %s\n", dur(res.MedianNS), dur(res.P95NS), dur(res.P99NS))
	a.printf("floor  %s  (%s), %.2f times\n", dur(res.FloorNS), res.Floor, res.Ratio)
	if res.Failed > 0 {
		a.warnf("%d runs failed; 'hookline fire' says why", res.Failed)
	}
	return nil
}

func (r *benchResult) note(out *hook.Outcome) {
	r.Decision, r.Hooks = out.Decision.String(), 0
	for i := range out.Runs {
		switch out.Runs[i].Status {
		case hook.StatusSkipped:
		case hook.StatusFailed, hook.StatusTimedOut:
			r.Failed++
			r.Hooks++
		default:
			r.Hooks++
		}
	}
}

func at(sorted []time.Duration, percent int) int64 {
	return int64(sorted[min(len(sorted)-1, len(sorted)*percent/100)])
}

func dur(ns int64) string { return time.Duration(ns).Round(time.Microsecond).String() }

const bareName = "a bare start of the shell"

// bareStart starts the shell and lets it do nothing.
func bareStart(ctx context.Context) (time.Duration, error) {
	argv := []string{"sh", "-c", ":"}
	if runtime.GOOS == "windows" {
		argv = []string{"cmd", "/c", "rem"}
	}
	start := time.Now()
	if err := exec.CommandContext(ctx, argv[0], argv[1:]...).Run(); err != nil {
		return 0, fmt.Errorf("start %s: %w", argv[0], err)
	}
	return time.Since(start), nil
}
