package builtin

import (
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// pathMark begins the name of a command that was $NAME/rest. The interpreter would split
// it; the mark has its value looked at when it runs.
const pathMark = "\x00path "

// rewrite changes a script where the interpreter would do something else than a
// shell does.
func rewrite(file *syntax.File, functions map[string]bool) {
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			// The interpreter runs the last part of a pipeline in the shell itself.
			if n.Op == syntax.Pipe && !isProgram(n.Y, functions) {
				n.Y = enclose(n.Y)
			}
		case *syntax.CallExpr:
			if len(n.Args) > 0 && isPathVariable(n.Args[0]) {
				markPath(n.Args[0])
			}
		case *syntax.Word:
			measure(n)
		}
		return true
	})
}

// isProgram reports whether a statement is a call that changes nothing in the shell that
// makes it: of a command that is neither the shell's nor a function.
func isProgram(st *syntax.Stmt, functions map[string]bool) bool {
	c, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 || st.Negated {
		return false
	}
	name := c.Args[0].Lit()
	return name != "" && !functions[name] && !interp.IsBuiltin(name)
}

// enclose puts a statement into a subshell.
func enclose(st *syntax.Stmt) *syntax.Stmt {
	return &syntax.Stmt{Position: st.Position, Cmd: &syntax.Subshell{Lparen: st.Position, Stmts: []*syntax.Stmt{st}}}
}

func markPath(w *syntax.Word) {
	at, end := w.Pos(), w.Parts[0].End()
	mark := &syntax.SglQuoted{Left: at, Right: at, Value: pathMark}
	name := &syntax.DblQuoted{Left: at, Right: end, Parts: w.Parts[:1:1]}
	w.Parts = append([]syntax.WordPart{mark, name}, w.Parts[1:]...)
}
