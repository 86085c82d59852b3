package script

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

// virtualPrefix begins the names of modules that are part of this program.
const virtualPrefix = "hookline:"

// namespace is virtualPrefix as the bundler's namespace.
const namespace = "hookline"

// inputs collects what went into a bundle. The bundler loads files at the same
// time.
type inputs struct {
	// real is the directory that given stands for once links are followed.
	real, given string

	mu      sync.Mutex
	files   map[string]string
	virtual map[string]string
	uses    []string

	standIns []standIn

	// lacking are the names that modules import from each host package without its
	// having them.
	lacking map[string][]string
}

// standIn is a package that a directory's modules have from this program, as they
// have none of their own.
type standIn struct {
	Dir     string `json:"dir"`
	Package string `json:"package"`
}

// installed reports whether modules of a directory find an npm package in a
// node_modules of their own.
func installed(dir, pkg string) bool {
	for {
		if info, err := os.Stat(filepath.Join(dir, "node_modules", filepath.FromSlash(pkg))); err == nil && info.IsDir() {
			return true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		dir = parent
	}
}

func (in *inputs) addVirtual(name, content string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.virtual == nil {
		in.virtual = map[string]string{}
	}
	in.virtual[name] = digest(content)
}

func (in *inputs) add(path, content string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.files == nil {
		in.files = map[string]string{}
	}
	in.files[in.name(path)] = digest(content)
	if ownSource(path) {
		in.uses = append(in.uses, uses(content)...)
	}
}

// name is a file's path as the caller would name it.
func (in *inputs) name(path string) string {
	rel, err := filepath.Rel(in.real, path)
	if err != nil || in.real == in.given {
		return path
	}
	return filepath.Join(in.given, rel)
}

// standIn notes that a package was looked for from a directory and had to be stood
// in for.
func (in *inputs) standIn(dir, pkg string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if s := (standIn{dir, pkg}); !slices.Contains(in.standIns, s) {
		in.standIns = append(in.standIns, s)
	}
}

func (in *inputs) sorted() (files, virtual []File) {
	in.mu.Lock()
	defer in.mu.Unlock()
	list := func(m map[string]string) (out []File) {
		for p, d := range m {
			out = append(out, File{p, d})
		}
		slices.SortFunc(out, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
		return out
	}
	return list(in.files), list(in.virtual)
}

func digest(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// resolver is the bundler's plugin: it knows the built-ins and host packages,
// reads every file itself, so that the digests are those of the bytes that
// were bundled, and says what to do about what is missing.
type resolver struct {
	opts  Options
	in    *inputs
	entry string
	node  bool // built-ins are Node's own
}

func (r *resolver) setup(b api.PluginBuild) {
	b.OnResolve(api.OnResolveOptions{Filter: `.*`}, r.resolve)
	b.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: namespace}, r.loadVirtual)
	b.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: "file"}, r.loadFile)
}

func (r *resolver) resolve(args api.OnResolveArgs) (api.OnResolveResult, error) {
	name := args.Path
	if args.Namespace == namespace && strings.HasPrefix(name, "./") {
		name = virtualPrefix + strings.TrimSuffix(path.Join(path.Dir(args.Importer), name), ".js")
	}
	if strings.HasPrefix(name, ".") || filepath.IsAbs(name) || strings.HasPrefix(name, "/") {
		return api.OnResolveResult{}, nil
	}
	if r.node && (isBuiltin(name) || strings.HasPrefix(name, "node:")) {
		return api.OnResolveResult{Path: nativePrefix + strings.TrimPrefix(name, "node:"), Namespace: namespace}, nil
	}
	if pkg, ok := r.standsFor(name); ok && args.Namespace != namespace {
		if installed(args.ResolveDir, pkg) {
			return api.OnResolveResult{}, nil
		}
		r.in.standIn(args.ResolveDir, pkg)
	}
	if _, ok := virtualSource(name); ok {
		return api.OnResolveResult{Path: strings.TrimPrefix(canonicalName(name), virtualPrefix), Namespace: namespace}, nil
	}
	problem, hint := refusal(name)
	if problem != "" && (args.Kind == api.ResolveJSDynamicImport || args.Kind == api.ResolveJSRequireCall) {
		return api.OnResolveResult{Path: absentPrefix + problem, Namespace: namespace}, nil // it may be guarded
	}
	if problem != "" {
		return api.OnResolveResult{Errors: []api.Message{{Text: problem, Notes: []api.Note{{Text: hint}}}}}, nil
	}
	return api.OnResolveResult{}, nil
}

