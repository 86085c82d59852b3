package shell

import (
	"fmt"
	"slices"
	"strings"
)

// unfolder finds the commands that wrappers start.
type unfolder struct {
	a     *analysis
	depth int
}

// unfold fills in what a command starts.
func (a *analysis) unfold(c *Command, depth int) {
	u := &unfolder{a: a, depth: depth}
	for _, as := range c.Env {
		u.setting(c, as)
	}
	name := c.Name()
	if len(c.Args) > 0 && !c.Args[0].Literal && c.Uncertain == "" {
		c.Uncertain = "the command's name is computed: " + c.Args[0].Text
		return
	}
	if slices.Contains(changers, name) {
		a.out.Chdir = true
	}
	o, ok := wrappers[name]
	if !ok {
		opaque := slices.Contains(opaqueRunners, name)
		if opaque && len(c.Args) > 1 {
			c.Uncertain = name + " runs commands that aren't checked here"
		}
		if opaque || slices.Contains(runners, name) {
			u.words(c)
		}
		return
	}
	if depth >= maxDepth {
		c.Uncertain = "commands that start commands, too deep"
		return
	}
	u.wrapper(c, o)
}

func (u *unfolder) wrapper(c *Command, o options) {
	switch c.Wrap = o.wrap; o.special {
	case byFind:
		u.find(c)
		return
	case byFd:
		u.fd(c)
		return
	case byShell:
		u.shell(c)
		return
	case byGit:
		u.git(c)
		return
	case bySource:
		u.source(c)
		return
	}
	p := o.read(c.Args)
	switch {
	case p.doubt != "" && o.wrap == NoWrap:
		u.doubt(c, p.doubt)
		return
	case p.doubt != "":
		c.Uncertain, c.InnerAt = p.doubt, len(c.Args)
		return
	case p.alone:
		c.Wrap = NoWrap
		return
	}
	switch o.special {
	case byTime:
		u.time(c, p)
	case byEnv:
		u.env(c, p)
	case byXargs:
		u.xargs(c, p)
	case bySudo:
		u.sudo(c, p)
	case byJoined:
		u.joined(c, p)
	case byTrap:
		u.trap(c, p)
	case bySu:
		u.su(c, p)
	case byFlock:
		u.flock(c, p)
	case bySSH:
		u.ssh(c, p)
	case byAlias:
		u.alias(c, p)
	case byHash:
		u.hash(c, p)
	case byCallback:
		u.callback(c, p)
	default:
		u.rest(c, p.next, nil)
	}
}

// rest makes the words from index i on the inner command, with extra words
// after them.
func (u *unfolder) rest(c *Command, i int, extra []Word) {
	if i >= len(c.Args) {
		c.Wrap = NoWrap // no command: the wrapper stands for itself
		return
	}
	inner := Command{Args: slices.Concat(c.Args[i:], extra), Source: c.Source, Line: c.Line}
	for _, w := range c.Args[1:i] {
		if isAssign(w) {
			as := toAssign(w)
			inner.Env = append(inner.Env, as)
			u.a.assignedWord(as)
		}
	}
	c.InnerAt = i
	u.child(c, inner)
}

func (u *unfolder) child(c *Command, inner Command) {
	if u.counted(c) {
		u.a.unfold(&inner, u.depth+1)
		c.Inner = append(c.Inner, inner)
	}
}

// counted counts one more command; it reports whether that is still within bounds.
func (u *unfolder) counted(c *Command) bool {
	if *u.a.count++; *u.a.count > maxCommands {
		c.Uncertain = "too many commands"
		return false
	}
	return true
}

// script makes text the inner commands.
func (u *unfolder) script(c *Command, text Word) {
	c.InnerAt = len(c.Args)
	if !text.Literal {
		c.Uncertain = c.Name() + " runs text that is computed"
		return
	}
	s := analyzeAt(text.Text, u.depth+1, u.a.count)
	u.a.out.Chdir = u.a.out.Chdir || s.Chdir
	if s.Parsed {
		u.a.reuse.merge(s.reuse)
	}
	for _, d := range s.Dialect {
		u.a.dialect(d)
	}
	switch {
	case !s.Parsed:
		c.Uncertain = c.Name() + " runs text that can't be parsed: " + s.Problem
	case len(s.Uncertain) > 0:
		c.Uncertain = strings.Join(s.Uncertain, "; ")
	}
	c.Inner = append(c.Inner, s.Commands...)
	if len(c.Inner) == 0 && c.Uncertain == "" {
		c.Wrap = NoWrap
	}
}

