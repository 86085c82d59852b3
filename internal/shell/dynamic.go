package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Dynamic is how much of a text only its run shows, as Claude Code sees it.
type Dynamic uint8

// The degrees. What is neither has all its words in the text, but for the home directory and
// variables that the text itself sets once.
const (
	// DynamicWords is one simple command with a word that is a variable or a substitution.
	DynamicWords Dynamic = iota + 1
	// DynamicText is what is more intricate: unset variables within other text, forms such
	// as ${X:-y}, {a,b} or $'x', case, functions and blocks, computed files, and most
	// here-documents that are expanded.
	DynamicText
)

// dynamics finds out how much of a text is dynamic.
type dynamics struct {
	text string
	// values are the variables that the text sets; nil is for one that is set twice or to
	// what isn't known.
	values map[string]*Word
}

func dynamic(file *syntax.File, text string) Dynamic {
	d := &dynamics{text: text, values: map[string]*Word{}}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			for _, as := range n.Assigns {
				d.set(as, len(n.Args) == 0)
			}
			if len(n.Args) > 0 && plainWord(n.Args[0]) == "read" {
				for _, w := range n.Args[1:] {
					d.values[plainWord(w)] = nil
				}
			}
		case *syntax.DeclClause:
			for _, as := range n.Args {
				d.set(as, true)
			}
		case *syntax.WordIter:
			d.values[n.Name.Value] = nil
		}
		return true
	})
	return d.stmts(file.Stmts, within{several: !oneCommand(file.Stmts)})
}

func oneCommand(list []*syntax.Stmt) bool {
	if len(list) != 1 || list[0].Negated {
		return false
	}
	_, ok := list[0].Cmd.(*syntax.CallExpr)
	return ok
}

// set notes what a variable is set to.
func (d *dynamics) set(as *syntax.Assign, statement bool) {
	if as.Name == nil {
		return
	}
	name := as.Name.Value
	_, again := d.values[name]
	d.values[name] = nil
	if again || !statement || as.Append || as.Array != nil || as.Index != nil {
		return
	}
	if as.Value != nil && holds(as.Value, func(*syntax.CmdSubst) bool { return true }) || d.word(as.Value) != 0 {
		return
	}
	w := (&analysis{text: d.text}).word(as.Value)
	d.values[name] = &w
}

// within is what a command stands in: among several, in a substitution.
type within struct{ several, substitution bool }

func (d *dynamics) stmts(list []*syntax.Stmt, in within) Dynamic {
	var out Dynamic
	for _, st := range list {
		out = max(out, d.stmt(st, in))
	}
	return out
}

func (d *dynamics) stmt(st *syntax.Stmt, in within) Dynamic {
	if st == nil {
		return 0
	}
	var out Dynamic
	for _, r := range st.Redirs {
		out = max(out, d.redirect(r, in))
	}
	switch st.Cmd.(type) {
	case *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause, *syntax.Subshell:
		if len(st.Redirs) > 0 {
			return DynamicText
		}
	}
	return max(out, d.command(st.Cmd, in))
}

func (d *dynamics) command(cmd syntax.Command, in within) Dynamic {
	switch c := cmd.(type) {
	case nil:
		return 0
	case *syntax.CallExpr:
		return d.call(c, in)
	case *syntax.DeclClause:
		return d.declares(c)
	case *syntax.BinaryCmd:
		return max(d.stmt(c.X, in), d.stmt(c.Y, in))
	case *syntax.TimeClause:
		return d.stmt(c.Stmt, in)
	case *syntax.CoprocClause:
		return d.stmt(c.Stmt, in)
	case *syntax.LetClause:
		return 0
	case *syntax.TestClause:
		return d.tests(c)
	case *syntax.Subshell:
		if len(c.Stmts) == 1 {
			return d.stmts(c.Stmts, in)
		}
	case *syntax.WhileClause:
		return max(d.stmts(c.Cond, in), d.stmts(c.Do, in))
	case *syntax.IfClause:
		var out Dynamic
		for ; c != nil; c = c.Else {
			out = max(out, d.stmts(c.Cond, in), d.stmts(c.Then, in))
		}
		return out
	case *syntax.ForClause:
		iter, ok := c.Loop.(*syntax.WordIter)
		if !ok || c.Select {
			return DynamicText
		}
		out := d.stmts(c.Do, in)
		for _, w := range iter.Items {
			out = max(out, d.value(w))
		}
		return out
	}
	return DynamicText
}

