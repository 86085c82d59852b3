package shell

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
