package tool

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
)

// Editor has files open for a person, with changes that are not saved. Paths are absolute.
// It is safe for concurrent use.
type Editor interface {
	// ReadFile returns the text of a file as the person sees it.
	ReadFile(ctx context.Context, path string) (string, error)
	// WriteFile replaces the text of a file, or makes it; its directory is there.
	WriteFile(ctx context.Context, path, text string) error
}

// inEditor is the path by which the person's editor knows a place, "" where the file is
// taken from the disk: without an editor, and outside of the set's directories.
func (p *place) inEditor() string {
	if p.set == nil || p.set.cfg.Editor == nil {
		return ""
	}
	return filepath.Join(p.root.given, p.name)
}

// text reads a whole file as the person sees it.
func (p *place) text(ctx context.Context) ([]byte, fs.FileInfo, error) {
	path := p.inEditor()
	if path == "" {
		return p.content()
	}
	f, fi, err := p.open()
	if err != nil {
		return nil, nil, err
	}
	f.Close()
	text, err := p.set.cfg.Editor.ReadFile(ctx, path)
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("%s, in the editor: %w", p.path, err)
	case len(text) > maxFile:
		return nil, nil, p.tooLarge()
	}
	return []byte(text), fi, nil
}
