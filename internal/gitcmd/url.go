package gitcmd

import (
	"fmt"
	"net"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

// Transport is a way to reach a repository.
type Transport uint8

// The transports. The zero value means no transport at all.
const (
	HTTPS Transport = iota + 1
	SSH
	File
	HTTPLoopback // plain http, to this machine only
)

// URL is the address of a repository that passed every check of [ParseURL].
type URL struct {
	Transport Transport
	Host      string // without user and port; empty for File
	Path      string // decoded, with slashes; starts with / except for git@host:path
	text      string
}

// String gives the address as it is handed to git and recorded. It contains
// no credentials.
func (u URL) String() string { return u.text }

// Segments gives the non-empty parts of the path.
func (u URL) Segments() []string {
	return strings.FieldsFunc(u.Path, func(r rune) bool { return r == '/' })
}

// URLError says why an address was refused.
type URLError struct {
	URL    string // without anything that might be a password
	Reason string
}

// Error implements error.
func (e *URLError) Error() string {
	return fmt.Sprintf("repository address %q: %s", e.URL, e.Reason)
}

var (
	helperForm = lazyregexp.New(`^[A-Za-z0-9+.-]*::`)
	schemeForm = lazyregexp.New(`^([A-Za-z][A-Za-z0-9+.-]*)://`)
	userForm   = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)
	hostForm   = lazyregexp.New(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`)
	scpForm    = lazyregexp.New(`^(?:([^@/:]+)@)?([^@/:]{2,}):([^:].*)$`)
)

// ParseURL checks an address: https://host/path, ssh://[user@]host/path,
// [user@]host:path, file:///path, or http:// to a loopback host. Errors are of
// type [*URLError] and never repeat a password or token.
func ParseURL(s string) (URL, error) {
	shown := redact(s)
	refuse := func(format string, args ...any) (URL, error) {
		return URL{}, &URLError{URL: shown, Reason: fmt.Sprintf(format, args...)}
	}
	if reason := badText(s); reason != "" {
		return refuse("%s", reason)
	}
	switch {
	case s == "":
		return refuse("it is empty")
	case s[0] == '-':
		return refuse("it starts with a dash")
	case helperForm.Get().MatchString(s):
		return refuse("remote helpers such as ext:: run commands and are not allowed; use https or ssh")
	}
	m := schemeForm.Get().FindStringSubmatch(s)
	if m == nil {
		return parseSCP(s, refuse)
	}
	scheme := strings.ToLower(m[1])
	rest := s[len(m[0]):]
	if scheme == "file" {
		return parseFile(rest, refuse)
	}
	if strings.ContainsAny(rest, " ?#\\") {
		return refuse("it contains a query, a fragment, a space or a backslash; give host and path only")
	}
	switch scheme {
	case "https", "http", "ssh":
		return parseNetwork(scheme, rest, refuse)
	}
	return refuse("%s:// is not allowed; use https, ssh or file", scheme)
}

type refuser = func(format string, args ...any) (URL, error)

func parseSCP(s string, refuse refuser) (URL, error) {
	m := scpForm.Get().FindStringSubmatch(s)
	if m == nil {
		return refuse("it is not an address of a repository; use https://host/org/repo or git@host:org/repo")
	}
	user, host, path := m[1], m[2], strings.TrimRight(m[3], "/")
	if user != "" && !userForm.Get().MatchString(user) {
		return refuse("the user name is malformed")
	}
	if !hostForm.Get().MatchString(host) {
		return refuse("the host is malformed; write an international name in its ASCII (xn--) form")
	}
	if strings.ContainsAny(path, " ?#\\") {
		return refuse("the path contains a space, ?, # or a backslash")
	}
	if reason := badPath(path); reason != "" {
		return refuse("%s", reason)
	}
	text := host + ":" + path
	if user != "" {
		text = user + "@" + text
	}
	return URL{Transport: SSH, Host: host, Path: path, text: text}, nil
}

func parseFile(rest string, refuse refuser) (URL, error) {
	if !strings.HasPrefix(rest, "/") {
		return refuse("a file address needs three slashes: file:///path")
	}
	path, err := url.PathUnescape(rest)
	if err != nil {
		return refuse("its path is badly encoded")
	}
	path = strings.TrimRight(path, "/")
	if reason := badPath(path); reason != "" {
		return refuse("%s", reason)
	}
	return URL{Transport: File, Path: path, text: "file://" + strings.TrimRight(rest, "/")}, nil
}

func parseNetwork(scheme, rest string, refuse refuser) (URL, error) {
	authority, rawPath, _ := strings.Cut(rest, "/")
	user, host := "", authority
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		user, host = authority[:at], authority[at+1:]
		if scheme != "ssh" {
			return refuse("it contains a user name or password; keep credentials in a git credential helper")
		}
		if strings.Contains(user, ":") {
			return refuse("it contains a password; use an ssh key")
		}
		if !userForm.Get().MatchString(user) {
			return refuse("the user name is malformed")
		}
	}
	host, ok := cutPort(host)
	if !ok {
		return refuse("the host is malformed; write an international name in its ASCII (xn--) form")
	}
	path, err := url.PathUnescape("/" + strings.TrimRight(rawPath, "/"))
	if err != nil {
		return refuse("its path is badly encoded")
	}
	if reason := badPath(path); reason != "" {
		return refuse("%s", reason)
	}
	u := URL{Host: host, Path: path, text: scheme + "://" + authority + "/" + strings.TrimRight(rawPath, "/")}
	switch scheme {
	case "https":
		u.Transport = HTTPS
	case "ssh":
		u.Transport = SSH
	default:
		if !isLoopback(host) {
			return refuse("http:// can be read and changed on the way; use https://")
		}
		u.Transport = HTTPLoopback
	}
	return u, nil
}

// cutPort takes the port and the brackets of an IPv6 address off a host.
func cutPort(host string) (string, bool) {
	name, port := host, ""
	if strings.HasPrefix(host, "[") {
		end := strings.IndexByte(host, ']')
		if end < 0 || net.ParseIP(host[1:end]) == nil {
			return "", false
		}
		name, port = host[1:end], host[end+1:]
		if port != "" && port[0] != ':' {
			return "", false
		}
		port = strings.TrimPrefix(port, ":")
	} else {
		name, port, _ = strings.Cut(host, ":")
		if !hostForm.Get().MatchString(name) {
			return "", false
		}
	}
	if len(port) > 5 || strings.Trim(port, "0123456789") != "" {
		return "", false
	}
	return name, true
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// badText says what about the characters of s is not allowed in an address or
// a ref; empty when nothing is.
func badText(s string) string {
	if !utf8.ValidString(s) {
		return "it is not UTF-8 text"
	}
	for _, r := range s {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || (unicode.IsSpace(r) && r != ' ') {
			return fmt.Sprintf("it contains the control character %U", r)
		}
	}
	return ""
}

func badPath(path string) string {
	if reason := badText(path); reason != "" {
		return reason
	}
	segments := 0
	for part := range strings.SplitSeq(path, "/") {
		switch {
		case part == "":
			continue
		case part[0] == '-':
			return "a part of its path starts with a dash"
		case part == "." || part == "..":
			return "its path contains . or .."
		}
		segments++
	}
	if segments == 0 {
		return "it has no path"
	}
	return ""
}

// redact gives s with everything between the scheme and an @ of the authority
// replaced, and without query: what is left may be shown and logged.
func redact(s string) string {
	if m := schemeForm.Get().FindString(s); m != "" {
		authority, path, slash := strings.Cut(s[len(m):], "/")
		if at := strings.LastIndexByte(authority, '@'); at >= 0 {
			authority = "***@" + authority[at+1:]
		}
		s = m + authority
		if slash {
			s += "/" + path
		}
	} else if at := strings.LastIndexByte(s, '@'); at >= 0 && strings.ContainsRune(s[:at], ':') {
		s = "***" + s[at:]
	}
	if cut := strings.IndexByte(s, '?'); cut >= 0 {
		s = s[:cut] + "?***"
	}
	return s
}
