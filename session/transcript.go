package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/hookline-dev/hookline/internal/jsonx"
)

// TranscriptPath returns where the transcript of a session file lies: beside it.
func TranscriptPath(session string) string {
	return strings.TrimSuffix(session, suffix) + ".transcript.jsonl"
}

// TranscriptOptions say what every line of a transcript carries.
type TranscriptOptions struct {
	SessionID string
	Cwd       string
	// Version is the program's version.
	Version string
	// AgentID marks the transcript of a subagent.
	AgentID string
}

// Transcript writes the conversation in the shape that hooks read at
// transcript_path: one JSON object a line with type, message, uuid, parentUuid,
// sessionId, timestamp and cwd. It is only appended to, one write a line, and
// safe for concurrent use.
type Transcript struct {
	opts TranscriptOptions
	path string

	mu   sync.Mutex
	f    *os.File
	last string              // uuid of the last line
	seen map[string]struct{} // uuids in the file
}

// transcriptLine is one line of a transcript.
type transcriptLine struct {
	transcriptHead
	Message jsontext.Value
	transcriptTail
}

// transcriptHead is what stands before the message.
type transcriptHead struct {
	ParentUUID  *string `json:"parentUuid"`
	IsSidechain bool    `json:"isSidechain"`
	UserType    string  `json:"userType"`
	Cwd         string  `json:"cwd"`
	SessionID   string  `json:"sessionId"`
	Version     string  `json:"version"`
	AgentID     string  `json:"agentId,omitzero"`
	Type        string  `json:"type"`
	Subtype     string  `json:"subtype,omitzero"`
	IsMeta      bool    `json:"isMeta,omitzero"`
}

// transcriptTail is what stands behind it.
type transcriptTail struct {
	Content   string `json:"content,omitzero"`
	UUID      string `json:"uuid"`
	Timestamp string `json:"timestamp"`
}

// encode is the line with its line break, in pieces: the message may be long.
func (l *transcriptLine) encode() ([][]byte, error) {
	head, headErr := json.Marshal(l.transcriptHead, lenient)
	tail, tailErr := json.Marshal(l.transcriptTail, lenient)
	message, err := onOneLine(l.Message)
	if err = errors.Join(headErr, tailErr, err); err != nil {
		return nil, err
	}
	head, tail[0] = head[:len(head)-1], ','
	if message != nil {
		head = append(head, `,"message":`...)
	}
	return [][]byte{head, message, append(tail, '\n')}, nil
}

// OpenTranscript opens a transcript for appending; it is made when missing. A
// last line that was cut off is dropped.
func OpenTranscript(path string, opts TranscriptOptions) (*Transcript, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("opening a transcript: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening a transcript: %w", err)
	}
	t := &Transcript{opts: opts, path: path, f: f, seen: map[string]struct{}{}}
	if err := t.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("opening transcript %s: %w", path, err), f.Close())
	}
	return t, nil
}

