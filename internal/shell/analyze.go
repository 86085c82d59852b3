package shell

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Analyze parses text as a shell would and returns what it would run. It never
// fails: text that can't be understood gives a Script whose Parsed is false.
func Analyze(text string) Script {
	count := 0
	return analyzeAt(text, 0, &count)
}

// Parse reads text as bash does. It is for who needs the places of words, or only to know
// whether a shell can read the text; whoever decides about it takes [Analyze].
func Parse(text string) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
}

// analysis is the state of reading one text.
type analysis struct {
	text  string
	depth int
	out   Script
	count *int // commands and texts so far, shared with the texts within the text

	hiddenSubst bool // quoted text that holds a substitution
	evaluates   bool // a place that expands the value of a variable once more
	inWords     bool // the words of a runner are being looked at
	reuse       reuse
}

func analyzeAt(text string, depth int, count *int) Script {
	if *count++; *count > maxCommands {
		return Script{Problem: fmt.Sprintf("more than %d commands", maxCommands)}
	}
	if problem := unreadable(text); problem != "" {
		return Script{Problem: problem}
	}
	file, err := Parse(text)
	if err != nil {
		return Script{Problem: problemOf(err)}
	}
	a := &analysis{text: text, depth: depth, count: count, out: Script{Parsed: true}, reuse: newReuse()}
	a.stmts(file)
	a.out.Enters, a.out.Dynamic = enters(file), dynamic(file, text)
	switch {
	case a.hiddenSubst && a.evaluates:
		a.uncertain("quoted text with a command substitution may be evaluated again")
	case a.reuse.risky():
		a.uncertain("a value is read as arithmetic or as a test, which may run what it holds")
	}
	a.out.reuse, a.out.TooMany = a.reuse, *count > maxCommands
	return a.out
}

// enters reports a text of the form cd there && ...
func enters(file *syntax.File) bool {
	if len(file.Stmts) != 1 || file.Stmts[0].Background {
		return false
	}
	st := file.Stmts[0]
	for {
		if st.Negated || len(st.Redirs) > 0 {
			return false
		}
		pair, ok := st.Cmd.(*syntax.BinaryCmd)
		if !ok {
			break
		}
		if pair.Op != syntax.AndStmt {
			return false
		}
		st = pair.X
	}
	call, ok := st.Cmd.(*syntax.CallExpr)
	return ok && len(call.Assigns) == 0 && len(call.Args) > 0 && plainWord(call.Args[0]) == "cd"
}

// unreadable says why a text is not even parsed: shells differ on it, or it is
// too long.
func unreadable(text string) string {
	switch {
	case len(text) > MaxText:
		return fmt.Sprintf("the command is longer than %d bytes", MaxText)
	case strings.ContainsRune(text, 0):
		return "the command holds a NUL character"
	case strings.ContainsRune(text, '\r'):
		return "the command holds a carriage return, which shells do not skip"
	case !utf8.ValidString(text):
		return "the command is not valid UTF-8"
	}
	return ""
}

func problemOf(err error) string {
	if e, ok := errors.AsType[syntax.ParseError](err); ok {
		return fmt.Sprintf("%d:%d: %s", e.Pos.Line(), e.Pos.Col(), e.Text)
	}
	return err.Error()
}

func (a *analysis) uncertain(why string) {
	if !slices.Contains(a.out.Uncertain, why) {
		a.out.Uncertain = append(a.out.Uncertain, why)
	}
}

func (a *analysis) dialect(why string) {
	if !slices.Contains(a.out.Dialect, why) {
		a.out.Dialect = append(a.out.Dialect, why)
	}
}

func (a *analysis) hidden(text string) {
	if strings.Contains(text, "$(") || strings.Contains(text, "`") {
		a.hiddenSubst = true
	}
}

// source returns the text of a node.
func (a *analysis) source(n syntax.Node) string {
	from, to := n.Pos().Offset(), n.End().Offset()
	if from > to || to > uint(len(a.text)) {
		return ""
	}
	return a.text[from:to]
}

