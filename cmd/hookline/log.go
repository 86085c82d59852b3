package main

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/audit"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
)

// auditPath is where the audit log is.
func (w *workspace) auditPath() string {
	if p := w.config.Audit.Path; p != "" {
		return p
	}
	return filepath.Join(w.dirs.State, "audit.jsonl")
}

// auditLog opens the audit log as the configuration says; nil when it is off.
func (a *app) auditLog(w *workspace) (*audit.Log, error) {
	level, off, err := audit.ParseLevel(w.config.Audit.Level)
	if err != nil || off {
		return nil, err
	}
	log := audit.New(audit.Options{
		Path: w.auditPath(), Level: level, MaxBytes: int64(w.config.Audit.MaxMiB) << 20, Required: w.config.Audit.Required,
		Warn:   func(err error) { a.warnf("warning: the audit log: %v", err) },
		Digest: digests(w.set),
	})
	for _, o := range a.overrides {
		if err := log.Note(audit.Record{Reason: o}); err != nil {
			return nil, errors.Join(fmt.Errorf("record the override: %w", err), log.Close())
		}
	}
	a.overrides = nil
	return log, nil
}

// digests finds the digest of a registration's hook.
func digests(set *discovery.Set) func(*hook.Info) string {
	by := map[string]string{}
	for i := range set.Hooks {
		h := &set.Hooks[i]
		by[h.Source+"\x00"+h.Name] = h.Digest
	}
	return func(i *hook.Info) string { return by[i.Source+"\x00"+i.Name] }
}

// The words of records.
var (
	logDecisions = []string{"none", "allow", "ask", "defer", "deny"}
	logStatuses  = []string{"ran", "skipped", "failed", "timed_out", "cancelled", "pending"}
)

// knownWord refuses a word that no record has: to find nothing would read as an
// answer.
func knownWord(flag, word string, known []string) error {
	if word == "" || slices.Contains(known, word) {
		return nil
	}
	return usagef("%s %q: one of %s", flag, word, strings.Join(known, ", "))
}

