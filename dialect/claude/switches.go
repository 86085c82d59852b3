package claude

import (
	"net/url"
	"slices"
	"strings"
)

// Switches turn hooks off as a whole.
type Switches struct {
	DisableAllHooks       bool
	AllowManagedHooksOnly bool
	// StrictPluginOnly turns off hooks of the user and the project.
	StrictPluginOnly bool
	// AllowedHTTPHookURLs limits http hooks, with * for any characters; nil sets no
	// limit and an empty list lets none through.
	AllowedHTTPHookURLs []string
	// HTTPHookAllowedEnvVars limits the variables that http hooks may put into
	// headers; nil sets no limit.
	HTTPHookAllowedEnvVars []string
}

// disabled says why a file's hooks do not run, "" when they do. A switch of a file
// turns off the hooks of its own level and of those below it and never those of a
// level that it is not trusted with.
func (s *Set) disabled(f *Settings) string {
	for _, by := range s.files {
		switch sw := by.Switches; {
		case sw.DisableAllHooks && by.mayDisable(f):
			return "disableAllHooks is set in " + by.Path
		case sw.AllowManagedHooksOnly && by.Scope == ScopeManaged && !f.managed():
			return "allowManagedHooksOnly is set in " + by.Path
		case sw.StrictPluginOnly && by.Scope == ScopeManaged && !f.managed() && f.Scope != ScopePlugin:
			return "strictPluginOnlyCustomization is set in " + by.Path
		}
	}
	return ""
}

func (f *Settings) managed() bool {
	return f.Scope == ScopeManaged || f.Plugin != nil && f.Plugin.Forced
}

func (f *Settings) mayDisable(other *Settings) bool {
	switch f.Scope {
	case ScopeManaged:
		return true
	case ScopeUser, ScopeFlag:
		return !other.managed()
	case ScopeProject, ScopeLocal:
		return other.Scope == ScopeProject || other.Scope == ScopeLocal
	}
	return other == f
}

// URLAllowed reports whether an http hook may call a URL: every list that is set
// must let it through.
func (s *Set) URLAllowed(url string) bool {
	for _, f := range s.files {
		if f.Switches.AllowedHTTPHookURLs == nil {
			continue
		}
		if !slices.ContainsFunc(f.Switches.AllowedHTTPHookURLs, func(p string) bool { return urlMatches(p, url) }) {
			return false
		}
	}
	return true
}

// allowedEnv returns those of an http hook's variables that every list lets
// through.
func (s *Set) allowedEnv(names []string) (allowed, refused []string) {
	for _, name := range names {
		ok := true
		for _, f := range s.files {
			ok = ok && (f.Switches.HTTPHookAllowedEnvVars == nil || slices.Contains(f.Switches.HTTPHookAllowedEnvVars, name))
		}
		if ok {
			allowed = append(allowed, name)
		} else {
			refused = append(refused, name)
		}
	}
	return allowed, refused
}

// urlMatches reports whether a pattern with * for any characters matches a URL. A *
// never reaches from the host into the path.
func urlMatches(pattern, raw string) bool {
	u, err := url.Parse(raw)
	if err != nil || u.User != nil {
		return false
	}
	if pattern == "*" {
		return true
	}
	scheme, rest, ok := strings.Cut(pattern, "://")
	if !ok {
		return false
	}
	host, path, _ := strings.Cut(rest, "/")
	target := u.EscapedPath()
	if u.RawQuery != "" {
		target += "?" + u.RawQuery
	}
	return starMatch(strings.ToLower(scheme), u.Scheme) && starMatch(strings.ToLower(host), strings.ToLower(u.Host)) &&
		starMatch("/"+path, "/"+strings.TrimPrefix(target, "/"))
}

// starMatch matches a pattern in which * stands for any characters.
func starMatch(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	s, ok := strings.CutPrefix(s, parts[0])
	if !ok || len(parts) == 1 {
		return ok && s == ""
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return strings.HasSuffix(s, parts[last])
}
