package main

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/audit"
	"github.com/hookline-dev/hookline/hook"
)

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

// logOptions are the flags of log.
type logOptions struct {
	filter       audit.Filter
	event        eventName
	since, until string

	follow, verify, slow, here, asJSON bool
}

// logQuery is what log is asked for, understood.
type logQuery struct {
	logOptions
	events []hook.Event // nil for all
}

func newLogCmd(a *app) *cobra.Command {
	var o logOptions
	cmd := &cobra.Command{
		Use:   "log",
		Short: "Show what hooks did",
		Long: `Show the audit log: one record for every run of a hook. Times for --since and
--until are RFC 3339, a date, or a duration such as 2h back from now.`,
		Example: "  hookline log --decision deny --since 24h\n  hookline log --follow --json\n  hookline log --verify\n  hookline log --slow",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runLog(cmd.Context(), a, o) },
	}
	fl := cmd.Flags()
	fl.StringVar(&o.filter.Session, "session", "", "only this session")
	fl.Var(&o.event, "event", "only this event, by its canonical name or a dialect's")
	fl.StringVar(&o.filter.Hook, "name", "", "only this hook, or hooks that match a pattern such as team/*")
	fl.StringVar(&o.filter.Decision, "decision", "", "only this decision: "+strings.Join(logDecisions, ", "))
	fl.StringVar(&o.filter.Status, "status", "", "only this status: "+strings.Join(logStatuses, ", "))
	fl.StringVar(&o.filter.Tool, "tool", "", "only this tool")
	fl.StringVar(&o.since, "since", "", "only from this time on")
	fl.StringVar(&o.until, "until", "", "only before this time")
	fl.BoolVar(&o.here, "here", false, "only sessions of this project")
	fl.BoolVar(&o.follow, "follow", false, "go on with new records")
	fl.BoolVar(&o.verify, "verify", false, "look for lines that were changed or removed")
	fl.BoolVar(&o.slow, "slow", false, "sum up what hooks cost, and say what would help")
	fl.BoolVar(&o.asJSON, "json", false, "print JSON, one record a line")
	_ = cmd.RegisterFlagCompletionFunc("name", a.completeHookFlag)
	_ = cmd.RegisterFlagCompletionFunc("event", completeEvents)
	_ = cmd.RegisterFlagCompletionFunc("decision", cobra.FixedCompletions(logDecisions, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("status", cobra.FixedCompletions(logStatuses, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runLog(ctx context.Context, a *app, o logOptions) error {
	q := &logQuery{logOptions: o}
	if err := q.parse(a); err != nil {
		return err
	}
	w, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	if q.here {
		q.filter.Dir = w.Dirs.Project
	}
	return a.log(ctx, w.AuditPlaces(), q)
}

// parse reads the flags whose values are words, events or times.
func (q *logQuery) parse(a *app) error {
	if q.follow && q.slow || q.follow && q.verify || q.slow && q.verify {
		return usagef("--follow, --slow and --verify do not go together: give one of them")
	}
	if err := knownWord("--decision", q.filter.Decision, logDecisions); err != nil {
		return err
	}
	if err := knownWord("--status", q.filter.Status, logStatuses); err != nil {
		return err
	}
	var err error
	if q.events, err = a.eventsOf(q.event); err != nil {
		return err
	}
	if q.filter.Since, err = parseTime(q.since); err != nil {
		return usagef("--since: %w", err)
	}
	if q.filter.Until, err = parseTime(q.until); err != nil {
		return usagef("--until: %w", err)
	}
	if f := q.filter; !f.Until.IsZero() && !f.Since.Before(f.Until) {
		return usagef("--since %s is not before --until %s", q.since, q.until)
	}
	return nil
}

func (a *app) log(ctx context.Context, places audit.Options, q *logQuery) error {
	if q.verify {
		return a.verifyLog(places, q.asJSON)
	}
	file := places.Path
	r := logReader{app: a, query: q}
	var err error
	switch {
	case q.follow:
		err = a.printLog(r.read(audit.Follow(ctx, file, q.filter, 0)), q.asJSON)
	case q.slow:
		err = a.slowLog(audit.Slow(r.read(audit.Read(file, q.filter))), q.asJSON)
	default:
		err = a.printLog(r.read(audit.Read(file, q.filter)), q.asJSON)
	}
	if err == nil && r.seen == 0 && !q.follow {
		a.warnf("%s", q.nothing())
	}
	if err == nil && r.bad > 0 {
		return errSilent
	}
	return err
}

// nothing says that no record was found.
func (q *logQuery) nothing() string {
	rest := q.filter
	rest.Hook = ""
	others := q.events != nil || rest != (audit.Filter{})
	switch {
	case q.filter.Hook != "" && others:
		return fmt.Sprintf("No record matches --name %q and the other flags.", q.filter.Hook)
	case q.filter.Hook != "":
		return fmt.Sprintf("No record is of a hook that is named %q or matches it; 'hookline log --slow' names those that ran.", q.filter.Hook)
	case others:
		return "No record matches."
	}
	return "There are no records yet."
}

// logReader hands on records of the events that are asked for, tells of lines that
// cannot be read, and counts both.
type logReader struct {
	app       *app
	query     *logQuery
	seen, bad int
}

func (l *logReader) read(records iter.Seq2[audit.Record, error]) iter.Seq2[audit.Record, error] {
	return func(yield func(audit.Record, error) bool) {
		for r, err := range records {
			if err != nil {
				l.bad++
				l.app.warnf("%v", err)
				continue
			}
			if ev, ok := hook.ParseEvent(r.Event); l.query.events != nil && !(ok && slices.Contains(l.query.events, ev)) {
				continue
			}
			l.seen++
			if !yield(r, nil) {
				return
			}
		}
	}
}

// parseTime reads a point in time; "" is the zero time.
func parseTime(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(s); err == nil {
		return time.Now().Add(-d), nil
	}
	if days, err := strconv.Atoi(strings.TrimSuffix(s, "d")); err == nil && strings.HasSuffix(s, "d") && days >= 0 {
		return time.Now().AddDate(0, 0, -days), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time: write 2006-01-02, 2006-01-02T15:04:05Z or a duration such as 2h or 30d", s)
}
