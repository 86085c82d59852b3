package recording

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/internal/fsx"
	"github.com/hookline-dev/hookline/internal/redact"
)

// The bounds of a store.
const (
	// maxAge is how long a recording is kept.
	maxAge = 30 * 24 * time.Hour
	// maxBytes is how much is kept: of more, what was written to longest ago goes.
	maxBytes = 500 << 20
)

const (
	suffix = ".jsonl"
	day    = "2006-01-02"
)

// Entry is an event of an agent.
type Entry struct {
	Time time.Time `json:"time"`
	// Agent is who sent the payload, Event the agent's own name of the event, and Session
	// and Dir are the session and its directory.
	Agent   string `json:"agent"`
	Event   string `json:"event"`
	Session string `json:"session"`
	Dir     string `json:"dir"`
	// Payload is what was sent; a JSON string where that is not JSON.
	Payload jsontext.Value `json:"payload"`
	// Decision and Reason are what hooks came to; "" where that was not recorded.
	Decision string `json:"decision,omitzero"`
	Reason   string `json:"reason,omitzero"`
}

// Session is a recorded session.
type Session struct {
	Agent string `json:"agent"`
	ID    string `json:"session"`
	Dir   string `json:"dir"`
	// First and Last are the times of its first and last entry, Entries is how many there
	// are.
	First   time.Time `json:"first"`
	Last    time.Time `json:"last"`
	Entries int       `json:"events"`
}

// Store keeps recordings in a directory. It is safe for use by several processes at once.
type Store struct {
	Dir string
	// maxBytes is how much is kept, 0 for the package's maxBytes, and Now tells the time, nil for
	// time.Now.
	MaxBytes int64
	Now      func() time.Time
}

// In returns the store below the directory for Hookline's state.
func In(state string) *Store { return &Store{Dir: filepath.Join(state, "recordings")} }

// Add records an event. Secrets that red knows are replaced, and the time is set where the
// entry has none.
func (s *Store) Add(ctx context.Context, red *redact.Redactor, e Entry) error {
	if err := s.add(ctx, red, e); err != nil {
		return fmt.Errorf("record %s of %s: %w", e.Event, e.Agent, err)
	}
	return nil
}

func (s *Store) add(ctx context.Context, red *redact.Redactor, e Entry) (err error) {
	now := s.now().UTC()
	if e.Time.IsZero() {
		e.Time = now
	}
	e.Reason = red.String(e.Reason)
	text := red.String(string(e.Payload))
	if e.Payload = jsontext.Value(text); !e.Payload.IsValid() || e.Payload.Compact() != nil {
		if e.Payload, err = jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\uFFFD")); err != nil {
			return err
		}
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := s.prune(now, int64(len(line))+1); err != nil {
		return err
	}
	path := filepath.Join(s.Dir, sessionName(e.Agent, e.Session)+now.Format(day)+suffix)
	return appendLine(path, append(line, '\n'))
}

// appendLine adds a line to a file, or nothing.
func appendLine(path string, line []byte) (err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err = f.Write(line); err != nil {
		return errors.Join(err, f.Truncate(end))
	}
	return nil
}

// lock makes the directory, and keeps everybody else from changing it.
func (s *Store) lock(ctx context.Context) (unlock func() error, err error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.Chmod(s.Dir, 0o700); err != nil {
		return nil, err
	}
	held, err := fsx.Lock(ctx, filepath.Join(s.Dir, "lock"))
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", s.Dir, err)
	}
	return held.Unlock, nil
}

// prune removes what is too old, and what was written to longest ago until there is room
// for more bytes.
func (s *Store) prune(now time.Time, more int64) error {
	files, err := s.files("")
	if err != nil {
		return err
	}
	slices.SortStableFunc(files, func(a, b file) int { return a.written.Compare(b.written) })
	room := s.MaxBytes
	if room <= 0 {
		room = maxBytes
	}
	for _, f := range files {
		more += f.size
	}
	for _, f := range files {
		if old := now.Sub(f.day) > maxAge; !old && more <= room {
			continue
		}
		if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		more -= f.size
	}
	return nil
}

