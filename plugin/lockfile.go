package plugin

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/internal/frontmatter"
	"github.com/hookline-dev/hookline/internal/fsx"
)

const (
	lockFileName  = "plugins.lock"
	lockVersion   = 1
	maxLockFile   = 128 << 20
	lockFilePerms = 0o644
)

// Entry is what plugins.lock records of a plugin.
type Entry struct {
	Name        string     `json:"name"`
	Kind        SourceKind `json:"kind"`
	Source      string     `json:"source"`             // address, or path of the directory; below the project, relative to it
	Dir         string     `json:"dir,omitzero"`       // of the plugin within the repository
	Ref         string     `json:"ref,omitzero"`       // as asked
	ResolvedRef string     `json:"ref_name,omitzero"`  // refs/heads/x, refs/tags/x or HEAD
	RefKind     string     `json:"ref_kind,omitzero"`  // default, branch, tag or commit
	Commit      string     `json:"commit,omitzero"`    // resolved
	InstalledAt time.Time  `json:"installed_at"`       // UTC
	Files       []File     `json:"files"`              // sorted by path
	Disabled    []string   `json:"disabled,omitempty"` // paths of hooks that were off when it was installed
}

// where is the source and the directory in it, as ParseSource reads it.
func (e Entry) where() string {
	if e.Dir == "" {
		return e.Source
	}
	return e.Source + "//" + e.Dir
}

// lockFile is plugins.lock. Lists rather than maps keep merges readable.
type lockFile struct {
	Version int     `json:"version"`
	Plugins []Entry `json:"plugins"`
}

// readLock reads plugins.lock; one that is missing is empty.
func readLock(path string) (*lockFile, error) {
	data, err := frontmatter.ReadRegular(path, maxLockFile)
	if errors.Is(err, fs.ErrNotExist) {
		return &lockFile{Version: lockVersion}, nil
	}
	if err != nil {
		return nil, lockFault(diag.Diagnostic{Path: path, Message: err.Error()})
	}
	var head struct {
		Version int            `json:"version"`
		Rest    jsontext.Value `json:",inline"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, lockFault(unreadLock(path, data, err))
	}
	switch {
	case head.Version > lockVersion:
		return nil, lockFault(diag.Diagnostic{Path: path, Message: fmt.Sprintf("it was written by a newer version (format %d, this program knows %d); update this program", head.Version, lockVersion)})
	case head.Version < 1:
		return nil, lockFault(diag.Diagnostic{Path: path, Message: "it has no format version; restore it from version control, or delete it and add the plugins again with --force"})
	}
	var lock lockFile
	if err := json.Unmarshal(data, &lock, json.RejectUnknownMembers(true)); err != nil {
		return nil, lockFault(unreadLock(path, data, err))
	}
	for _, e := range lock.Plugins {
		if _, err := ParseName(e.Name); err != nil {
			return nil, lockFault(diag.Diagnostic{Path: path, Message: err.Error()})
		}
	}
	return &lock, nil
}

func lockFault(d diag.Diagnostic) error { return &lockFileError{d} }

func unreadLock(path string, data []byte, err error) diag.Diagnostic {
	d := jsonDiagnostic(path, data, err)
	d.Message += "; restore the file from version control, or delete it and add the plugins again with --force"
	return d
}

func (l *lockFile) find(name string) (Entry, bool) {
	i := slices.IndexFunc(l.Plugins, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return Entry{}, false
	}
	return l.Plugins[i], true
}

func (l *lockFile) put(e Entry) {
	l.drop(e.Name)
	l.Plugins = append(l.Plugins, e)
	slices.SortFunc(l.Plugins, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
}

func (l *lockFile) drop(name string) {
	l.Plugins = slices.DeleteFunc(l.Plugins, func(e Entry) bool { return e.Name == name })
}

func (l *lockFile) write(path string) error {
	data, err := json.Marshal(l, jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("encoding %s: %w", filepath.Base(path), err)
	}
	return fsx.WriteFile(path, append(data, '\n'), lockFilePerms)
}

// changeLock applies change to plugins.lock.
func changeLock(path string, change func(*lockFile)) error {
	lock, err := readLock(path)
	if err != nil {
		return err
	}
	change(lock)
	return lock.write(path)
}