// load reads the uuids that are there and moves to the end of the last line.
func (t *Transcript) load() error {
	var end int64
	err := lines(t.f, func(line []byte, off int64, _ int, whole bool) error {
		if !whole {
			return nil
		}
		end = off + int64(len(line)) + 1
		if !bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")) || !jsontext.Value(line).IsValid(lenient) {
			return nil // not ours to judge: it is there for others to read
		}
		for name, value := range members(line) {
			if string(name) != `"uuid"` {
				continue
			}
			if id, err := plainString(value); err == nil {
				t.last = string(id)
				t.seen[t.last] = struct{}{}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := t.f.Truncate(end); err != nil {
		return err
	}
	_, err = t.f.Seek(end, io.SeekStart)
	return err
}

// Path returns the transcript's file.
func (t *Transcript) Path() string { return t.path }

// uuidOf is the uuid of an entry's line; the same whenever it is written.
func (t *Transcript) uuidOf(e Entry) string { return UUIDOf(t.opts.SessionID, e.ID) }

// UUIDOf is the uuid by which programs outside know an entry of a session.
func UUIDOf(sessionID, entryID string) string {
	space, err := uuid.Parse(sessionID)
	if err != nil {
		space = uuid.NewSHA1(uuid.NameSpaceOID, []byte(sessionID))
	}
	return uuid.NewSHA1(space, []byte(entryID)).String()
}

// Known returns the id of the entry that programs outside know by a uuid, or by its id.
func (s *Session) Known(id string) (string, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if _, err := s.find(id); err == nil {
		return id, nil
	}
	for _, n := range s.nodes {
		if UUIDOf(s.header.ID, n.id) == id {
			return n.id, nil
		}
	}
	return "", fmt.Errorf("entry %q: %w", id, ErrNotFound)
}

// Add writes an entry of the session. Entries that no hook would look for, and
// those that are in the file already, are left out. A custom message appears as
// one of the user that is marked isMeta, a compaction as its boundary followed by
// the summary.
func (t *Transcript) Add(e Entry) error {
	line := transcriptLine{transcriptTail: transcriptTail{UUID: t.uuidOf(e)}}
	switch e.Type {
	case Message:
		line.Type, line.Message = "user", e.Message
		for name, value := range members(e.Message) {
			if string(name) == `"role"` && string(value) == `"assistant"` {
				line.Type = "assistant"
			}
		}
	case CustomMessage:
		line.Type, line.IsMeta, line.Message = "user", true, userContent(e.Content)
	case BranchSummary:
		line.Type, line.IsMeta, line.Message = "user", true, userText(branchIntro+e.Summary)
	case Compaction:
		boundary := transcriptLine{
			transcriptHead: transcriptHead{Type: "system", Subtype: "compact_boundary"},
			transcriptTail: transcriptTail{Content: "Conversation compacted", UUID: t.uuidOf(Entry{ID: e.ID + "/boundary"})},
		}
		if err := t.write(boundary, e.Time); err != nil {
			return err
		}
		line.Type, line.IsMeta, line.Message = "user", true, userText(compactionIntro+e.Summary)
	default:
		return nil
	}
	return t.write(line, e.Time)
}

// CatchUp writes what the branch of a session holds and the transcript doesn't,
// as after a crash.
func (t *Transcript) CatchUp(s *Session) error {
	entries, err := s.BranchEntries("")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := t.Add(e); err != nil {
			return err
		}
	}
	return nil
}

func (t *Transcript) write(line transcriptLine, at time.Time) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, there := t.seen[line.UUID]; there {
		return nil
	}
	if t.last != "" {
		line.ParentUUID = &t.last
	}
	line.UserType, line.Cwd, line.SessionID, line.Version = "external", t.opts.Cwd, t.opts.SessionID, t.opts.Version
	line.AgentID, line.IsSidechain = t.opts.AgentID, t.opts.AgentID != ""
	if at.IsZero() {
		at = time.Now()
	}
	line.Timestamp = at.UTC().Format(timeFormat)
	pieces, err := line.encode()
	if err != nil {
		return fmt.Errorf("writing transcript %s: %w", t.path, err)
	}
	pos, err := t.f.Seek(0, io.SeekCurrent)
	if err != nil {
		return fmt.Errorf("writing transcript %s: %w", t.path, err)
	}
	for _, piece := range jsonx.Writes(pieces) {
		if _, err := t.f.Write(piece); err != nil {
			// Half a line must not stay in front of the next one.
			_, seek := t.f.Seek(pos, io.SeekStart)
			return fmt.Errorf("writing transcript %s: %w", t.path, errors.Join(err, t.f.Truncate(pos), seek))
		}
	}
	t.last = line.UUID
	t.seen[t.last] = struct{}{}
	return nil
}

// SetCwd changes the directory that the following lines carry.
func (t *Transcript) SetCwd(dir string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.opts.Cwd = dir
}

// Close closes the file.
func (t *Transcript) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.f.Close(); err != nil {
		return fmt.Errorf("closing transcript %s: %w", t.path, err)
	}
	return nil
}
