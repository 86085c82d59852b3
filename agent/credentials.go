package agent

import (
	"maps"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/ui"
)

// withoutCredentials deletes the headers that a request could be sent in another's name with:
// hooks neither see nor choose what the agent is known to a provider by.
func (r *run) withoutCredentials(headers map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if carriesCredentials(name) {
			delete(headers, name)
			r.notify("A ProviderRequest hook set the header "+name+", which carries credentials; the request goes without it", ui.Warning)
		}
	}
}

// What headers with credentials have in their names, words that have it and mean something
// else, and words beside which a key, or a count of tokens, is nobody's secret.
var (
	credentialParts = []string{"auth", "cookie", "credential", "key", "passw", "secret", "token"}
	plainWords      = []string{"author", "authority", "authors", "keyboard", "keyword", "keywords", "tokenizer"}
	besideKey       = []string{"cache", "idempotency", "partition", "routing"}
	besideTokens    = []string{"budget", "count", "limit", "max"}
	plainBeside     = map[string][]string{"key": besideKey, "token": besideTokens, "tokens": besideTokens}
)

// carriesCredentials reports whether a header's value is one, as far as its name tells: a
// name that is not known to be plain is taken for what it sounds like.
func carriesCredentials(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(c rune) bool { return c < 'a' || c > 'z' })
	beside := func(word string, i int) bool {
		return i >= 0 && i < len(words) && slices.Contains(plainBeside[word], words[i])
	}
	for i, word := range words {
		switch {
		case slices.Contains(plainWords, word):
		case beside(word, i-1) || beside(word, i+1):
		case slices.ContainsFunc(credentialParts, func(part string) bool { return strings.Contains(word, part) }):
			return true
		}
	}
	return false
}
