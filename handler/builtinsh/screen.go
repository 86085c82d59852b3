package builtinsh

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// screen looks through a script for what the interpreter lacks or does differently.
type screen struct {
	lang      Lang
	functions map[string]*syntax.FuncDecl
	reads     map[*syntax.Assign]bool  // assignments before read
	errexit   bool                     // set -e is used
	quoted    map[syntax.WordPart]bool // expansions inside double quotes
	within    uint                     // where the function ends that is looked at, or the last one
	apart     uint                     // where the subshell, substitution or pipeline ends that is looked at, or the last one
	returns   map[syntax.Pos]bool      // calls of return in functions
	found     *UnsupportedError
}

// check returns the first thing that is unsupported.
func (s *screen) check(file *syntax.File) error {
	s.functions = map[string]*syntax.FuncDecl{}
	s.reads = map[*syntax.Assign]bool{}
	s.quoted = map[syntax.WordPart]bool{}
	s.returns = map[syntax.Pos]bool{}
	syntax.Walk(file, func(n syntax.Node) bool {
		if f, ok := n.(*syntax.FuncDecl); ok && f.Name != nil {
			s.functions[f.Name.Value] = f
		}
		if q, ok := n.(*syntax.DblQuoted); ok {
			for _, part := range q.Parts {
				s.quoted[part] = true
			}
		}
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 && c.Args[0].Lit() == "read" {
			for _, a := range c.Assigns {
				s.reads[a] = true
			}
		}
		return true
	})
	syntax.Walk(file, func(n syntax.Node) bool {
		if s.found == nil && n != nil {
			s.node(n)
		}
		return s.found == nil
	})
	if s.found == nil {
		s.recursion()
	}
	if s.found != nil {
		return s.found
	}
	return nil
}

func (s *screen) no(n syntax.Node, what string) {
	if s.found == nil {
		s.found = &UnsupportedError{What: what, Line: n.Pos().Line()}
	}
}

// bash refuses in sh what only bash has.
func (s *screen) bash(n syntax.Node, what string) {
	if s.lang == Sh {
		s.no(n, what+" in sh")
	}
}

func (s *screen) node(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.Stmt:
		if n.Background || n.Coprocess || n.Disown {
			s.no(n, "jobs in the background")
		}
		s.special(n)
	case *syntax.CoprocClause:
		s.no(n, "coprocesses")
	case *syntax.TimeClause:
		s.no(n, "time")
	case *syntax.ProcSubst:
		s.no(n, "process substitution")
	case *syntax.ExtGlob:
		s.no(n, "extended patterns")
	case *syntax.ForClause:
		if n.Select {
			s.no(n, "select")
		}
		if it, ok := n.Loop.(*syntax.WordIter); ok {
			s.name(n, it.Name.Value)
		}
	case *syntax.CStyleLoop:
		s.bash(n, "for ((")
	case *syntax.ArithmCmd:
		s.bash(n, "((")
	case *syntax.LetClause:
		s.bash(n, "let")
	case *syntax.TestClause:
		s.bash(n, "[[")
	case *syntax.ArrayExpr:
		s.bash(n, "arrays")
	case *syntax.CaseItem:
		if n.Op != syntax.Break {
			s.bash(n, n.Op.String())
		}
	case *syntax.BinaryCmd:
		if n.Op == syntax.PipeAll {
			s.bash(n, "|&")
		}
		if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
			s.separate(n)
		}
	case *syntax.Subshell, *syntax.CmdSubst:
		s.separate(n)
	case *syntax.SglQuoted:
		if n.Dollar {
			s.bash(n, "$'...'")
		}
	case *syntax.DblQuoted:
		if n.Dollar {
			s.no(n, `$"..."`)
		}
	case *syntax.UnaryTest:
		if n.Op == syntax.TsFdTerm || n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar || n.Op == syntax.TsOptSet {
			s.no(n, "the test "+n.Op.String())
		}
	case *syntax.Redirect:
		s.redirect(n)
	case *syntax.FuncDecl:
		s.function(n)
	case *syntax.DeclClause:
		s.declaration(n)
	case *syntax.ParamExp:
		s.param(n)
	case *syntax.BinaryArithm:
		if n.Op == syntax.Pow || n.Op == syntax.Comma {
			s.bash(n, n.Op.String())
		}
		s.division(n)
	case *syntax.UnaryArithm:
		if n.Op == syntax.Inc || n.Op == syntax.Dec {
			s.bash(n, n.Op.String())
		}
	case *syntax.Assign:
		s.assign(n)
	case *syntax.Word:
		s.braces(n)
	case *syntax.CallExpr:
		s.call(n)
	}
}

