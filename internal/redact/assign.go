package redact

import (
	"slices"
	"strings"
)

// sensitive are the last words of names to which a secret is assigned.
var sensitive = []string{"password", "passwd", "passphrase", "pass", "pwd", "secret", "token", "credential", "credentials", "key"}

// keyWords are what comes before "key" in the name of a key that is a secret. Of
// names in capitals every KEY counts, save for those that harmless lists.
var keyWords = []string{"api", "access", "private", "secret", "signing", "encryption", "auth", "account", "master", "service", "license"}

// harmless are words in the name of a key that is none.
var harmless = []string{
	"public", "primary", "foreign", "cache", "sort", "partition", "shard", "row", "range", "hash", "index", "idempotency",
	"object", "dedup", "group", "lookup", "translation", "storage", "query", "registry", "unique", "composite", "map", "hot",
}

// assignments replaces values that are assigned to names which say that they are
// secret: NAME=value, name: value, "name": "value", also within a string that is
// JSON itself, and --name value.
func assignments(s string) string {
	lower := lowerASCII(s)
	var spans [][3]int // from, to, 1 for a password
	for _, word := range sensitive {
		for at := 0; ; {
			i := strings.Index(lower[at:], word)
			if i < 0 {
				break
			}
			at += i + len(word)
			if at < len(s) && isWord(s[at]) {
				continue
			}
			if from, to, ok := assigned(s, at-len(word), at, word); ok {
				password := 0
				if word[0] == 'p' {
					password = 1
				}
				spans = append(spans, [3]int{from, to, password})
			}
		}
	}
	if spans == nil {
		return s
	}
	slices.SortFunc(spans, func(a, b [3]int) int { return a[0] - b[0] })
	var b strings.Builder
	last := 0
	for _, sp := range spans {
		if sp[0] < last {
			continue // a value that is an assignment itself
		}
		b.WriteString(s[last:sp[0]])
		if sp[2] == 1 {
			b.WriteString("[redacted:password]")
		} else {
			b.WriteString("[redacted:secret]")
		}
		last = sp[1]
	}
	b.WriteString(s[last:])
	return b.String()
}

// assigned finds the secret that is assigned to the name which ends with the word
// at from:to.
func assigned(s string, from, to int, word string) (begin, end int, ok bool) {
	start := from
	for start > 0 && (isWord(s[start-1]) || s[start-1] == '-' || s[start-1] == '.') {
		start--
	}
	name, rest := s[start:to], to
	for rest < len(s) && (s[rest] == '\\' || s[rest] == '"' || s[rest] == '\'') {
		rest++
	}
	blank := skipBlanks(s, rest)
	switch {
	case strings.HasPrefix(s[blank:], ":=") || strings.HasPrefix(s[blank:], "=>"):
		blank = skipBlanks(s, blank+2)
	case blank < len(s) && (s[blank] == '=' || s[blank] == ':'):
		blank = skipBlanks(s, blank+1)
	case strings.HasPrefix(name, "-") && rest == to && blank > rest:
	default:
		return 0, 0, false
	}
	begin, end = valueAt(s, blank)
	value := s[begin:end]
	if value == "" || marker.Get().MatchString(value) || placeholder(value) {
		return 0, 0, false
	}
	if word[0] == 'p' {
		return begin, end, word != "pass" || passName(s, start, from)
	}
	return begin, end, len(value) >= minValue && secretName(name, word) && !notRandom(value)
}

// passName reports whether "pass" is a word of its own in a name: "bypass" is not
// about passwords.
func passName(s string, start, from int) bool {
	return start == from || strings.IndexByte("_.-", s[from-1]) >= 0 || 'A' <= s[from] && s[from] <= 'Z' && 'a' <= s[from-1] && s[from-1] <= 'z'
}

// secretName reports whether a name that ends in one of the words may be that of a
// secret. Only "key" is a word with other meanings.
func secretName(name, word string) bool {
	if word != "key" {
		return true
	}
	lower := strings.ToLower(name)
	if slices.ContainsFunc(harmless, func(w string) bool { return strings.Contains(lower, w) }) {
		return false
	}
	before := strings.TrimRight(lower[:len(lower)-len(word)], "_-.")
	capitals := strings.HasSuffix(name, "_KEY") || strings.HasSuffix(name, "APIKEY")
	return capitals || slices.ContainsFunc(keyWords, func(w string) bool { return strings.HasSuffix(before, w) })
}

// valueAt returns where the value at i begins and ends, without its quotes. Quotes behind
// backslashes are those of a string within strings, each of which has doubled them: one
// behind more of them is of the value, and anything else behind no more ends what holds it.
func valueAt(s string, i int) (from, to int) {
	open := i
	for open < len(s) && s[open] == '\\' {
		open++
	}
	if open == len(s) || s[open] != '"' && s[open] != '\'' {
		for to = i; to < len(s) && strings.IndexByte(" \t\r\n\f\v\"'\\,;&|<>(){}", s[to]) < 0; to++ {
		}
		return i, to
	}
	from = open + 1
	for to = from; to < len(s) && s[to] != '\n' && s[to] != '\r'; {
		end := to
		for end < len(s) && s[end] == '\\' {
			end++
		}
		switch slashes := end - to; {
		case end == len(s):
			return from, end
		case slashes <= open-i && (slashes > 0 || s[end] == s[open]):
			return from, to
		}
		to = end + 1
	}
	return from, min(to, len(s))
}

func skipBlanks(s string, i int) int {
	for end := i + 4; i < len(s) && i < end && (s[i] == ' ' || s[i] == '\t'); i++ {
	}
	return i
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