// stmts visits every statement below the node, in the order of the text.
func (a *analysis) stmts(root syntax.Node) {
	syntax.Walk(root, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			a.stmt(n)
		default:
			a.note(n)
		}
		return true
	})
}

// stmt adds the simple command that a statement is.
//
// A compound command appears only through its statements, which the walk
// reaches by itself, and its redirects, which are listed as a command without
// arguments.
func (a *analysis) stmt(n *syntax.Stmt) {
	c := a.command(n)
	if call, ok := n.Cmd.(*syntax.CallExpr); ok {
		a.call(call, &c)
	}
	if len(c.Args)+len(c.Env)+len(c.Redirects) > 0 {
		a.add(c)
	}
}

// command reads the simple command that a statement is.
func (a *analysis) command(n *syntax.Stmt) Command {
	c := Command{Redirects: a.redirects(n.Redirs), Source: strings.TrimSpace(a.source(n)), Line: int(n.Pos().Line())}
	switch cmd := n.Cmd.(type) {
	case *syntax.CallExpr:
		for _, as := range cmd.Assigns {
			c.Env = append(c.Env, a.assign(as))
		}
		for _, w := range cmd.Args {
			c.Args = append(c.Args, a.word(w))
		}
	case *syntax.DeclClause:
		c.Args = append(c.Args, Word{Text: cmd.Variant.Value, Literal: true})
		a.evaluates = true
		for _, as := range cmd.Args {
			c.Args = append(c.Args, a.declared(as))
			if !as.Naked || as.Name != nil {
				c.Env = append(c.Env, a.assign(as))
			}
		}
	case *syntax.LetClause:
		c.Args = []Word{{Text: "let", Literal: true}}
		for _, x := range cmd.Exprs {
			a.arithmetic(x)
			c.Args = append(c.Args, Word{Text: a.source(x), Parts: []Part{{Unknown: true}}})
		}
	case *syntax.TestClause:
		c.Args = []Word{{Text: "[[", Literal: true}, {Text: a.source(cmd.X), Parts: []Part{{Unknown: true}}}}
		a.evaluates = true
		a.testClause(cmd.X)
		c.Dialect = testDoubt(cmd.X)
	case *syntax.ArithmCmd:
		c.Args = []Word{{Text: "((", Literal: true}, {Text: a.source(cmd.X), Parts: []Part{{Unknown: true}}}}
		a.evaluates = true
		a.arithmetic(cmd.X)
		c.Dialect = "((...)) is arithmetic in bash and commands in sh"
	}
	return c
}

// add unfolds a command and appends it.
func (a *analysis) add(c Command) {
	if *a.count++; *a.count > maxCommands {
		a.uncertain(fmt.Sprintf("more than %d commands", maxCommands))
		return
	}
	a.unfold(&c, a.depth)
	a.out.Commands = append(a.out.Commands, c)
}

// testDoubt says why a [[ ]] clause would be something else in a plain sh, to which
// its operators are those of a list.
func testDoubt(x syntax.TestExpr) (why string) {
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParenTest:
			why = "parentheses in [[ ]] run commands in sh"
		case *syntax.BinaryTest:
			switch n.Op {
			case syntax.AndTest, syntax.OrTest:
				if startsWithOption(n.Y) {
					break // no command has such a name
				}
				why = n.Op.String() + " in [[ ]] is an operator of its own in sh"
			case syntax.TsBefore, syntax.TsAfter:
				why = n.Op.String() + " in [[ ]] is an operator of its own in sh"
			}
		}
		return true
	})
	return why
}

// startsWithOption reports a test that begins with an operator such as -f.
func startsWithOption(x syntax.TestExpr) bool {
	for {
		switch t := x.(type) {
		case *syntax.BinaryTest:
			x = t.X
		case *syntax.UnaryTest:
			return strings.HasPrefix(t.Op.String(), "-")
		default:
			return false
		}
	}
}

