package plugin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// VerifyStatus is the result of a verification.
type VerifyStatus string

// The statuses.
const (
	StatusOK       VerifyStatus = "ok"
	StatusChanged  VerifyStatus = "changed"  // files differ from the record
	StatusMissing  VerifyStatus = "missing"  // recorded, but not there
	StatusUnlocked VerifyStatus = "unlocked" // there, but not recorded
)

// Report is what Verify found out about a plugin. All lists are sorted paths
// inside the plugin.
type Report struct {
	Name     string       `json:"name"`
	Location Location     `json:"location"`
	Path     string       `json:"path"`
	Status   VerifyStatus `json:"status"`
	Modified []string     `json:"modified"` // other content, or no plain file any more
	Mode     []string     `json:"mode"`     // executable or not, other than recorded
	Missing  []string     `json:"missing"`
	Extra    []string     `json:"extra"`
	Disabled []string     `json:"disabled"` // hooks that are switched off; no fault
}

// Clean reports whether every file is as recorded, and no other one is there.
func (r Report) Clean() bool {
	return len(r.Modified)+len(r.Mode)+len(r.Missing)+len(r.Extra) == 0
}

// Verify compares installed plugins with plugins.lock, byte for byte. Without
// names it does so for all. A name that is not installed gives a
// [*NotInstalledError]. That files differ is not an error but a Status.
func (s *Store) Verify(ctx context.Context, names ...string) ([]Report, error) {
	wanted, err := parseNames(names)
	if err != nil {
		return nil, err
	}
	var reports []Report
	found := make(map[Name]bool)
	for _, a := range s.areas() {
		if err := s.settle(ctx, a); err != nil {
			return nil, err
		}
		lock, err := readLock(a.lockPath())
		if err != nil {
			return nil, err
		}
		for _, n := range a.all(lock) {
			if len(wanted) > 0 && !slices.Contains(wanted, n) {
				continue
			}
			found[n] = true
			r, err := a.verify(ctx, n, lock)
			if err != nil {
				return nil, err
			}
			reports = append(reports, r)
		}
	}
	if missing := without(wanted, found); len(missing) > 0 {
		return nil, &NotInstalledError{Names: missing}
	}
	slices.SortStableFunc(reports, func(a, b Report) int { return strings.Compare(a.Name, b.Name) })
	return reports, nil
}

// all lists the plugins of an area that are there or recorded.
func (a area) all(lock *lockFile) []Name {
	names, _ := pluginDirs(a.plugins())
	for _, e := range lock.Plugins {
		if n, err := ParseName(e.Name); err == nil && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

func (a area) verify(ctx context.Context, n Name, lock *lockFile) (Report, error) {
	e, recorded := lock.find(n.String())
	r := Report{Status: StatusUnlocked}
	if recorded {
		var err error
		if r, err = compare(ctx, a.path(n), e); err != nil {
			return Report{}, fmt.Errorf("verifying %s: %w", n, err)
		}
	}
	r.Name, r.Location, r.Path = n.String(), a.location, a.path(n)
	return r, nil
}

// compare compares a directory with the record of a plugin. A recorded hook
// that is there with .disable behind its name counts as there.
func compare(ctx context.Context, dir string, e Entry) (Report, error) {
	r := Report{Status: StatusOK}
	there, err := digestTree(ctx, dir)
	if errors.Is(err, fs.ErrNotExist) {
		r.Status = StatusMissing
		for _, f := range e.Files {
			r.Missing = append(r.Missing, f.Path)
		}
		return r, nil
	}
	if err != nil {
		return r, err
	}
	left := make(map[string]File, len(there))
	for _, f := range there {
		left[f.Path] = f
	}
	for _, want := range e.Files {
		got, ok := left[want.Path]
		if off, isOff := left[want.Path+disabledSuffix]; !ok && isOff && isHookPath(want.Path) {
			got, ok = off, true
			r.Disabled = append(r.Disabled, want.Path)
		}
		if !ok {
			r.Missing = append(r.Missing, want.Path)
			continue
		}
		delete(left, got.Path)
		switch {
		case got.SHA256 != want.SHA256:
			r.Modified = append(r.Modified, want.Path)
		case keepsExecutableBit && got.Executable != want.Executable:
			r.Mode = append(r.Mode, want.Path)
		}
	}
	for p := range left {
		r.Extra = append(r.Extra, p)
	}
	slices.Sort(r.Extra)
	if !r.Clean() {
		r.Status = StatusChanged
	}
	return r, nil
}

// isHookPath reports whether a path is directly in hooks/.
func isHookPath(p string) bool {
	rest, ok := strings.CutPrefix(p, "hooks/")
	return ok && !strings.Contains(rest, "/")
}

func parseNames(names []string) ([]Name, error) {
	var list []Name
	for _, s := range names {
		n, err := ParseName(s)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list, nil
}

func without(wanted []Name, found map[Name]bool) []string {
	var missing []string
	for _, n := range wanted {
		if !found[n] {
			missing = append(missing, n.String())
		}
	}
	return missing
}
