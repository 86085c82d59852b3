package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// arithmetic notes what an arithmetic expression reads and assigns.
func (a *analysis) arithmetic(x syntax.ArithmExpr) {
	if x == nil {
		return
	}
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryArithm:
			if assigns(n.Op) {
				a.changed(n.X)
			}
		case *syntax.UnaryArithm:
			if n.Op == syntax.Inc || n.Op == syntax.Dec {
				a.changed(n.X)
			}
		case *syntax.Word:
			a.readAsNumber(n.Parts)
			return false
		}
		return true
	})
}

// arithmeticName returns the variable that an arithmetic expression names, "" when it
// is none.
func arithmeticName(x syntax.ArithmExpr) string {
	if w, ok := x.(*syntax.Word); ok && len(w.Parts) == 1 {
		switch p := w.Parts[0].(type) {
		case *syntax.Lit:
			return p.Value
		case *syntax.ParamExp:
			if p.Param != nil && !p.Dollar.IsValid() {
				return p.Param.Value
			}
		}
	}
	return ""
}

func assigns(op syntax.BinAritOperator) bool {
	switch op {
	case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn, syntax.AndAssgn,
		syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn:
		return true
	}
	return false
}

// changed adds the assignment that an arithmetic expression makes. Its value is a
// number.
func (a *analysis) changed(x syntax.ArithmExpr) {
	a.sets(arithmeticName(x), x)
}

// sets adds an assignment that no command spells out; "" is a name that isn't
// known.
func (a *analysis) sets(name string, n syntax.Node) {
	a.add(Command{Env: []Assign{{Name: name, Value: Word{Parts: []Part{{Unknown: true}}}}}, Source: a.source(n), Line: int(n.Pos().Line())})
}

// readAsNumber notes what is read when the parts of a word are arithmetic.
func (a *analysis) readAsNumber(parts []syntax.WordPart) {
	text := func(s string) {
		switch {
		case numberText.Get().MatchString(s), s == "@", s == "*":
		case nameText.Get().MatchString(s):
			a.reuse.number[s] = true
		default:
			if base, digits, ok := strings.Cut(s, "#"); !ok || base == "" || strings.Trim(base, "0123456789") != "" || !plainText.Get().MatchString(digits) {
				a.reuse.doubt = true
			}
		}
	}
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			text(p.Value)
		case *syntax.SglQuoted:
			text(p.Value)
		case *syntax.DblQuoted:
			a.readAsNumber(p.Parts)
		case *syntax.ArithmExp:
		case *syntax.ParamExp:
			a.paramAsNumber(p)
		case *syntax.CmdSubst:
			a.reuse.doubt = true
		default:
			a.reuse.doubt = true
		}
	}
}

func (a *analysis) paramAsNumber(p *syntax.ParamExp) {
	switch {
	case p.Length, p.Param != nil && strings.Contains("#?$!", p.Param.Value):
	case p.Param == nil || p.Excl:
		a.reuse.doubt = true
	default:
		a.reuse.number[p.Param.Value] = true
		for _, w := range paramWords(p) {
			if n, _ := a.kind(w.Parts); !n {
				a.reuse.doubt = true
			}
		}
	}
}

// paramWords lists the words that an expansion may give instead of the value.
func paramWords(p *syntax.ParamExp) (out []*syntax.Word) {
	if p.Repl != nil && p.Repl.With != nil {
		out = append(out, p.Repl.With)
	}
	if p.Exp == nil || p.Exp.Word == nil {
		return out
	}
	switch p.Exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		out = append(out, p.Exp.Word)
	}
	return out
}

// readAsText notes what is read when the parts of a word are a name or operators.
func (a *analysis) readAsText(parts []syntax.WordPart) {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.DblQuoted:
			a.readAsText(p.Parts)
		case *syntax.ParamExp:
			if p.Param != nil && !p.Length && !strings.Contains("#?$!", p.Param.Value) {
				a.reuse.text[p.Param.Value] = true
			}
		case *syntax.CmdSubst:
			a.reuse.doubt = true
		}
	}
}

// isVariable notes what test -v reads.
func (a *analysis) isVariable(w *syntax.Word) {
	a.readAsText(w.Parts)
	text := a.source(w) // a subscript looks like a pattern
	if word := a.word(w); word.Literal {
		text = word.Text
	} else if !strings.Contains(text, "[") {
		return // a name that is computed
	}
	if !indexText.Get().MatchString(text) {
		a.reuse.doubt = true
	}
}

// testWords notes what the words of test and [ read once more. A word that isn't
// quoted may become several words, and any of them an operator.
func (a *analysis) testWords(nodes []*syntax.Word, words []Word) {
	for i, w := range nodes {
		if words[i].Literal {
			if (words[i].Text == "-v" || words[i].Text == "-R") && i+1 < len(nodes) {
				a.isVariable(nodes[i+1])
			}
			continue
		}
		if words[i].Glob {
			ok, err := path.Match(words[i].Text, "-v")
			a.reuse.doubt = a.reuse.doubt || ok || err != nil
			continue
		}
		if i+1 < len(nodes) && !words[i+1].Literal {
			a.readAsText(w.Parts) // no operator in between: it may be one itself
			a.readAsText(nodes[i+1].Parts)
		}
		for _, part := range w.Parts {
			if _, quoted := part.(*syntax.DblQuoted); !quoted {
				a.readAsText([]syntax.WordPart{part})
			}
		}
	}
}

// testClause notes what [[ ]] reads once more.
func (a *analysis) testClause(x syntax.TestExpr) {
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryTest:
			if n.Op >= syntax.TsEql && n.Op <= syntax.TsGtr {
				for _, side := range []syntax.TestExpr{n.X, n.Y} {
					if w, ok := side.(*syntax.Word); ok {
						a.readAsNumber(w.Parts)
					}
				}
			}
		case *syntax.UnaryTest:
			if w, ok := n.X.(*syntax.Word); ok && (n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar) {
				a.isVariable(w)
			}
		case *syntax.Word:
			return false
		}
		return true
	})
}

// readers are commands that give variables what they read.
var readers = []string{"read", "mapfile", "readarray", "getopts"}

// call notes what a simple command does with variables.
func (a *analysis) call(cmd *syntax.CallExpr, c *Command) {
	name := c.Name()
	starts := wrappers[name].wrap != NoWrap
	for i, w := range c.Args {
		if i > 0 && !starts {
			break
		}
		if w.Is("test") || w.Is("[") {
			a.testWords(cmd.Args[i+1:], c.Args[i+1:])
			break
		}
	}
	if slices.Contains(readers, name) || name == "printf" && len(c.Args) > 1 {
		for _, w := range c.Args[1:] {
			if w.Literal && nameText.Get().MatchString(w.Text) {
				a.assigned(w.Text, nil)
			}
		}
	}
}
