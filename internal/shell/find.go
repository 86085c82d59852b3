package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// findExec are the actions of find that start a command.
var findExec = []string{"-exec", "-execdir", "-ok", "-okdir"}

// find reads find's -exec and its relatives.
func (u *unfolder) find(c *Command) {
	c.Wrap = NoWrap
	for i := 1; i < len(c.Args); i++ {
		if !c.Args[i].Literal || !slices.Contains(findExec, c.Args[i].Text) {
			continue
		}
		end := i + 1
		for end < len(c.Args) && !c.Args[end].Is(";") && (!c.Args[end].Is("+") || !c.Args[end-1].Is("{}")) {
			end++
		}
		if end == i+1 {
			continue
		}
		if c.Wrap == NoWrap {
			c.Wrap, c.InnerAt = Opaque, i+1
		}
		found, there := Word{Parts: []Part{{Unknown: true}}}, strings.HasSuffix(c.Args[i].Text, "dir")
		u.a.out.Chdir = u.a.out.Chdir || there
		if dir, ok := findDir(c.Args); ok && !there {
			found = foundIn(dir)
			found.Found, found.FoundName = findKind(c.Args)
		}
		u.child(c, Command{Args: replaced(c.Args[i+1:end], "{}", found), Source: c.Source, Line: c.Line})
		i = end
	}
}

// findKind says what find comes upon before it starts a command, as far as plain
// tests say it.
func findKind(args []Word) (kind Found, name string) {
	kind = FoundAny
	started := false
	for i, w := range args {
		switch {
		case w.Is("-o"), w.Is("-or"), w.Is("!"), w.Is("-not"), w.Is(","):
			return FoundAny, ""
		case started || i+1 >= len(args):
		case w.Is("-type") && args[i+1].Is("f"):
			kind = FoundFile
		case w.Is("-name") && args[i+1].Literal:
			name = args[i+1].Text
		case w.Is("-print"), w.Is("-print0"), w.Literal && slices.Contains(findExec, w.Text):
			started = true // what is asked after it says nothing
		}
	}
	return kind, name
}

// findDir returns the directory in which find looks, if there is just one and
// links don't lead out of it.
func findDir(args []Word) (string, bool) {
	var dirs []Word
	if slices.ContainsFunc(args, func(w Word) bool { return w.Is("-L") || w.Is("-H") || w.Is("-follow") }) {
		return "", false
	}
	for _, w := range args[1:] {
		if w.Is("-P") {
			continue
		}
		if first := w.Pieces()[0]; !first.Unknown && (first.Text == "" || strings.Contains("-(!", first.Text[:1])) {
			break
		}
		dirs = append(dirs, w)
	}
	switch {
	case len(dirs) == 0:
		return ".", true
	case len(dirs) > 1 || !dirs[0].Literal:
		return "", false
	}
	return dirs[0].Text, true
}

// fd reads fd's -x and -X.
func (u *unfolder) fd(c *Command) {
	c.Wrap = NoWrap
	for i := 1; i < len(c.Args); i++ {
		w := c.Args[i]
		if !w.Literal || !slices.Contains([]string{"-x", "-X", "--exec", "--exec-batch"}, w.Text) {
			continue
		}
		if i+1 < len(c.Args) {
			c.Wrap, c.InnerAt = Opaque, i+1
			extra := Word{Text: "(found)", Parts: []Part{{Unknown: true}}}
			u.child(c, Command{Args: append(replaced(c.Args[i+1:], "{}", Word{Parts: []Part{{Unknown: true}}}), extra), Source: c.Source, Line: c.Line})
		}
		return
	}
}

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
