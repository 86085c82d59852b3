package script

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/handler/script/internal/vm"
	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

// File is one file whose content went into a module.
type File struct {
	Path string `json:"path"`
	// Digest is the SHA-256 of the content, in hex.
	Digest string `json:"digest"`
}

// bundle is a module with everything it imports, as one script.
type bundle struct {
	path     string
	family   Family
	kind     Kind
	old      bool // written for pi before it was renamed: 0.73.1 at the latest
	node     bool
	requests []string
	files    []File // sorted by path; those of the machine
	virtual  []File // sorted by path; built-ins and host packages
	uses     []string
	standIns []standIn

	script    string
	positions *lazyMap

	once sync.Once
	code []byte
	err  error
}

// program returns the script with its bytecode, compiled once.
func (b *bundle) program(c *Cache) (vm.Program, error) {
	b.once.Do(func() { b.code, b.err = c.code(bundleName, b.script) })
	return vm.Program{Name: bundleName, Source: b.script, Code: b.code}, b.err
}

// The bundle's text is an async function, so that await works at its top
// level. The wrapper takes one line, which the positions make up for.
const (
	wrapperHead = "__hl_module(async function (__hl) { \"use strict\";\n"
	wrapperTail = "\n});\n"
)

// entryFile is the name of the generated entry point in messages.
const entryFile = "hookline-entry.js"

// resolveModule returns the absolute path of a module: path itself, or the
// index file of a directory.
func resolveModule(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("resolving %s: %w", path, err)
	}
	info, err := os.Stat(abs)
	if err != nil {
		return "", loadProblem(abs, "the file cannot be read: "+reason(err), "", err)
	}
	if !info.IsDir() {
		return abs, nil
	}
	for _, name := range []string{"index.ts", "index.mts", "index.js", "index.mjs", "index.cjs"} {
		file := filepath.Join(abs, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			return file, nil
		}
	}
	return "", loadProblem(abs, "the directory has no index.ts or index.js", "name the module's file", nil)
}

func loadProblem(path, message, hint string, err error) *LoadError {
	return &LoadError{Path: path, Err: err, Problems: []diag.Diagnostic{{Path: path, Message: message, Remedy: hint}}}
}

// reason shortens an error of package os, which repeats the path.
func reason(err error) string {
	if i := strings.LastIndex(err.Error(), ": "); i >= 0 {
		return err.Error()[i+2:]
	}
	return err.Error()
}

// build bundles the module at an absolute path.
func build(path string, o Options) (*bundle, error) {
	src, err := readSource(path, o.maxSource())
	if err != nil {
		return nil, err
	}
	src = strings.TrimPrefix(src, byteOrderMark)
	b := &bundle{path: path, requests: headerRequests(src), family: o.Family, kind: o.Kind}
	b.node = slices.Contains(b.requests, "runtime=node")
	b.requests = slices.DeleteFunc(b.requests, func(s string) bool { return s == "runtime=node" })
	guessOrigin(b, src)
	// The bundler follows symbolic links; names stay as they were given.
	real, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return nil, loadProblem(path, "its directory cannot be resolved: "+reason(err), "", err)
	}
	collected := &inputs{real: real, given: filepath.Dir(path)}
	result := api.Build(buildOptions(filepath.Join(real, filepath.Base(path)), o, collected, b.node))
	if later := slices.DeleteFunc(slices.Clone(result.Errors), func(m api.Message) bool { return collected.lack(m.Text) }); len(later) == 0 && len(result.Errors) > 0 {
		result = api.Build(buildOptions(filepath.Join(real, filepath.Base(path)), o, collected, b.node))
	}
	if failed := append(result.Errors, missingMembers(result.Warnings)...); len(failed) > 0 {
		return nil, buildErrors(path, failed)
	}
	b.files, b.virtual = collected.sorted()
	b.standIns = collected.standIns
	slices.Sort(collected.uses)
	b.uses = slices.Compact(collected.uses)
	for _, f := range result.OutputFiles {
		if strings.HasSuffix(f.Path, ".map") {
			b.positions = &lazyMap{text: f.Contents, dir: filepath.Dir(path), offset: 1}
			continue
		}
		if limit := 4 * o.maxSource(); int64(len(f.Contents)) > limit {
			return nil, loadProblem(path, fmt.Sprintf("the module and its imports come to %d bytes, more than %d", len(f.Contents), limit), "", nil)
		}
		b.script = wrapperHead + string(f.Contents) + wrapperTail
	}
	return b, nil
}

func buildOptions(path string, o Options, in *inputs, node bool) api.BuildOptions {
	dir := filepath.Dir(path)
	p := &resolver{opts: o, in: in, entry: path, node: node}
	return api.BuildOptions{
		Stdin: &api.StdinOptions{
			Contents:   fmt.Sprintf("import * as m from %q;\n__hl.register(m);\n", filepath.ToSlash(path)),
			ResolveDir: dir, Sourcefile: entryFile,
		},
		AbsWorkingDir: dir, Outfile: filepath.Join(dir, "hookline-bundle.js"),
		Bundle: true, Write: false, LogLevel: api.LogLevelSilent, LogLimit: 20,
		Format: api.FormatESModule, Platform: api.PlatformNeutral, Target: api.ESNext,
		Supported:         map[string]bool{"using": false, "decorators": false, "import-attributes": false},
		MainFields:        []string{"module", "main"},
		Conditions:        []string{"node", "import", "module"},
		ResolveExtensions: []string{".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx", ".json"},
		Sourcemap:         api.SourceMapExternal, SourcesContent: api.SourcesContentExclude,
		// A tsconfig.json of the project must not change what was approved.
		TsconfigRaw: "{}",
		Plugins:     []api.Plugin{{Name: "hookline", Setup: p.setup}},
	}
}

