package redact

import (
	"math"
	"strings"

	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

// stands matches values that stand for a secret and are none: references to
// variables, types, blanks to be filled in.
var stands = lazyregexp.New(`(?i)^(?:` +
	`\$\w+|\$\{.*|\$\(.*|%\w+%|%[svdq]|<.*|\{\{.*|\*+|x{3,}|\.{3,}|-+|_+|` +
	`null|nil|none|undefined|true|false|yes|no|required|optional|redacted|hidden|secret|password|passwd|token|changeme|example|` +
	`string\W*|str|text|bool|boolean|number|int|any|unknown|object|file|prompt|stdin|` +
	`(?:process\.env|os\.environ|os\.getenv|env|secrets|vars|config|settings|self|this|args|opts|options|req|request|user|input|data|params|props|ctx|cfg)[.\[].*` +
	`)$`)

func placeholder(value string) bool { return stands.Get().MatchString(value) }

// Bounds of what counts as random.
const (
	leastEntropy = 2.5 // bits a character, for a value of letters and digits
	wordEntropy  = 3.6 // for one of letters alone
	wordLength   = 20
)

// notRandom says that a value reads like words or numbers of a person.
func notRandom(value string) bool {
	if placeholder(value) {
		return true
	}
	letters, digits, lower, upper := 0, 0, 0, 0
	for i := range len(value) {
		switch c := value[i]; {
		case '0' <= c && c <= '9':
			digits++
		case 'a' <= c && c <= 'z':
			letters++
			lower++
		case 'A' <= c && c <= 'Z':
			letters++
			upper++
		}
	}
	switch {
	case letters == 0:
		return digits < 2*wordLength
	case digits > 0:
		return entropy(value) < leastEntropy
	}
	return len(value) < wordLength || lower == 0 || upper == 0 || strings.ContainsAny(value, "-_. ") || entropy(value) < wordEntropy
}

// entropy returns the Shannon entropy of a text's bytes, in bits a byte.
func entropy(s string) float64 {
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	var sum float64
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}
