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

// literal returns the text of a word that is written out, quotes removed.
func literal(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, part := range w.Parts {
		parts := []syntax.WordPart{part}
		if q, ok := part.(*syntax.DblQuoted); ok {
			parts = q.Parts
		}
		for _, part := range parts {
			switch part := part.(type) {
			case *syntax.Lit:
				if strings.Contains(part.Value, `\`) {
					return "", false
				}
				b.WriteString(part.Value)
			case *syntax.SglQuoted:
				b.WriteString(part.Value)
			default:
				return "", false
			}
		}
	}
	return b.String(), true
}

// argument looks at a word that a shell splits and takes for a pattern of file names:
// what does either is refused.
func (s *screen) argument(w *syntax.Word) {
	for i, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text := part.Value
			if i == 0 && strings.HasPrefix(text, "~/") {
				text = text[1:]
			}
			if text != "[" && strings.ContainsAny(text, `*?[]{~\`) && text != "]" {
				s.no(w, "pattern, brace, ~ or backslash outside quotes")
			}
		case *syntax.ParamExp:
			if p := part.Param; p == nil || p.Value != "?" && p.Value != "#" {
				s.no(w, "expansion outside quotes")
			}
			s.param(part)
		case *syntax.CmdSubst:
			s.no(w, "expansion outside quotes")
		default:
			s.part(part)
		}
	}
}

// value looks at a word that a shell does not split.
func (s *screen) value(w *syntax.Word) {
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok && strings.ContainsAny(lit.Value, `~\`) {
			s.no(w, "~ or backslash outside quotes")
		}
		s.part(part)
	}
}

// pattern looks at what a value is compared with. What counts characters, which are
// bytes in dash and some locales, is refused.
func (s *screen) pattern(w *syntax.Word) {
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(part.Value, `?[~`) || strings.Contains(part.Value, `\\`) {
				s.no(w, "pattern with more than *")
			}
		case *syntax.ParamExp, *syntax.CmdSubst:
			s.no(w, "pattern that is computed")
		default:
			s.part(part)
		}
	}
}

// part looks at a part of a word.
func (s *screen) part(part syntax.WordPart) {
	switch part := part.(type) {
	case *syntax.Lit:
	case *syntax.SglQuoted:
		if part.Dollar {
			s.no(part, "$'...'")
		}
	case *syntax.DblQuoted:
		if part.Dollar {
			s.no(part, `$"..."`)
		}
		s.quoted(part.Parts)
	case *syntax.ParamExp:
		s.param(part)
	case *syntax.CmdSubst:
		s.substitution(part)
	case *syntax.ArithmExp:
		s.no(part, "arithmetic")
	default:
		s.no(part, "this expansion")
	}
}

func (s *screen) quoted(parts []syntax.WordPart) {
	for _, part := range parts {
		s.part(part)
	}
}

func (s *screen) substitution(c *syntax.CmdSubst) {
	if c.Backquotes || c.TempFile || c.ReplyVar || len(c.Stmts) == 0 || c.Stmts[0].Cmd == nil {
		s.no(c, "this substitution")
		return
	}
	if s.errexit && (len(c.Stmts) != 1 || !s.plain(c.Stmts[0])) {
		s.no(c, "substitution of such commands under set -e") // bash leaves -e out there
	}
	s.within(c.Stmts, separate)
}

func (s *screen) param(p *syntax.ParamExp) {
	if p.Param == nil {
		s.no(p, "this expansion")
		return
	}
	name := p.Param.Value
	source := name == "BASH_SOURCE" && s.lang == Bash && !s.line
	if p.Index != nil {
		w, ok := p.Index.(*syntax.Word)
		source = source && ok && w.Lit() == "0"
	}
	switch {
	case source:
	case p.Index != nil, p.Excl, p.Length, p.Width, p.IsSet, p.NestedParam != nil, p.Flags != nil, p.Slice != nil, p.Repl != nil, p.Names != 0:
		s.no(p, "this expansion")
	case name == "0" && s.line:
		s.no(p, "$0")
	case slices.Contains([]string{"@", "*", "#", "?"}, name):
		if p.Exp != nil {
			s.no(p, "this expansion")
		}
	case name == "PWD" || len(name) == 1 && '0' <= name[0] && name[0] <= '9':
	case isReserved(name) || !syntax.ValidName(name):
		s.no(p, "$"+name)
	}
	if p.Exp != nil {
		s.expansion(p)
	}
}

func (s *screen) expansion(p *syntax.ParamExp) {
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if p.Exp.Word == nil {
			return
		}
		for _, part := range p.Exp.Word.Parts {
			switch part := part.(type) {
			case *syntax.Lit:
				if strings.ContainsAny(part.Value, `\'~*?[{`) {
					s.no(p, "this expansion")
				}
			case *syntax.ParamExp:
				s.param(part)
			default:
				s.no(p, "this expansion")
			}
		}
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		if p.Exp.Word != nil {
			s.pattern(p.Exp.Word)
		}
	default:
		s.no(p, "this expansion")
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
