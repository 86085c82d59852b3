package builtin

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// screen looks through a script before it runs. It knows what the interpreter does as a
// real shell does, and refuses the rest. The fields but found say where in the script
// it looks.
type screen struct {
	lang     Lang
	line     bool            // the script is a line and not a file
	errexit  bool            // the script has set -e
	nounset  bool            // the script has set -u
	defined  map[string]bool // functions that the script has
	declared map[string]bool // functions that are defined above
	function bool            // in a function
	apart    bool            // in a subshell, substitution or pipeline of a function or loop
	loop     bool            // in a loop
	direct   bool            // right in the body of a loop
	nested   bool            // in a compound command
	excused  bool            // where set -e lets a failure pass
	found    *UnsupportedError
}

// check returns the first thing that is for a real shell, or nil.
func (s *screen) check(file *syntax.File) error {
	s.defined, s.declared = map[string]bool{}, map[string]bool{}
	syntax.Walk(file, func(n syntax.Node) bool {
		if f, ok := n.(*syntax.FuncDecl); ok && f.Name != nil {
			s.defined[f.Name.Value] = true
		}
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 1 && c.Args[0].Lit() == "set" {
			s.errexit = s.errexit || strings.Contains(c.Args[1].Lit(), "e")
			s.nounset = s.nounset || strings.Contains(c.Args[1].Lit(), "u")
		}
		return true
	})
	s.list(file.Stmts)
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

// bash refuses in sh what only bash has, or what dash does otherwise.
func (s *screen) bash(n syntax.Node, what string) {
	if s.lang == Sh {
		s.no(n, what+" in sh")
	}
}

// within looks at what is inside a compound command; change says where it is.
func (s *screen) within(list []*syntax.Stmt, change func(*screen)) {
	before := *s
	s.nested, s.direct = true, false
	if change != nil {
		change(s)
	}
	s.list(list)
	found := s.found
	*s = before
	s.found = found
}

func condition(s *screen) { s.excused, s.loop = true, false }
func looped(s *screen)    { s.loop, s.direct = true, true }

// separate is for what runs in a shell of its own.
func separate(s *screen) { s.apart, s.loop = true, false }

func (s *screen) list(list []*syntax.Stmt) {
	for i, st := range list {
		last := i == len(list)-1
		s.stmt(st)
		if !last && !s.direct && leaves(st) {
			s.no(st, "commands after break or continue")
		}
		if endsInWhile(st) && (last || mentionsStatus(list[i+1])) {
			s.no(st, "status of a while loop")
		}
		if last && s.nested && s.errexit && !s.excused && (st.Negated || isAndOr(st)) {
			s.no(st, "compound command under set -e that ends in &&, || or !")
		}
	}
}

func (s *screen) stmt(st *syntax.Stmt) {
	if st.Background || st.Coprocess || st.Disown {
		s.no(st, "jobs in the background")
	}
	for _, r := range st.Redirs {
		s.redirect(r)
	}
	if st.Negated && (!s.plain(st) || s.ends(st)) {
		s.no(st, "! of what may end the script")
	}
	if c, ok := st.Cmd.(*syntax.CallExpr); ok && slices.ContainsFunc(st.Redirs, opensFile) && (s.computes(c) || len(c.Args) == 0) {
		s.no(st, "redirection of a command whose arguments are computed") // which comes first?
	}
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		s.call(c)
	case *syntax.BinaryCmd:
		s.binary(c)
	case *syntax.IfClause:
		s.conditional(c)
	case *syntax.WhileClause:
		s.within(c.Cond, condition)
		s.within(c.Do, looped)
	case *syntax.ForClause:
		s.forIn(c)
	case *syntax.CaseClause:
		s.value(c.Word)
		for _, item := range c.Items {
			if item.Op != syntax.Break {
				s.no(item, item.Op.String())
			}
			for _, p := range item.Patterns {
				s.pattern(p)
			}
			s.first(c.Word, item.Stmts)
			s.within(item.Stmts, nil)
		}
	case *syntax.Block:
		s.within(c.Stmts, nil)
	case *syntax.Subshell:
		s.separated(st, c.Stmts)
	case *syntax.FuncDecl:
		s.define(c)
	case *syntax.DeclClause:
		s.declaration(c)
	case *syntax.TestClause:
		s.bash(c, "[[")
		s.test(c.X)
	default:
		s.no(st, strings.TrimPrefix(fmt.Sprintf("%T", st.Cmd), "*syntax."))
	}
}

// separated looks at what runs in a shell of its own. There the interpreter forgets that
// a condition excuses failures.
func (s *screen) separated(n syntax.Node, list []*syntax.Stmt) {
	if s.errexit && (s.excused || s.function) && (len(list) != 1 || !s.plain(list[0])) {
		s.no(n, "subshell in a condition or function under set -e")
	}
	s.within(list, separate)
}

