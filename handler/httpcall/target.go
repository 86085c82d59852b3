package httpcall

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// parseTarget parses an address. The error repeats nothing of it.
func parseTarget(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return nil, errors.New("the hook's URL cannot be parsed")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("the hook's URL has scheme %q; it must be http or https", u.Scheme)
	case u.Hostname() == "" || strings.HasPrefix(u.Host, "]"): // a bracket that nothing opened
		return nil, errors.New("the hook's URL has no host")
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// origin returns scheme, host and port, which hold no secret.
func origin(u *url.URL) string {
	host := strings.ToLower(u.Hostname())
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port := u.Port(); port != "" && port != defaultPort(u.Scheme) {
		host = net.JoinHostPort(strings.Trim(host, "[]"), port)
	}
	return strings.ToLower(u.Scheme) + "://" + host
}

func defaultPort(scheme string) string {
	if strings.EqualFold(scheme, "https") {
		return "443"
	}
	return "80"
}

// Allowed reports whether one of the patterns matches a URL. Nil patterns allow
// every URL, an empty list none.
//
// A pattern is a URL in which * stands for any characters of the same part: of
// the host, of the port, or of path and query together. A * at the end of a host
// name stands for any port and path instead, so that no longer host name passes;
// after it, and after a port that ends in *, every path matches. A pattern
// without a path matches the root only. User and password play no part.
func Allowed(patterns []string, u *url.URL) bool {
	if patterns == nil {
		return true
	}
	for _, p := range patterns {
		if matches(p, u) {
			return true
		}
	}
	return false
}

func matches(pattern string, u *url.URL) bool {
	if pattern == "*" {
		return true
	}
	scheme, rest, ok := strings.Cut(pattern, "://")
	if !ok || !wildcard(strings.ToLower(scheme), strings.ToLower(u.Scheme)) {
		return false
	}
	authority, path := rest, ""
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		authority, path = rest[:i], rest[i:]
	} else if strings.HasSuffix(authority, "*") {
		path = "*"
	}
	if strings.Contains(authority, "@") {
		return false
	}
	host, port := splitHost(strings.ToLower(authority))
	if len(host) > 1 && strings.HasSuffix(host, "*") {
		host = strings.TrimSuffix(host, "*")
		if port == "" {
			port = "*"
		}
	}
	if port == "" {
		port = defaultPort(u.Scheme)
	}
	actual := u.Port()
	if actual == "" {
		actual = defaultPort(u.Scheme)
	}
	return wildcard(host, strings.ToLower(u.Hostname())) && wildcard(port, actual) && matchPath(path, u)
}

// matchPath matches the path as it is sent, with its query. Paths with dot
// segments match nothing that has a path: where they lead is up to the server.
func matchPath(pattern string, u *url.URL) bool {
	if pattern == "*" {
		return true
	}
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	if pattern == "" {
		pattern = "/"
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		if segment == "." || segment == ".." {
			return false
		}
	}
	if u.RawQuery != "" {
		path += "?" + u.RawQuery
	}
	return wildcard(pattern, path)
}

// splitHost splits a pattern's authority. The brackets of IPv6 are dropped.
func splitHost(authority string) (host, port string) {
	if rest, ok := strings.CutPrefix(authority, "["); ok {
		host, port, _ = strings.Cut(rest, "]")
		return host, strings.TrimPrefix(port, ":")
	}
	host, port, _ = strings.Cut(authority, ":")
	return host, port
}

// wildcard matches s against a pattern in which * stands for any characters.
func wildcard(pattern, s string) bool {
	first, rest, wild := strings.Cut(pattern, "*")
	if !wild {
		return pattern == s
	}
	s, ok := strings.CutPrefix(s, first)
	if !ok {
		return false
	}
	for {
		part, more, wild := strings.Cut(rest, "*")
		if !wild {
			return strings.HasSuffix(s, part)
		}
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s, rest = s[i+len(part):], more
	}
}

// expandVars replaces $NAME and ${NAME}. Values are not looked at again. A $ that
// begins no name stays.
func expandVars(s string, value func(name string) string) string {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(s, "$")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		if inner, ok := strings.CutPrefix(after, "{"); ok {
			if n := nameLen(inner); n > 0 && strings.HasPrefix(inner[n:], "}") {
				out.WriteString(value(inner[:n]))
				s = inner[n+1:]
				continue
			}
		} else if n := nameLen(after); n > 0 {
			out.WriteString(value(after[:n]))
			s = after[n:]
			continue
		}
		out.WriteByte('$')
		s = after
	}
}

// nameLen returns how many bytes at the start of s are the name of a variable.
func nameLen(s string) int {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return i
		}
	}
	return len(s)
}
