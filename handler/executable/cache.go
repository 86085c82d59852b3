package executable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/internal/fsx"
)

const (
	cacheFile    = "executable-types.json"
	cacheVersion = 1
	maxCache     = 8 << 20
)

// remembered is the answer of a program, and what the program was then.
type remembered struct {
	identity
	Digest string `json:"digest"`
	Type   string `json:"type"`
}

// cacheContent is the file.
type cacheContent struct {
	Version int                   `json:"version"`
	Entries map[string]remembered `json:"entries"` // by absolute path
}

// errNewer says that a later version of this program wrote the file.
var errNewer = errors.New("it was written by a newer version")

// cache holds the answers. Of two programs that write the file at the same time,
// each reads what the other has written or replaces it: an answer may be lost
// that way and is then asked for again, and the file is always whole.
type cache struct {
	file string // "" without one

	mu      sync.Mutex
	entries map[string]remembered
	dirty   bool
	newer   bool // the file is not ours to replace
	err     error

	saving sync.Mutex
}

func (c *cache) open(dir string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries = map[string]remembered{}
	if dir == "" {
		return
	}
	c.file = filepath.Join(dir, cacheFile)
	c.entries, c.err = readCache(c.file)
	c.newer = errors.Is(c.err, errNewer)
}

func (c *cache) get(path string, seen identity, digest string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[path]
	same := e.Size == seen.Size && e.ModTime == seen.ModTime && e.Inode == seen.Inode && e.Digest == digest
	return e.Type, ok && same
}

// last returns the answer of a program with whatever content.
func (c *cache) last(path string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entries[path].Type
}

// put remembers an answer, save that of a program whose name JSON cannot hold.
func (c *cache) put(path string, seen identity, digest, typ string) {
	if !utf8.ValidString(path) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries[path] = remembered{identity: seen, Digest: digest, Type: typ}
	c.dirty = true
}

func (c *cache) problem() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// save writes what is new, together with what others have written meanwhile and
// without programs that are gone.
func (c *cache) save() {
	c.saving.Lock()
	defer c.saving.Unlock()
	c.mu.Lock()
	ours := maps.Clone(c.entries)
	write := c.file != "" && c.dirty && !c.newer
	c.dirty = false
	c.mu.Unlock()
	if !write {
		return
	}
	err := c.write(ours)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
	c.newer = errors.Is(err, errNewer)
}

func (c *cache) write(ours map[string]remembered) error {
	all, err := readCache(c.file)
	if errors.Is(err, errNewer) {
		return err
	}
	maps.Copy(all, ours)
	maps.DeleteFunc(all, func(path string, _ remembered) bool {
		_, err := os.Lstat(path)
		return errors.Is(err, fs.ErrNotExist)
	})
	data, err := json.Marshal(cacheContent{cacheVersion, all}, json.Deterministic(true), jsontext.Multiline(true))
	if err != nil {
		return fmt.Errorf("encode the types of executables: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(c.file), 0o700); err != nil {
		return fmt.Errorf("remember the types of executables: %w", err)
	}
	if err := fsx.WriteFile(c.file, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("remember the types of executables: %w", err)
	}
	return nil
}

// readCache reads the file; the map is never nil. A file that is missing is
// empty. One that cannot be read is empty too, with the error.
func readCache(file string) (map[string]remembered, error) {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return map[string]remembered{}, nil
	case err == nil && !info.Mode().IsRegular():
		err = errors.New("it is not a regular file")
	}
	var data []byte
	if err == nil {
		data, err = readBounded(file)
	}
	var entries map[string]remembered
	if err == nil {
		entries, err = decodeCache(data)
	}
	if err != nil {
		return map[string]remembered{}, fmt.Errorf("read %q: %w", file, bareError(err))
	}
	return entries, nil
}

func readBounded(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxCache+1))
	if err == nil && len(data) > maxCache {
		err = fmt.Errorf("it is larger than %d bytes", maxCache)
	}
	return data, err
}

func decodeCache(data []byte) (map[string]remembered, error) {
	var version struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return nil, err
	}
	if version.Version > cacheVersion {
		return nil, fmt.Errorf("version %d: %w", version.Version, errNewer)
	}
	var c cacheContent
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, err
	}
	if c.Version != cacheVersion || c.Entries == nil {
		return map[string]remembered{}, nil
	}
	return c.Entries, nil
}
