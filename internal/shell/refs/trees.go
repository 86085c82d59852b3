package refs

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/codedir"
	"github.com/hookline-dev/hookline/internal/frontmatter"
	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

// maxTrees bounds how many directories are covered as a whole.
const maxTrees = 256

// scriptTree covers the directory of a script that is started: its interpreter looks
// there first for whatever is imported.
func (f *finder) scriptTree(path string, l codedir.Language) {
	if f.nested > 0 {
		return
	}
	dir := filepath.Dir(path)
	f.tree(dir, l)
	if real, err := filepath.EvalSymlinks(path); err == nil && filepath.Dir(real) != dir {
		if in, err := filepath.EvalSymlinks(dir); err == nil && filepath.Dir(real) != in {
			f.tree(filepath.Dir(real), l)
		}
	}
}

// tree covers a directory as a whole, or says that it is not covered.
func (f *finder) tree(dir string, l codedir.Language) {
	t := codedir.Tree{Dir: dir, Language: l}
	if _, known := f.trees[t]; known {
		return
	}
	f.trees[t] = false
	if !f.inside(dir) && dir != f.opts.Root {
		f.note("", "%s could load more from %s, a directory outside of %s", l, dir, f.opts.Root)
		return
	}
	f.cover(t)
}

// cover covers a tree within bounds.
func (f *finder) cover(t codedir.Tree) {
	if f.trees[t] || f.opts.FirstRules {
		return
	}
	_, err := t.List(f.opts.Dir)
	switch tooMuch, ok := errors.AsType[*codedir.TooMuchError](err); {
	case ok:
		f.note("", "more could be loaded from %s, which holds %s", f.short(t.Dir), tooMuch.Why)
	case err != nil:
		f.note("", "more could be loaded from %s: %v", f.short(t.Dir), err)
	case len(f.trees) >= maxTrees:
		f.note("", "code is loaded from more than %d directories", maxTrees)
	default:
		f.trees[t] = true
	}
}

// jsPackage matches the import of a package, which has no path.
var jsPackage = lazyregexp.New("(?:\\bfrom\\s*|\\bimport\\s*\\(?\\s*|\\brequire\\s*\\(\\s*)[\"'`]((?:@[\\w.-]+/)?[\\w][\\w.-]*)(?:/[^\"'`\\n]{0,200})?[\"'`]")

// builtins are the packages that are part of Node.
var builtins = []string{
	"assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto", "dgram", "diagnostics_channel", "dns", "domain", "events",
	"fs", "http", "http2", "https", "inspector", "module", "net", "os", "path", "perf_hooks", "process", "punycode", "querystring", "readline", "repl", "stream",
	"string_decoder", "sys", "timers", "tls", "trace_events", "tty", "url", "util", "v8", "vm", "wasi", "worker_threads", "zlib",
}

// packages covers the packages that a script imports, and those that they import in turn.
func (f *finder) packages(path string, data []byte) {
	for _, m := range jsPackage.Get().FindAllSubmatch(data, -1) {
		if name := string(m[1]); !slices.Contains(builtins, name) {
			f.packageTree(filepath.Dir(path), name)
		}
	}
}

// packageTree covers a package, and the places where it would be looked for first, which
// count as soon as something is there.
func (f *finder) packageTree(from, name string) {
	for dir := from; f.inside(dir) || dir == f.opts.Root; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, "node_modules", filepath.FromSlash(name))
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			real = path
		}
		t := codedir.Tree{Dir: real, Language: codedir.Node}
		if _, known := f.trees[t]; !known {
			f.tree(real, codedir.Node)
			f.packagesOf(t)
		}
		if err == nil || dir == filepath.Dir(dir) {
			return
		}
	}
}

// packagesOf follows what the files of a package import.
func (f *finder) packagesOf(t codedir.Tree) {
	if !f.trees[t] {
		return
	}
	files, err := t.List(f.opts.Dir)
	if err != nil {
		f.note("", "what %s imports was not looked for: %v", f.short(t.Dir), err)
		return
	}
	for _, path := range files {
		if lang := extensions[strings.ToLower(filepath.Ext(path))]; lang != jsScript {
			continue
		}
		info, err := os.Stat(path)
		if err == nil {
			f.total += int(info.Size())
		}
		data, err := frontmatter.ReadRegular(path, maxScript)
		if err != nil || f.total > maxTotal {
			f.note(path, "what it imports was not looked for: it is too large, or too much together")
			return
		}
		f.packages(path, data)
	}
}
