package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/internal/fsx"
	"github.com/hookline-dev/hookline/internal/jsonx"
)

// A List is one of the lists of names in a configuration file's hooks: its keys.
type List []string

// The lists that every file may have. They are not to be changed.
var (
	DisabledHooks = List{"disabled"}
	HostDialects  = List{"dialects"}
)

// DisabledIn is the list of a project's hooks in the person's file.
func DisabledIn(project string) List { return List{"disabledIn", project} }

func (l List) of(h *Hooks) []string {
	switch l[0] {
	case HostDialects[0]:
		return h.Dialects
	case DisabledHooks[0]:
		return h.Disabled
	}
	return h.DisabledIn[l[1]]
}

// Edit changes a list of a configuration file, which need not exist, and reports whether
// that changed the file. Comments and everything else in the file stay as they are. A file
// with mistakes is not touched.
func Edit(path string, list List, edit func(names []string) []string) (changed bool, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		data = []byte("{}\n")
	} else if err != nil {
		return false, fmt.Errorf("edit %s: %w", path, err)
	}
	f, diags := Parse(path, data)
	if i := slices.IndexFunc(diags, func(d diag.Diagnostic) bool { return d.Severity == diag.Error }); i >= 0 {
		return false, fmt.Errorf("mend %s first: %w", path, &diags[i])
	}
	before := list.of(&f.Hooks)
	names := edit(slices.Clone(before))
	if slices.Equal(names, before) {
		return false, nil
	}
	doc, err := jsonx.Edit(data)
	if err == nil {
		err = doc.Set(names, append([]string{"hooks"}, list...)...)
	}
	if err != nil {
		return false, fmt.Errorf("edit %s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return false, fmt.Errorf("edit %s: %w", path, err)
	}
	if err := fsx.WriteFile(path, doc.Bytes(), 0o644); err != nil {
		return false, fmt.Errorf("edit %s: %w", path, err)
	}
	return true, nil
}
