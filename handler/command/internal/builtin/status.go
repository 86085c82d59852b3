package builtin

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// What is here asks where the status of a command, or the end of a script, is another in
// the interpreter than in a shell.

// plain reports whether a statement is one command or a pipeline of such, none of them
// a function.
func (s *screen) plain(st *syntax.Stmt) bool {
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		return len(c.Args) == 0 || !s.declared[c.Args[0].Lit()]
	case *syntax.BinaryCmd:
		return c.Op == syntax.Pipe && s.plain(c.X) && s.plain(c.Y)
	case *syntax.TestClause:
		return true
	}
	return false
}

// ends reports whether a command may end the script, a function or a loop.
func (s *screen) ends(st *syntax.Stmt) bool {
	c, ok := st.Cmd.(*syntax.CallExpr)
	if !ok {
		return s.nounset && !isPipe(st)
	}
	return s.mayBeUnset(c) || len(c.Args) > 0 && slices.Contains([]string{"exit", "return", "break", "continue"}, c.Args[0].Lit())
}

// mayBeUnset reports whether there is a variable whose absence ends the script.
func (s *screen) mayBeUnset(n syntax.Node) (found bool) {
	syntax.Walk(n, func(n syntax.Node) bool {
		p, ok := n.(*syntax.ParamExp)
		found = found || s.nounset && ok && p.Exp == nil && p.Param != nil && p.Param.Value != "?" && p.Param.Value != "#"
		return !found
	})
	return found
}

// first refuses a list that begins by asking for the status of what a word ran.
func (s *screen) first(w *syntax.Word, list []*syntax.Stmt) {
	if runs(w) && len(list) > 0 && mentionsStatus(list[0]) {
		s.no(w, "status of a substitution")
	}
}

// runs reports whether there is a command in a part of a command.
func runs(n syntax.Node) (found bool) {
	syntax.Walk(n, func(n syntax.Node) bool {
		_, ok := n.(*syntax.CmdSubst)
		found = found || ok
		return !found
	})
	return found
}

// computes reports whether the arguments of a command run commands or may end the script.
func (s *screen) computes(c *syntax.CallExpr) bool { return s.mayBeUnset(c) || runs(c) }

func isPipe(st *syntax.Stmt) bool {
	b, ok := st.Cmd.(*syntax.BinaryCmd)
	return ok && b.Op == syntax.Pipe
}

// leaves reports whether a statement may go to the end or the start of a loop.
func leaves(st *syntax.Stmt) (found bool) {
	if c, ok := st.Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 {
		return c.Args[0].Lit() == "break" || c.Args[0].Lit() == "continue"
	}
	syntax.Walk(st, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.WhileClause, *syntax.ForClause, *syntax.FuncDecl:
			return false
		case *syntax.CallExpr:
			found = found || len(n.Args) > 0 && (n.Args[0].Lit() == "break" || n.Args[0].Lit() == "continue")
		}
		return !found
	})
	return found
}

func isAndOr(st *syntax.Stmt) bool {
	b, ok := st.Cmd.(*syntax.BinaryCmd)
	return ok && b.Op != syntax.Pipe && b.Op != syntax.PipeAll
}

// endsInWhile reports whether the status of a statement is that of a while loop, which
// is always 0 in the interpreter.
func endsInWhile(st *syntax.Stmt) bool {
	switch c := st.Cmd.(type) {
	case *syntax.WhileClause:
		return true
	case *syntax.BinaryCmd:
		return c.Op == syntax.Pipe && endsInWhile(c.Y)
	}
	return false
}

// mentionsStatus reports whether a statement has $?, or an exit with that status.
func mentionsStatus(st *syntax.Stmt) (found bool) {
	syntax.Walk(st, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			found = found || n.Param != nil && n.Param.Value == "?"
		case *syntax.CallExpr:
			found = found || len(n.Args) == 1 && n.Args[0].Lit() == "exit"
		}
		return !found
	})
	return found
}
