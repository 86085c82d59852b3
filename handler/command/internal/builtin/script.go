package builtin

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"

	"github.com/hookline-dev/hookline/handler/internal/stamp"
)

// maxCached bounds how many scripts and filters are kept.
const maxCached = 128

// cache is what a program and the scripts that it calls keep between runs.
type cache struct {
	env  envCache
	vars sync.Pool // of maps that are empty

	mu      sync.Mutex
	scripts map[string]cachedScript
	parsed  map[string]any // by kind and text: filters of jq, lines
}

type cachedScript struct {
	files   stamp.Set
	program *Program // nil when it needs a real shell
}

func newKept() *cache { return &cache{scripts: map[string]cachedScript{}, parsed: map[string]any{}} }

// cached returns what build makes of a key, from before if it was made before.
func cached[T any](k *cache, key string, build func() (T, error)) (T, error) {
	k.mu.Lock()
	v, ok := k.parsed[key].(T)
	k.mu.Unlock()
	if ok {
		return v, nil
	}
	v, err := build()
	if err != nil {
		return v, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.parsed) >= maxCached {
		clear(k.parsed)
	}
	k.parsed[key] = v
	return v, nil
}

// maxCalls bounds how deep scripts in this process call each other; what is called
// further in is for a real shell, which has a stack of its own.
const maxCalls = 16

// script returns the program for a command that is a script of sh or bash, or one of
// these with a script. The program is nil when it is none or one that cannot run here.
func (c *caller) script(hc interp.HandlerContext, args []string) (*Program, script) {
	sc := script{dir: hc.Dir, stdout: hc.Stdout, stderr: hc.Stderr, depth: c.depth + 1}
	if sc.depth > maxCalls {
		return nil, sc
	}
	p, name, params := c.scriptOf(hc.Dir, args)
	if p == nil {
		return nil, sc
	}
	sc.arg0, sc.args = name, params
	sc.env = inherited(hc.Env)
	if p.lang == Bash && !p.line {
		sc.env.extra = sc.arg0
	}
	var ok bool
	if sc.stdin, ok = hc.Stdin.(*os.File); !ok {
		return nil, sc
	}
	return p, sc
}

// scriptOf finds the program of a command, its $0 and its parameters.
func (c *caller) scriptOf(dir string, args []string) (p *Program, name string, params []string) {
	switch name := args[0]; {
	case name == "sh" || name == "bash" || name == "/bin/sh" || name == "/bin/bash":
		lang := Sh
		if strings.HasSuffix(name, "bash") {
			lang = Bash
		}
		switch {
		case len(args) == 3 && args[1] == "-c":
			return c.line(args[2], name, lang), name, nil
		case len(args) > 1 && args[1] != "" && args[1][0] != '-' && args[1][0] != '+':
			return c.file(dir, args[1], &lang), args[1], args[2:]
		}
	case strings.Contains(name, "/"):
		return c.file(dir, name, nil), name, args[1:]
	}
	return nil, "", nil
}

func (c *caller) line(text, name string, lang Lang) *Program {
	k := c.program.kept
	p, err := cached(k, "line "+name+" "+text, func() (*Program, error) {
		return parse(text, name, lang, lineText, k)
	})
	if err != nil {
		return nil
	}
	return p
}

// file returns the program in a file. Without a given language it has to be executable
// and to name its shell in the first line.
func (c *caller) file(dir, name string, lang *Lang) *Program {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	files, err := stamp.Take("", []string{path})
	if err != nil {
		return nil
	}
	key := name + "\x00" + dir
	if lang != nil {
		key += "\x00" + lang.String()
	}
	k := c.program.kept
	k.mu.Lock()
	known, ok := k.scripts[key]
	k.mu.Unlock()
	if ok && known.files.Equal(files) {
		return known.program
	}
	p := readScript(path, name, lang, k)
	if !files.Current() {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.scripts) >= maxCached {
		clear(k.scripts)
	}
	k.scripts[key] = cachedScript{files, p}
	return p
}

func readScript(path, name string, lang *Lang, k *cache) *Program {
	info, err := os.Stat(path)
	if err != nil || info.Size() > maxScript {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil || bytes.IndexByte(text, 0) >= 0 {
		return nil
	}
	if lang == nil {
		own, ok := interpreterOf(text)
		if !ok || !executable(path, info) {
			return nil
		}
		lang = &own
	}
	p, err := parse(string(text), name, *lang, fileText, k)
	if err != nil {
		return nil
	}
	return p
}

// interpreterOf reads the first line of a script. With options it is one for a real
// shell.
func interpreterOf(text []byte) (Lang, bool) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	switch string(bytes.Join(bytes.Fields(line), []byte(" "))) {
	case "#!/bin/sh", "#! /bin/sh", "#!/usr/bin/env sh", "#!/usr/bin/sh":
		return Sh, true
	case "#!/bin/bash", "#! /bin/bash", "#!/usr/bin/env bash", "#!/usr/bin/bash", "#!/usr/local/bin/bash":
		return Bash, true
	}
	return Sh, false
}

// scriptCall returns the words of a program that does nothing but call a script, nil of
// all others. Only what is written out is taken: nothing is left to expand.
func scriptCall(file *syntax.File) []string {
	if len(file.Stmts) != 1 {
		return nil
	}
	st := file.Stmts[0]
	c, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || st.Negated || st.Background || st.Coprocess || len(st.Redirs) > 0 || len(c.Assigns) > 0 {
		return nil
	}
	var args []string
	for _, w := range c.Args {
		text := w.Lit()
		if text == "" || strings.ContainsAny(text, "\\*?[]{}~!^") {
			return nil
		}
		args = append(args, text)
	}
	return args
}

// called is the script that a program calls and does nothing besides, with what it runs
// with, so that it can be run in the program's place. It is nil when there is none, or
// one that cannot run here.
func (c *caller) called(sc script) (*Program, script) {
	if c.program.call == nil || !filepath.IsAbs(sc.dir) {
		return nil, sc
	}
	p, name, args := c.scriptOf(sc.dir, c.program.call)
	if p == nil || p.line {
		return nil, sc
	}
	sc.arg0, sc.args = name, args
	if p.lang == Bash {
		sc.env = sc.env.from(name)
	}
	return p, sc
}
