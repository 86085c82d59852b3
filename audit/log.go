package audit

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/redact"
)

// Level says how much is recorded.
type Level uint8

// The levels.
const (
	// Records keeps what hooks did, and of inputs and outputs sizes and digests.
	Records Level = iota
	// Full keeps inputs and outputs too, with secrets taken out.
	Full
)

// Defaults of Options.
const (
	defaultMaxBytes = 10 << 20
	defaultKeep     = 5
)

// Options configure a Log.
type Options struct {
	// Path is the log's file. Files that were put aside are Path.1 and so on, and
	// Path.head and Path.lock lie beside it.
	Path string
	// Key is the file with the key that signs the end of the log. It is made with mode
	// 0600 by the first record; "" is Path.key. Who can read it can forge the log.
	Key string
	// Second, if not "", is a file elsewhere that has the signed end of the log too, so
	// that an older log with its older end cannot take its place. No record is written
	// when it cannot be opened.
	Second string
	Level  Level
	// MaxBytes is the size at which the file is put aside; 0 is 10 MiB.
	// Keep is how many such files there are; 0 is 5.
	MaxBytes int64
	Keep     int
	// Required denies events that could not be recorded, where a deny has an effect
	// and does not keep the agent from stopping.
	Required bool
	// Environ is the environment, as KEY=VALUE, whose secrets must not be stored; nil
	// is that of the program.
	Environ []string
	// Warn is told once when records cannot be written, and must not block; nil tells
	// nobody. What happens then is counted; see Log.Dropped.
	Warn func(error)
	// Digest returns the digest of a hook's content, "" when it is not known; nil
	// knows none.
	Digest func(*hook.Info) string
}

// keyPath is where the key is.
func (o *Options) keyPath() string { return cmp.Or(o.Key, o.Path+".key") }

// Log records what hooks do. It is safe for concurrent use, and several processes
// may write to one file. A log that cannot be written to, because the disk is full
// for instance, stops nobody unless it is required.
type Log struct {
	opts  Options
	red   *redact.Redactor
	start time.Time

	mu      sync.Mutex
	file    file
	warned  bool
	lost    uint64 // since the last record that was written
	dropped uint64
	closed  bool
}

var _ hook.Recorder = (*Log)(nil)

// New returns a log. Nothing is opened before the first record, and no error in
// doing so is returned: see Options.Warn.
func New(o Options) *Log {
	if o.MaxBytes <= 0 {
		o.MaxBytes = defaultMaxBytes
	}
	if o.Keep <= 0 {
		o.Keep = defaultKeep
	}
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	return &Log{opts: o, red: redact.New(o.Environ), start: time.Now(), file: file{path: o.Path, key: o.keyPath(), second: o.Second, max: o.MaxBytes, keep: o.Keep}}
}

// Record writes a record for each run of an outcome, save of hooks that the event did not
// match. When that fails and the log is required, the outcome becomes a deny.
func (l *Log) Record(_ context.Context, in hook.Input, out *hook.Outcome) {
	if !slices.ContainsFunc(out.Runs, func(r hook.Run) bool { return !r.Unmatched }) {
		return
	}
	facts := l.facts(in, out)
	records := make([]Record, 0, len(out.Runs)+1)
	for i := range out.Runs {
		if !out.Runs[i].Unmatched {
			records = append(records, l.run(facts, &out.Runs[i]))
		}
	}
	if err := l.write(records); err != nil && l.opts.Required {
		require(out, err)
	}
}

// require turns an outcome that is not on record into a deny.
func require(out *hook.Outcome, err error) {
	spec := out.Event.Spec()
	if !spec.CanFailClosed() {
		out.Notices = append(out.Notices, "the audit log, which is required, could not be written: "+err.Error())
		return
	}
	reason := "the audit log is required and could not be written: " + err.Error()
	if out.Decision != hook.DecisionDeny {
		out.Decision, out.Reason, out.DecidedBy = hook.DecisionDeny, reason, "audit"
	} else {
		out.Notices = append(out.Notices, reason)
	}
	out.Cancel = out.Cancel || spec.Honours&hook.FieldCancel != 0
}

