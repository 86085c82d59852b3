package plugin

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path"

	"github.com/hookline-dev/hookline/internal/gitcmd"
)

const (
	maxLinkText   = 4 << 10
	maxAttributes = 1 << 20
)

// gitTree lists a commit, with the targets of links read, and refuses what can
// be refused by the list alone.
func gitTree(ctx context.Context, repo *gitcmd.Repo, name, commit string, limits Limits) (*tree, error) {
	t := &tree{}
	count := tally{name: name, limits: limits}
	err := repo.Tree(ctx, commit, func(g gitcmd.TreeEntry) error {
		e := entry{path: g.Path, size: g.Size, object: g.Object}
		switch g.Mode {
		case gitcmd.Regular, gitcmd.Executable:
			e.kind, e.executable = plainFile, g.Mode == gitcmd.Executable
		case gitcmd.Symlink:
			e.kind = symlink
		case gitcmd.Submodule:
			e.kind = submodule
		}
		t.entries = append(t.entries, e)
		return count.add(e)
	})
	if err != nil {
		return nil, err
	}
	if err := readSmall(ctx, repo, name, t.entries); err != nil {
		return nil, err
	}
	t.read = func(ctx context.Context, files []entry, each func(entry, func(io.Writer) error) error) error {
		return repo.Blobs(ctx, func(read gitcmd.BlobReader) error {
			for _, f := range files {
				err := each(f, func(w io.Writer) error { return read(f.object, f.size, w) })
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	return t, nil
}

// readSmall reads what the checks need of contents: targets of links, and
// attributes files.
func readSmall(ctx context.Context, repo *gitcmd.Repo, name string, entries []entry) error {
	return repo.Blobs(ctx, func(read gitcmd.BlobReader) error {
		for i := range entries {
			e := &entries[i]
			attributes := e.kind == plainFile && path.Base(e.path) == ".gitattributes"
			if e.kind != symlink && !attributes {
				continue
			}
			limit := int64(maxLinkText)
			if attributes {
				limit = maxAttributes
			}
			if e.size > limit {
				return &RefusedError{Plugin: name, Path: e.path, Reason: fmt.Sprintf("it is larger than %s", size(limit))}
			}
			var b bytes.Buffer
			if err := read(e.object, e.size, &b); err != nil {
				return fmt.Errorf("reading %q: %w", e.path, err)
			}
			if !attributes {
				e.target = b.String()
			} else if err := filterFault(name, e.path, b.Bytes()); err != nil {
				return err
			}
		}
		return nil
	})
}
