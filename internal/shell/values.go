package shell

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Limits of following variables. What is beyond them counts as computed.
const (
	maxScopes = 512 // stretches of one text in which variables are known, and here-documents
	maxSets   = 32  // places that give one variable a value
	maxCopies = 32  // times that one command is listed, for the values of its variables
)

// values knows which variables have known values where. A variable is known in the
// body of a loop over words that are known, and behind a plain assignment that always
// runs, as long as nothing in between can give it another value. Places are offsets
// in the text; variables are not followed into here-documents, whose text stands
// elsewhere than where it is expanded.
type values struct {
	scopes  map[string][]*scope
	sets    map[string][]uint // where variables are given a value
	hdocs   []stretch
	forRead map[*syntax.Assign]bool // IFS= read: it holds for that command only
	count   int
	funcs   bool
	doubt   bool // something may set any variable
}

// stretch is a part of the text.
type stretch struct{ from, to uint }

func (s stretch) has(at uint) bool { return s.from <= at && at < s.to }

// scope is where a variable has the value of one of some words.
type scope struct {
	stretch
	words []*syntax.Word

	read   bool
	values []Word // what the words are, once they were read
}

// findValues reads a text for what it gives its variables.
func findValues(file *syntax.File) *values {
	v := &values{scopes: map[string][]*scope{}, sets: map[string][]uint{}, forRead: map[*syntax.Assign]bool{}}
	syntax.Walk(file, func(n syntax.Node) bool {
		v.note(n)
		return !v.doubt
	})
	return v
}

// note notes what one node sets.
func (v *values) note(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.File:
		v.list(n.Stmts)
	case *syntax.Block:
		v.list(n.Stmts)
	case *syntax.Subshell:
		v.list(n.Stmts)
	case *syntax.CmdSubst:
		v.list(n.Stmts)
	case *syntax.ProcSubst:
		v.list(n.Stmts)
	case *syntax.IfClause:
		v.list(n.Then)
	case *syntax.WhileClause:
		v.list(n.Do)
	case *syntax.CaseItem:
		v.list(n.Stmts)
	case *syntax.ForClause:
		v.list(n.Do)
		v.loop(n)
	case *syntax.FuncDecl:
		v.funcs = true
	case *syntax.CoprocClause, *syntax.LetClause:
		v.doubt = true
	case *syntax.Assign:
		if n.Name != nil && !v.forRead[n] {
			v.set(n.Name.Value, n.Pos())
		}
	case *syntax.Redirect:
		if n.Hdoc != nil {
			v.hdocs = append(v.hdocs, stretch{n.Hdoc.Pos().Offset(), n.Hdoc.End().Offset()})
		}
		if n.N != nil && strings.HasPrefix(n.N.Value, "{") {
			v.set(strings.Trim(n.N.Value, "{}"), n.Pos())
		}
	case *syntax.ParamExp:
		if n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
			v.doubt = v.doubt || n.Excl || n.Param == nil
			if n.Param != nil {
				v.set(n.Param.Value, n.Pos())
			}
		}
	case *syntax.BinaryArithm:
		if assigns(n.Op) {
			v.set(arithmeticName(n.X), n.Pos())
		}
	case *syntax.UnaryArithm:
		if n.Op == syntax.Inc || n.Op == syntax.Dec {
			v.set(arithmeticName(n.X), n.Pos())
		}
	case *syntax.DeclClause:
		// Other attributes and other scopes than those of a plain export change what
		// an assignment means.
		v.doubt = v.doubt || n.Variant.Value != "export" && n.Variant.Value != "local" ||
			slices.ContainsFunc(n.Args, func(as *syntax.Assign) bool { return as.Name == nil })
	case *syntax.CallExpr:
		v.call(n)
	}
}

// set notes that a variable is given a value; "" is one that isn't known.
func (v *values) set(name string, at syntax.Pos) {
	if name == "" {
		v.doubt = true
	}
	if len(v.sets[name]) <= maxSets {
		v.sets[name] = append(v.sets[name], at.Offset())
	}
}

// list notes the plain assignments of a list of statements. They hold up to the end of
// the list; the first command of a list joined by && and || always runs.
func (v *values) list(stmts []*syntax.Stmt) {
	for _, st := range stmts {
		if st.Background || st.Coprocess || st.Disown {
			continue
		}
		first := st
		for {
			pair, ok := first.Cmd.(*syntax.BinaryCmd)
			if !ok || pair.Op != syntax.AndStmt && pair.Op != syntax.OrStmt {
				break
			}
			first = pair.X
		}
		call, ok := first.Cmd.(*syntax.CallExpr)
		if !ok || len(call.Args) > 0 || len(first.Redirs) > 0 {
			continue
		}
		for _, as := range call.Assigns {
			if as.Name != nil && as.Value != nil && as.Index == nil && as.Array == nil && !as.Append {
				v.known(as.Name.Value, call.End(), stmts[len(stmts)-1].End(), []*syntax.Word{as.Value})
			}
		}
	}
}

