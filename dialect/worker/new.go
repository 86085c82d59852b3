package worker

import (
	"embed"
	"fmt"
	"path"
	"path/filepath"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/sdk"
)

//go:embed templates
var templates embed.FS

// draftKinds says of each language how a worker's file and template end, and which files of the
// library it needs.
var draftKinds = map[string]struct {
	ext, template string
	library       []string
}{
	"python": {".py", "hook.python", []string{"python/hookline.py"}},
	"js":     {".mjs", "hook.js", []string{"node/hookline.mjs", "node/hookline.d.mts"}},
	"go":     {"", "hook.go.txt", []string{"go/hookline/hookline.go"}},
}

// New writes a worker and the library of its language: in lib beside it, or for Go, which
// is built, in a module of its own below src.
func (Dialect) New(p dialect.NewHook) (dialect.Draft, error) {
	kind, ok := draftKinds[p.Lang]
	if !ok {
		return dialect.Draft{}, dialect.NoSuchHook("there is no library for workers in %s; there are python, js and go", p.Lang)
	}
	if _, err := hook.ParseMatcher(p.Matcher); err != nil {
		return dialect.Draft{}, dialect.NoSuchHook("matcher %q: %v", p.Matcher, err)
	}
	match := ""
	if p.Matcher != "" {
		match = string(hook.MustJSON(p.Matcher).Raw())
	}
	text, err := dialect.RenderFile(templates, "templates/"+kind.template, struct {
		dialect.NewHook
		Match string // as a string literal
	}{p, match})
	if err != nil {
		return dialect.Draft{}, err
	}
	dir := filepath.Join(p.Base, ".hookline", "workers")
	d := dialect.Draft{Guards: p.Refuses != ""}
	lib := filepath.Join(dir, "lib")
	if p.Lang == "go" {
		src := filepath.Join(dir, "src", p.Name)
		lib = filepath.Join(src, "hookline")
		d.Program = filepath.Join(dir, p.Name)
		d.Files = []dialect.DraftFile{
			{Path: filepath.Join(src, "main.go"), Data: text, Mode: 0o644},
			{Path: filepath.Join(src, "go.mod"), Data: []byte("module worker\n\ngo 1.21\n"), Mode: 0o644},
		}
	} else {
		d.Files = []dialect.DraftFile{{Path: filepath.Join(dir, p.Name+kind.ext), Data: text, Mode: 0o755}}
	}
	for _, name := range kind.library {
		data, err := sdk.Files.ReadFile(name)
		if err != nil {
			return dialect.Draft{}, fmt.Errorf("the library of workers: %w", err)
		}
		d.Files = append(d.Files, dialect.DraftFile{Path: filepath.Join(lib, path.Base(name)), Data: data, Mode: 0o644, Replace: true})
	}
	return d, nil
}
