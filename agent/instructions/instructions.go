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

// Load reads the files of a person and a project, the person's first; either
// directory may be "". Of the files of one directory that say the same to different
// agents the first counts: .hookline/AGENTS.md, AGENTS.md, CLAUDE.md. What can't be
// read costs only itself; the error joins what was wrong.
func Load(project, home string) ([]File, error) {
	var out []File
	var faults []error
	first := func(t Type, paths ...string) {
		for _, p := range paths {
			if _, err := os.Stat(p); errors.Is(err, fs.ErrNotExist) {
				continue
			}
			text, err := frontmatter.ReadRegular(p, maxSize)
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
