package script

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/handler/script/jslib"
	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

//go:embed pkg/*.js
var packageFiles embed.FS

// hostScopes are the npm scopes under which the two projects publish.
var hostScopes = []string{"@oh-my-pi/", "@mariozechner/", "@earendil-works/"}

// hostNames maps what follows the scope to the file that stands in for it.
var hostNames = map[string]string{
	"pi-coding-agent":            "agent",
	"pi-coding-agent/hooks":      "agent",
	"pi-coding-agent/extensions": "agent",
	"pi-ai":                      "ai",
	"pi-ai/compat":               "ai",
	"pi-tui":                     "tui",
	"pi-agent-core":              "core",
	"pi-utils":                   "utils",
	"pi-utils/chalk":             "chalk",
}

// plainNames are npm packages that have a stand-in, and host packages without one
// of the scopes.
var plainNames = map[string]string{
	"@sinclair/typebox":          "typebox",
	"@sinclair/typebox/value":    "typebox_value",
	"@sinclair/typebox/compiler": "typebox_value",
	"typebox":                    "typebox1",
	"typebox/value":              "typebox1_value",
	"typebox/compile":            "typebox1_value",
	"zod":                        "zod",
	"zod/v4":                     "zod",
	"chalk":                      "chalk",
}

// packageOf is the npm package that an import is of.
func packageOf(name string) string {
	parts := strings.SplitN(name, "/", 3)
	if strings.HasPrefix(name, "@") && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// standsFor returns the npm package that an import is of, when it has a stand-in
// that gives way to an installed one. The host packages are not stand-ins: what is
// installed of them is there for its types. pi-tui is one where modules run in
// Node; the embedded engine lacks what it needs.
func (r *resolver) standsFor(name string) (pkg string, ok bool) {
	return packageOf(name), plainNames[name] != "" || r.node && strings.HasSuffix(canonicalName(name), "pkg/tui")
}

// standInRemedy says what to do about what the stand-in in a file of pkg lacks; it
// is empty for a file of the host's packages.
func standInRemedy(file string) string {
	if file == "tui" {
		return `put "// hookline: runtime=node" at the top of the module and run "npm install @mariozechner/pi-tui" beside it`
	}
	for name, stand := range plainNames {
		if stand == file {
			return fmt.Sprintf("run \"npm install %s\" beside the module: its own node_modules come first", packageOf(name))
		}
	}
	return ""
}

// HostPackages are the names by which modules import the packages of their host.
func HostPackages() []string {
	var out []string
	for _, scope := range hostScopes {
		for _, name := range hostPackages() {
			out = append(out, scope+name)
		}
	}
	return out
}

var passedOn = lazyregexp.New(`(?m)^export \* from "\./(\w+\.js)"`)

var exported = lazyregexp.New(`(?m)^export (const|class|(?:async )?function\*?) (\w+)|^export \{([^}]*)\}`)

// Export is a value that modules import from a package of their host.
type Export struct {
	Name  string
	Class bool
}

// HostExports are the values that modules import from a package of their host, by name.
func HostExports(name string) []Export {
	_, name, _ = strings.Cut(name, "/")
	return exportsOf(hostNames[name] + ".js")
}

func exportsOf(file string) []Export {
	text, err := packageFiles.ReadFile("pkg/" + file)
	if err != nil {
		panic(err) // it is embedded
	}
	var out []Export
	for _, m := range passedOn.Get().FindAllStringSubmatch(string(text), -1) {
		out = append(out, exportsOf(m[1])...)
	}
	for _, m := range exported.Get().FindAllStringSubmatch(string(text), -1) {
		names := strings.Split(m[3], ",")
		if m[2] != "" {
			names = []string{m[2]}
		}
		for _, n := range names {
			if f := strings.Fields(n); len(f) > 0 {
				out = append(out, Export{f[len(f)-1], m[1] == "class"}) // of "x as y", y
			}
		}
	}
	slices.SortFunc(out, func(a, b Export) int { return strings.Compare(a.Name, b.Name) })
	return slices.Compact(out)
}

func hostPackages() []string {
	var out []string
	for name := range hostNames {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// canonicalName is the name under which a virtual module is bundled: one for
// all the names it is imported by.
func canonicalName(name string) string {
	if strings.HasPrefix(name, virtualPrefix) {
		return name
	}
	if file, ok := plainNames[name]; ok {
		return virtualPrefix + "pkg/" + file
	}
	for _, scope := range hostScopes {
		if rest, ok := strings.CutPrefix(name, scope); ok {
			if file, ok := hostNames[strings.TrimSuffix(rest, ".js")]; ok {
				return virtualPrefix + "pkg/" + file
			}
		}
	}
	return virtualPrefix + "node/" + strings.TrimPrefix(name, "node:")
}

// absentPrefix begins the names of modules that cannot be had; what follows says why.
const absentPrefix = "absent/"

// nativePrefix begins the names of Node's own built-ins, in Node.
const nativePrefix = "native/"

// virtualSource returns the source of a module that is part of this program.
func virtualSource(name string) (string, bool) {
	name = canonicalName(name)
	rest := strings.TrimPrefix(name, virtualPrefix)
	switch {
	case rest == "host":
		return jslib.Source(name)
	case rest == "rt":
		return "export const rt = __hl;\n", true
	case strings.HasPrefix(rest, absentPrefix):
		return fmt.Sprintf("throw new __hl.UnsupportedError(%q);\n", strings.TrimPrefix(rest, absentPrefix)), true
	case strings.HasPrefix(rest, nativePrefix):
		return fmt.Sprintf("module.exports = __hl.builtin(%q);\n", strings.TrimPrefix(rest, nativePrefix)), true
	case strings.HasPrefix(rest, "pkg/"):
		data, err := packageFiles.ReadFile(strings.TrimSuffix(rest, ".js") + ".js")
		return string(data), err == nil
	}
	builtin, ok := strings.CutPrefix(rest, "node/")
	if !ok || !isBuiltin(builtin) {
		return "", false
	}
	return jslib.Source(builtin)
}

// builtins are Node's built-in modules. Those that jslib has no source for are
// refused by name instead of being looked for in node_modules.
const builtins = " assert assert/strict async_hooks buffer child_process cluster console constants crypto dgram " +
	"diagnostics_channel dns dns/promises domain events fs fs/promises http http2 https inspector module net os path " +
	"path/posix path/win32 perf_hooks process punycode querystring readline readline/promises repl stream " +
	"stream/consumers stream/promises stream/web string_decoder sys timers timers/promises tls trace_events tty url " +
	"util util/types v8 vm wasi worker_threads zlib "

func isBuiltin(name string) bool {
	return strings.Contains(builtins, " "+strings.TrimPrefix(name, "node:")+" ")
}
