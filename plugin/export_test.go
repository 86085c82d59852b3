package plugin

import "context"

// SetStep has f called between the operations on files.
func (s *Store) SetStep(f func(string)) { s.step = f }

// SetNoExchange makes the store act as on a file system that cannot exchange
// two directories in one step.
func (s *Store) SetNoExchange() { s.noExchange = true }

// Acquire is acquire.
func Acquire(ctx context.Context, dir, op string, waiting func(string)) (func(), error) {
	return acquire(ctx, dir, op, waiting)
}

// ReadLock gives the entries of a lock file.
func ReadLock(path string) ([]Entry, error) {
	l, err := readLock(path)
	if err != nil {
		return nil, err
	}
	return l.Plugins, nil
}

// PlanEntry is an entry of a source for Plan.
type PlanEntry struct {
	Path, Target string
	Size         int64
	Submodule    bool
}

// Plan gives the paths that a source with these entries is installed as, and
// where each comes from.
func Plan(entries []PlanEntry, limits Limits) (map[string]string, error) {
	list := make([]entry, len(entries))
	for i, e := range entries {
		list[i] = entry{path: e.Path, kind: plainFile, size: e.Size, target: e.Target}
		switch {
		case e.Submodule:
			list[i].kind = submodule
		case e.Target != "":
			list[i].kind = symlink
		}
	}
	files, err := plan("acme/tools", list, limits, func(string) bool { return true })
	if err != nil {
		return nil, err
	}
	out := make(map[string]string, len(files))
	for _, f := range files {
		out[f.path] = f.from.path
	}
	return out, nil
}

// The errors that the tests look for.
type (
	EmptyError    = emptyError
	InstallError  = installError
	LockFileError = lockFileError
	NameError     = nameError
)