// file is a day of a session.
type file struct {
	path         string
	size         int64
	day, written time.Time
}

// files are those whose names have a prefix, by session and day.
func (s *Store) files(prefix string) ([]file, error) {
	names, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []file
	for _, n := range names {
		stem, ok := strings.CutSuffix(n.Name(), suffix)
		if !ok || !strings.HasPrefix(stem, prefix) || len(stem) < len(day) || !n.Type().IsRegular() {
			continue
		}
		of, err := time.Parse(day, stem[len(stem)-len(day):])
		info, infoErr := n.Info()
		if err != nil || infoErr != nil {
			continue // not of ours, or gone meanwhile
		}
		out = append(out, file{filepath.Join(s.Dir, n.Name()), info.Size(), of, info.ModTime()})
	}
	return out, nil
}

// sessionName is what the names of a session's files begin with.
func sessionName(agent, session string) string {
	sum := sha256.Sum256([]byte(agent + "\x00" + session))
	return fmt.Sprintf("%x-", sum[:12])
}

// Read yields the entries of a session in their order; of an agent alone, where session is
// "", those of all its sessions, and with neither all that there are. A line that cannot be
// read is an error, after which the next one is read.
func (s *Store) Read(agent, session string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		prefix := ""
		if session != "" {
			prefix = sessionName(agent, session)
		}
		files, err := s.files(prefix)
		if err != nil {
			yield(Entry{}, fmt.Errorf("read recordings: %w", err))
			return
		}
		for _, f := range files {
			for e, err := range entries(f.path) {
				if err == nil && agent != "" && e.Agent != agent {
					break // so is the whole file
				}
				if !yield(e, err) {
					return
				}
			}
		}
	}
}

func entries(path string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(Entry{}, fmt.Errorf("read a recording: %w", err))
			return
		}
		defer f.Close()
		r := bufio.NewReader(f)
		for n := 1; ; n++ {
			line, err := r.ReadBytes('\n')
			if errors.Is(err, io.EOF) && len(line) == 0 {
				return
			}
			var e Entry
			if err == nil {
				err = json.Unmarshal(line, &e)
			}
			if err != nil {
				err = fmt.Errorf("read a recording, %s:%d: %w", path, n, err)
			}
			if !yield(e, err) || errors.Is(err, io.EOF) {
				return
			}
		}
	}
}

// Sessions are the recorded sessions, that with the newest entry first. What cannot be read
// is an error beside those that can.
func (s *Store) Sessions() ([]Session, error) {
	files, err := s.files("")
	if err != nil {
		return nil, fmt.Errorf("list recordings: %w", err)
	}
	var out []Session
	var errs []error
	for _, f := range files {
		for e, err := range entries(f.path) {
			if err != nil {
				errs = append(errs, err)
				continue
			}
			i := slices.IndexFunc(out, func(o Session) bool { return o.Agent == e.Agent && o.ID == e.Session })
			if i < 0 {
				i, out = len(out), append(out, Session{Agent: e.Agent, ID: e.Session, Dir: e.Dir, First: e.Time})
			}
			out[i].Last = e.Time
			out[i].Entries++
		}
	}
	slices.SortStableFunc(out, func(a, b Session) int { return b.Last.Compare(a.Last) })
	return out, errors.Join(errs...)
}

// Remove forgets a session. One that is not there is an error of [fs.ErrNotExist].
func (s *Store) Remove(ctx context.Context, agent, session string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("remove the recording of session %s of %s: %w", session, agent, err)
		}
	}()
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	files, err := s.files(sessionName(agent, session))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fs.ErrNotExist
	}
	for _, f := range files {
		if err := os.Remove(f.path); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}
