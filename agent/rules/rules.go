// Package rules reads rule files: Markdown with a header that says which words of
// the model bring the rule to mind.
//
//	---
//	trigger: "console\\.log"
//	description: no debug output
//	---
//	Use the project's logger instead of console.log.
//
// When the model's stream matches the trigger, the agent cuts the stream, puts the
// rule in, and lets the model answer again.
package rules

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/internal/frontmatter"
)

// Rule is one rule.
type Rule struct {
	// Name is the file's name without its ending.
	Name string
	Path string
	// Trigger is what the model's words are tested against.
	Trigger *regexp.Regexp
	// Text is what the model is told.
	Text string
}

// Dirs returns the directories of a project and a person, best first; either may
// be "".
func Dirs(project, home string) []string {
	var out []string
	for _, base := range []string{project, home} {
		if base != "" {
			out = append(out, filepath.Join(base, ".hookline", "rules"))
		}
	}
	return out
}

// Load reads the rules of directories. Of two of one name the first counts. A file
// that can't be used costs only itself; the error joins what was wrong. Directories
// that don't exist hold no rules.
func Load(dirs ...string) ([]Rule, error) {
	var out []Rule
	var faults []error
	seen := map[string]bool{}
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("reading rules: %w", err))
			continue
		}
		for _, e := range entries {
			name, ok := strings.CutSuffix(e.Name(), ".md")
			if !ok || name == "" || seen[name] || e.IsDir() {
				continue
			}
			path := filepath.Join(dir, e.Name())
			src, err := frontmatter.ReadRegular(path, frontmatter.MaxFile)
			var rule Rule
			if err == nil {
				rule, err = Parse(path, src)
			}
			if err != nil {
				faults = append(faults, err)
				continue
			}
			seen[name] = true
			out = append(out, rule)
		}
	}
	return out, errors.Join(faults...)
}

// Parse reads a rule from the content of the file at path. Errors name the place.
func Parse(path string, src []byte) (Rule, error) {
	r := Rule{Path: path, Name: strings.TrimSuffix(filepath.Base(path), ".md")}
	doc, err := frontmatter.Split(path, src)
	if err != nil {
		return r, err
	}
	header, err := doc.Decode()
	if err != nil {
		return r, err
	}
	v, ok := header.Get("trigger")
	if !doc.HasHeader || !ok {
		return r, &diag.Diagnostic{Path: path, Line: 1, Message: "a rule needs a trigger", Remedy: "start the file with ---, a line trigger: REGEX, and ---"}
	}
	pattern, err := v.Text("trigger")
	if err != nil {
		return r, err
	}
	if r.Trigger, err = regexp.Compile(pattern); err != nil {
		return r, v.Errorf("write it in Go's regular expressions", "trigger: %v", err)
	}
	if r.Trigger.MatchString("") {
		return r, v.Errorf("make it match some words", "trigger: it matches everything the model could say")
	}
	if d, ok := header.Get("description"); ok {
		if _, err := d.Text("description"); err != nil {
			return r, err
		}
	}
	if r.Text = strings.TrimSpace(doc.Body); r.Text == "" {
		return r, &diag.Diagnostic{Path: path, Line: doc.BodyLine, Message: "the rule says nothing", Remedy: "write below the header what the model is told"}
	}
	return r, nil
}
