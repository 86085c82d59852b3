package gitcmd

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

// RefError says that a branch, tag or commit cannot be used or found.
type RefError struct {
	Ref    string
	Reason string
}

// Error implements error.
func (e *RefError) Error() string {
	return fmt.Sprintf("ref %q: %s", e.Ref, e.Reason)
}

var (
	fullCommit  = lazyregexp.New(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
	shortCommit = lazyregexp.New(`^[0-9a-f]{7,63}$`)
)

// IsCommit reports whether ref is a whole commit id. Such a ref always means
// that commit, even if a branch has the same name.
func IsCommit(ref string) bool { return fullCommit.Get().MatchString(ref) }

// ValidateRef checks the spelling of a branch, tag or commit. The empty ref,
// which means the repository's default branch, is valid. Errors are of type
// [*RefError].
func ValidateRef(ref string) error {
	if reason := badRef(ref); reason != "" {
		return &RefError{Ref: ref, Reason: reason}
	}
	return nil
}

func badRef(ref string) string {
	if ref == "" {
		return ""
	}
	if reason := badText(ref); reason != "" {
		return reason
	}
	switch {
	case len(ref) > 250:
		return "it is longer than 250 bytes"
	case ref[0] == '-':
		return "it starts with a dash"
	case strings.ContainsAny(ref, " ~^:?*[\\"):
		return "it contains a space or one of ~^:?*[\\"
	case strings.Contains(ref, "..") || strings.Contains(ref, "@{") || ref == "@":
		return "it contains .. or @{"
	case strings.ContainsFunc(ref, func(r rune) bool { return !unicode.IsPrint(r) }):
		return "it contains an unprintable character"
	}
	for part := range strings.SplitSeq(ref, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") || strings.HasSuffix(part, ".") {
			return "a part of it is empty, starts or ends with a dot, or ends in .lock"
		}
	}
	return ""
}
