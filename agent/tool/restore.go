package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// ErrLink says that a file is reached by a link now, which Restore does not follow.
var ErrLink = errors.New("is reached by a link that was not there")

// Restored is what taking a file back did: whether it changed, and by how many lines, which
// are 0 for a file that is too large to be compared.
type Restored struct {
	Changed               bool
	Insertions, Deletions int
}

// Restoration is what a file is taken back to.
type Restoration struct {
	Path    string
	Content []byte
	Gone    bool // it was not there, and is removed
	DryRun  bool // only say what would be done
}

// Restore takes a file back to what Config.Keep was told of it. Nobody is asked: a path that
// Keep knows was permitted. The model has to read the file again before it writes it.
func (s *Set) Restore(ctx context.Context, to Restoration) (out Restored, err error) {
	real, err := resolve(to.Path)
	if err != nil {
		return out, err
	}
	if real != to.Path {
		return out, fmt.Errorf("%s %w", to.Path, ErrLink)
	}
	p := s.inside(to.Path, real)
	if p == nil {
		if p, err = outside(to.Path, real); err != nil {
			return out, err
		}
	}
	defer p.close()
	old, fi, err := p.text(ctx)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return out, err
	}
	if to.Gone == (fi == nil) && bytes.Equal(old, to.Content) {
		return out, nil
	}
	out.Changed = true
	for _, h := range patch(string(old), string(to.Content)) {
		for _, line := range h.Lines {
			switch line[0] {
			case '+':
				out.Insertions++
			case '-':
				out.Deletions++
			}
		}
	}
	if to.DryRun {
		return out, nil
	}
	if !to.Gone {
		err = s.put(ctx, p, to.Content, old, fi)
	} else if err = s.keep(p, old, fi != nil); err == nil {
		if err = p.root.Remove(p.name); err != nil {
			err = p.wrap(err)
		}
	}
	if err != nil {
		return Restored{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.seen, p.real)
	return out, nil
}

// put gives a file new content. What it holds, old with fi, is kept before; fi is nil when
// there is none.
func (s *Set) put(ctx context.Context, p *place, data, old []byte, fi fs.FileInfo) error {
	if err := s.keep(p, old, fi != nil); err != nil {
		return err
	}
	if err := p.store(ctx, data, fi); err != nil {
		return err
	}
	s.wrote(p, data)
	return nil
}

func (s *Set) keep(p *place, old []byte, there bool) error {
	if s.cfg.Keep == nil {
		return nil
	}
	if err := s.cfg.Keep(p.real, old, there); err != nil {
		return fmt.Errorf("keeping what %s held: %w", p.path, err)
	}
	return nil
}
