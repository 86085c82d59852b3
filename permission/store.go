package permission

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/fsx"
	"github.com/hookline-dev/hookline/internal/jsonx"
)

// maxSettings bounds the settings files that are edited, in bytes.
const maxSettings = 8 << 20

// FileStore keeps permission updates in settings files. Comments and layout of
// a file are kept; the file is replaced in one step, so that a reader sees the
// old content or the new. It is safe for concurrent use, by several processes
// too.
type FileStore struct {
	// Local, Project and User are the files of the three destinations; an
	// update to one that is empty fails.
	Local, Project, User string
}

var _ Store = (*FileStore)(nil)

// Update writes one update to its file, which is made when it doesn't exist.
func (f *FileStore) Update(ctx context.Context, u hook.PermissionUpdate) (string, error) {
	if err := validateUpdate(u); err != nil {
		return "", err
	}
	name := ""
	switch u.Destination {
	case LocalSettings:
		name = f.Local
	case ProjectSettings:
		name = f.Project
	case UserSettings:
		name = f.User
	}
	if name == "" {
		return "", fmt.Errorf("there is no settings file for %q", u.Destination)
	}
	if err := editFile(ctx, name, func(d *jsonx.Doc) error { return applyTo(d, u) }); err != nil {
		return name, fmt.Errorf("updating %s: %w", name, err)
	}
	return name, nil
}

// editFile changes a JSON file with comments under a lock.
func editFile(ctx context.Context, name string, edit func(*jsonx.Doc) error) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(name) // the file a link leads to is replaced, not the link
	if err != nil {
		real = name
	}
	lock, err := fsx.Lock(ctx, real+".lock")
	if err != nil {
		return fmt.Errorf("locking it: %w", err)
	}
	defer func() { _ = lock.Unlock() }()

	data, exists, err := readSettings(real)
	if err != nil {
		return err
	}
	d, err := jsonx.Edit(data)
	if err != nil {
		return err
	}
	if err := edit(d); err != nil {
		return err
	}
	after := d.Bytes()
	if slices.Equal(data, after) && exists {
		return nil
	}
	return fsx.WriteFile(real, after, 0o644)
}

// readSettings returns a file's content; for one that doesn't exist or is
// empty, an empty object.
func readSettings(name string) (data []byte, exists bool, err error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []byte("{\n}\n"), false, nil
	case err != nil:
		return nil, false, err
	case !info.Mode().IsRegular():
		return nil, false, errors.New("not a regular file")
	case info.Size() > maxSettings:
		return nil, false, fmt.Errorf("larger than %d bytes", maxSettings)
	}
	if data, err = os.ReadFile(name); err != nil {
		return nil, false, err
	}
	if len(data) == 0 {
		data = []byte("{\n}\n")
	}
	return data, true, nil
}
