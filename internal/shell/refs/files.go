package refs

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hookline-dev/hookline/internal/codedir"
	"github.com/hookline-dev/hookline/internal/frontmatter"
	"github.com/hookline-dev/hookline/internal/lazyregexp"
	"github.com/hookline-dev/hookline/internal/shell"
)

// add lists a file and looks into it. depth is how many scripts lie between it and
// the command.
func (f *finder) add(path string, depth int) {
	path = filepath.Clean(path)
	if t, ok := f.globs[path]; ok {
		f.cover(t)
	}
	if _, known := f.files[path]; known {
		return
	}
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		f.directory(path, depth)
		return
	}
	if systemFile(path) && !systemFile(f.opts.Root+"/") {
		return
	}
	if !f.inside(path) {
		switch {
		case err != nil:
			f.missing[path] = struct{}{}
		case !systemFile(path):
			f.note("", "it runs %s, a file outside of %s", path, f.opts.Root)
		}
		return
	}
	if len(f.files) >= maxFiles {
		f.note("", "it names more than %d files", maxFiles)
		return
	}
	f.files[path] = struct{}{}
	if err != nil || !info.Mode().IsRegular() || f.depth0 {
		return
	}
	if depth >= maxDepth {
		f.note("", "scripts name scripts more than %d levels deep", maxDepth)
		return
	}
	f.look(path, depth)
}

// directory lists what an interpreter runs of a directory.
func (f *finder) directory(path string, depth int) {
	for _, name := range []string{"__main__.py", "__init__.py", "index.js", "index.mjs", "index.ts"} {
		if p := filepath.Join(path, name); f.inside(p) && exists(p) {
			f.add(p, depth)
		}
	}
}

