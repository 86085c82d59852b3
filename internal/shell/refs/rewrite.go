package refs

import (
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hookline-dev/hookline/internal/shell"
)

// Rewrite returns a line of shell text in which words that name files, by a path
// relative to the directory or through known variables, name others instead: those
// that to returns for them. ok is false, and the text is to be used as it is, when a
// file for which there is another could be meant in a way that cannot be rewritten:
// the text cannot be parsed, changes the directory, or names the file within a string
// that another shell reads.
//
// A file for which to returns false keeps its name.
func Rewrite(text string, o Options, to func(path string) (string, bool)) (rewritten string, ok bool) {
	file, err := shell.Parse(text)
	if err != nil || strings.ContainsAny(text, "\x00\r") {
		return text, false
	}
	f := newFinder(o)
	w := &rewriter{finder: f, text: text, to: to}
	syntax.Walk(file, w.visit)
	if w.cd {
		return text, false
	}
	// Every file that there is another for, and that the command itself names, must
	// have been replaced.
	f.depth0 = true
	f.shell(text, "", []string{o.Dir}, 0)
	for path := range f.files {
		if _, other := to(path); other && !slices.Contains(w.done, path) {
			return text, false
		}
	}
	if len(w.edits) == 0 {
		return text, true
	}
	return w.apply(), true
}

// RewriteExec is Rewrite for a program and its arguments when no shell is involved.
// The program, and arguments that are nothing but the path of a file, are replaced.
func RewriteExec(program string, args []string, o Options, to func(path string) (string, bool)) (newProgram string, newArgs []string, ok bool) {
	f := newFinder(o)
	var done []string
	replace := func(s string, command bool) string {
		word := f.placeholders(s)
		if !word.Literal || command && !strings.ContainsAny(word.Text, `/\`) {
			return s
		}
		path := (&reader{finder: f}).join(o.Dir, word.Text)
		if other, has := to(path); has {
			done = append(done, path)
			return other
		}
		return s
	}
	newProgram, newArgs = program, slices.Clone(args)
	words := []shell.Word{{Text: program, Literal: true}}
	for _, a := range args {
		words = append(words, shell.Word{Text: a, Literal: true})
	}
	if line, ok := quoted(words); ok && !readsText(line) {
		newProgram = replace(program, true)
		for i, a := range args {
			newArgs[i] = replace(a, false)
		}
	}
	for _, path := range direct(program, args, o) {
		if _, other := to(path); other && !slices.Contains(done, path) {
			return program, args, false
		}
	}
	return newProgram, newArgs, true
}

// direct returns the files that a program and its arguments name themselves.
func direct(program string, args []string, o Options) []string {
	f := newFinder(o)
	f.depth0 = true
	f.exec(program, args)
	return f.refs().Files
}

// readsText reports whether the first command of a text takes shell text as an argument,
// itself or by what it starts.
func readsText(text string) (reads bool) {
	s := shell.Analyze(text)
	if len(s.Commands) == 0 {
		return !s.Parsed
	}
	s.Commands[0].All(func(c *shell.Command) bool {
		reads = reads || c.Name() == "xargs" || c.Wrap != shell.NoWrap && c.InnerAt == len(c.Args)
		return !reads
	})
	return reads
}

// edit replaces a part of the text.
type edit struct {
	from, to uint
	with     string
}

type rewriter struct {
	*finder
	text  string
	to    func(string) (string, bool)
	edits []edit
	done  []string
	cd    bool
}

func (w *rewriter) visit(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.CallExpr:
		if len(n.Args) > 0 && slices.Contains([]string{"cd", "pushd", "popd", "chroot"}, n.Args[0].Lit()) {
			w.cd = true
		}
		if from, to := n.Pos().Offset(), n.End().Offset(); from > to || to > uint(len(w.text)) || readsText(w.text[from:to]) {
			return true // its arguments are shell text and not names
		}
		for i, arg := range n.Args {
			if value, _ := w.value(arg); i > 0 || strings.ContainsRune(value, '/') {
				w.word(arg)
			}
		}
	case *syntax.Redirect:
		if n.Op == syntax.RdrIn {
			w.word(n.Word)
		}
	}
	return true
}

// word replaces a word whose value is known and names a file.
func (w *rewriter) word(word *syntax.Word) {
	from, to := word.Pos().Offset(), word.End().Offset()
	if from > to || to > uint(len(w.text)) {
		return
	}
	value, ok := w.value(word)
	if !ok {
		return
	}
	path := (&reader{finder: w.finder}).join(w.opts.Dir, value)
	other, ok := w.to(path)
	if !ok {
		return
	}
	w.edits = append(w.edits, edit{from, to, "'" + strings.ReplaceAll(other, "'", `'\''`) + "'"})
	w.done = append(w.done, path)
}

// value is what a word stands for when it is made of literal text and of variables
// that are known.
func (w *rewriter) value(word *syntax.Word) (string, bool) {
	var out strings.Builder
	if !w.parts(&out, word.Parts, `\*?[{`) {
		return "", false
	}
	return out.String(), true
}

// parts writes what the parts of a word stand for. Of the special characters literal
// text holds none, or it stands for something else.
func (w *rewriter) parts(out *strings.Builder, parts []syntax.WordPart, special string) bool {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, special) {
				return false
			}
			out.WriteString(p.Value)
		case *syntax.SglQuoted:
			if p.Dollar {
				return false
			}
			out.WriteString(p.Value)
		case *syntax.DblQuoted:
			if !w.parts(out, p.Parts, `\`) {
				return false
			}
		case *syntax.ParamExp:
			if p.Param == nil || p.Excl || p.Length || p.Index != nil || p.Slice != nil || p.Repl != nil || p.Exp != nil {
				return false
			}
			if !w.variable(out, p.Param.Value) {
				return false
			}
		case *syntax.CmdSubst:
			name, ok := strings.CutPrefix(spelled(w.text[p.Pos().Offset():p.End().Offset()], ""), "${")
			if !ok || !w.variable(out, strings.TrimSuffix(name, "}")) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func (w *rewriter) variable(out *strings.Builder, name string) bool {
	value, known := w.vars("")[name]
	out.WriteString(value)
	return known
}

func (w *rewriter) apply() string {
	sort.Slice(w.edits, func(i, j int) bool { return w.edits[i].from < w.edits[j].from })
	var out strings.Builder
	last := uint(0)
	for _, e := range w.edits {
		if e.from < last {
			continue
		}
		out.WriteString(w.text[last:e.from])
		out.WriteString(e.with)
		last = e.to
	}
	out.WriteString(w.text[last:])
	return out.String()
}

// Below returns a function for Rewrite that takes the files of a list to the same
// places below another root.
func Below(files []string, root, other string) func(string) (string, bool) {
	return func(path string) (string, bool) {
		path = filepath.Clean(path)
		rel, err := filepath.Rel(root, path)
		if err != nil || !filepath.IsLocal(rel) || !slices.Contains(files, path) {
			return "", false
		}
		return filepath.Join(other, rel), true
	}
}