func (s *screen) binary(c *syntax.BinaryCmd) {
	switch c.Op {
	case syntax.AndStmt, syntax.OrStmt:
		if endsInWhile(c.X) || endsInWhile(c.Y) {
			s.no(c, "status of a while loop")
		}
		if leaves(c.X) {
			s.no(c, "commands after break or continue")
		}
		before := s.excused
		s.excused = true
		s.stmt(c.X)
		s.excused = before
		s.stmt(c.Y)
	case syntax.Pipe:
		if endsInWhile(c.X) {
			s.no(c, "status of a while loop")
		}
		for _, part := range []*syntax.Stmt{c.X, c.Y} {
			if isPipe(part) {
				s.stmt(part)
			} else if isAndOr(part) || part.Negated {
				s.no(part, "this pipeline")
			} else {
				before := *s
				if s.errexit && (s.excused || s.function) && !s.plain(part) {
					s.no(part, "pipeline of such commands in a condition or function under set -e")
				}
				s.apart, s.loop, s.nested = true, false, true
				s.stmt(part)
				found := s.found
				*s = before
				s.found = found
			}
		}
	default:
		s.no(c, c.Op.String())
	}
}

func (s *screen) conditional(c *syntax.IfClause) {
	for ; c != nil; c = c.Else {
		s.within(c.Cond, condition)
		s.within(c.Then, nil)
	}
}

func (s *screen) forIn(c *syntax.ForClause) {
	it, ok := c.Loop.(*syntax.WordIter)
	if !ok || c.Select || !it.InPos.IsValid() {
		s.no(c, "this loop")
		return
	}
	s.name(c, it.Name.Value)
	for _, w := range it.Items {
		s.argument(w)
		s.first(w, c.Do)
	}
	s.within(c.Do, looped)
}

func (s *screen) define(f *syntax.FuncDecl) {
	if f.Name == nil || f.RsrvWord && s.lang == Sh || s.nested {
		s.no(f, "this function")
		return
	}
	name := f.Name.Value
	body, ok := f.Body.Cmd.(*syntax.Block)
	if _, own := commands[name]; !ok || own || inProcess(name) || interp.IsBuiltin(name) || s.declared[name] || len(f.Body.Redirs) > 0 {
		s.no(f, "function "+name)
		return
	}
	s.within(body.Stmts, func(s *screen) { s.function, s.loop, s.apart = true, false, false })
	s.declared[name] = true
}

func (s *screen) declaration(d *syntax.DeclClause) {
	kind := d.Variant.Value
	if kind != "export" && (kind != "local" || !s.function) {
		s.no(d, kind)
	}
	for _, a := range d.Args {
		if a.Name == nil || a.Naked && kind == "local" {
			s.no(d, "this "+kind)
			return
		}
		if s.lang == Sh && a.Value != nil {
			s.argument(a.Value) // dash may split it
		}
		s.assign(a)
	}
}

func (s *screen) assign(a *syntax.Assign) {
	if a.Name == nil || a.Append || a.Index != nil || a.Array != nil {
		s.no(a, "this assignment")
		return
	}
	s.name(a, a.Name.Value)
	if a.Value != nil {
		s.value(a.Value)
	}
}

// reserved are variables that a shell gives a meaning of its own, which the interpreter
// does not have or has differently.
var reserved = []string{
	"IFS", "PWD", "OLDPWD", "OPTIND", "OPTARG", "OPTERR", "PPID", "UID", "EUID", "GID", "GROUPS", "LINENO", "SECONDS", "RANDOM", "SRANDOM",
	"EPOCHSECONDS", "EPOCHREALTIME", "HOSTNAME", "OSTYPE", "MACHTYPE", "HOSTTYPE", "PIPESTATUS", "SHELLOPTS", "FUNCNAME", "SHLVL", "COLUMNS",
	"LINES", "_", "DIRSTACK", "REPLY", "CDPATH", "ENV", "HISTFILE", "GLOBIGNORE", "POSIXLY_CORRECT", "PS1", "PS2", "PS4",
}

func isReserved(name string) bool {
	return slices.Contains(reserved, name) || strings.HasPrefix(name, "BASH") || strings.HasPrefix(name, "LC_") || name == "LANG"
}

// name refuses to assign to what is not an ordinary variable.
func (s *screen) name(n syntax.Node, name string) {
	if !syntax.ValidName(name) || isReserved(name) {
		s.no(n, "assignment to "+name)
	}
}

func (s *screen) redirect(r *syntax.Redirect) {
	n := ""
	if r.N != nil {
		n = r.N.Value
	}
	input := false
	switch r.Op {
	case syntax.Hdoc:
		input = true
		if r.Hdoc != nil {
			s.quoted(r.Hdoc.Parts)
		}
		if _, ok := literal(r.Word); !ok {
			s.no(r, "this here-document")
		}
	case syntax.WordHdoc:
		input = true
		s.bash(r, "<<<")
		s.value(r.Word)
	case syntax.RdrIn:
		input = true
		s.target(r)
	case syntax.RdrOut, syntax.AppOut:
		s.target(r)
	case syntax.RdrAll, syntax.AppAll:
		s.bash(r, r.Op.String())
		s.target(r)
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

// target is the file of a redirection. What happens when it cannot be opened is another
// matter in dash.
func (s *screen) target(r *syntax.Redirect) {
	if opensFile(r) {
		s.bash(r, "redirection of files")
		s.argument(r.Word)
	}
}

// opensFile reports whether a redirection may fail.
func opensFile(r *syntax.Redirect) bool {
	switch r.Op {
	case syntax.RdrIn, syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll:
		return !slices.Contains([]string{"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"}, r.Word.Lit())
	}
	return false
}