const nodeHint = `put "// hookline: runtime=node" at the top of the module to run it in Node`

// refusal explains the imports that cannot be had in the embedded engine.
func refusal(name string) (problem, hint string) {
	switch {
	case strings.HasPrefix(name, "node:"), isBuiltin(name):
		return fmt.Sprintf("the Node built-in %q is not supported by the embedded engine", name), nodeHint
	case name == "bun", strings.HasPrefix(name, "bun:"):
		return fmt.Sprintf("%q needs Bun, which no runtime here offers", name), "use the node: built-ins instead"
	case strings.HasPrefix(name, "http://"), strings.HasPrefix(name, "https://"):
		return fmt.Sprintf("modules are not loaded from the network (%s)", name), "install the package next to the module"
	}
	for _, scope := range hostScopes {
		if strings.HasPrefix(name, scope) {
			return fmt.Sprintf("the host package %q is not supported by this host", name), "import from one of: " + strings.Join(hostPackages(), ", ")
		}
	}
	return "", ""
}

// missingExport is what the bundler says of a name that a host package or a
// stand-in does not export.
var missingExport = lazyregexp.New(`[Nn]o matching export in "hookline:pkg/(\w+)" for import "([^"]+)"|^Import "([^"]+)" will always be undefined because there is no matching export in "hookline:pkg/(\w+)"`)

// missingMembers are the warnings about members that a stand-in does not have:
// the bundler puts undefined in their place.
func missingMembers(warnings []api.Message) (out []api.Message) {
	for _, w := range warnings {
		if g := missingExport.Get().FindStringSubmatch(w.Text); g != nil && standInRemedy(g[1]+g[4]) != "" {
			out = append(out, w)
		}
	}
	return out
}

// lack notes that a host package lacks a name, and reports whether that may wait until
// the name is used. A stand-in for a package that can be installed may not.
func (in *inputs) lack(text string) bool {
	g := missingExport.Get().FindStringSubmatch(text)
	if g == nil || g[2] == "" || standInRemedy(g[1]) != "" && g[1] != "tui" {
		return false
	}
	if in.lacking == nil {
		in.lacking = map[string][]string{}
	}
	in.lacking[g[1]] = append(in.lacking[g[1]], g[2])
	return true
}

// stubs are the exports that throw when they are used.
func (in *inputs) stubs(file string) string {
	var b strings.Builder
	file = strings.TrimPrefix(file, "pkg/")
	for _, name := range in.lacking[file] {
		what := name + " of the host's package"
		if remedy := standInRemedy(file); remedy != "" {
			what += "; " + remedy
		}
		fmt.Fprintf(&b, "export const %s = __hl.missing(%q);\n", name, what)
	}
	return b.String()
}

func explainMissing(text string) (problem, hint string) {
	g := missingExport.Get().FindStringSubmatch(text)
	file, name := g[1]+g[4], g[2]+g[3]
	if hint := standInRemedy(file); hint != "" {
		return fmt.Sprintf("this host's stand-in for the package has no %q", name), hint
	}
	return fmt.Sprintf("%q of the host's package is not supported by this host", name), ""
}

