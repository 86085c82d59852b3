package session

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/go-json-experiment/json"
)

// The bounds of what a session keeps of files, in bytes: of one, and of all as it lies on
// the disk.
const (
	maxKept    = 4 << 20
	maxAllKept = 128 << 20
)

// Backup is what a file held before it was changed.
type Backup struct {
	// At is how many entries the session had then.
	At   int    `json:"at"`
	Path string `json:"path"`
	// New says that there was no file.
	New     bool   `json:"new,omitzero"`
	Content []byte `json:"content,omitzero"`
	// Lost says that the content was beyond the bounds and is not there.
	Lost bool `json:"lost,omitzero"`
}

// backupPath returns where the session keeps what files held, beside its own file.
func (s *Session) backupPath() string { return strings.TrimSuffix(s.path, suffix) + ".files.jsonl" }

// BackUp remembers what a file holds that is about to change; there is false when there is no
// file. A session in memory remembers nothing.
func (s *Session) BackUp(path string, content []byte, there bool) (err error) {
	if s.path == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.writable(); err != nil {
		return err
	}
	f, err := os.OpenFile(s.backupPath(), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("session %s: %w", s.header.ID, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	fi, err := f.Stat()
	if err != nil {
		return fmt.Errorf("session %s: %w", s.header.ID, err)
	}
	k := Backup{At: len(s.nodes), Path: path, New: !there, Content: content}
	if len(content) > maxKept || fi.Size()+int64(len(content)) > maxAllKept {
		k.Content, k.Lost = nil, true
	}
	line, err := json.Marshal(k)
	if err != nil {
		return fmt.Errorf("session %s: %w", s.header.ID, err)
	}
	// Behind half a line, whose change was not made, a whole one begins anew.
	if _, err := f.Write(append(append([]byte{'\n'}, line...), '\n')); err != nil {
		return fmt.Errorf("session %s: %w", s.header.ID, err)
	}
	return nil
}

// BackupsSince returns what the files held that were changed after an entry had been added,
// each once, in the order of their first changes.
func (s *Session) BackupsSince(entryID string) ([]Backup, error) {
	if s.path == "" {
		return nil, fmt.Errorf("session %s is in memory only, and nothing is kept of files", s.header.ID)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	at, err := s.find(entryID)
	if err != nil {
		return nil, err
	}
	data, err := os.Open(s.backupPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", s.header.ID, err)
	}
	defer data.Close()
	var out []Backup
	seen := map[string]bool{}
	sc := bufio.NewScanner(data)
	sc.Buffer(nil, 2*maxKept)
	for sc.Scan() {
		var k Backup
		if len(bytes.TrimSpace(sc.Bytes())) == 0 || json.Unmarshal(sc.Bytes(), &k) != nil || k.At <= int(at) || seen[k.Path] {
			continue
		}
		seen[k.Path] = true
		out = append(out, k)
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("session %s: what is kept of files: %w", s.header.ID, err)
	}
	return out, nil
}