// Late writes a record for the answer of a hook that ran in the background.
func (l *Log) Late(r hook.LateResult) {
	run := hook.Run{
		Hook: r.Hook, Seq: r.Seq, Status: r.Status, Decision: r.Result.Decision, Reason: r.Result.Reason, Err: r.Err, Report: r.Report, Duration: r.Duration,
	}
	rec := l.run(Record{Session: l.clip(r.SessionID, maxName), CWD: l.clip(r.CWD, maxName), Event: r.Hook.Event.String()}, &run)
	rec.Late, rec.FailedOpen = true, false
	_ = l.write([]Record{rec}) // counted, and nobody waits for its decision
}

// Note writes a record that is not about a run: what the caller says, with secrets
// taken out. The log sets Seq, Time, MonoNS, PID and the hashes; Kind is KindNote.
// The error is one of writing, for a caller to whom the record is required.
func (l *Log) Note(r Record) error {
	for _, s := range []*string{&r.Session, &r.Agent, &r.Event, &r.Tool, &r.ToolUseID, &r.Hook, &r.Dialect, &r.Source, &r.Scope, &r.Digest, &r.Status, &r.Decision} {
		*s = l.clip(*s, maxName)
	}
	for _, s := range []*string{&r.Why, &r.Reason, &r.Error, &r.Stderr} {
		*s = l.clip(*s, maxReason)
	}
	r.Ignored, r.Notes = l.list(r.Ignored), l.list(r.Notes)
	r.Kind = KindNote
	return l.write([]Record{r})
}

// write stamps records and appends them to the file.
func (l *Log) write(records []Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for i := range records {
		records[i].Time, records[i].MonoNS, records[i].PID = now.UTC(), now.Sub(l.start).Nanoseconds(), os.Getpid()
	}
	count := uint64(len(records))
	if l.lost > 0 {
		records = append([]Record{{Kind: KindDropped, Dropped: l.lost}}, records...)
		stamp(&records[0], &records[1])
	}
	err := fmt.Errorf("the audit log %s is closed", l.opts.Path)
	if !l.closed {
		err = l.file.append(records)
	}
	if err == nil {
		l.lost = 0
		return nil
	}
	l.lost += count
	l.dropped += count
	if !l.warned && l.opts.Warn != nil {
		l.warned = true
		l.opts.Warn(fmt.Errorf("what hooks do is not recorded: %w", err))
	}
	return err
}

// Head returns the number and the hash of the last record that this log wrote, 0 and "" when
// there is none: who keeps them elsewhere can tell later whether the log still has it.
func (l *Log) Head() (seq uint64, hash string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.at.Seq, l.file.at.Hash
}

// Dropped returns how many records could not be written.
func (l *Log) Dropped() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dropped
}

// Close closes the file. Records that come later are dropped and counted.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	l.file.closeFiles()
	return nil
}

// Limits of single fields, in bytes.
const (
	maxName   = 1 << 10
	maxReason = 4 << 10
	maxText   = 64 << 10
	maxList   = 32
)

// clip makes text fit for a record: valid, without secrets, bounded.
func (l *Log) clip(s string, limit int) string {
	s, cut := l.red.Clip(valid(s), limit)
	if cut {
		s += "…"
	}
	return s
}

func (l *Log) list(in []string) []string {
	var out []string
	for i, s := range in {
		if i == maxList {
			return append(out, fmt.Sprintf("and %d more", len(in)-maxList))
		}
		out = append(out, l.clip(s, maxName))
	}
	return out
}

// ParseLevel reads the level of a configuration: records, full or off; "" is
// records. off says that there is to be no log.
func ParseLevel(s string) (level Level, off bool, err error) {
	switch strings.ToLower(s) {
	case "", "records":
		return Records, false, nil
	case "full":
		return Full, false, nil
	case "off":
		return Records, true, nil
	}
	return Records, false, fmt.Errorf("%q is not a level of the audit log: use off, records or full", s)
}
