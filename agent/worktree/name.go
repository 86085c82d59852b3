package worktree

import (
	"crypto/rand"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName is the longest name, in bytes.
const maxName = 64

// nameError says that a name cannot be a worktree's.
type nameError struct{ Name, Reason string }

// Error names the name, with what cannot be shown as escapes.
func (e *nameError) Error() string {
	return fmt.Sprintf("%q cannot be the name of a worktree: %s", e.Name, e.Reason)
}

// CheckName reports whether a name can be a worktree's, and why not. It
// consists of letters, digits, dots, dashes and underscores and begins with a letter
// or digit, so that it is a directory and part of a branch's name everywhere.
func CheckName(name string) error {
	bad := func(reason string) error { return &nameError{Name: name, Reason: reason} }
	switch {
	case name == "":
		return bad("it is empty")
	case len(name) > maxName:
		return bad(fmt.Sprintf("it is longer than %d bytes", maxName))
	case !utf8.ValidString(name):
		return bad("it is not UTF-8")
	case strings.Contains(name, ".."):
		return bad(`it holds ".."`)
	case strings.HasSuffix(name, "."), strings.HasSuffix(strings.ToLower(name), ".lock"):
		return bad("git takes no branch that ends with . or .lock")
	}
	for i, r := range name {
		word := unicode.IsLetter(r) || unicode.IsDigit(r)
		if i == 0 && !word {
			return bad("it begins with neither a letter nor a digit")
		}
		if !word && !unicode.IsMark(r) && !strings.ContainsRune("._-", r) {
			return bad(fmt.Sprintf("%q is neither a letter or digit nor one of . _ -", r))
		}
	}
	if !filepath.IsLocal(name) {
		return bad("the system reserves it")
	}
	return nil
}

var (
	manners = []string{"amber", "brisk", "calm", "clear", "dusky", "early", "fair", "gentle", "keen", "light", "mellow", "quiet", "rapid", "still", "tidy", "vivid"}
	things  = []string{"alder", "brook", "cedar", "cliff", "delta", "fern", "glade", "harbour", "heath", "island", "meadow", "pine", "ridge", "river", "shore", "valley"}
)

// NewName returns a name that hardly any worktree has. It begins with the prefix,
// or with two words when that is empty.
func NewName(prefix string) string {
	random := strings.ToLower(rand.Text())
	if prefix == "" {
		prefix = manners[random[0]%16] + "-" + things[random[1]%16]
	}
	return prefix + "-" + random[2:8]
}
