package shell

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// wordBuilder collects the pieces of a word.
type wordBuilder struct {
	parts    []Part
	quoted   bool
	computed bool // a part is unknown for another reason than a file pattern
}

// lit adds text that is known.
func (b *wordBuilder) lit(s string) {
	if s == "" {
		return
	}
	if n := len(b.parts); n > 0 && !b.parts[n-1].Unknown {
		b.parts[n-1].Text += s
		return
	}
	b.parts = append(b.parts, Part{Text: s})
}

// unknown adds a part that the shell computes.
func (b *wordBuilder) unknown() {
	b.computed = true
	b.part()
}

// part adds a part that isn't known; next to another one it adds nothing.
func (b *wordBuilder) part() {
	if n := len(b.parts); n == 0 || !b.parts[n-1].Unknown {
		b.parts = append(b.parts, Part{Unknown: true})
	}
}

// word reads one word of the syntax tree.
func (a *analysis) word(w *syntax.Word) Word {
	if w == nil {
		return Word{Literal: true}
	}
	// SplitBraces gives a word new parts and leaves the old ones alone.
	braces, source := syntax.Word{Parts: w.Parts}, a.source(w)
	if syntax.SplitBraces(&braces) && slices.ContainsFunc(braces.Parts, isBraceExp) {
		return Word{Text: source, Parts: []Part{{Unknown: true}}, Braces: bracesOf(&braces, source)}
	}
	return wordOf(w.Parts, source)
}

func wordOf(parts []syntax.WordPart, source string) Word {
	b := wordBuilder{}
	for i, part := range parts {
		addPart(&b, part, i == 0)
	}
	return b.word(source)
}

// bracesOf returns the words that a split word stands for, nil when they are too many. A
// split word has no place in the text: one of empty parts has no first character.
func bracesOf(split *syntax.Word, source string) []Word {
	var out []Word
	for w, err := range expand.BracesSeq(nil, split) {
		if err != nil || len(out) == maxBraces {
			return nil
		}
		out = append(out, wordOf(w.Parts, source))
	}
	return out
}

func isBraceExp(p syntax.WordPart) bool {
	_, ok := p.(*syntax.BraceExp)
	return ok
}

func (b *wordBuilder) word(source string) Word {
	w := Word{Text: source, Quoted: b.quoted, Parts: b.parts, Glob: !b.computed}
	switch {
	case len(b.parts) == 0:
		return Word{Literal: true, Quoted: b.quoted}
	case len(b.parts) == 1 && !b.parts[0].Unknown:
		return Word{Text: b.parts[0].Text, Literal: true, Quoted: b.quoted}
	}
	return w
}

// addPart adds a piece of the syntax tree to a word.
func addPart(b *wordBuilder, part syntax.WordPart, first bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		unquoted(b, p.Value, first)
	case *syntax.SglQuoted:
		b.quoted = true
		if p.Dollar {
			b.lit(ansiC(p.Value))
		} else {
			b.lit(p.Value)
		}
	case *syntax.DblQuoted:
		b.quoted = true
		for _, in := range p.Parts {
			if lit, ok := in.(*syntax.Lit); ok {
				b.lit(inDouble(lit.Value))
			} else {
				b.unknown()
			}
		}
	default:
		b.unknown()
	}
}

// unquoted adds literal text that stands outside quotes: backslashes escape,
// pattern characters make the text depend on the files there are.
func unquoted(b *wordBuilder, s string, first bool) {
	start := 0
	if first && strings.HasPrefix(s, "~") {
		if end := strings.IndexByte(s+"/", '/'); end > 1 {
			b.unknown() // ~name, ~+ and ~-: a directory that isn't known here
			start = end
		}
	}
	for i := start; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			b.lit(s[start:i])
			b.quoted = true
			if i+1 < len(s) {
				i++
				_, size := utf8.DecodeRuneInString(s[i:])
				b.lit(s[i : i+size])
				i += size - 1
			}
			start = i + 1
		case '*', '?', '[':
			b.lit(s[start:i])
			b.part()
			start = i + 1
			if c == '[' {
				if end := strings.IndexByte(s[i:], ']'); end > 0 {
					i += end
					start = i + 1
				} else if s == "[" {
					b.parts = nil // the command [
					b.lit("[")
				}
			}
		}
	}
	b.lit(s[start:])
}

// inDouble removes the backslashes that mean something within double quotes.
func inDouble(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			switch s[i+1] {
			case '$', '`', '"', '\\':
				i++
			case '\n':
				i++
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// ansiC decodes the text of $'...'.
func ansiC(s string) string {
	var b strings.Builder
	asByte := func(v uint64) { b.WriteByte(byte(v)) }
	asRune := func(v uint64) { b.WriteRune(rune(v)) }
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'a', 'b', 'f', 'n', 'r', 't', 'v':
			b.WriteByte("\a\b\f\n\r\t\v"[strings.IndexByte("abfnrtv", c)])
		case 'e', 'E':
			b.WriteByte(0x1b)
		case 'c':
			if i+1 < len(s) {
				i++
				b.WriteByte(s[i] & 0x1f)
			}
		case 'x':
			i += number(s[i+1:], 2, 16, asByte)
		case 'u':
			i += number(s[i+1:], 4, 16, asRune)
		case 'U':
			i += number(s[i+1:], 8, 16, asRune)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			i += number(s[i:], 3, 8, asByte) - 1
		default:
			if !strings.ContainsRune(`\'"?`, rune(c)) {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		}
	}
	return b.String()
}

// number decodes up to width digits, hands on their value and returns how many there
// were.
func number(s string, width, base int, write func(uint64)) int {
	n := 0
	for n < width && n < len(s) {
		if _, err := strconv.ParseUint(s[n:n+1], base, 8); err != nil {
			break
		}
		n++
	}
	if v, err := strconv.ParseUint(s[:n], base, 32); err == nil {
		write(v)
	}
	return n
}

// plainWord returns the value of a word that is known; "" where it isn't.
func plainWord(w *syntax.Word) string {
	a := analysis{}
	if word := a.word(w); word.Literal {
		return word.Text
	}
	return ""
}
