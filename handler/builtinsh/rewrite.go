package builtinsh

import (
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// rewrite changes a script where the interpreter would do something else than a
// shell does.
func rewrite(file *syntax.File, lang Lang, errexit bool, functions map[string]*syntax.FuncDecl) {
	appended := map[*syntax.Word]bool{}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			// The interpreter runs the last part of a pipeline in the shell itself.
			if (n.Op == syntax.Pipe || n.Op == syntax.PipeAll) && !isTool(n.Y, functions) {
				n.Y = enclose(n.Y)
			}
		case *syntax.CallExpr:
			countShift(n)
		case *syntax.Word:
			if !appended[n] {
				measure(n, "")
			}
		case *syntax.Assign:
			protect(n.Value)
			if n.Append && n.Name != nil && n.Value != nil {
				appended[n.Value] = true
				measure(n.Value, n.Name.Value)
			}
		case *syntax.Redirect:
			protect(n.Word)
		case *syntax.CaseClause:
			protect(n.Word)
		case *syntax.CmdSubst:
			// In bash, set -e does not reach into a substitution.
			if lang == Bash && errexit && len(n.Stmts) > 0 && n.Stmts[0].Cmd != nil {
				n.Stmts = append([]*syntax.Stmt{plusE(n.Stmts[0].Position)}, n.Stmts...)
			}
		}
		return true
	})
}

// isTool reports whether a statement is a call that changes nothing in the shell that
// makes it: of a command that is neither the shell's nor a function.
func isTool(st *syntax.Stmt, functions map[string]*syntax.FuncDecl) bool {
	c, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 || st.Negated {
		return false
	}
	name := c.Args[0].Lit()
	return functions[name] == nil && (inProcess(name) || name == "sed" || name == "awk" || name == "sort" || name == "tee" || name == "uniq")
}

// enclose puts a statement into a subshell.
func enclose(st *syntax.Stmt) *syntax.Stmt {
	return &syntax.Stmt{Position: st.Position, Cmd: &syntax.Subshell{Lparen: st.Position, Stmts: []*syntax.Stmt{st}}}
}

// plusE is the statement "set +e".
func plusE(at syntax.Pos) *syntax.Stmt {
	word := func(s string) *syntax.Word {
		return &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{ValuePos: at, ValueEnd: at, Value: s}}}
	}
	return &syntax.Stmt{Position: at, Cmd: &syntax.CallExpr{Args: []*syntax.Word{word("set"), word("+e")}}}
}

// protect turns backslashes outside quotes into quotes: the interpreter leaves them in
// words that are not split.
func protect(w *syntax.Word) {
	if w == nil {
		return
	}
	var parts []syntax.WordPart
	for _, part := range w.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok || !strings.Contains(lit.Value, `\`) {
			parts = append(parts, part)
			continue
		}
		for rest := lit.Value; rest != ""; {
			before, after, found := strings.Cut(rest, `\`)
			if before != "" {
				parts = append(parts, &syntax.Lit{ValuePos: lit.ValuePos, ValueEnd: lit.ValueEnd, Value: before})
			}
			if !found {
				break
			}
			if after == "" {
				parts = append(parts, &syntax.SglQuoted{Left: lit.ValuePos, Right: lit.ValueEnd, Value: `\`})
			} else if after[0] != '\n' {
				_, n := utf8.DecodeRuneInString(after)
				parts = append(parts, &syntax.SglQuoted{Left: lit.ValuePos, Right: lit.ValueEnd, Value: after[:n]})
				after = after[n:]
			} else {
				after = after[1:]
			}
			rest = after
		}
	}
	w.Parts = parts
}