func newLog(a *app) *cobra.Command {
	var f audit.Filter
	var since, until string
	var follow, verify, slow, asJSON bool
	cmd := &cobra.Command{
		Use:   "log",
		Short: "Show what hooks did",
		Long: `Show the audit log: one record for every run of a hook. Times for --since and
--until are RFC 3339, a date, or a duration such as 2h back from now.`,
		Example: "  hookline log --decision deny --since 24h\n  hookline log --follow --json\n  hookline log --verify\n  hookline log --slow",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := knownWord("--decision", f.Decision, logDecisions); err != nil {
				return err
			}
			if err := knownWord("--status", f.Status, logStatuses); err != nil {
				return err
			}
			w, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer w.close()
			if f.Since, err = parseTime(since); err != nil {
				return usagef("--since: %w", err)
			}
			if f.Until, err = parseTime(until); err != nil {
				return usagef("--until: %w", err)
			}
			switch path := w.auditPath(); {
			case verify:
				return a.verifyLog(path, asJSON)
			case slow:
				return a.slowLog(audit.Slow(audit.Read(path, f)), asJSON)
			case follow:
				return a.printLog(audit.Follow(cmd.Context(), path, f, 0), asJSON)
			default:
				return a.printLog(audit.Read(path, f), asJSON)
			}
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.Session, "session", "", "only this session")
	fl.StringVar(&f.Event, "event", "", "only this event")
	fl.StringVar(&f.Hook, "name", "", "only this hook, or hooks that match a pattern such as team/*")
	fl.StringVar(&f.Decision, "decision", "", "only this decision: "+strings.Join(logDecisions, ", "))
	fl.StringVar(&f.Status, "status", "", "only this status: "+strings.Join(logStatuses, ", "))
	fl.StringVar(&f.Tool, "tool", "", "only this tool")
	fl.StringVar(&since, "since", "", "only from this time on")
	fl.StringVar(&until, "until", "", "only before this time")
	fl.BoolVar(&follow, "follow", false, "go on with new records")
	fl.BoolVar(&verify, "verify", false, "look for lines that were changed or removed")
	fl.BoolVar(&slow, "slow", false, "sum up what hooks cost, and say what would help")
	fl.BoolVar(&asJSON, "json", false, "print JSON, one record a line")
	_ = cmd.RegisterFlagCompletionFunc("event", completeEvents)
	_ = cmd.RegisterFlagCompletionFunc("decision", cobra.FixedCompletions(logDecisions, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("status", cobra.FixedCompletions(logStatuses, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// parseTime reads a point in time; "" is the zero time.
func parseTime(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(s); err == nil {
		return time.Now().Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time: write 2006-01-02, 2006-01-02T15:04:05Z or a duration such as 2h", s)
}

func (a *app) printLog(records iter.Seq2[audit.Record, error], asJSON bool) error {
	bad := 0
	for r, err := range records {
		if err != nil {
			bad++
			a.warnf("%v", err)
			continue
		}
		if asJSON {
			b, err := json.Marshal(r)
			if err != nil {
				return fmt.Errorf("encode a record: %w", err)
			}
			if err := a.writeJSON(append(b, '\n')); err != nil {
				return err
			}
			continue
		}
		a.recordText(&r)
	}
	if bad > 0 {
		return errSilent
	}
	return nil
}

func (a *app) recordText(r *audit.Record) {
	parts := []string{r.Time.Local().Format("2006-01-02 15:04:05.000"), r.Event}
	if r.Tool != "" {
		parts = append(parts, r.Tool)
	}
	parts = append(parts, r.Hook, r.Status)
	if r.Decision != "" && r.Decision != "none" {
		parts = append(parts, r.Decision)
	}
	parts = append(parts, fmt.Sprintf("%.1f ms", r.DurationMS))
	for _, s := range []string{r.Why, r.Reason, firstLine(r.Error)} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if r.FailedOpen {
		parts = append(parts, "(failed open)")
	}
	a.printf("%s\n", line(strings.Join(parts, "  ")))
}

func (a *app) verifyLog(path string, asJSON bool) error {
	rep, err := audit.Verify(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no log at %s yet", path)
	}
	if err != nil {
		return err
	}
	if asJSON {
		if err := a.printJSON(rep); err != nil {
			return err
		}
	} else {
		a.printf("%s in %s", count(rep.Records, "record", "records"), count(len(rep.Files), "file", "files"))
		if rep.Dropped > 0 {
			a.printf(", %d could not be written", rep.Dropped)
		}
		a.printf("\n")
		for _, f := range rep.Faults {
			a.printf("%s\n", line(f.String()))
		}
		for _, n := range rep.Notes {
			a.printf("note: %s\n", line(n))
		}
		if rep.Intact() {
			a.printf("intact: nothing was changed, removed or moved\n")
		}
	}
	if !rep.Intact() {
		return errSilent
	}
	return nil
}

func (a *app) slowLog(timings []audit.Timing, asJSON bool) error {
	if asJSON {
		if timings == nil {
			timings = []audit.Timing{}
		}
		return a.printJSON(timings)
	}
	t := &table{}
	if len(timings) > 0 {
		t.row("HOOK", "EVENT", "RUNS", "FAILED", "MEDIAN", "P95", "TOTAL")
	}
	for _, s := range timings {
		t.row(s.Hook, s.Event, fmt.Sprint(s.Runs), fmt.Sprint(s.Failed), fmt.Sprintf("%.1f ms", s.MedianMS), fmt.Sprintf("%.1f ms", s.P95MS), fmt.Sprintf("%.0f ms", s.TotalMS))
		if p := s.Phases; p != nil {
			if tip := advice(s.Dialect, s.MedianMS, p.StartMS, p.StdinMS, p.RunMS, p.DrainMS); tip != "" {
				t.remark(tip)
			}
		}
	}
	t.print(a.streams)
	return nil
}

// advice says what would make a hook faster, "" when nothing obvious would.
func advice(dialect string, total, start, stdin, run, drain float64) string {
	switch {
	case drain > 100 && drain > total/2:
		return fmt.Sprintf("%.0f ms of %.0f wait for a child that keeps the output open: let it close stdout, or start it with >/dev/null 2>&1", drain, total)
	case dialect != "claude" && dialect != "kodelet":
		return ""
	case run+stdin > 40 && total > 40:
		return fmt.Sprintf("%.0f ms of %.0f are the program's own start and work: an interpreter that starts slowly gains by prewarm, a worker or a module", run+stdin, total)
	case start > total/2 && total > 5:
		return fmt.Sprintf("%.1f ms of %.1f go by until the process runs: the machine is busy, or the program large", start, total)
	}
	return ""
}
