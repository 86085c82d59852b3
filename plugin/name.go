package plugin

import (
	"fmt"
	"strings"

	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

// Name is the name of a plugin: org/repo to people, org@repo as a directory. A
// plugin without an organisation (a local directory, say) has the Repo only.
type Name struct {
	Org  string
	Repo string
}

// nameError says why a name cannot be a plugin's.
type nameError struct {
	Name   string
	Reason string
}

// Error implements error.
func (e *nameError) Error() string {
	return fmt.Sprintf("plugin name %q: %s", e.Name, e.Reason)
}

// String gives org/repo, or the repo alone.
func (n Name) String() string {
	if n.Org == "" {
		return n.Repo
	}
	return n.Org + "/" + n.Repo
}

// Dir gives the name of the plugin's directory: org@repo, or the repo alone.
func (n Name) Dir() string {
	if n.Org == "" {
		return n.Repo
	}
	return n.Org + "@" + n.Repo
}

// prefix gives what stands before the names of the plugin's hooks and recipes.
func (n Name) prefix() string { return n.String() + "/" }

var (
	orgForm  = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9._+~-]{0,99}$`)
	repoForm = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9._+~@-]{0,99}$`)
	reserved = lazyregexp.New(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$`)
)

// ParseName reads a name as people write it: org/repo, org@repo or repo. Only
// the first @ separates. Names that could mean another place (with .., more
// separators, a leading dot or dash, control characters, names that Windows
// reserves) are refused.
func ParseName(s string) (Name, error) {
	org, repo, two := strings.Cut(s, "/")
	if !two {
		org, repo, two = strings.Cut(s, "@")
	}
	n := Name{Org: org, Repo: repo}
	if !two {
		n = Name{Repo: s}
	}
	if reason := n.fault(two); reason != "" {
		return Name{}, &nameError{Name: s, Reason: reason}
	}
	return n, nil
}

// parseDirName reads the name of a plugin's directory. Unlike ParseName it
// takes no slash.
func parseDirName(dir string) (Name, error) {
	if strings.ContainsAny(dir, `/\`) {
		return Name{}, &nameError{Name: dir, Reason: "it contains a separator"}
	}
	return ParseName(dir)
}

func (n Name) fault(two bool) string {
	const form = "it must consist of letters, digits and . _ + ~ -, start with a letter, a digit or _, and have at most one / or @ inside"
	if two && !orgForm.Get().MatchString(n.Org) {
		return form
	}
	if !repoForm.Get().MatchString(n.Repo) || (!two && strings.Contains(n.Repo, "@")) {
		return form
	}
	for _, part := range []string{n.Org, n.Repo, n.Dir()} {
		if reserved.Get().MatchString(part) {
			return "Windows reserves it"
		}
		if strings.HasSuffix(part, ".") {
			return "it ends with a dot"
		}
	}
	return ""
}

// ParseItem reads the name of something inside a plugin or outside of one as
// people write it (a hook, a recipe, a skill) and gives its one spelling:
// org@repo/name becomes org/repo/name. A name that is absolute or contains
// empty parts, . or .., backslashes or control characters is refused.
func ParseItem(s string) (string, error) {
	fail := func(reason string) (string, error) { return "", &nameError{Name: s, Reason: reason} }
	if s == "" {
		return fail("it is empty")
	}
	if reason := nameFault(s); reason != "" {
		return fail(reason)
	}
	if strings.ContainsAny(s, `\:`) {
		return fail("it contains a backslash or colon")
	}
	first, rest, more := strings.Cut(s, "/")
	if more && strings.Contains(first, "@") {
		n, err := parseDirName(first)
		if err != nil {
			return "", err
		}
		return n.prefix() + rest, nil
	}
	return s, nil
}
