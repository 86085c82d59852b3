package shell

import (
	"maps"

	"mvdan.cc/sh/v3/syntax"
)

// values returns the words that a variable may stand for at a place, nil when that
// isn't known.
func (a *analysis) values(p *syntax.ParamExp) []Word {
	name := simpleName(p)
	if name == "" || a.vars == nil {
		return nil
	}
	s := a.vars.at(name, p.Pos().Offset())
	if s == nil {
		return nil
	}
	if !s.read { // its words stand before the stretch, so that this ends
		s.read = true
		for _, w := range s.words {
			for _, with := range a.bindings(w) {
				s.values = append(s.values, a.bound(w, with))
			}
			if len(s.values) > maxCopies {
				s.values = nil
				break
			}
		}
	}
	return s.values
}

// simpleName returns the variable of an expansion that is nothing but its value.
func simpleName(p *syntax.ParamExp) string {
	if p.Param == nil || p.Excl || p.Length || p.Width || p.IsSet || p.Index != nil || p.Slice != nil || p.Repl != nil || p.Exp != nil || p.Names != 0 {
		return ""
	}
	if !nameText.MatchString(p.Param.Value) {
		return ""
	}
	return p.Param.Value
}

// binding says what the variables of a command stand for.
type binding map[string]Word

// bindings lists what the variables below some nodes may stand for together: one
// binding for every combination, and a single one without variables where none is
// known. A variable with more values than can be listed stays unknown.
func (a *analysis) bindings(nodes ...syntax.Node) []binding {
	out := []binding{nil}
	seen := map[string]bool{}
	visit := func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithmExp:
			return false // what they hold is listed on its own
		case *syntax.ParamExp:
			if name := simpleName(n); name != "" && !seen[name] {
				seen[name] = true
				out = combined(out, name, a.values(n))
			}
		}
		return true
	}
	for _, n := range nodes {
		syntax.Walk(n, visit)
	}
	return out
}

// combined adds a variable with its values to every binding.
func combined(list []binding, name string, values []Word) []binding {
	if len(values) == 0 || len(values)*len(list) > maxCopies {
		return list
	}
	out := make([]binding, 0, len(values)*len(list))
	for _, b := range list {
		for _, w := range values {
			with := binding{name: w}
			maps.Copy(with, b)
			out = append(out, with)
		}
	}
	return out
}

// bound reads a word with the variables of a binding.
func (a *analysis) bound(w *syntax.Word, with binding) Word {
	old := a.with
	a.with = with
	defer func() { a.with = old }()
	return a.word(w)
}
