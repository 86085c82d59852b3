package script

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/handler/script/internal/vm"
	"github.com/hookline-dev/hookline/internal/fsx"
)

// cacheVersion changes when the layout of cached files or the way bundles are
// made does.
const cacheVersion = "4"

// Cache keeps bundles and bytecode, in memory and, when it has a directory, on
// disk. One cache serves any number of modules; it is safe for concurrent use.
//
// A bundle is used only while every file that went into it has the content it
// had. What is on disk is as trusted as the program itself: the directory must
// belong to the person alone.
type Cache struct {
	dir string

	mu       sync.Mutex
	bundles  map[string]*bundle
	packages map[string]string

	rtOnce sync.Once
	rt     vm.Program
	rtErr  error

	source        func() string // of the runtime
	runtimeDigest func() string
}

// NewCache returns a cache that keeps files in dir, which it creates; an empty
// dir keeps everything in memory.
func NewCache(dir string) *Cache {
	source := sync.OnceValue(func() string { return runtimeSource() })
	return &Cache{
		dir: dir, bundles: map[string]*bundle{}, packages: map[string]string{},
		source: source, runtimeDigest: sync.OnceValue(func() string { return digest(source()) }),
	}
}

// storedBundle is a bundle on disk.
type storedBundle struct {
	Path     string    `json:"path"`
	Family   Family    `json:"family"`
	Kind     Kind      `json:"kind"`
	Old      bool      `json:"old"`
	Node     bool      `json:"node"`
	Requests []string  `json:"requests"`
	Uses     []string  `json:"uses"`
	Files    []File    `json:"files"`
	Virtual  []File    `json:"virtual"`
	StandIns []standIn `json:"standIns"`
	Script   string    `json:"script"`
	Map      string    `json:"map"`
}

// bundle returns the module's bundle, made anew when a file changed.
func (c *Cache) bundle(path string, o Options) (*bundle, error) {
	abs, err := resolveModule(path)
	if err != nil {
		return nil, err
	}
	// The runtime is in the key because bundles are made for it.
	key := digest(fmt.Sprintf("%s\x00%s\x00%s\x00%s\x00%s\x00%d", cacheVersion, c.runtimeDigest(), abs, o.Family, o.Kind, o.maxSource()))
	c.mu.Lock()
	b := c.bundles[key]
	c.mu.Unlock()
	if b != nil && b.fresh(o.maxSource()) {
		return b, nil
	}
	if b = c.read(key); b == nil || b.path != abs || !b.fresh(o.maxSource()) {
		if b, err = build(abs, o); err != nil {
			return nil, err
		}
		c.write(key+".bundle", func() ([]byte, error) { return b.encode() })
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bundles[key] = b
	return b, nil
}

// fresh reports whether all inputs still have the content that was bundled, and
// no package has come to be installed that was stood in for.
func (b *bundle) fresh(limit int64) bool {
	for _, f := range b.files {
		src, err := readSource(f.Path, limit)
		if err != nil || digest(src) != f.Digest {
			return false
		}
	}
	for _, f := range b.virtual {
		src, ok := virtualSource(f.Path)
		if !ok || digest(src) != f.Digest {
			return false
		}
	}
	for _, s := range b.standIns {
		if installed(s.Dir, s.Package) {
			return false
		}
	}
	return len(b.files) > 0
}

func (b *bundle) encode() ([]byte, error) {
	return json.Marshal(storedBundle{
		Path: b.path, Family: b.family, Kind: b.kind, Old: b.old, Node: b.node, Requests: b.requests, Uses: b.uses,
		Files: b.files, Virtual: b.virtual, StandIns: b.standIns, Script: b.script, Map: string(b.positions.text),
	})
}

func (c *Cache) read(key string) *bundle {
	data, err := c.load(key + ".bundle")
	if err != nil {
		return nil
	}
	var s storedBundle
	if err := json.Unmarshal(data, &s); err != nil {
		return nil
	}
	return &bundle{
		path: s.Path, family: s.Family, kind: s.Kind, old: s.Old, node: s.Node, requests: s.Requests, uses: s.Uses,
		files: slices.Clone(s.Files), virtual: s.Virtual, standIns: s.StandIns, script: s.Script,
		positions: &lazyMap{text: []byte(s.Map), dir: filepath.Dir(s.Path), offset: 1},
	}
}

// code returns the bytecode of a script. Our own keeps no source text.
func (c *Cache) code(name, source string) ([]byte, error) {
	key := digest(vm.CodeVersion() + "\x00" + runtime.GOARCH + "\x00" + name + "\x00" + source)
	if data, err := c.load(key + ".code"); err == nil {
		return data, nil
	}
	code, err := vm.Compile(name, source, name == runtimeName)
	if err != nil {
		return nil, err
	}
	c.write(key+".code", func() ([]byte, error) { return code, nil })
	return code, nil
}

// runtime returns the script that every engine runs first.
func (c *Cache) runtime() (vm.Program, error) {
	c.rtOnce.Do(func() {
		c.rt = vm.Program{Name: runtimeName, Source: c.source()}
		c.rt.Code, c.rtErr = c.code(c.rt.Name, c.rt.Source)
	})
	return c.rt, c.rtErr
}

// load reads a stored file; its first 32 bytes are the digest of the rest, so
// that a torn or damaged one counts as missing.
func (c *Cache) load(name string) ([]byte, error) {
	if c.dir == "" {
		return nil, os.ErrNotExist
	}
	data, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil {
		return nil, err
	}
	if len(data) < sha256.Size || sha256.Sum256(data[sha256.Size:]) != [sha256.Size]byte(data) {
		return nil, errors.New("damaged")
	}
	return data[sha256.Size:], nil
}

// write stores a file. A cache that cannot be written is slower and nothing
// else, so errors are dropped.
func (c *Cache) write(name string, content func() ([]byte, error)) {
	if c.dir == "" {
		return
	}
	data, err := content()
	if err != nil || os.MkdirAll(c.dir, 0o700) != nil {
		return
	}
	sum := sha256.Sum256(data)
	_ = fsx.WriteFile(filepath.Join(c.dir, name), append(sum[:], data...), 0o600)
	c.prune(time.Now().Add(-maxAge))
}

// maxAge is how long a stored file is kept. One that is still used is made anew
// then, which costs as much as the first time.
const maxAge = 60 * 24 * time.Hour

// prune removes the files that were written before a time.
func (c *Cache) prune(before time.Time) {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && info.ModTime().Before(before) {
			_ = os.Remove(filepath.Join(c.dir, e.Name())) // another process may have been faster
		}
	}
}
