package claude

import (
	"net/url"
	"slices"

	"github.com/hookline-dev/hookline/handler/httpcall"
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
func (s *Set) URLAllowed(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil {
		return false
	}
	for _, f := range s.files {
		if !httpcall.Allowed(f.Switches.AllowedHTTPHookURLs, u) {
			return false
		}
	}
	return true
}

// allowedURLs returns the list that holds for redirects too: that of the highest
// level which sets one.
func (s *Set) allowedURLs() []string {
	for _, f := range s.files {
		if f.Switches.AllowedHTTPHookURLs != nil {
			return f.Switches.AllowedHTTPHookURLs
		}
	}
	return nil
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
