package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word reads one word. An escaped blank counts as intricate.
func (d *dynamics) word(w *syntax.Word) Dynamic {
	if w == nil {
		return 0
	}
	braces := syntax.Word{Parts: w.Parts}
	if syntax.SplitBraces(&braces) && slices.ContainsFunc(braces.Parts, isBraceExp) {
		return DynamicText
	}
	var out Dynamic
	for _, p := range w.Parts {
		out = max(out, d.part(p, len(w.Parts) == 1, false))
	}
	return out
}

// part reads a piece of a word, which is alone or has others beside it within the same quotes.
func (d *dynamics) part(p syntax.WordPart, alone, quoted bool) Dynamic {
	switch p := p.(type) {
	case *syntax.Lit:
		if quoted || !strings.Contains(p.Value, `\ `) {
			return 0
		}
	case *syntax.SglQuoted:
		if !p.Dollar {
			return 0
		}
	case *syntax.DblQuoted:
		var out Dynamic
		for _, in := range p.Parts {
			out = max(out, d.part(in, len(p.Parts) == 1, true))
		}
		if !p.Dollar {
			return out
		}
	case *syntax.ParamExp:
		return d.param(p, alone, quoted)
	case *syntax.CmdSubst:
		in := d.substitution(p)
		switch {
		case !quoted && isText(p):
		case quoted && (!alone || isText(p)):
			return in
		default:
			return max(in, DynamicWords)
		}
	case *syntax.ArithmExp:
		if !quoted && !p.Bracket && constant(p.X) {
			return 0
		}
	}
	return DynamicText
}

// constant reports arithmetic with numbers alone.
func constant(x syntax.ArithmExpr) bool {
	found := false
	syntax.Walk(x, func(n syntax.Node) bool {
		w, ok := n.(*syntax.Word)
		if ok {
			number := plainWord(w)
			found = found || number == "" || strings.Trim(number, "0123456789") != ""
		}
		return !ok
	})
	return !found
}

// ofEnvironment are variables that are nothing unusual within other text, to Claude Code 2.1.332.
var ofEnvironment = strings.Fields("PWD OLDPWD USER LOGNAME SHELL PATH HOSTNAME UID EUID PPID RANDOM SECONDS LINENO TMPDIR BASH_VERSION BASHPID SHLVL IFS ? # $ ! -")

// param reads $name. One that the text sets has to be what it was set to, and one word.
func (d *dynamics) param(p *syntax.ParamExp, alone, quoted bool) Dynamic {
	name := p.Param.Value
	value, set := d.values[name]
	switch {
	case !p.Short:
	case quoted && !alone && slices.Contains(ofEnvironment, name):
		return 0
	case set && value != nil && (quoted || !several(value.Text)):
		return 0
	case set:
	case name == "HOME":
		return 0
	case alone && !quoted:
		return DynamicWords
	}
	return DynamicText
}

// several reports a text that may not be one word where it isn't quoted.
func several(text string) bool { return text == "" || strings.ContainsAny(text, " \t\n*?[") }
