package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/internal/frontmatter"
)

const testSuffix = ".hooktest.yaml"

// errNoTests says that there are no test files.
var errNoTests = fmt.Errorf("there are no files named *%s; 'hookline new' writes one with each hook", testSuffix)

// testFaults is what is wrong with the test files of the project.
func (a *app) testFaults(w *workspace) []diag.Diagnostic {
	files, err := a.findTests(w, nil)
	if errors.Is(err, errNoTests) {
		return nil
	}
	out := diag.In(err)
	for _, file := range files {
		_, err := a.readTests(file)
		out = append(out, diag.In(err)...)
	}
	return out
}

func (a *app) findTests(w *workspace, args []string) ([]string, error) {
	if len(args) == 0 {
		for _, d := range []string{".hookline", ".claude"} {
			if dir := filepath.Join(w.Dirs.Project, d); isDir(dir) {
				args = append(args, dir)
			}
		}
	}
	var out []string
	for _, arg := range args {
		if !filepath.IsAbs(arg) {
			arg = filepath.Join(w.Dir, arg)
		}
		if !isDir(arg) {
			if _, err := os.Stat(arg); err != nil {
				return nil, usagef("%w", err)
			}
			out = append(out, arg)
			continue
		}
		err := filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, testSuffix) {
				out = append(out, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(out) == 0 {
		return nil, errNoTests
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// readTests reads the cases of a file, whose events there must be.
func (a *app) readTests(file string) ([]hookTest, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read tests: %w", err)
	}
	tests, err := parseTests(file, data)
	if err != nil {
		return nil, err
	}
	for i := range tests {
		if _, err := a.parseEvents(tests[i].Event); err != nil {
			return nil, &diag.Diagnostic{Path: file, Line: tests[i].line, Message: err.Error()}
		}
	}
	return tests, nil
}

// testFile is a file of cases.
type testFile struct {
	Schema string     `yaml:"$schema,omitempty" doc:"where the JSON Schema of the file is, for editors"`
	Tests  []hookTest `yaml:"tests" doc:"the cases"`
}

// parseTests reads the cases of a file.
func parseTests(file string, data []byte) ([]hookTest, error) {
	var f testFile
	var nodes struct {
		Tests []yaml.Node `yaml:"tests"`
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, &diag.Diagnostic{Path: file, Message: "the file has no cases"}
	}
	if err := yaml.Load(data, &f, yaml.WithKnownFields()); err != nil {
		return nil, plainYAML(file, err)
	}
	if len(f.Tests) == 0 {
		return nil, &diag.Diagnostic{Path: file, Message: "the file has no cases", Remedy: "write them below the key tests"}
	}
	if err := yaml.Load(data, &nodes); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for i := range f.Tests {
		f.Tests[i].line = nodes.Tests[i].Line
		if f.Tests[i].Event == "" {
			return nil, &diag.Diagnostic{Path: file, Line: f.Tests[i].line, Message: "the case names no event"}
		}
		if err := f.Tests[i].Expect.check(); err != nil {
			return nil, &diag.Diagnostic{Path: file, Line: f.Tests[i].line, Message: err.Error()}
		}
	}
	return f.Tests, nil
}

// plainYAML says where a test file is wrong, in its words instead of the program's.
func plainYAML(file string, err error) error {
	var all []error
	for _, fault := range frontmatter.TypeErrors(file, err, unknownKey) {
		all = append(all, fault)
	}
	return errors.Join(all...)
}

// unknownKey names the keys that there are in place of one that there is not.
func unknownKey(key, of string) string {
	known := reflect.TypeFor[hookTest]()
	switch of {
	case "expectation":
		known = reflect.TypeFor[expectation]()
	case "testFile":
		return fmt.Sprintf("unknown key %q; a test file has one key, tests", key)
	}
	return fmt.Sprintf("unknown key %q; known: %s", key, strings.Join(frontmatter.Keys(known), ", "))
}
