package plugin

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/hookline-dev/hookline/internal/gitcmd"
)

const (
	maxLinkText   = 4 << 10
	maxAttributes = 1 << 20
)

// gitTree lists what a commit has of a source, with the targets of links read, and refuses
// what can be refused by the list alone.
func gitTree(ctx context.Context, repo *gitcmd.Repo, commit string, src Source, limits Limits) (*tree, error) {
	t := &tree{}
	name := src.Name.String()
	var above []entry // attributes of the directories above the plugin's, which count in it too
	count := tally{name: name, limits: limits}
	err := repo.Tree(ctx, commit, func(g gitcmd.TreeEntry) error {
		rel, within := below(src.Dir, g.Path)
		e := entry{path: rel, size: g.Size, object: g.Object}
		switch g.Mode {
		case gitcmd.Regular, gitcmd.Executable:
			e.kind, e.executable = plainFile, g.Mode == gitcmd.Executable
		case gitcmd.Symlink:
			e.kind = symlink
		case gitcmd.Submodule:
			e.kind = submodule
		}
		switch dir, base := path.Split(g.Path); {
		case within:
			t.entries = append(t.entries, e)
			return count.add(e)
		case base == ".gitattributes" && strings.HasPrefix(src.Dir+"/", dir):
			above = append(above, e)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(t.entries) == 0 && src.Dir != "" {
		return nil, &sourceError{Source: src.Address + "//" + src.Dir, Reason: "there is no such directory in the repository"}
	}
	for _, list := range [][]entry{above, t.entries} {
		if err := readSmall(ctx, repo, name, list); err != nil {
			return nil, err
		}
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

// below is a path relative to a directory, and whether it lies in it.
func below(dir, file string) (string, bool) {
	if dir == "" {
		return file, true
	}
	rel, ok := strings.CutPrefix(file, dir+"/")
	if !ok {
		return file, false
	}
	return rel, true
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
