package dialect

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/hookline-dev/hookline/config"
	"github.com/hookline-dev/hookline/plugin"
	"github.com/hookline-dev/hookline/sandbox"
)

// Sandbox holds what hooks and workers may write. It is safe for concurrent use. Close it
// when nothing is started in it any more.
type Sandbox struct {
	// Policy is what the definition of a hook widens or tightens.
	Policy sandbox.Policy
	// Confined says that only those hooks run in it which run what no approval covers, and
	// may write to their own directories only.
	Confined bool
	// Err, when not nil, says why there is none: hooks that are to run in it have failed.
	Err error
	// Only says that the policy is all that hooks may do, whatever they ask for or were
	// granted: script modules change nothing outside, and none sends requests.
	Only bool
	// Dir is where commands and programs start, "" for the event's directory.
	Dir string

	mu    sync.Mutex
	walls map[string]*sandbox.Wall
}

// Close lets go of the walls. What runs within them goes on.
func (s *Sandbox) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.walls {
		w.Close()
	}
	s.walls = nil
}

// wall returns the wall of a policy, which hooks share that have the same.
func (s *Sandbox) wall(p sandbox.Policy) (*sandbox.Wall, error) {
	if s.Err != nil {
		return nil, s.Err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := fmt.Sprintf("%#v", p)
	if w := s.walls[key]; w != nil {
		return w, nil
	}
	w, err := sandbox.New(p)
	if err != nil {
		return nil, err
	}
	if s.walls == nil {
		s.walls = map[string]*sandbox.Wall{}
	}
	s.walls[key] = w
	return w, nil
}

// Ask sets what a hook asks for: what its definition says, and the manifest of its plugin,
// in a directory, "" for none. A hook of a plugin whose manifest is not understood cannot be
// confined: it may have been to tighten the sandbox.
func (f *Found) Ask(own sandbox.Needs, pluginDir string) {
	var of sandbox.Needs
	if pluginDir != "" {
		of, f.misread = plugin.Needs(pluginDir)
	}
	f.Needs = own.And(of)
	f.Artifact.Capabilities = f.Needs.Capabilities()
}

// Confined is where a hook runs: within a wall, nil for none, with variables, and in a
// directory, "" for the event's.
type Confined struct {
	Wall *sandbox.Wall
	Env  []string
	Dir  string
}

// confine says of a hook of the project that runs what no approval covers that its approval
// confines it, unless that grants it to run without a sandbox.
func (f *Found) confine() {
	f.Artifact.Confined = f.uncovered() && !f.free()
}

// uncovered reports whether a hook of the project runs what no approval covers.
func (f *Found) uncovered() bool {
	return configLevel(f.Level) == config.Project && len(f.Artifact.Unseen) > 0
}

// free reports whether a hook asks for no sandbox.
func (f *Found) free() bool { return f.Needs.Off && f.misread == nil }

// Confine returns the sandbox of a hook that may run. A hook that was approved although it
// runs what its approval does not cover writes to a directory of its own, which
// HOOKLINE_DATA_DIR and TMPDIR name, and to what it asks for, unless the approval lets it
// write what others may. With an error the hook has failed, whatever its policy, and its
// status says so.
func (k *Kit) Confine(f *Found) (c Confined, err error) {
	n, p, data := f.Needs, k.Sandbox.Policy, f.Data
	confined := (f.Artifact.Confined || f.unapproved && f.uncovered()) && !f.mayWrite
	only := k.Sandbox.Only
	if k.Sandbox.Confined && !confined {
		return c, nil
	}
	c.Dir = k.Sandbox.Dir
	if f.unapproved || only {
		n.Write = nil
	} else if f.free() {
		f.Writes = WritesAll
		return c, nil
	}
	f.Writes = WritesProject
	p.NoTCP = p.NoTCP || n.NoTCP
	if only {
		data = ""
	} else if confined {
		p.Write, f.Writes = nil, WritesData
		if data == "" {
			data = k.dataDir(f)
			f.Data = data
		}
		c.Env = []string{"HOOKLINE_DATA_DIR=" + data, "TMPDIR=" + data}
	}
	for _, path := range n.Write {
		p.Write = append(p.Write[:len(p.Write):len(p.Write)], k.path(path))
	}
	if data != "" {
		if err = os.MkdirAll(data, 0o700); err == nil {
			p.Own = []string{data}
		}
	}
	if err = cmp.Or(err, f.misread); err == nil {
		c.Wall, err = k.Sandbox.wall(p)
	}
	if err != nil {
		err = fmt.Errorf("its sandbox cannot be made: %w", err)
		if confined && !only {
			err = fmt.Errorf("%w; it runs what no approval covers, and writes without one only if you say so: hookline trust --allow-writes", err)
		}
		f.Status, f.Why, f.Shut = Broken, err.Error(), true
	}
	return c, err
}

// dataDir is the directory of a hook that has none from its plugin: that of the name which it
// had before, where there is one.
func (k *Kit) dataDir(f *Found) string {
	of := func(name string) string {
		sum := sha256.Sum256([]byte(f.Artifact.Root + "\x00" + f.Dialect + "\x00" + name))
		return filepath.Join(k.Dirs.State, "data", hex.EncodeToString(sum[:8]))
	}
	if f.Earlier != "" {
		if _, err := os.Lstat(of(f.Earlier)); err == nil {
			return of(f.Earlier)
		}
	}
	return of(f.Name)
}

// path makes a path of a definition absolute.
func (k *Kit) path(path string) string {
	rest, home := strings.CutPrefix(path, "~/")
	switch {
	case home:
		return filepath.Join(k.Dirs.Home, rest)
	case filepath.IsAbs(path):
		return path
	}
	return filepath.Join(k.Dirs.Project, path)
}