// rereads are commands that read their words once more; the list is that of Claude Code 2.1.332.
var rereads = []string{"[", "printf", "read", "sudo", "test", "unset", "wait"}

func (d *dynamics) call(c *syntax.CallExpr, in within) Dynamic {
	if len(c.Args) == 0 && len(c.Assigns) > 1 {
		return DynamicText
	}
	var out Dynamic
	for _, w := range c.Args {
		out = max(out, d.word(w))
	}
	if out == DynamicWords && (in.several || slices.Contains(rereads, plainWord(c.Args[0]))) {
		return DynamicText
	}
	for _, as := range c.Assigns {
		out = max(out, d.assign(as))
	}
	return out
}

// declares reads export, declare and the like.
func (d *dynamics) declares(c *syntax.DeclClause) Dynamic {
	var out Dynamic
	for _, as := range c.Args {
		if as.Name == nil && c.Variant.Value != "export" && strings.Trim(plainWord(as.Value), "-prx") != "" {
			return DynamicText // options by which a value is read as something else
		}
		out = max(out, d.assign(as))
	}
	return out
}

func (d *dynamics) assign(as *syntax.Assign) Dynamic {
	if as.Array != nil || as.Index != nil {
		return DynamicText
	}
	return d.value(as.Value)
}

// value reads what a variable is set to: a text, or a substitution and nothing else.
func (d *dynamics) value(w *syntax.Word) Dynamic {
	if w == nil {
		return 0
	}
	known := false
	if s, ok := w.Parts[0].(*syntax.CmdSubst); ok && len(w.Parts) == 1 {
		known = d.substitution(s) == 0
	} else {
		known = !holds(w, func(s *syntax.CmdSubst) bool { return !isText(s) }) && d.word(w) == 0
	}
	if !known {
		return DynamicText
	}
	return 0
}

// holds reports a piece of a word, not one within the other.
func holds[T syntax.WordPart](w *syntax.Word, is func(T) bool) bool {
	found := false
	syntax.Walk(w, func(n syntax.Node) bool {
		p, ok := n.(T)
		found = found || ok && is(p)
		return !ok
	})
	return found
}

// tests reads [[ ]].
func (d *dynamics) tests(c *syntax.TestClause) Dynamic {
	var out Dynamic
	syntax.Walk(c, func(n syntax.Node) bool {
		w, ok := n.(*syntax.Word)
		if ok && d.word(w) != 0 {
			out = DynamicText
		}
		return !ok
	})
	return out
}

// redirect reads a redirection. A here-document has to be the last on its line.
func (d *dynamics) redirect(r *syntax.Redirect, in within) Dynamic {
	switch r.Op {
	case syntax.DashHdoc, syntax.RdrInOut:
		return DynamicText
	case syntax.Hdoc:
		rest, _, _ := strings.Cut(d.text[min(int(r.Word.End().Offset()), len(d.text)):], "\n")
		if in.substitution || !isQuoted(r.Word) || strings.TrimSpace(rest) != "" {
			return DynamicText
		}
	}
	if d.word(r.Word) != 0 || holds(r.Word, func(p *syntax.ParamExp) bool { return p.Param.Value != "HOME" }) {
		return DynamicText
	}
	return 0
}

func isQuoted(w *syntax.Word) bool { return (&analysis{}).word(w).Quoted }

// substitution reads the commands of one.
func (d *dynamics) substitution(s *syntax.CmdSubst) Dynamic {
	if isText(s) {
		return 0
	}
	return d.stmts(s.Stmts, within{substitution: true})
}

// isText reports a substitution that is no more than a text: $(cat <<'EOF' ...).
func isText(s *syntax.CmdSubst) bool {
	if len(s.Stmts) != 1 || len(s.Stmts[0].Redirs) != 1 {
		return false
	}
	call, ok := s.Stmts[0].Cmd.(*syntax.CallExpr)
	r := s.Stmts[0].Redirs[0]
	return ok && len(call.Assigns) == 0 && len(call.Args) == 1 && plainWord(call.Args[0]) == "cat" && r.Op == syntax.Hdoc && isQuoted(r.Word)
}
