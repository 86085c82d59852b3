package session

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// suffix ends the names of session files; transcripts end in another.
const suffix = ".session.jsonl"

// ErrNone is returned when there is no session to resume.
var ErrNone = errors.New("there is no session yet")

// Info describes a session without opening it.
type Info struct {
	Header
	Path string
	// Modified is when the session was last written.
	Modified time.Time
	// Size is the file's size in bytes.
	Size int64
	// First is the beginning of the first message of the person, to recognise
	// the session by.
	First string
}

// List describes the sessions in a directory, the one written last first. With
// a cwd, only those of that working directory are listed. Files that can't be
// read cost only themselves: err joins what was wrong with them, and the list is
// good without them. A directory that doesn't exist holds no sessions.
func List(dir, cwd string) ([]Info, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing sessions: %w", err)
	}
	var out []Info
	var faults []error
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), suffix) || !e.Type().IsRegular() {
			continue
		}
		info, err := Describe(filepath.Join(dir, e.Name()))
		switch {
		case err != nil:
			faults = append(faults, err)
		case cwd == "" || filepath.Clean(info.Cwd) == filepath.Clean(cwd):
			out = append(out, info)
		}
	}
	slices.SortFunc(out, func(a, b Info) int {
		if c := b.Modified.Compare(a.Modified); c != 0 {
			return c
		}
		return strings.Compare(b.Path, a.Path)
	})
	return out, errors.Join(faults...)
}

// Latest returns the session of a working directory that was written last,
// ErrNone when there is none.
func Latest(dir, cwd string) (Info, error) {
	list, err := List(dir, cwd)
	if len(list) > 0 {
		return list[0], nil
	}
	if err == nil {
		err = ErrNone
	}
	return Info{}, err
}

// notFoundError says that no session has an id, or one that begins with it.
type notFoundError struct {
	ID string
	// Last are the sessions that were written last, which may help.
	Last []Info
}

// Error names the sessions that were written last.
func (e *notFoundError) Error() string {
	return fmt.Sprintf("session %q: none has this id, or one that begins with it; the last ones are", e.ID) + named(e.Last)
}

// named lists sessions, each with the beginning of its first message.
func named(list []Info) string {
	var b strings.Builder
	for i, info := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(" " + info.ID)
		if first := []rune(info.First); len(first) > 40 {
			fmt.Fprintf(&b, " (%s…)", string(first[:39]))
		} else if len(first) > 0 {
			fmt.Fprintf(&b, " (%s)", info.First)
		}
	}
	return b.String()
}

// Find returns the session in a directory whose id is id or begins with it, or whose
// file it names. When there is none, the error names the last ones that there are; it is ErrNone
// in a directory without any.
func Find(dir, id string) (Info, error) {
	if strings.HasSuffix(id, suffix) {
		if filepath.Base(id) == id {
			id = filepath.Join(dir, id)
		}
		return Describe(id)
	}
	list, err := List(dir, "")
	var found []Info
	for _, info := range list {
		if info.ID == id {
			return info, nil
		}
		if id != "" && strings.HasPrefix(info.ID, id) {
			found = append(found, info)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return Info{}, fmt.Errorf("session id %q is the beginning of %d ids, such as%s", id, len(found), named(found[:min(len(found), 3)]))
	case err != nil:
		return Info{}, err
	}
	if len(list) == 0 {
		return Info{}, fmt.Errorf("session %q: %w", id, ErrNone)
	}
	return Info{}, &notFoundError{ID: id, Last: list[:min(len(list), 3)]}
}

// Remove removes the session in a file with what lies beside it. A *LockedError says who
// has it open; then nothing is removed.
func Remove(path string) error {
	base, ok := strings.CutSuffix(path, suffix)
	if !ok {
		return fmt.Errorf("removing a session: %s is not a session file", path)
	}
	l, err := takeLock(path)
	if err != nil {
		return err
	}
	err = os.Remove(path)
	err = errors.Join(err, l.release())
	entries, listErr := os.ReadDir(filepath.Dir(path))
	errs := []error{err, listErr}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(base)+".") {
			errs = append(errs, os.RemoveAll(filepath.Join(filepath.Dir(path), e.Name())))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("removing a session: %w", err)
	}
	return nil
}

// CheckFree reports whether a new session in a directory can have an id: the error says
// what is wrong with it, or that a session has it.
func CheckFree(dir, id string) error {
	if !validID(id) {
		return fmt.Errorf("%q is not a session id: letters, digits, - and _ are expected", id)
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("listing sessions: %w", err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), "_"+id+suffix) {
			return fmt.Errorf("there is a session %s already", id)
		}
	}
	return nil
}

// Describe reads the header and the first message of a session.
func Describe(path string) (Info, error) {
	f, err := os.Open(path)
	if err != nil {
		return Info{}, fmt.Errorf("describing a session: %w", err)
	}
	defer func() { _ = f.Close() }()
	stat, err := f.Stat()
	if err != nil {
		return Info{}, fmt.Errorf("describing session %s: %w", path, err)
	}
	info := Info{Path: path, Modified: stat.ModTime(), Size: stat.Size()}
	r := bufio.NewReader(io.LimitReader(f, 256<<10))
	line, err := r.ReadBytes('\n')
	if err != nil {
		return Info{}, &damageError{Path: path, Line: 1, Err: errors.New("the header is cut off")}
	}
	s := &Session{path: path}
	if err := s.readHeader(line); err != nil {
		if isVersion(err) {
			return Info{}, err
		}
		return Info{}, &damageError{Path: path, Line: 1, Err: err}
	}
	info.Header = s.header
	for info.First == "" {
		line, err := r.ReadBytes('\n')
		if err != nil {
			break // cut off or longer than is looked at
		}
		info.First = firstText(line)
	}
	return info, nil
}

// firstText returns the text of a line that is a message of the person.
func firstText(line []byte) string {
	var e struct {
		Type    Type `json:"type"`
		Message struct {
			Role    string         `json:"role"`
			Content jsontext.Value `json:"content"`
		} `json:"message"`
	}
	if json.Unmarshal(line, &e, lenient) != nil || e.Type != Message || e.Message.Role != "user" {
		return ""
	}
	text := ""
	var blocks []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(e.Message.Content, &text, lenient) != nil && json.Unmarshal(e.Message.Content, &blocks, lenient) == nil {
		for _, b := range blocks {
			if b.Type == "text" {
				text = b.Text
				break
			}
		}
	}
	text = strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "\uFFFD")
	if runes := []rune(text); len(runes) > 200 {
		text = string(runes[:199]) + "…"
	}
	return text
}
