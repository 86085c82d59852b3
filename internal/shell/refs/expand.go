package refs

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/codedir"
	"github.com/hookline-dev/hookline/internal/shell"
)

// expand puts into a command the words that its braces and file patterns stand for.
func (r *reader) expand(c *shell.Command) *shell.Command {
	if r.opts.FirstRules || !slices.ContainsFunc(c.Args, func(w shell.Word) bool { return !w.Literal && (w.Glob || w.Braces != nil) }) {
		return c
	}
	out := *c
	out.Args, out.Scripts = nil, nil
	for i, w := range c.Args {
		for _, word := range r.words(w) {
			if slices.Contains(c.Scripts, i) {
				out.Scripts = append(out.Scripts, len(out.Args))
			}
			out.Args = append(out.Args, word)
		}
	}
	if first := out.Args[0]; !c.Args[0].Literal && first.Literal && r.inside(r.join(r.bases[0], first.Text)) {
		out.Uncertain = "" // the name is known, and not that of a program that starts others
	}
	return &out
}

// words are what a word stands for: itself, the words of its braces, and the files that its
// pattern matches now, the pattern when there are none. Files that it comes to match later
// count when one of them does.
func (r *reader) words(w shell.Word) []shell.Word {
	if w.Braces != nil {
		var out []shell.Word
		for _, b := range w.Braces {
			out = append(out, r.words(b)...)
		}
		return out
	}
	if w.Literal || !w.Glob {
		return []shell.Word{w}
	}
	var pattern strings.Builder
	for _, p := range w.Parts {
		if p.Unknown {
			pattern.WriteByte('*') // or less
		} else {
			pattern.WriteString(codedir.Quote(r.sub.back(p.Text)))
		}
	}
	var out []shell.Word
	for _, b := range r.bases {
		for _, path := range r.matches(b, pattern.String()) {
			if rel, err := filepath.Rel(b, path); err == nil && !filepath.IsAbs(pattern.String()) {
				path = rel
			}
			out = append(out, shell.Word{Text: path, Literal: true})
		}
	}
	if len(out) == 0 || len(out) > maxFiles {
		return []shell.Word{w}
	}
	return out
}

// matches returns the files that a pattern matches in a directory, and keeps of which
// pattern they are.
func (r *reader) matches(base, pattern string) []string {
	if !filepath.IsAbs(pattern) {
		pattern = filepath.Join(codedir.Quote(base), pattern)
	}
	found, err := filepath.Glob(pattern)
	if err != nil {
		return nil
	}
	if len(found) == 0 {
		found = []string{codedir.Unquote(filepath.Clean(pattern))} // as the shell has it
	}
	t := treeOf(filepath.Clean(pattern))
	for _, path := range found {
		r.globs[path] = t
	}
	return found
}

// treeOf takes the part of a pattern that is only a directory from it.
func treeOf(pattern string) codedir.Tree {
	elements := strings.Split(pattern, string(filepath.Separator))
	for i, e := range elements {
		if strings.Contains(strings.NewReplacer(`\\`, "", `\*`, "").Replace(e), "*") {
			return codedir.Tree{
				Dir:  codedir.Unquote(strings.Join(elements[:i], string(filepath.Separator))),
				Glob: strings.Join(elements[i:], string(filepath.Separator)),
			}
		}
	}
	return codedir.Tree{Dir: pattern, Glob: "*"}
}
