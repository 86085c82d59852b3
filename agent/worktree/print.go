package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/hookline-dev/hookline/internal/gitcmd"
)

// maxPrinted bounds the files that are compared.
const maxPrinted = 200_000

var errTooMany = errors.New("too many files")

// fingerprint tells whether the files of a directory are as they were: their names,
// sizes, modes and times, and the commit that git has checked out, if it is a
// checkout. It is "" when that cannot be told.
func fingerprint(ctx context.Context, dir string) string {
	h := sha256.New()
	n := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == dir {
			return nil
		}
		if d.Name() == ".git" && filepath.Dir(path) == dir { // reading changes it too
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if n++; n > maxPrinted || ctx.Err() != nil {
			return errors.Join(errTooMany, ctx.Err())
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if d.IsDir() { // its time changes with any file in it, its size by chance
			fmt.Fprintf(h, "%q %v\n", path, info.Mode())
			return nil
		}
		fmt.Fprintf(h, "%q %v %d %d\n", path, info.Mode(), info.Size(), info.ModTime().UnixNano())
		return nil
	})
	if err != nil {
		return ""
	}
	at := new(gitcmd.Client).In(dir)
	if top, err := at.Path(ctx, "--show-toplevel"); err == nil && top == dir {
		commit, err := at.Commit(ctx)
		if err != nil {
			commit = "none"
		}
		fmt.Fprintf(h, "at %s\n", commit)
	}
	return hex.EncodeToString(h.Sum(nil))
}
