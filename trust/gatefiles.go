package trust

import (
	"fmt"
	"path/filepath"
	"slices"
)

func (g *SessionGate) hold(s *Seen, f FileState) {
	_, err := LookOnce(s, "copy", f.Digest+f.Abs, func() (struct{}, error) {
		file, err := g.opts.Copies.Open(f.Abs, f.Digest)
		if err == nil {
			_ = file.Close()
		}
		return struct{}{}, err
	})
	if err != nil {
		g.copyErr = err
	}
}

// paths are the names by which a file may be asked about.
func (s *Seen) paths(abs string) []string {
	out := []string{filepath.Clean(abs)}
	if real, err := s.Real(abs); err == nil && real != out[0] {
		out = append(out, real)
	}
	return out
}

// CheckFile says whether a file with this content is covered by what Check allowed
// in this session.
func (g *SessionGate) CheckFile(path, digest string) bool {
	if !ValidDigest(digest) {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range (*Seen)(nil).paths(path) {
		for _, d := range g.files[p] {
			if d == digest {
				return true
			}
		}
	}
	return false
}

// Mirror returns a private directory that stands for the hook's root and holds its
// files as they were when Check allowed them; see Copies.Mirror.
func (g *SessionGate) Mirror(a Artifact) (string, error) {
	g.mu.Lock()
	st, ok := g.allowed[hookKey(a)]
	g.mu.Unlock()
	if !ok {
		return "", fmt.Errorf("copying the files of %q: %w", a.Name, errNotAllowed)
	}
	return LookOnce(a.Seen, "mirror", g.opts.Copies.mirrorDir(st), func() (string, error) {
		st.Files = slices.Clone(st.Files) // they are still the gate's
		for i := range st.Files {
			// A copy of the file from when it was allowed serves when the file changed.
			f := &st.Files[i]
			if f.Digest == "" {
				continue
			}
			if file, err := g.opts.Copies.Open(f.Abs, f.Digest); err == nil {
				f.Abs = file.Name()
				_ = file.Close()
			}
		}
		return g.opts.Copies.Mirror(st)
	})
}