// byteOrderMark begins the files of some editors.
const byteOrderMark = "\ufeff"

// readSource reads one source file, within limits and only if it is text.
func readSource(path string, limit int64) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", loadProblem(path, "the file cannot be read: "+reason(err), "", err)
	}
	switch {
	case !info.Mode().IsRegular():
		return "", loadProblem(path, "is not a regular file", "", nil)
	case info.Size() > limit:
		return "", loadProblem(path, fmt.Sprintf("the file has %d bytes, more than the limit of %d", info.Size(), limit), "", nil)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", loadProblem(path, "the file cannot be read: "+reason(err), "", err)
	}
	if bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data) {
		return "", loadProblem(path, "the file is not text", "a module is TypeScript or JavaScript source in UTF-8", nil)
	}
	return string(data), nil
}

var headerLine = lazyregexp.New(`^\s*//\s*hookline:\s*(.*?)\s*$`)

// headerRequests reads the "// hookline: exec net:example.com" lines among the
// comments at the top of a module.
func headerRequests(src string) []string {
	var out []string
	for line := range strings.Lines(src) {
		text := strings.TrimSpace(line)
		if text != "" && !strings.HasPrefix(text, "//") && !strings.HasPrefix(text, "#!") {
			break
		}
		if g := headerLine.Get().FindStringSubmatch(strings.TrimRight(line, "\r\n")); g != nil {
			out = append(out, strings.FieldsFunc(g[1], func(r rune) bool { return r == ' ' || r == ',' || r == '\t' })...)
		}
	}
	return out
}

var (
	ompImport  = lazyregexp.New(`["']@oh-my-pi/`)
	oldImport  = lazyregexp.New(`["']@mariozechner/`)
	newImport  = lazyregexp.New(`["']@earendil-works/`)
	piImport   = lazyregexp.New(`["']@(mariozechner|earendil-works)/`)
	hookName   = lazyregexp.New(`\b(HookAPI|HookFactory|HookContext)\b|pi-coding-agent/hooks?["']`)
	extensName = lazyregexp.New(`\bExtension(API|Factory|Context|CommandContext)\b`)
)

// guessOrigin tells by a module's text, then by its folder, for which project
// and which of its two interfaces it was written: at run time the type imports
// that say so are gone.
func guessOrigin(b *bundle, src string) {
	slash := filepath.ToSlash(b.path)
	if b.family == FamilyAuto {
		switch {
		case ompImport.Get().MatchString(src):
			b.family = FamilyOMP
		case piImport.Get().MatchString(src):
			b.family = FamilyPi
		case strings.Contains(slash, "/.pi/"):
			b.family = FamilyPi
		default:
			b.family = FamilyOMP
		}
	}
	b.old = b.family == FamilyPi && oldImport.Get().MatchString(src) && !newImport.Get().MatchString(src)
	if b.kind == KindAuto {
		switch {
		case hookName.Get().MatchString(src):
			b.kind = KindHook
		case extensName.Get().MatchString(src), strings.Contains(slash, "/extensions/"):
			b.kind = KindExtension
		case strings.Contains(slash, "/hooks/"), b.family == FamilyOMP:
			b.kind = KindHook
		default:
			b.kind = KindExtension
		}
	}
}

// buildErrors turns the bundler's messages into located problems.
func buildErrors(path string, messages []api.Message) error {
	e := &LoadError{Path: path}
	for _, m := range messages {
		p := diag.Diagnostic{Path: path, Message: m.Text}
		if l := m.Location; l != nil && l.File != entryFile {
			file := l.File
			if !filepath.IsAbs(file) {
				file = filepath.Join(filepath.Dir(path), filepath.FromSlash(file))
			}
			p.Path, p.Line, p.Column = file, l.Line, l.Column+1
		}
		var inner *LoadError
		if detail, ok := m.Detail.(*LoadError); ok {
			inner = detail
		}
		switch {
		case inner != nil:
			q := inner.Problems[0]
			p.Message, p.Remedy = q.Message, q.Remedy
			if p.Line == 0 {
				p.Path, p.Line, p.Column = q.Path, q.Line, q.Column
			} else if q.Path != p.Path {
				p.Message = q.String()
			}
		case len(m.Notes) > 0 && m.PluginName != "":
			p.Remedy = m.Notes[0].Text
		case strings.HasPrefix(m.Text, "Could not resolve "):
			p.Remedy = "install the package next to the module, or import a file by a relative path"
		case missingExport.Get().MatchString(m.Text):
			p.Message, p.Remedy = explainMissing(m.Text)
		case strings.HasPrefix(m.Text, "The JSX syntax extension"):
			p.Remedy = "JSX is not supported in modules"
		}
		e.Problems = append(e.Problems, p)
	}
	return e
}