func (s *screen) redirect(r *syntax.Redirect) {
	n := ""
	if r.N != nil {
		n = r.N.Value
	}
	input := false
	switch r.Op {
	case syntax.RdrIn, syntax.Hdoc, syntax.DashHdoc:
		input = true
	case syntax.WordHdoc:
		input = true
		s.bash(r, "<<<")
	case syntax.RdrAll, syntax.AppAll:
		s.bash(r, r.Op.String())
	case syntax.RdrOut, syntax.AppOut:
	case syntax.DplOut:
		if to := r.Word.Lit(); to != "1" && to != "2" {
			s.no(r, "redirection to "+r.Op.String()+to)
		}
	default:
		s.no(r, "redirection by "+r.Op.String())
	}
	if input && n != "" && n != "0" || !input && n != "" && n != "1" && n != "2" {
		s.no(r, "redirection of "+n)
	}
}

func (s *screen) function(f *syntax.FuncDecl) {
	if f.Name == nil {
		s.no(f, "function without a name")
		return
	}
	if f.RsrvWord {
		s.bash(f, "function")
	}
	if name := f.Name.Value; intercepted(name) || unsupportedCommand(name) || slices.Contains([]string{"echo", "printf", "test", "[", "cd", "set", "shift", "unset", "exec", "exit", "return"}, name) {
		s.no(f, "function named "+name)
	}
	s.within = max(s.within, f.End().Offset())
}

func (s *screen) declaration(d *syntax.DeclClause) {
	if d.Variant.Value == "declare" || d.Variant.Value == "typeset" || d.Variant.Value == "nameref" {
		s.bash(d, d.Variant.Value)
	}
	if d.Variant.Value == "readonly" {
		s.no(d, "readonly")
	}
	if d.Variant.Value == "local" && !s.inFunction(d) {
		s.no(d, "local outside a function")
	}
	for _, a := range d.Args {
		if a.Name != nil || a.Value == nil {
			continue
		}
		switch flag := a.Value.Lit(); {
		case flag == "":
			s.no(d, d.Variant.Value+" of what is computed")
		case flag == "-x", flag == "-a", flag == "-g", flag == "--":
		default:
			s.no(d, d.Variant.Value+" "+flag)
		}
		if a.Value.Lit() == "--" {
			s.no(d, d.Variant.Value+" --")
		}
	}
}

// shellVariables are those that the interpreter has differently or not at all.
func shellVariable(name string) bool {
	switch name {
	case "$", "!", "PPID", "LINENO", "SECONDS", "EPOCHSECONDS", "EPOCHREALTIME", "HOSTNAME", "OSTYPE", "MACHTYPE", "HOSTTYPE",
		"PIPESTATUS", "SHELLOPTS", "FUNCNAME", "GROUPS", "SHLVL", "COLUMNS", "LINES", "_", "-", "DIRSTACK", "REPLY_", "CALLER":
		return true
	}
	return strings.HasPrefix(name, "BASH") && name != "BASH_SOURCE" && name != "BASH_REMATCH"
}

