package script

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/hookline-dev/hookline/handler/script/jslib"
)

//go:embed rt/*.js
var runtimeFiles embed.FS

// timersFile is the runtime file that Node needs not; after it, the web and Node
// globals are installed, which Node has too: they need the bridge and timers, and
// the rest of the runtime needs them.
const timersFile = "05_timers.js"

// runtimeSource is the script that every engine runs first: the files of rt in
// the order of their names, in one function, without those that an engine has no need of.
func runtimeSource(without ...string) string {
	entries, err := runtimeFiles.ReadDir("rt")
	if err != nil {
		panic("script: the embedded runtime is unreadable: " + err.Error())
	}
	var b strings.Builder
	b.WriteString("(() => { \"use strict\";\n")
	for _, e := range entries {
		if slices.Contains(without, e.Name()) {
			continue
		}
		data, err := runtimeFiles.ReadFile("rt/" + e.Name())
		if err != nil {
			panic("script: the embedded runtime is unreadable: " + err.Error())
		}
		b.Write(data)
		if e.Name() == timersFile {
			b.WriteString(jslib.Globals())
		}
	}
	b.WriteString("})();\n")
	return b.String()
}

// hostPackage returns a host package as the source of a function that takes
// the runtime and returns the package's exports, for modules that reach it
// through pi.pi or pi.typebox.
func (c *Cache) hostPackage(name string) (string, error) {
	c.mu.Lock()
	src, ok := c.packages[name]
	c.mu.Unlock()
	if ok {
		return src, nil
	}
	r := &resolver{in: &inputs{}}
	result := api.Build(api.BuildOptions{
		Stdin:  &api.StdinOptions{Contents: fmt.Sprintf("export * from %q;", virtualPrefix+"pkg/"+name), Sourcefile: entryFile},
		Bundle: true, Write: false, LogLevel: api.LogLevelSilent, Format: api.FormatIIFE, GlobalName: "exports",
		Target: api.ESNext, TsconfigRaw: "{}", MinifySyntax: true, MinifyWhitespace: true,
		Plugins: []api.Plugin{{Name: "hookline", Setup: r.setup}},
	})
	if len(result.Errors) > 0 || len(result.OutputFiles) != 1 {
		return "", buildErrors(name, result.Errors)
	}
	src = "(function (__hl) { " + string(result.OutputFiles[0].Contents) + "\nreturn exports; })"
	c.mu.Lock()
	defer c.mu.Unlock()
	c.packages[name] = src
	return src, nil
}