// systemFile reports whether a program is part of the system, which nobody takes
// for the project's.
func systemFile(path string) bool {
	for _, dir := range []string{"/bin/", "/usr/", "/sbin/", "/opt/homebrew/", "/nix/store/", "/dev/", `C:\Windows\`, `C:\Program Files`} {
		if strings.HasPrefix(path, dir) {
			return true
		}
	}
	return false
}

// language is the kind of a script.
type language uint8

const (
	other language = iota
	shellScript
	pythonScript
	jsScript
	plain // text that starts nothing by itself
	binary
)

var extensions = map[string]language{
	".sh": shellScript, ".bash": shellScript, ".zsh": shellScript, ".ksh": shellScript,
	".py": pythonScript, ".pyw": pythonScript,
	".js": jsScript, ".mjs": jsScript, ".cjs": jsScript, ".ts": jsScript, ".mts": jsScript, ".cts": jsScript, ".jsx": jsScript, ".tsx": jsScript,
	".rb": other, ".pl": other, ".php": other, ".lua": other, ".awk": other, ".ps1": other, ".r": other, ".tcl": other, ".exs": other,
	".jq": plain, ".sed": plain, ".json": plain, ".yml": plain, ".yaml": plain, ".toml": plain, ".txt": plain, ".md": plain,
}

// looksLikeCode reports whether a file is a script by its name, its mode or its
// first two bytes.
func looksLikeCode(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if lang, ok := extensions[strings.ToLower(filepath.Ext(path))]; ok && lang != plain || info.Mode().Perm()&0o111 != 0 && filepath.Separator == '/' {
		return true
	}
	head, err := frontmatter.ReadRegular(path, maxScript)
	return err == nil && bytes.HasPrefix(head, []byte("#!"))
}

// look finds what a script names in turn.
func (f *finder) look(path string, depth int) {
	data, err := frontmatter.ReadRegular(path, maxScript)
	if err != nil {
		f.note(path, "it could not be looked into: %v", err)
		return
	}
	if f.total += len(data); f.total > maxTotal {
		f.note(path, "it was not looked into: the scripts are too large together")
		return
	}
	line, lang := shebang(data)
	if lang == other {
		if byName, ok := extensions[strings.ToLower(filepath.Ext(path))]; ok {
			lang = byName
		}
	}
	if slices.Contains(makefiles, filepath.Base(path)) {
		lang = plain // said where make was named
	}
	if bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data) {
		lang = binary
	}
	if line != "" && lang != binary {
		// The interpreter itself may be a file of the project.
		if prog, _, _ := strings.Cut(line, " "); strings.HasPrefix(prog, "/") && f.inside(prog) {
			f.add(prog, depth+1)
		}
	}
	switch lang {
	case shellScript:
		f.shell(string(data), path, []string{f.opts.Dir}, depth)
	case pythonScript:
		f.scriptTree(path, codedir.Python)
		f.imports(path, pythonImports(filepath.Dir(path), data), depth)
		f.computed(path, data, lang)
	case jsScript:
		f.scriptTree(path, codedir.Node)
		f.imports(path, jsImports(filepath.Dir(path), data), depth)
		f.packages(path, data)
		f.computed(path, data, lang)
	case binary:
		f.note(path, "it is a program and not a text")
	case plain:
	default:
		f.note(path, "what it loads and starts is not looked for")
	}
}

// shebang reads the first line of a script.
func shebang(data []byte) (line string, lang language) {
	rest, ok := bytes.CutPrefix(data, []byte("#!"))
	if !ok {
		return "", other
	}
	first, _, _ := bytes.Cut(rest[:min(len(rest), 256)], []byte("\n"))
	line = strings.TrimSpace(string(first))
	for _, w := range strings.Fields(line) {
		switch name := baseName(w); {
		case shell.IsShell(name):
			return line, shellScript
		case name == "python" || name == "pypy" || name == "uv":
			return line, pythonScript
		case slices.Contains([]string{"node", "nodejs", "tsx", "ts-node", "bun", "deno"}, name):
			return line, jsScript
		}
	}
	return line, other
}

var (
	pythonImport = lazyregexp.New(`(?m)^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+\(?([\w ,\t]*)|import[ \t]+([\w., \t]+))`)
	jsImport     = lazyregexp.New("(?:\\bfrom\\s*|\\bimport\\s*\\(?\\s*|\\brequire\\s*\\(\\s*|\\bURL\\s*\\(\\s*)[\"'`](\\.{1,2}/[^\"'`\\n]{1,400})[\"'`]")
	computedLoad = map[language]*lazyregexp.Regexp{
		pythonScript: lazyregexp.New(`\b(?:importlib|__import__|exec|eval|runpy|subprocess|os\.system|os\.popen|os\.exec\w*|os\.spawn\w*|sys\.path|ctypes|Popen)\b`),
		jsScript:     lazyregexp.New("\\b(?:child_process|eval|execa|spawn|vm|Function|createRequire)\\b|\\b(?:require|import)\\s*\\(\\s*[^\"')\\s]|Bun\\.\\$|\\bzx\\b"),
	}
)

// imports follows the files that a script imports by name.
func (f *finder) imports(path string, found []string, depth int) {
	f.nested++
	defer func() { f.nested-- }()
	for _, p := range found {
		if f.inside(p) {
			f.add(p, depth+1)
		} else {
			f.note(path, "it imports %s, a file outside of %s", p, f.opts.Root)
		}
	}
}

// computed says that a script can load or start what it does not name.
func (f *finder) computed(path string, data []byte, lang language) {
	if m := computedLoad[lang].Get().Find(data); m != nil {
		f.note(path, "it can load or start other things (%s)", strings.TrimSpace(string(m)))
	}
}

func pythonImports(dir string, data []byte) []string {
	var out []string
	module := func(base, name string) {
		p := filepath.Join(append([]string{base}, strings.Split(strings.Trim(name, ". \t"), ".")...)...)
		for _, c := range []string{p + ".py", filepath.Join(p, "__init__.py")} {
			if exists(c) {
				out = append(out, c)
			}
		}
	}
	for _, m := range pythonImport.Get().FindAllSubmatch(data, -1) {
		if names := string(m[3]); names != "" {
			for n := range strings.SplitSeq(names, ",") {
				name, _, _ := strings.Cut(strings.TrimSpace(n), " ")
				module(dir, name)
			}
			continue
		}
		base, from := dir, string(m[1])
		for dots := len(from) - len(strings.TrimLeft(from, ".")); dots > 1; dots-- {
			base = filepath.Dir(base)
		}
		from = strings.TrimLeft(from, ".")
		if from != "" {
			module(base, from)
		}
		for n := range strings.SplitSeq(string(m[2]), ",") {
			name, _, _ := strings.Cut(strings.TrimSpace(n), " ")
			if name != "" {
				module(filepath.Join(append([]string{base}, strings.Split(from, ".")...)...), name)
			}
		}
	}
	return out
}

// jsCandidates are what a specifier without an extension may stand for.
var jsCandidates = []string{"", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".json", ".jsx", ".tsx", "/index.js", "/index.mjs", "/index.ts"}

func jsImports(dir string, data []byte) []string {
	var out []string
	for _, m := range jsImport.Get().FindAllSubmatch(data, -1) {
		spec := filepath.Join(dir, filepath.FromSlash(string(m[1])))
		for _, ext := range jsCandidates {
			if p := spec + filepath.FromSlash(ext); exists(p) {
				out = append(out, p)
			}
		}
		if base, ok := strings.CutSuffix(spec, ".js"); ok && exists(base+".ts") {
			out = append(out, base+".ts")
		}
	}
	return out
}

// exists reports whether path is a file that is not a directory.
func exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}
