package builtinsh

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// What is here has an error that ends a script in a real shell and does not in the
// interpreter.

// inFunction reports whether a node is in the body of a function. Nodes are visited in
// the order of the script.
func (s *screen) inFunction(n syntax.Node) bool { return n.Pos().Offset() < s.within }

// separate notes what runs in a shell of its own: the interpreter knows no function
// there to return from.
func (s *screen) separate(n syntax.Node) { s.apart = max(s.apart, n.End().Offset()) }

// special refuses in sh redirections of special builtins, whose failure ends a script.
func (s *screen) special(st *syntax.Stmt) {
	name := ""
	switch cmd := st.Cmd.(type) {
	case *syntax.CallExpr:
		if len(cmd.Args) > 0 {
			name, _ = literal(cmd.Args[0])
		}
	case *syntax.DeclClause:
		name = cmd.Variant.Value
	}
	if !slices.Contains([]string{":", "exec", "exit", "export", "return", "set", "shift", "trap", "unset", "break", "continue"}, name) {
		return
	}
	for _, r := range st.Redirs {
		if r.Op == syntax.DplOut || r.Hdoc != nil || r.Word == nil {
			continue
		}
		if to := r.Word.Lit(); to != "/dev/null" && to != "/dev/stdout" && to != "/dev/stderr" {
			s.bash(st, "redirection of "+name)
		}
	}
}

// division refuses divisors that may be zero.
func (s *screen) division(n *syntax.BinaryArithm) {
	switch n.Op {
	case syntax.Quo, syntax.Rem, syntax.QuoAssgn, syntax.RemAssgn:
		w, ok := n.Y.(*syntax.Word)
		if !ok || !nonZero(w.Lit()) {
			s.no(n, "division by what may be zero")
		}
	}
}

// nonZero reports whether a number is written out and not zero.
func nonZero(digits string) bool {
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return digits != "" && digits[0] != '0'
}

// name refuses to assign to what is readonly in bash or in the interpreter.
func (s *screen) name(n syntax.Node, name string) {
	switch name {
	case "UID", "EUID", "GID", "PPID":
		s.no(n, "assignment to "+name)
	}
}