// loop notes the variable of a loop, which has one of its words in its body.
func (v *values) loop(n *syntax.ForClause) {
	words, ok := n.Loop.(*syntax.WordIter)
	if !ok || words.Name == nil {
		return
	}
	v.set(words.Name.Value, words.Name.Pos())
	if words.InPos.IsValid() && !n.Select && len(words.Items) <= maxCopies {
		v.known(words.Name.Value, n.DoPos, n.DonePos, words.Items)
	}
}

func (v *values) known(name string, from, to syntax.Pos, words []*syntax.Word) {
	if v.count++; v.count <= maxScopes {
		v.scopes[name] = append(v.scopes[name], &scope{stretch: stretch{from.Offset(), to.Offset()}, words: words})
	}
}

// setters are builtins that may give any variable a value, or attributes. Those that
// are keywords of their own in the syntax tree are here for where they are quoted.
var setters = []string{
	"eval", "source", ".", "unset", "getopts", "mapfile", "readarray", "wait", "trap", "alias", "enable", "let",
	"declare", "typeset", "local", "export", "readonly", "coproc",
}

// call notes what a simple command sets.
func (v *values) call(n *syntax.CallExpr) {
	args := n.Args
	for len(args) > 0 && (plainWord(args[0]) == "command" || plainWord(args[0]) == "builtin") {
		args = args[1:]
		for len(args) > 0 && strings.HasPrefix(args[0].Lit(), "-") {
			args = args[1:]
		}
	}
	if len(args) == 0 {
		return
	}
	switch name := plainWord(args[0]); {
	case name == "", slices.Contains(setters, name):
		v.doubt = true
	case name == "read":
		for _, as := range n.Assigns {
			v.forRead[as] = as.Name != nil && as.Name.Value == "IFS"
		}
		for _, w := range args[1:] {
			text := plainWord(w)
			v.doubt = v.doubt || text == "" || strings.Contains(text, "[")
			if nameText.MatchString(text) {
				v.set(text, w.Pos())
			}
		}
	case name == "printf" && len(args) > 2:
		format, ok := fixedText(args[1])
		v.doubt = v.doubt || !ok || strings.HasPrefix(format, "-") || lengthTo.MatchString(format)
	}
}

// lengthTo is a format of printf that gives a variable how much was printed.
var lengthTo = regexp.MustCompile(`%[^%]*n`)

// plainWord returns the value of a word that is known; "" where it isn't.
func plainWord(w *syntax.Word) string {
	text, _ := fixedText(w)
	return text
}

// fixedText returns the value of a word that holds nothing to expand.
func fixedText(w *syntax.Word) (string, bool) {
	for _, part := range w.Parts {
		quoted, _ := part.(*syntax.DblQuoted)
		switch {
		case quoted == nil && !isText(part), quoted != nil && !allText(quoted.Parts):
			return "", false
		}
	}
	a := analysis{}
	word := a.word(w)
	return word.Text, word.Literal
}

func isText(part syntax.WordPart) bool {
	switch part.(type) {
	case *syntax.Lit, *syntax.SglQuoted:
		return true
	}
	return false
}

func allText(parts []syntax.WordPart) bool {
	return !slices.ContainsFunc(parts, func(p syntax.WordPart) bool { return !isText(p) })
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

// shellGives reports the variables that the shell itself gives values, or to which an
// assignment means something else.
func shellGives(name string) bool {
	if slices.Contains([]string{
		"RANDOM", "SRANDOM", "SECONDS", "LINENO", "FUNCNAME", "DIRSTACK", "GROUPS", "PIPESTATUS", "PPID", "UID", "EUID", "REPLY",
		"MAPFILE", "PWD", "OLDPWD", "IFS", "COLUMNS", "LINES", "SHELLOPTS", "_",
	}, name) {
		return true
	}
	return slices.ContainsFunc([]string{"BASH", "EPOCH", "HIST", "OPT", "COMP", "COPROC"}, func(p string) bool { return strings.HasPrefix(name, p) })
}

// at returns the stretch that says what a variable is at a place; nil when that isn't
// known.
func (v *values) at(name string, at uint) *scope {
	sets := v.sets[name]
	if v.doubt || shellGives(name) || len(sets) > maxSets || v.count > maxScopes || len(v.sets["IFS"]) > 0 || len(v.hdocs) > maxScopes {
		return nil
	}
	if slices.ContainsFunc(v.hdocs, func(s stretch) bool { return s.has(at) }) {
		return nil
	}
	var in *scope
	for _, s := range v.scopes[name] {
		if s.has(at) && (in == nil || s.from >= in.from) {
			in = s
		}
	}
	if in == nil || v.funcs && len(sets) > 1 || slices.ContainsFunc(sets, in.has) {
		return nil
	}
	return in
}