// note records the constructs outside of simple commands that matter.
func (a *analysis) note(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.Lit:
		a.hidden(strings.ReplaceAll(n.Value, `\`, ""))
	case *syntax.SglQuoted:
		a.hidden(n.Value)
		if n.Dollar {
			a.hidden(ansiC(n.Value))
		}
		if n.Dollar && strings.Contains(n.Value, `\'`) {
			a.dialect(`$'...' with an escaped quote ends there in sh`)
		}
	case *syntax.ParamExp:
		a.expansion(n)
	case *syntax.ArrayElem:
		a.arithmetic(n.Index)
	case *syntax.ArithmExp:
		a.evaluates = true
		a.arithmetic(n.X)
		if n.Bracket {
			a.dialect("$[...] is plain text in sh")
		}
	case *syntax.FuncDecl:
		a.uncertainFunc(n)
	case *syntax.CoprocClause:
		if n.Name != nil {
			a.uncertain("the word after coproc may be a name or a command")
		}
	case *syntax.ForClause:
		a.loop(n)
		if loop, ok := n.Loop.(*syntax.WordIter); ok && loop.Name != nil {
			c := Command{Loop: true, Source: "for " + loop.Name.Value, Line: int(n.Pos().Line())}
			for _, w := range loop.Items {
				c.Env = append(c.Env, Assign{Name: loop.Name.Value, Value: a.word(w)})
			}
			if len(c.Env) == 0 {
				c.Env = []Assign{{Name: loop.Name.Value, Value: Word{Parts: []Part{{Unknown: true}}}}}
			}
			a.add(c)
		} else {
			a.evaluates = true
		}
	}
}

// expansion notes the expansion of a parameter that does more than give its value.
func (a *analysis) expansion(n *syntax.ParamExp) {
	switch {
	case n.Excl:
		a.evaluates = true
		a.readAsText([]syntax.WordPart{n})
	case n.Exp != nil && n.Exp.Op == syntax.OtherParamOps:
		a.uncertain("${name@operator} may run what the variable holds")
	case n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) && n.Param != nil:
		a.assigned(n.Param.Value, n.Exp.Word)
		a.add(Command{Env: []Assign{{Name: n.Param.Value, Value: a.word(n.Exp.Word)}}, Source: a.source(n), Line: int(n.Pos().Line())})
	}
	if n.Index != nil {
		a.evaluates = true
		a.arithmetic(n.Index)
	}
	if n.Slice != nil {
		a.arithmetic(n.Slice.Offset)
		a.arithmetic(n.Slice.Length)
	}
}

// uncertainFunc notes functions that a shell calls by itself, or that take the
// place of a command that is read by its name elsewhere.
func (a *analysis) uncertainFunc(n *syntax.FuncDecl) {
	if n.Name == nil {
		a.uncertain("a function without a plain name")
		return
	}
	if _, known := wrappers[n.Name.Value]; known || slices.Contains(changers, n.Name.Value) {
		a.uncertain("the function " + n.Name.Value + " replaces a command of that name")
	}
}

func (a *analysis) assign(as *syntax.Assign) Assign {
	out := Assign{}
	if as.Name != nil {
		out.Name = as.Name.Value
	}
	a.given(out.Name, as)
	switch {
	case as.Array != nil:
		out.Value = Word{Text: a.source(as.Array), Parts: []Part{{Unknown: true}}}
	case as.Value != nil:
		out.Value = a.word(as.Value)
	default:
		out.Value = Word{Literal: true}
	}
	if as.Index != nil {
		a.evaluates = true
		a.arithmetic(as.Index)
	}
	return out
}

// declared is the word that a declaration's argument stands for.
func (a *analysis) declared(as *syntax.Assign) Word {
	if as.Naked && as.Name == nil {
		return a.word(as.Value)
	}
	name := as.Name.Value
	if as.Naked {
		return Word{Text: name, Literal: true}
	}
	value := a.assign(as).Value
	if value.Literal {
		return Word{Text: name + "=" + value.Text, Literal: true, Quoted: value.Quoted}
	}
	return Word{Text: a.source(as), Parts: append([]Part{{Text: name + "="}}, value.Pieces()...)}
}