// joined reads commands whose arguments are one text: eval and watch.
func (u *unfolder) joined(c *Command, p parsed) {
	if c.Name() == "watch" && p.has("x", "exec") {
		u.rest(c, p.next, nil)
		return
	}
	if p.next >= len(c.Args) {
		c.Wrap = NoWrap
		return
	}
	words := make([]string, 0, len(c.Args)-p.next)
	for _, w := range c.Args[p.next:] {
		if !w.Literal {
			u.script(c, w)
			return
		}
		words = append(words, w.Text)
	}
	u.script(c, Word{Text: strings.Join(words, " "), Literal: true})
}

// trap reads trap 'text' SIGNAL...
func (u *unfolder) trap(c *Command, p parsed) {
	if len(c.Args)-p.next < 2 || c.Args[p.next].Is("-") || c.Args[p.next].Is("") {
		c.Wrap = NoWrap
		return
	}
	u.script(c, c.Args[p.next])
}

// sudo reads sudo, which starts a shell when it is told to and no command is
// given.
func (u *unfolder) sudo(c *Command, p parsed) {
	if p.next >= len(c.Args) && p.has("s", "shell", "i", "login") {
		u.stdin(c)
		return
	}
	u.rest(c, p.next, nil)
}

// env reads env, whose -S splits a text by rules of its own.
func (u *unfolder) env(c *Command, p parsed) {
	if text := slices.Concat(p.values["S"], p.values["split-string"]); len(text) > 0 {
		c.Uncertain, c.InnerAt = "env -S splits its text by rules of its own", len(c.Args)
		u.may(c, text[0], c.Args[p.next:])
		return
	}
	if p.has("C", "chdir") {
		u.a.out.Chdir = true
	}
	u.rest(c, p.next, nil)
}

// time reads time, whose -o writes a file.
func (u *unfolder) time(c *Command, p parsed) {
	if p.has("o", "output") {
		c.Wrap = Opaque
	}
	u.rest(c, p.next, nil)
}

// xargs reads xargs, which appends what it reads to the command.
func (u *unfolder) xargs(c *Command, p parsed) {
	if p.next >= len(c.Args) {
		c.Wrap = NoWrap // it runs echo
		return
	}
	if p.has("a", "arg-file") {
		c.Wrap = Opaque // it reads a file
	}
	repl := ""
	for _, name := range []string{"I", "J", "replace"} {
		if v := p.values[name]; len(v) > 0 {
			repl = v[len(v)-1].Text
		}
	}
	if p.has("replace") && repl == "" {
		repl = "{}"
	}
	input := Word{Text: "(input)", Parts: []Part{{Unknown: true}}}
	if repl == "" {
		u.rest(c, p.next, []Word{input})
		return
	}
	c.InnerAt = p.next
	u.child(c, Command{Args: replaced(c.Args[p.next:], repl, input), Source: c.Source, Line: c.Line})
}

// replaced returns the words with every occurrence of a marker replaced by what
// is known of what comes in its place.
func replaced(words []Word, marker string, by Word) []Word {
	out := make([]Word, len(words))
	for i, w := range words {
		out[i] = w
		if !w.Literal || !strings.Contains(w.Text, marker) {
			continue
		}
		if w.Text == marker {
			out[i] = by
			continue
		}
		b := wordBuilder{quoted: w.Quoted}
		for j, piece := range strings.Split(w.Text, marker) {
			if j > 0 {
				b.unknown()
			}
			b.lit(piece)
		}
		out[i] = b.word(w.Text)
	}
	return out
}

// su reads su -c text.
func (u *unfolder) su(c *Command, p parsed) {
	for _, name := range []string{"c", "command"} {
		if v := p.values[name]; len(v) > 0 {
			u.script(c, v[0])
			return
		}
	}
	for i, w := range c.Args { // su also takes -c after the user's name
		if w.Is("-c") && i+1 < len(c.Args) {
			u.script(c, c.Args[i+1])
			return
		}
	}
	c.Uncertain, c.InnerAt = "su starts a shell", len(c.Args)
}

// flock reads flock FILE command... and flock FILE -c text.
func (u *unfolder) flock(c *Command, p parsed) {
	if v := slices.Concat(p.values["c"], p.values["command"]); len(v) > 0 {
		u.script(c, v[0])
		return
	}
	if p.next < len(c.Args) && (c.Args[p.next].Is("-c") || c.Args[p.next].Is("--command")) {
		if p.next+1 < len(c.Args) {
			u.script(c, c.Args[p.next+1])
			return
		}
		c.Uncertain = fmt.Sprintf("%s -c without text", c.Name())
		return
	}
	u.rest(c, p.next, nil)
}
