package gitcmd

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// Errors that callers branch on, with errors.Is.
var (
	// ErrNoGit: the git program is not installed.
	ErrNoGit = errors.New("git is not installed; install it from https://git-scm.com and try again")
	// ErrTooLarge: the download passed the cap.
	ErrTooLarge = errors.New("the download is larger than allowed")
	// ErrTimeout: the operation passed its own deadline.
	ErrTimeout = errors.New("git took too long")
)

// Error is a run of git that failed.
type Error struct {
	Op     string // what was being done: "fetching https://..."
	Exit   int    // exit code, -1 when killed or not started
	Stderr string // the end of what git said, cleaned of control characters
	Hint   string // what to do about it; may be empty
	Err    error  // the cause: of the context, ErrTooLarge, or of the process
}

// Error implements error.
func (e *Error) Error() string {
	s := e.Op + ": "
	switch {
	case errors.Is(e.Err, ErrTooLarge) || errors.Is(e.Err, ErrTimeout):
		s += e.Err.Error()
	case e.Stderr != "":
		s += "git: " + e.Stderr
	case e.Err != nil:
		s += e.Err.Error()
	default:
		s += fmt.Sprintf("git exited with %d", e.Exit)
	}
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// hint explains the commonest things git says.
func hint(stderr string) string {
	s := strings.ToLower(stderr)
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(s, p) {
				return true
			}
		}
		return false
	}
	switch {
	case has("could not read username", "terminal prompts disabled", "authentication failed", "permission denied (publickey"):
		return "the repository does not exist or needs credentials; check the name, or set up a git credential helper or ssh key (git is not allowed to ask here)"
	case has("host key verification failed"):
		return "connect once with ssh to accept the host's key"
	case has("not found", "does not appear to be a git repository", "does not exist"):
		return "check the address"
	case has("could not resolve host", "failed to connect", "connection refused", "timed out"):
		return "check the network and the address"
	case has("transport ", "not allowed"):
		return "only https and ssh are allowed, and file for an address that starts with file://"
	case has("unknown option", "unknown switch"):
		return "git 2.30 or newer is needed"
	case has("redirect"):
		return "give the address that the server redirects to"
	case has("dubious ownership"):
		return "the repository belongs to another user"
	case has("fsck error", "error in fsck", "contains '.git'", "contains '..'", "hasdotgit", "hasdotdot"):
		return "the repository is malformed and is refused"
	}
	return ""
}

// clean makes what git printed fit for one line of a terminal or log.
func clean(s string) string {
	var kept []string
	for line := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = strings.TrimSpace(strings.Map(func(r rune) rune {
			if r == '\t' {
				return ' '
			}
			if !unicode.IsPrint(r) {
				return unicode.ReplacementChar
			}
			return r
		}, line))
		if line != "" && !strings.HasPrefix(line, "hint:") {
			kept = append(kept, line)
		}
	}
	if len(kept) > 6 {
		kept = kept[len(kept)-6:]
	}
	return strings.Join(kept, "; ")
}
