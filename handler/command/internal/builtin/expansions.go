package builtin

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

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
