package backtest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// progressLine is what was found in a session as it was then.
type progressLine struct {
	Path     string    `json:"path"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	Report   *Report   `json:"report"`
}

// progress keeps what was found in sessions, a line for each, so that a run can go on.
type progress struct {
	mu sync.Mutex
	f  *os.File // nil keeps nothing
}

// resume takes over what an earlier run found, and returns the sessions that are left.
func (r *run) resume() (*progress, []Session, error) {
	if r.Kept == "" {
		return &progress{}, r.Sessions, nil
	}
	fail := func(err error) (*progress, []Session, error) {
		return nil, nil, fmt.Errorf("keep the state of the backtest: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(r.Kept), 0o700); err != nil {
		return fail(err)
	}
	f, err := os.OpenFile(r.Kept, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fail(err)
	}
	found := map[string]progressLine{}
	for lines := bufio.NewReader(f); ; {
		line, _, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fail(errors.Join(err, f.Close()))
		}
		var k progressLine
		if json.Unmarshal(line, &k) == nil && k.Report != nil { // one that was cut off is done anew
			found[k.Path] = k
		}
	}
	var todo []Session
	for _, s := range r.Sessions {
		if k, ok := found[s.Path]; ok && k.Size == s.Size && k.Modified.Equal(s.Modified) {
			r.finish(s, k.Report)
		} else {
			todo = append(todo, s)
		}
	}
	return &progress{f: f}, todo, nil
}

// add keeps what was found in a session.
func (k *progress) add(s Session, rep *Report) error {
	if k.f == nil {
		return nil
	}
	line, err := json.Marshal(progressLine{s.Path, s.Size, s.Modified, rep})
	if err == nil {
		k.mu.Lock()
		defer k.mu.Unlock()
		_, err = k.f.Write(append(append([]byte("\n"), line...), '\n')) // behind one that was cut off
	}
	if err != nil {
		return fmt.Errorf("keep the state of the backtest: %w", err)
	}
	return nil
}

// close ends keeping; of a run that is done nothing is kept.
func (k *progress) close(done bool) error {
	if k.f == nil {
		return nil
	}
	err := k.f.Close()
	if done {
		err = errors.Join(err, os.Remove(k.f.Name()))
	}
	return err
}
