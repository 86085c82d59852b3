package toolrule

import "strings"

// sep separates words in the texts that are matched. It can't stand in a word.
const sep = 0

// glob is a pattern over words: literal bytes, separators and stars.
type glob struct {
	elems []elem
	// tail accepts anything more, from a separator on ("git status:*").
	tail bool
	// fixed is how many leading words hold no star.
	fixed int
	// exact reports a pattern without any star or tail.
	exact bool
	// assigns reports that the first word is an assignment.
	assigns bool
}

type elem struct {
	c    byte
	star bool
}

// symbol is one step of the text matched: a byte, or a part that isn't known.
type symbol struct {
	c       byte
	unknown bool
}

// newGlob compiles the words of a shell pattern.
func newGlob(content string) glob {
	var g glob
	prefix, colon := strings.CutSuffix(content, ":*")
	words := patternWords(prefix)
	if n := len(words); !colon && n > 1 && len(words[n-1]) == 1 && words[n-1][0].star {
		words, g.tail = words[:n-1], true
	}
	g.tail = g.tail || colon
	stars := false
	for i, w := range words {
		if i > 0 {
			g.elems = append(g.elems, elem{c: sep})
		}
		g.elems = append(g.elems, w...)
		for _, e := range w {
			stars = stars || e.star
		}
		if !stars {
			g.fixed++
		}
	}
	g.exact = !stars && !g.tail
	if len(words) > 0 {
		g.assigns = isAssignment(words[0])
	}
	return g
}

func isAssignment(word []elem) bool {
	for i, e := range word {
		switch {
		case e.star:
			return false
		case e.c == '=':
			return i > 0
		case e.c != '_' && (e.c < 'a' || e.c > 'z') && (e.c < 'A' || e.c > 'Z') && (i == 0 || e.c < '0' || e.c > '9'):
			return false
		}
	}
	return false
}

// patternWords splits a pattern into words. Quotes group and make stars
// literal, as they do in a shell; quotes that don't close are plain characters.
func patternWords(s string) [][]elem {
	plainQuotes := !quotesClose(s)
	var words [][]elem
	var cur []elem
	in := false
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == '"' && c == '\\' && i+1 < len(s) && strings.IndexByte("\"\\$`", s[i+1]) >= 0,
			quote == 0 && c == '\\' && i+1 < len(s):
			i++
			cur, in = append(cur, elem{c: s[i]}), true
		case quote != 0:
			cur = append(cur, elem{c: c})
		case !plainQuotes && (c == '\'' || c == '"'):
			quote, in = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if in {
				words, cur, in = append(words, cur), nil, false
			}
		case c == '*':
			if n := len(cur); n == 0 || !cur[n-1].star {
				cur = append(cur, elem{star: true})
			}
			in = true
		default:
			cur, in = append(cur, elem{c: c}), true
		}
	}
	if in {
		words = append(words, cur)
	}
	return words
}

func quotesClose(s string) bool {
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote == 0 && c == '\\' || quote == '"' && c == '\\':
			i++
		case quote == c:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		}
	}
	return quote == 0
}

// certainty says how a part of a text is read that isn't known.
type certainty int

const (
	surely   certainty = iota // it matches only where a star stands: whatever it turns out to be
	possibly                  // it may become anything
)

// match runs the pattern over a text.
//
// The work is bounded by the length of the pattern times that of the text.
func (g *glob) match(text []symbol, c certainty) bool {
	n := len(g.elems)
	cur, next := make([]bool, n+1), make([]bool, n+1)
	cur[0] = true
	g.close(cur)
	tail := false // the pattern ended and a separator followed
	for _, s := range text {
		if tail {
			return true
		}
		if s.unknown && c == possibly {
			first := firstSet(cur)
			if first < 0 {
				return false
			}
			for i := first; i <= n; i++ {
				cur[i] = true // it becomes whatever the pattern wants next
			}
			if g.tail {
				return true
			}
			continue
		}
		any := false
		clear(next)
		for i, on := range cur {
			switch {
			case !on:
			case i == n:
				if g.tail && !s.unknown && s.c == sep {
					tail = true
				}
			case g.elems[i].star:
				next[i], any = true, true
			case !s.unknown && g.elems[i].c == s.c:
				next[i+1], any = true, true
			}
		}
		if !any && !tail {
			return false
		}
		cur, next = next, cur
		g.close(cur)
	}
	return tail || cur[n]
}

// close adds the positions that are reached by letting stars match nothing.
func (g *glob) close(set []bool) {
	for i, e := range g.elems {
		if set[i] && e.star {
			set[i+1] = true
		}
	}
}

func firstSet(set []bool) int {
	for i, on := range set {
		if on {
			return i
		}
	}
	return -1
}
