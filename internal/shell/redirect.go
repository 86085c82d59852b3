package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirects reads the redirections of a statement.
func (a *analysis) redirects(list []*syntax.Redirect) []Redirect {
	var out []Redirect
	for _, r := range list {
		if r.N != nil && strings.HasPrefix(r.N.Value, "{") {
			a.sets(strings.Trim(r.N.Value, "{}"), r) // the number of the descriptor
		}
		one := Redirect{Op: r.Op.String(), Path: a.word(r.Word)}
		if r.N != nil {
			one.N = r.N.Value
		}
		switch r.Op {
		case syntax.RdrIn:
			one.Read = true
		case syntax.RdrInOut:
			one.Read, one.Write = true, true
		case syntax.DplIn:
			one.Read = !isFd(one.Path)
		case syntax.DplOut:
			one.Write = !isFd(one.Path)
		case syntax.Hdoc, syntax.DashHdoc:
			one.Here = true
			one.Path = a.heredoc(r)
		case syntax.WordHdoc:
			one.Here = true
		default:
			one.Write = true
		}
		out = append(out, one)
	}
	return out
}

// heredoc returns the text of a here-document as one word.
func (a *analysis) heredoc(r *syntax.Redirect) Word {
	if r.Hdoc == nil {
		return Word{Literal: true}
	}
	plain := a.word(r.Word).Quoted // <<'EOF': nothing in the text is expanded
	b := wordBuilder{quoted: true}
	for _, part := range r.Hdoc.Parts {
		lit, ok := part.(*syntax.Lit)
		switch {
		case !ok:
			b.unknown()
		case plain:
			b.lit(lit.Value)
		default:
			b.lit(inDouble(lit.Value))
		}
	}
	return b.word(a.source(r.Hdoc))
}

// isFd reports whether the word after >& or <& names a file descriptor.
func isFd(w Word) bool {
	if !w.Literal || w.Text == "" {
		return false
	}
	digits := strings.TrimSuffix(w.Text, "-")
	return strings.Trim(digits, "0123456789") == ""
}
