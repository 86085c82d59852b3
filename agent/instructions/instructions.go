// Package instructions finds the files in which a person and a project tell an
// agent how to work: AGENTS.md, CLAUDE.md and their local twins.
package instructions

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hookline-dev/hookline/internal/frontmatter"
)

// Type says whose file it is.
type Type string

// The types.
const (
	User    Type = "User"
	Project Type = "Project"
	Local   Type = "Local"
)

// File is one file.
type File struct {
	Path string
	Type Type
	Text string
	// Reason is why it was loaded; "" is that the session began.
	Reason string
	// Parent is the file that includes it.
	Parent string
}

// maxSize bounds a file, in bytes.
const maxSize = 256 << 10

// inside refuses a file of a project that links lead out of it: what a clone brings
// along names none of the person's files.
func inside(t Type, project, path string) error {
	if t == User {
		return nil
	}
	root, err := filepath.EvalSymlinks(project)
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(root, real); err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("%s leads out of the project, to %s: it is not read", path, real)
	}
	return nil
}

// Load reads the files of a person and a project, the person's first; either
// directory may be "". Of the files of one directory that say the same to different
// agents the first counts: .hookline/AGENTS.md, AGENTS.md, CLAUDE.md. What can't be
// read costs only itself, and so does a file of the project whose link leads out of it; the error joins what was wrong.
func Load(project, home string) ([]File, error) {
	var out []File
	var faults []error
	first := func(t Type, paths ...string) {
		for _, p := range paths {
			if _, err := os.Stat(p); errors.Is(err, fs.ErrNotExist) {
				continue
			}
			var text []byte
			err := inside(t, project, p)
			if err == nil {
				text, err = frontmatter.ReadRegular(p, maxSize)
			}
			if err != nil {
				faults = append(faults, fmt.Errorf("reading instructions: %w", err))
				continue
			}
			out = append(out, File{Path: p, Type: t, Text: string(text)})
			return
		}
	}
	if home != "" && home != project {
		first(User, filepath.Join(home, ".hookline", "AGENTS.md"), filepath.Join(home, ".claude", "CLAUDE.md"))
	}
	if project != "" {
		first(Project, filepath.Join(project, ".hookline", "AGENTS.md"), filepath.Join(project, "AGENTS.md"), filepath.Join(project, "CLAUDE.md"))
		first(Local, filepath.Join(project, "AGENTS.local.md"), filepath.Join(project, "CLAUDE.local.md"))
	}
	return out, errors.Join(faults...)
}
