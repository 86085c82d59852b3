package plugin

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/internal/gitcmd"
)

// gather fills staging/tree from the source.
func (j *job) gather(ctx context.Context) (files []File, commit string, err error) {
	var t *tree
	switch j.src.Kind {
	case GitSource:
		scratch := filepath.Join(j.staging, "git")
		if t, commit, err = j.fetch(ctx, scratch); err != nil {
			return nil, "", err
		}
		defer removeAll(scratch)
	case DirectorySource:
		j.report(StageFetch, j.src.Address)
		dir, root, err := dirTree(ctx, j.src.Address, j.src.Name.String(), j.store.Limits)
		if err != nil {
			return nil, "", err
		}
		defer root.Close()
		t = dir
	default:
		return nil, "", &sourceError{Source: j.src.Address, Reason: "unknown kind of source"}
	}
	j.report(StageCheck, "")
	chosen, err := plan(j.src.Name.String(), t.entries, j.store.Limits, selection(t.entries))
	if err != nil {
		return nil, "", err
	}
	j.hint = marketplaceHint(t.entries)
	j.report(StageCopy, "")
	files, err = writeTree(ctx, t, chosen, filepath.Join(j.staging, treeName), j.store.at)
	return files, commit, err
}

func (j *job) fetch(ctx context.Context, scratch string) (*tree, string, error) {
	u, err := gitcmd.ParseURL(j.src.Address)
	if err != nil {
		return nil, "", err
	}
	if err := os.Mkdir(scratch, 0o755); err != nil {
		return nil, "", err
	}
	repo, err := j.store.client().Scratch(ctx, scratch)
	if err != nil {
		return nil, "", err
	}
	j.report(StageResolve, u.String())
	if j.target, err = repo.Resolve(ctx, u, j.src.Ref); err != nil {
		return nil, "", err
	}
	j.report(StageFetch, u.String())
	commit, err := repo.Fetch(ctx, u, j.target)
	if errors.Is(err, gitcmd.ErrTooLarge) {
		err = &RefusedError{Plugin: j.src.Name.String(), Reason: err.Error()}
	}
	if err != nil {
		return nil, "", err
	}
	j.store.at("fetched")
	t, err := gitTree(ctx, repo, commit, j.src, j.store.Limits)
	return t, commit, err
}

// removeAll removes a directory even when files in it were made read-only.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && (d.IsDir() || d.Type().IsRegular()) {
			_ = os.Chmod(path, 0o700) // what cannot be changed shows in RemoveAll
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// rebase moves the paths in a Content from the staging directory to where the
// plugin will be.
func rebase(c Content, from, to string) Content {
	if c.Claude == nil {
		return c
	}
	moved := *c.Claude
	move := func(p string) string { return to + strings.TrimPrefix(p, from) }
	if moved.Manifest != "" {
		moved.Manifest = move(moved.Manifest)
	}
	for _, list := range []*[]string{&moved.HookFiles, &moved.CommandDirs, &moved.AgentDirs, &moved.SkillDirs} {
		*list = slices.Clone(*list)
		for i, p := range *list {
			(*list)[i] = move(p)
		}
	}
	c.Claude = &moved
	return c
}

func rebaseDiagnostics(diags []diag.Diagnostic, from, to string) []diag.Diagnostic {
	out := slices.Clone(diags)
	for i, d := range out {
		if rest, ok := strings.CutPrefix(d.Path, from); ok {
			out[i].Path = to + rest
		}
	}
	return out
}
