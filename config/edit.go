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

// EditDisabled changes the list hooks.disabled of a configuration file, which need
// not exist, or with a project that of hooks.disabledIn, and reports whether that changed
// the file. Comments and everything else in the file stay as they are. A file with mistakes
// is not touched.
func EditDisabled(path, project string, edit func(names []string) []string) (changed bool, err error) {
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
	before, keys := f.Hooks.Disabled, []string{"hooks", "disabled"}
	if project != "" {
		before, keys = f.Hooks.DisabledIn[project], []string{"hooks", "disabledIn", project}
	}
	names := edit(slices.Clone(before))
	if slices.Equal(names, before) {
		return false, nil
	}
	doc, err := jsonx.Edit(data)
	if err == nil {
		err = doc.Set(names, keys...)
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