func (r *resolver) loadVirtual(args api.OnLoadArgs) (api.OnLoadResult, error) {
	name := virtualPrefix + args.Path
	src, ok := virtualSource(name)
	if !ok {
		return api.OnLoadResult{}, fmt.Errorf("the built-in module %q is missing", name)
	}
	r.in.addVirtual(name, src)
	src += r.in.stubs(args.Path)
	return api.OnLoadResult{Contents: &src, Loader: api.LoaderJS}, nil
}

var loaders = map[string]api.Loader{
	".ts": api.LoaderTS, ".mts": api.LoaderTS, ".cts": api.LoaderTS, ".tsx": api.LoaderTS,
	".js": api.LoaderJS, ".mjs": api.LoaderJS, ".cjs": api.LoaderJS, ".jsx": api.LoaderJS,
	".json": api.LoaderJSON, ".txt": api.LoaderText, ".md": api.LoaderText,
}

func (r *resolver) loadFile(args api.OnLoadArgs) (api.OnLoadResult, error) {
	loader, ok := loaders[strings.ToLower(filepath.Ext(args.Path))]
	switch {
	case ok:
	case args.Path == r.entry:
		loader = api.LoaderTS
	default:
		return failed(loadProblem(args.Path, fmt.Sprintf("files of type %q cannot be imported", filepath.Ext(args.Path)), "", nil)), nil
	}
	src, err := readSource(args.Path, r.opts.maxSource())
	if err != nil {
		return failed(err), nil
	}
	r.in.add(args.Path, src)
	r.addPackageFile(args.Path)
	src = strings.TrimPrefix(src, byteOrderMark)
	if loader == api.LoaderJS || loader == api.LoaderTS {
		if src, err = withOwnPath(args.Path, src, loader); err != nil {
			return failed(err), nil
		}
	}
	return api.OnLoadResult{Contents: &src, Loader: loader, ResolveDir: filepath.Dir(args.Path)}, nil
}

func failed(err error) api.OnLoadResult {
	msg := api.Message{Text: err.Error()}
	if e, ok := errors.AsType[*LoadError](err); ok {
		msg.Detail = e
	}
	return api.OnLoadResult{Errors: []api.Message{msg}}
}

// addPackageFile notes the package.json that decided which file of a package
// is meant.
func (r *resolver) addPackageFile(file string) {
	if !strings.Contains(filepath.ToSlash(file), "/node_modules/") {
		return
	}
	for dir := filepath.Dir(file); filepath.Base(dir) != "node_modules" && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if data, err := os.ReadFile(filepath.Join(dir, "package.json")); err == nil {
			r.in.add(filepath.Join(dir, "package.json"), string(data))
			return
		}
	}
}

var ownPath = lazyregexp.New(`\bimport\s*\.\s*meta\b|\b__(dir|file)name\b`)

// withOwnPath replaces the expressions that ask for a file's own path, which
// would be the bundle's after bundling.
func withOwnPath(file, src string, loader api.Loader) (string, error) {
	if !ownPath.Get().MatchString(src) {
		return src, nil
	}
	slash := filepath.ToSlash(file)
	if !strings.HasPrefix(slash, "/") {
		slash = "/" + slash
	}
	href := (&url.URL{Scheme: "file", Path: slash}).String()
	name, dir := strconv.Quote(file), strconv.Quote(filepath.Dir(file))
	result := api.Transform(src, api.TransformOptions{
		Loader: loader, Target: api.ESNext, TsconfigRaw: "{}", LogLevel: api.LogLevelSilent,
		Sourcefile: file, Sourcemap: api.SourceMapInline, SourcesContent: api.SourcesContentExclude,
		Define: map[string]string{
			"import.meta.url": strconv.Quote(href), "import.meta.filename": name, "import.meta.dirname": dir,
			"import.meta.main": "false", "__filename": name, "__dirname": dir,
		},
	})
	if len(result.Errors) > 0 {
		// The bundler finds the same error, with its place.
		return src, nil
	}
	return string(result.Code), nil
}
