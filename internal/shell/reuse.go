package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

// reuse collects the values that a shell reads a second time: as arithmetic, where
// a subscript such as a[$(command)] runs the command and x=1 assigns, or as the
// operators of test, of which -v does the same. Where a variable gets such a value
// from the text itself, it isn't known what runs.
type reuse struct {
	words  map[string]bool // variables that are given something else than a number
	odd    map[string]bool // those that are given something else than a plain word
	number map[string]bool // those that are read as arithmetic
	text   map[string]bool // those that are read as a name, or as operators
	doubt  bool            // something is read once more that isn't a variable
}

func newReuse() reuse {
	return reuse{words: map[string]bool{}, odd: map[string]bool{}, number: map[string]bool{}, text: map[string]bool{}}
}

// merge adds what another text, which shares its variables, holds.
func (r *reuse) merge(o reuse) {
	for _, pair := range [][2]map[string]bool{{r.words, o.words}, {r.odd, o.odd}, {r.number, o.number}, {r.text, o.text}} {
		for name := range pair[1] {
			pair[0][name] = true
		}
	}
	r.doubt = r.doubt || o.doubt
}

// risky reports that something may run which can't be seen.
func (r *reuse) risky() bool {
	meets := func(read, given map[string]bool) bool {
		for name := range read {
			if given[name] || givenByShell(name) {
				return true
			}
		}
		return false
	}
	return r.doubt || meets(r.number, r.words) || meets(r.text, r.odd)
}

// givenByShell reports variables that hold what the text, or its input, says.
func givenByShell(name string) bool {
	return name == "_" || name == "@" || name == "*" || name == "REPLY" || name == "MAPFILE" || name == "FUNCNAME" ||
		strings.HasPrefix(name, "BASH_") || strings.Trim(name, "0123456789") == ""
}

// assigned notes what a variable is given; nil is something that is not known.
func (a *analysis) assigned(name string, value *syntax.Word) {
	number, plain := false, false
	if value != nil {
		number, plain = a.kind(value.Parts)
	}
	if !number {
		a.reuse.words[name] = true
	}
	if !plain {
		a.reuse.odd[name] = true
	}
}

var (
	numberText = lazyregexp.New(`^([-+]?([0-9]+|0[xX][0-9a-fA-F]+))?$`)
	plainText  = lazyregexp.New(`^[A-Za-z0-9_./,:@%+=-]*$`)
	nameText   = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
	indexText  = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*(\[([0-9]+|@|\*)\])?$`)
)

// kind says whether the parts of a word make a number, and whether they make a
// plain word that is not an option: no space, nothing that a shell would expand.
func (a *analysis) kind(parts []syntax.WordPart) (number, plain bool) {
	number, plain = true, true
	for i, part := range parts {
		var n, p bool
		switch part := part.(type) {
		case *syntax.Lit:
			n, p = numberText.Get().MatchString(part.Value), plainText.Get().MatchString(part.Value) && (i > 0 || !strings.HasPrefix(part.Value, "-"))
		case *syntax.SglQuoted:
			n = !part.Dollar && numberText.Get().MatchString(part.Value)
			p = !part.Dollar && plainText.Get().MatchString(part.Value) && (i > 0 || !strings.HasPrefix(part.Value, "-"))
		case *syntax.DblQuoted:
			n, p = a.kind(part.Parts)
		case *syntax.ArithmExp:
			n = true
		case *syntax.ParamExp:
			n = part.Length || part.Param != nil && strings.Contains("#?$!", part.Param.Value) && part.Exp == nil && !part.Excl
		}
		number, plain = number && n, plain && (p || n)
	}
	return number, plain
}

// items is kind for the words that a loop goes through.
func (a *analysis) items(words []*syntax.Word) (number, plain bool) {
	number, plain = true, true
	for _, w := range words {
		braces := syntax.Word{Parts: w.Parts}
		syntax.SplitBraces(&braces)
		n, p := a.kind(slices.DeleteFunc(slices.Clone(braces.Parts), func(p syntax.WordPart) bool {
			b, ok := p.(*syntax.BraceExp)
			return ok && b.Sequence
		}))
		number, plain = number && n, plain && p
	}
	return number, plain
}

// given notes what an assignment gives its variable.
func (a *analysis) given(name string, as *syntax.Assign) {
	switch {
	case as.Naked:
	case as.Array != nil:
		for _, e := range as.Array.Elems {
			a.assigned(name, e.Value)
		}
	case as.Value != nil:
		a.assigned(name, as.Value)
	}
}

// assignedWord notes an assignment among the words of a command such as env.
func (a *analysis) assignedWord(as Assign) {
	if !as.Value.Literal || !numberText.Get().MatchString(as.Value.Text) {
		a.reuse.words[as.Name] = true
	}
	if !as.Value.Literal || !plainText.Get().MatchString(as.Value.Text) || strings.HasPrefix(as.Value.Text, "-") {
		a.reuse.odd[as.Name] = true
	}
}

// loop notes what a loop gives its variable.
func (a *analysis) loop(n *syntax.ForClause) {
	switch loop := n.Loop.(type) {
	case *syntax.CStyleLoop:
		a.arithmetic(loop.Init)
		a.arithmetic(loop.Cond)
		a.arithmetic(loop.Post)
	case *syntax.WordIter:
		if loop.Name == nil {
			return
		}
		number, plain := a.items(loop.Items)
		if !number || !loop.InPos.IsValid() {
			a.reuse.words[loop.Name.Value] = true
		}
		if !plain || !loop.InPos.IsValid() {
			a.reuse.odd[loop.Name.Value] = true
		}
	}
}
