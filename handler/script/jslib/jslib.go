package jslib

import (
	"embed"
	"fmt"
	"path"
	"strings"

	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

//go:embed src
var files embed.FS

// hostModule is the name under which the bridge to the Go host is imported.
const hostModule = "hookline:host"

// aliases maps a module name to the file that holds it, where the two differ.
var aliases = map[string]string{
	"fs/promises":       "fs_promises",
	"timers/promises":   "timers_promises",
	"path/posix":        "path_posix",
	"path/win32":        "path_win32",
	"util/types":        "util_types",
	"assert/strict":     "assert_strict",
	"stream/promises":   "stream_promises",
	"readline/promises": "readline_promises",
}

// Source returns the ES module to bundle for an import of name, with or
// without the "node:" prefix, and whether there is such a module.
//
// The module is a thin one: it takes the implementation from the VM's own
// table, which loads it once, on first use, from Chunk. So `Buffer` the global
// and `Buffer` from "node:buffer" are one class however many bundles a VM
// runs, and a bundle grows by a few lines for each built-in it names.
func Source(name string) (src string, ok bool) {
	if name == hostModule {
		return read("host.js")
	}
	name = strings.TrimPrefix(name, "node:")
	text, ok := read(fileOf(name))
	if !ok || name == "globals" || name == "host" || strings.HasPrefix(name, "internal:") {
		return "", false
	}
	var b strings.Builder
	fmt.Fprintf(&b, "import { builtin } from %q;\n", hostModule)
	fmt.Fprintf(&b, "const m = builtin(%q);\nconst d = m.default;\n", name)
	b.WriteString("export { d as default, d as \"module.exports\" };\n")
	fmt.Fprintf(&b, "export const { %s } = m;\n", strings.Join(exportedNames(text), ", "))
	return b.String(), true
}

// Chunk returns the implementation of a built-in as the source text of one
// function expression, (require) => exports, for the VM's module table. Besides
// the names of Source it knows the internal modules, "internal:inspect" and
// the like, which user code cannot import.
func Chunk(name string) (src string, ok bool) {
	text, ok := read(fileOf(strings.TrimPrefix(name, "node:")))
	if !ok || name == "globals" || name == "host" {
		return "", false
	}
	return toFunction(text), true
}

// Globals returns the script that installs the globals. It is evaluated once
// in a fresh VM, as a script, after the engine has set globalThis.__host and
// the timer functions; it may be compiled to bytecode ahead of time.
func Globals() string {
	src, ok := read("globals.js")
	if !ok {
		panic("jslib: globals.js is not embedded")
	}
	return src
}

// fileOf turns a module name into its path below src.
func fileOf(name string) string {
	if internal, ok := strings.CutPrefix(name, "internal:"); ok {
		return "internal/" + internal + ".js"
	}
	if file, ok := aliases[name]; ok {
		return file + ".js"
	}
	if strings.Contains(name, "/") {
		return ""
	}
	return name + ".js"
}

func read(file string) (string, bool) {
	if file == "" || path.Clean(file) != file {
		return "", false
	}
	data, err := files.ReadFile("src/" + file)
	if err != nil {
		return "", false
	}
	return string(data), true
}

// The sources keep to a narrow form of module syntax, so that turning one into
// a function takes no parser: imports stand at the start of a line and name
// their source in double quotes; exports are one list, `export { a, b as c };`,
// and at most one `export default x;`. Without the latter the default export
// is the object of the named ones, as it is for Node's own modules.
var (
	importForm  = lazyregexp.New(`(?ms)^import (.+?) from "([^"]+)";$`)
	exportForm  = lazyregexp.New(`(?ms)^export \{(.*?)\};$`)
	defaultForm = lazyregexp.New(`(?ms)^export default (.+?);$`)
)

// toFunction rewrites a module of that form into a function expression. Line
// numbers stay what they were.
func toFunction(text string) string {
	text = importForm.Get().ReplaceAllStringFunc(text, func(m string) string {
		g := importForm.Get().FindStringSubmatch(m)
		return requireOf(g[1], g[2]) + strings.Repeat("\n", strings.Count(m, "\n"))
	})
	var pairs []string
	for _, item := range exportItems(text) {
		local, exported := item[0], item[1]
		pairs = append(pairs, exported+": "+local)
	}
	def := "undefined"
	if g := defaultForm.Get().FindStringSubmatch(text); g != nil {
		def = g[1]
	}
	text = exportForm.Get().ReplaceAllString(text, "")
	text = defaultForm.Get().ReplaceAllString(text, "")
	return "((require) => {\"use strict\";" + text +
		"\nconst exports = { " + strings.Join(pairs, ", ") + " };" +
		"\nreturn { ...exports, default: " + def + " ?? exports };\n})"
}

// requireOf writes the declaration that stands for one import.
func requireOf(clause, from string) string {
	switch {
	case strings.HasPrefix(clause, "{"):
		return fmt.Sprintf("const %s = require(%q);", strings.ReplaceAll(clause, " as ", ": "), from)
	case strings.HasPrefix(clause, "* as "):
		return fmt.Sprintf("const %s = require(%q);", clause[len("* as "):], from)
	default:
		return fmt.Sprintf("const %s = require(%q).default;", clause, from)
	}
}

// exportItems lists the export list's entries as {local, exported}.
func exportItems(text string) [][2]string {
	g := exportForm.Get().FindStringSubmatch(text)
	if g == nil {
		return nil
	}
	var items [][2]string
	for item := range strings.SplitSeq(g[1], ",") {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		local, exported, ok := strings.Cut(item, " as ")
		if !ok {
			exported = local
		}
		items = append(items, [2]string{local, exported})
	}
	return items
}

func exportedNames(text string) []string {
	var names []string
	for _, item := range exportItems(text) {
		names = append(names, item[1])
	}
	return names
}
