package shellsplit

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Limits of putting values in place of variables, in bytes.
const (
	maxValue   = 4 << 10 // of one word
	maxSpliced = 1 << 20 // of all words of a text
)

// expansion adds what the shell computes to a word, as far as it is known.
func (b *wordBuilder) expansion(part syntax.WordPart, quoted bool) {
	switch p := part.(type) {
	case *syntax.ParamExp:
		name := simpleName(p)
		if value, ok := b.value(name, quoted); ok {
			b.add(value)
			return
		}
		if name == "PWD" && b.a != nil && b.a.vars != nil && !b.a.vars.doubt && len(b.a.vars.sets["PWD"]) == 0 {
			b.like(LikeWorkDir, quoted)
			return
		}
	case *syntax.CmdSubst:
		if l := likeOf(p); l != LikeAnything {
			b.like(l, quoted)
			return
		}
	case *syntax.ProcSubst:
		b.output = p.Op == syntax.CmdIn
	}
	b.unknown()
}

// value returns what a variable stands for where that can be put in its place: outside
// of quotes an empty value vanishes, and one with blanks or wildcards becomes several
// words.
func (b *wordBuilder) value(name string, quoted bool) (Word, bool) {
	if b.a == nil || name == "" {
		return Word{}, false
	}
	w, ok := b.a.with[name]
	if !ok || w.Quoted && strings.HasPrefix(w.Text, "~") {
		return Word{}, false // no home directory, although it looks like one
	}
	if w.Literal && !quoted && (w.Text == "" || strings.ContainsAny(w.Text, " \t\n*?[\\")) {
		return Word{}, false
	}
	size := 0
	for _, part := range slices.Concat(b.parts, w.Pieces()) {
		size += len(part.Text)
	}
	if b.a.spliced += size; size > maxValue || b.a.spliced > maxSpliced {
		return Word{}, false
	}
	w.Split = w.Split || !quoted && !w.Literal
	return w, true
}

// revision is a name of a commit that starts at HEAD.
var revision = regexp.MustCompile(`^HEAD([~^][0-9]*)*$`)

// likeOf says what is known of what a substitution prints.
func likeOf(s *syntax.CmdSubst) Like {
	if countsOnly(s) {
		return LikeNumber
	}
	if len(s.Stmts) != 1 || s.Stmts[0].Background || len(s.Stmts[0].Redirs) > 0 {
		return LikeAnything
	}
	call, ok := s.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 {
		return LikeAnything
	}
	words := make([]string, len(call.Args))
	for i, w := range call.Args {
		if words[i] = plainWord(w); words[i] == "" {
			return LikeAnything
		}
	}
	switch text := strings.Join(words, " "); {
	case text == "pwd":
		return LikeWorkDir
	case text == "git rev-parse --show-toplevel":
		return LikeTopDir
	case len(words) > 2 && words[0] == "git" && words[1] == "merge-base" && !slices.ContainsFunc(words[2:], isOptionText):
		return LikeObject
	case len(words) > 2 && words[0] == "git" && words[1] == "rev-parse" && revision.MatchString(words[len(words)-1]) &&
		(len(words) == 3 || len(words) == 4 && (words[2] == "--short" || words[2] == "--verify")):
		return LikeObject
	}
	return LikeAnything
}

func isOptionText(s string) bool { return strings.HasPrefix(s, "-") }

// pipe notes what xargs reads where find writes it, with nothing in between that
// changes the names.
func (a *analysis) pipe(n *syntax.BinaryCmd) {
	call, ok := n.Y.Cmd.(*syntax.CallExpr)
	if n.Op != syntax.Pipe || !ok || len(call.Args) == 0 || plainWord(call.Args[0]) != "xargs" || len(n.Y.Redirs) > 0 {
		return
	}
	from, filtered, ok := producer(n.X)
	if !ok {
		return
	}
	// A filter may cut names that hold newlines; those that fall apart are looked at.
	if input, ok := a.finds(from); ok && (input.Split || !filtered) {
		a.inputs[call] = &input
	}
}

// producer returns the command at the start of a pipeline that only drops lines and
// changes their order.
func producer(st *syntax.Stmt) (first *syntax.CallExpr, filtered, ok bool) {
	for {
		if st.Negated || len(st.Redirs) > 0 && !errorsOnly(st.Redirs) {
			return nil, false, false
		}
		switch cmd := st.Cmd.(type) {
		case *syntax.CallExpr:
			return cmd, filtered, len(cmd.Assigns) == 0
		case *syntax.BinaryCmd:
			filter, ok := cmd.Y.Cmd.(*syntax.CallExpr)
			if !ok || cmd.Op != syntax.Pipe || len(cmd.Y.Redirs) > 0 || !keepsLines(filter) {
				return nil, false, false
			}
			st, filtered = cmd.X, true
		default:
			return nil, false, false
		}
	}
}

// errorsOnly reports redirections that throw away what is printed as errors.
func errorsOnly(list []*syntax.Redirect) bool {
	return !slices.ContainsFunc(list, func(r *syntax.Redirect) bool {
		return r.Op != syntax.RdrOut || r.N == nil || r.N.Value != "2" || plainWord(r.Word) != "/dev/null"
	})
}

// keepsLines reports a filter whose output is lines of its input.
func keepsLines(c *syntax.CallExpr) bool {
	if len(c.Args) == 0 || len(c.Assigns) > 0 {
		return false
	}
	options := ""
	switch plainWord(c.Args[0]) {
	case "sort":
		options = "urnfV"
	case "head", "tail":
		options = "n0123456789"
	case "grep":
		options = "vEFiwx"
	default:
		return false
	}
	pattern := plainWord(c.Args[0]) == "grep"
	for _, w := range c.Args[1:] {
		text, fixed := fixedText(w)
		switch {
		case !fixed:
			return false
		case len(text) > 1 && text[0] == '-':
			if strings.Trim(text[1:], options) != "" {
				return false
			}
		case pattern:
			pattern = false
		case strings.Trim(text, "0123456789") != "":
			return false
		}
	}
	return true
}

// finds says what find gives to xargs.
func (a *analysis) finds(find *syntax.CallExpr) (Word, bool) {
	if len(find.Args) == 0 || plainWord(find.Args[0]) != "find" {
		return Word{}, false
	}
	args := make([]Word, len(find.Args))
	for i, w := range find.Args {
		args[i] = a.word(w)
	}
	zero := false
	for _, w := range args[1:] {
		first := w.Pieces()[0]
		if first.Unknown {
			return Word{}, false
		}
		for _, action := range []string{"-printf", "-exec", "-ok", "-ls", "-f", "-delete"} {
			if strings.HasPrefix(first.Text, action) {
				return Word{}, false
			}
		}
		zero = zero || w.Is("-print0")
	}
	dir, ok := findDir(args)
	word := foundIn(dir)
	word.Text, word.Split = "(found)", !zero
	word.Found, word.FoundName = findKind(args)
	return word, ok
}

// foundIn is what find comes upon in a directory.
func foundIn(dir string) Word {
	return Word{Parts: []Part{{Text: strings.TrimSuffix(dir, "/") + "/"}, {Unknown: true, Like: LikeName}}, Glob: true}
}