func (s *screen) param(p *syntax.ParamExp) {
	if p.Param == nil {
		s.no(p, "this expansion")
		return
	}
	name := p.Param.Value
	if shellVariable(name) {
		s.no(p, "$"+name)
	}
	switch name {
	case "UID", "EUID", "GID", "RANDOM", "SRANDOM", "BASH_SOURCE", "BASH_REMATCH":
		s.bash(p, "$"+name)
	}
	if p.Names != 0 || p.Width || p.IsSet || p.NestedParam != nil || p.Flags != nil {
		s.no(p, "this expansion")
	}
	if p.Excl || p.Index != nil || p.Slice != nil || p.Repl != nil {
		s.bash(p, "this expansion")
	}
	if p.Repl != nil && p.Repl.Orig != nil && len(p.Repl.Orig.Parts) > 0 {
		if lit, ok := p.Repl.Orig.Parts[0].(*syntax.Lit); ok && lit.Value != "" && strings.IndexByte("#%", lit.Value[0]) >= 0 {
			s.no(p, "this expansion")
		}
	}
	if p.Repl != nil && p.Repl.With != nil {
		if text, ok := literal(p.Repl.With); !ok || len(text) > maxReplacement {
			s.no(p, "this expansion") // its size is the product of two
		}
	}
	if p.Exp == nil {
		return
	}
	if p.Exp.Word != nil && !s.quoted[p] {
		// The interpreter splits what is quoted in there.
		switch p.Exp.Op {
		case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
			for _, part := range p.Exp.Word.Parts {
				if _, lit := part.(*syntax.Lit); !lit {
					s.no(p, "${"+name+":-...} without quotes around it")
				}
			}
		}
	}
	switch p.Exp.Op {
	case syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		s.bash(p, "this expansion")
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		s.no(p, "${"+name+":?...}")
	case syntax.OtherParamOps:
		s.no(p, "${"+name+"@...}")
	}
}

// assign refuses fields that are separated by anything but blanks, which the
// interpreter splits otherwise; read splits by itself.
func (s *screen) assign(a *syntax.Assign) {
	if a.Name != nil {
		s.name(a, a.Name.Value)
	}
	if a.Name == nil || a.Name.Value != "IFS" || s.reads[a] {
		return
	}
	if a.Value == nil {
		return
	}
	value, ok := literal(a.Value)
	if q, isQuoted := a.Value.Parts[0].(*syntax.SglQuoted); isQuoted && len(a.Value.Parts) == 1 && q.Dollar {
		value, ok = strings.NewReplacer(`\t`, "\t", `\n`, "\n").Replace(q.Value), true
	}
	if !ok || strings.Trim(value, " \t\n") != "" {
		s.no(a, "IFS that is no blank")
	}
}

// braces refuses in sh what bash would expand, and in bash sequences without end.
func (s *screen) braces(w *syntax.Word) {
	for _, part := range w.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok || !strings.Contains(lit.Value, "{") {
			continue
		}
		if strings.Contains(lit.Value, "..") {
			digits := 0
			for _, c := range lit.Value {
				if digits++; c < '0' || c > '9' {
					digits = 0
				}
				if digits > 4 {
					s.no(w, "sequence of so many")
				}
			}
		}
		if strings.ContainsAny(lit.Value, ",") || strings.Contains(lit.Value, "..") || len(w.Parts) > 1 {
			s.bash(w, "{a,b}")
		}
	}
}

// recursion refuses functions that call themselves, by way of others too: in this
// process they would not run out of a stack of their own.
func (s *screen) recursion() {
	calls := map[string][]string{}
	for name, f := range s.functions {
		syntax.Walk(f.Body, func(n syntax.Node) bool {
			if q, ok := n.(*syntax.DblQuoted); ok {
				for _, part := range q.Parts {
					s.quoted[part] = true
				}
			}
			if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
				for _, arg := range c.Args[:min(2, len(c.Args))] { // command f too
					if _, ok := s.functions[arg.Lit()]; ok {
						calls[name] = append(calls[name], arg.Lit())
					}
				}
			}
			return true
		})
	}
	for name, f := range s.functions {
		seen := map[string]bool{}
		todo := slices.Clone(calls[name])
		for len(todo) > 0 {
			next := todo[0]
			todo = todo[1:]
			if next == name {
				s.no(f, "recursion")
				return
			}
			if !seen[next] {
				seen[next] = true
				todo = append(todo, calls[next]...)
			}
		}
	}
}
