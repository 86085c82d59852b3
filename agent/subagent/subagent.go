// Package subagent reads the definitions of subagents: Markdown files whose header
// says what the subagent is called, what it is for, and what it may use, and whose
// body is its system prompt.
//
//	---
//	name: reviewer
//	description: Reviews a change. Use it before committing.
//	tools: Read, Grep, Glob
//	model: inherit
//	isolation: worktree
//	hooks: {...}
//	---
//	You review changes ...
package subagent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/internal/frontmatter"
)

// Definition is one kind of subagent.
type Definition struct {
	Name        string
	Description string
	// Tools are the names of the tools it may use; nil is all of its parent's.
	Tools []string
	// Disallowed are the names of tools that it may not use.
	Disallowed []string
	// MaxTurns bounds its model calls; 0 is its parent's bound.
	MaxTurns int
	// Model is the model it asks for; "" is its parent's.
	Model string
	// Isolation is Worktree for one that works in a worktree of its own; "" is where
	// its parent works.
	Isolation string
	// Hooks is the header's value of hooks as JSON, for the dialect that reads it;
	// nil when there is none.
	Hooks []byte
	// Prompt is its system prompt.
	Prompt string
	Path   string
	// Project says that it comes from the project and not from the person.
	Project bool
}

// Offers reports whether it may use a tool.
func (d Definition) Offers(tool string) bool {
	return (d.Tools == nil || slices.Contains(d.Tools, tool)) && !slices.Contains(d.Disallowed, tool)
}

// Worktree is the value of Isolation for a worktree.
const Worktree = "worktree"

// dirs are where definitions lie below a project or a home directory.
var dirs = []string{filepath.Join(".hookline", "agents"), filepath.Join(".claude", "agents")}

// Load reads the definitions of a project and a person, the project's first; either
// directory may be "". Of two of one name the first counts. A file that can't be
// used costs only itself; the error joins what was wrong.
func Load(project, home string) ([]Definition, error) {
	var out []Definition
	var faults []error
	for _, base := range []string{project, home} {
		if base == "" || base == home && project == home && len(out) > 0 {
			continue
		}
		for _, d := range dirs {
			found, err := loadDir(filepath.Join(base, d))
			faults = append(faults, err)
			for _, f := range found {
				f.Project = base == project
				if !slices.ContainsFunc(out, func(have Definition) bool { return have.Name == f.Name }) {
					out = append(out, f)
				}
			}
		}
	}
	return out, errors.Join(faults...)
}

func loadDir(dir string) ([]Definition, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading definitions of subagents: %w", err)
	}
	var out []Definition
	var faults []error
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".md") || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		d, err := Read(filepath.Join(dir, e.Name()))
		if err != nil {
			faults = append(faults, err)
			continue
		}
		out = append(out, d)
	}
	return out, errors.Join(faults...)
}

// Read reads the definition in a file.
func Read(path string) (Definition, error) {
	src, err := frontmatter.ReadRegular(path, frontmatter.MaxFile)
	if err != nil {
		return Definition{}, err
	}
	return Parse(path, src)
}

// Parse reads a definition from the content of the file at path. Errors name the
// place.
func Parse(path string, src []byte) (Definition, error) {
	d := Definition{Path: path}
	doc, err := frontmatter.Split(path, src)
	if err != nil {
		return d, err
	}
	if !doc.HasHeader {
		return d, &diag.Diagnostic{Severity: diag.Warning, Path: path, Line: 1, Message: "a subagent needs a header", Remedy: "start the file with ---, lines for name and description, and ---"}
	}
	header, err := doc.Decode()
	if err != nil {
		return d, err
	}
	if err := d.readHeader(header); err != nil {
		return d, err
	}
	if d.Prompt = strings.TrimSpace(doc.Body); d.Prompt == "" {
		return d, &diag.Diagnostic{Path: path, Line: doc.BodyLine, Message: "the subagent has no prompt", Remedy: "write below the header how it is to work"}
	}
	return d, nil
}

func (d *Definition) readHeader(header frontmatter.Value) error {
	entries, err := header.Entries("the header")
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch e.Key {
		case "name":
			d.Name, err = e.Value.Text("name")
		case "description":
			d.Description, err = e.Value.Text("description")
		case "model":
			if d.Model, err = e.Value.Text("model"); d.Model == "inherit" {
				d.Model = ""
			}
		case "tools":
			d.Tools, err = e.Value.Strings("tools", frontmatter.Words)
			if d.Tools == nil {
				d.Tools = []string{}
			}
			for i, name := range d.Tools {
				if name == "Task" { // as the tool was once called
					d.Tools[i] = "Agent"
				}
			}
		case "isolation":
			d.Isolation, err = e.Value.Text("isolation")
			if err == nil && d.Isolation != "" && d.Isolation != Worktree {
				err = e.Value.Errorf("write isolation: worktree, or leave it out", "there is no isolation %q", d.Isolation)
			}
		case "hooks":
			d.Hooks, err = json.Marshal(e.Value.Any(), json.Deterministic(true))
		}
		if err != nil {
			return err
		}
	}
	switch {
	case d.Name == "" || strings.ContainsFunc(d.Name, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return header.Errorf("write name: "+strings.TrimSuffix(filepath.Base(d.Path), ".md"), "the subagent has no name of one word")
	case d.Description == "":
		return header.Errorf("write description: what it is for, and when to use it", "the subagent has no description")
	}
	return nil
}
