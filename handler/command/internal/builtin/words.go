package builtin

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// commands are the shell's own that run here, with what looks at their arguments: nil
// takes any. The values that calls of test, echo and cd have are looked at when they run.
var commands = map[string]func(s *screen, c *syntax.CallExpr, args []string){
	":": nil, "true": nil, "false": nil, "echo": nil, "test": nil, "[": nil,
	"printf":   (*screen).printf,
	"read":     (*screen).read,
	"exit":     (*screen).exit,
	"return":   (*screen).exit,
	"break":    (*screen).leave,
	"continue": (*screen).leave,
	"set":      (*screen).set,
	"unset":    (*screen).unset,
	"pwd":      (*screen).alone,
	"cd":       (*screen).one,
	"command":  (*screen).find,
}

// call looks at a simple command.
func (s *screen) call(c *syntax.CallExpr) {
	for _, a := range c.Assigns {
		if len(c.Args) > 0 && c.Args[0].Lit() == "read" && a.Name != nil && a.Name.Value == "IFS" && a.Value == nil {
			continue // IFS= read
		}
		s.assign(a)
	}
	if len(c.Args) == 0 {
		return
	}
	for _, w := range c.Args[1:] {
		s.argument(w)
	}
	name, ok := literal(c.Args[0])
	if !ok {
		s.path(c.Args[0])
		return
	}
	s.argument(c.Args[0])
	look, own := commands[name]
	switch {
	case !own && (interp.IsBuiltin(name) || name == "" || name == "let" || name == "time"):
		s.no(c, name)
	case s.defined[name] && !s.declared[name]:
		s.no(c, "functions that call themselves or what is further down")
	case len(c.Assigns) > 0 && (own && name != "read" || s.declared[name]):
		s.no(c, "variables for "+name)
	case look != nil:
		look(s, c, words(c.Args[1:]))
	}
}

// path looks at the name of a command that is computed: it has to be a path, so that it
// cannot name what the shell has itself.
func (s *screen) path(w *syntax.Word) {
	parts := w.Parts
	if isPathVariable(w) {
		parts = parts[1:]
	}
	s.argument(&syntax.Word{Parts: parts})
	for _, part := range w.Parts {
		if q, ok := part.(*syntax.DblQuoted); ok {
			parts = append(slices.Clone(parts), q.Parts...)
		}
	}
	if !slices.ContainsFunc(parts, func(part syntax.WordPart) bool {
		lit, ok := part.(*syntax.Lit)
		return ok && strings.Contains(lit.Value, "/")
	}) {
		s.no(w, "command whose name is computed")
	}
}

// isPathVariable reports whether a word is $NAME/rest, as hooks name their scripts.
func isPathVariable(w *syntax.Word) bool {
	if len(w.Parts) < 2 {
		return false
	}
	p, ok := w.Parts[0].(*syntax.ParamExp)
	rest, isLit := w.Parts[1].(*syntax.Lit)
	return ok && isLit && p.Exp == nil && p.Param != nil && syntax.ValidName(p.Param.Value) && !isReserved(p.Param.Value) &&
		!p.Excl && !p.Length && p.Index == nil && p.Slice == nil && p.Repl == nil && strings.HasPrefix(rest.Value, "/")
}

// words returns the arguments, "\x00" in the place of those that are computed.
func words(ws []*syntax.Word) []string {
	args := make([]string, len(ws))
	for i, w := range ws {
		var ok bool
		if args[i], ok = literal(w); !ok {
			args[i] = "\x00"
			if p, isParam := only(w).(*syntax.ParamExp); isParam && p.Param != nil && p.Param.Value == "?" {
				args[i] = "$?"
			}
		}
	}
	return args
}

// only returns the one part of a word, without quotes around it.
func only(w *syntax.Word) syntax.WordPart {
	if len(w.Parts) != 1 {
		return nil
	}
	if q, ok := w.Parts[0].(*syntax.DblQuoted); ok && len(q.Parts) == 1 {
		return q.Parts[0]
	}
	return w.Parts[0]
}

func (s *screen) alone(c *syntax.CallExpr, args []string) {
	if len(args) > 0 {
		s.no(c, "this "+c.Args[0].Lit())
	}
}

func (s *screen) one(c *syntax.CallExpr, args []string) {
	s.bash(c, "cd")
	if len(args) != 1 || strings.HasPrefix(args[0], "-") {
		s.no(c, "this cd")
	}
}

func (s *screen) find(c *syntax.CallExpr, args []string) {
	s.bash(c, "command")
	if len(args) != 2 || args[0] != "-v" || strings.ContainsAny(args[1], "\x00/") {
		s.no(c, "this command")
	}
}

// printf takes formats of text, %s, %% and the usual escapes.
func (s *screen) printf(c *syntax.CallExpr, args []string) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		s.no(c, "this printf")
		return
	}
	rest := strings.NewReplacer("%s", "", "%%", "", `\n`, "", `\t`, "", `\\`, "").Replace(args[0])
	if strings.ContainsAny(rest, "\x00%\\") {
		s.no(c, "this printf")
	}
}

func (s *screen) read(c *syntax.CallExpr, args []string) {
	if len(args) < 2 || args[0] != "-r" {
		s.no(c, "this read")
		return
	}
	for _, name := range args[1:] {
		s.name(c, name)
	}
}

func (s *screen) exit(c *syntax.CallExpr, args []string) {
	name := c.Args[0].Lit()
	if name == "return" && (!s.function || s.apart || len(args) == 0) {
		s.no(c, "this return")
	}
	if len(args) > 1 || len(args) == 1 && args[0] != "$?" && (len(args[0]) > 2 || strings.Trim(args[0], "0123456789") != "" || args[0] == "") {
		s.no(c, "this "+name)
	}
}

func (s *screen) leave(c *syntax.CallExpr, args []string) {
	if !s.loop || len(args) > 0 {
		s.no(c, "this "+c.Args[0].Lit())
	}
}

// set takes the options e, u and pipefail for the whole of a script.
func (s *screen) set(c *syntax.CallExpr, args []string) {
	if len(args) == 0 || s.nested || s.function || s.excused {
		s.no(c, "this set")
	}
	for i := 0; i < len(args); i++ {
		letters, ok := strings.CutPrefix(args[i], "-")
		if !ok || letters == "" || strings.Trim(letters, "euo") != "" {
			s.no(c, "this set")
			return
		}
		if strings.Contains(letters, "u") && (s.lang == Sh || s.line) {
			s.no(c, "set -u here")
		}
		if strings.Contains(letters, "o") {
			s.bash(c, "pipefail")
			if i++; i == len(args) || args[i] != "pipefail" && args[i] != "errexit" {
				s.no(c, "this option of set")
			}
		}
	}
}

func (s *screen) unset(c *syntax.CallExpr, args []string) {
	for _, name := range args {
		if s.name(c, name); s.defined[name] {
			s.no(c, "unset of a function")
		}
	}
}

// test looks at what is in [[ ]].
func (s *screen) test(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		s.value(x)
	case *syntax.ParenTest:
		s.test(x.X)
	case *syntax.UnaryTest:
		switch x.Op {
		case syntax.TsNot, syntax.TsExists, syntax.TsRegFile, syntax.TsDirect, syntax.TsNoEmpty, syntax.TsSmbLink,
			syntax.TsRead, syntax.TsWrite, syntax.TsExec, syntax.TsEmpStr, syntax.TsNempStr:
			s.test(x.X)
		default:
			s.no(x, "the test "+x.Op.String())
		}
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.AndTest, syntax.OrTest:
			s.test(x.X)
			s.test(x.Y)
		case syntax.TsMatchShort, syntax.TsMatch, syntax.TsNoMatch:
			s.test(x.X)
			s.pattern(x.Y.(*syntax.Word))
		default:
			s.no(x, "the test "+x.Op.String())
		}
	}
}
