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

// disabled says why a file's hooks do not run, "" when they do, and which file wants it so.
// A switch of a file turns off the hooks of its own level and of those below it and never
// those of a level that it is not trusted with. The file that is trusted most is named.
func (s *fileSet) disabled(f *Settings) (why string, by *Settings) {
	for _, by := range s.files {
		switch sw := by.Switches; {
		case sw.DisableAllHooks && by.mayDisable(f):
			return "disableAllHooks is set in " + by.Path, by
		case sw.AllowManagedHooksOnly && by.Scope == ScopeManaged && !f.managed():
			return "allowManagedHooksOnly is set in " + by.Path, by
		case sw.StrictPluginOnly && by.Scope == ScopeManaged && !f.managed() && f.Scope != ScopePlugin:
			return "strictPluginOnlyCustomization is set in " + by.Path, by
		}
	}
	return "", nil
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
		return other.ofProject()
	}
	return other == f
}

// ofProject reports whether a file is one that the project brings.
func (f *Settings) ofProject() bool { return f.Scope == ScopeProject || f.Scope == ScopeLocal }

// URLAllowed reports whether an http hook of a file may call a URL: every list that has a
// say over the file's hooks must let it through.
func (s *fileSet) URLAllowed(f *Settings, raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && !slices.ContainsFunc(s.files, func(by *Settings) bool {
		return by.mayDisable(f) && !httpcall.Allowed(by.Switches.AllowedHTTPHookURLs, u)
	})
}

// allowedURLs returns the list that holds for redirects of a file's hooks too: that of the
// highest level which sets one.
func (s *fileSet) allowedURLs(f *Settings) []string {
	for _, by := range s.files {
		if by.mayDisable(f) && by.Switches.AllowedHTTPHookURLs != nil {
			return by.Switches.AllowedHTTPHookURLs
		}
	}
	return nil
}

// allowedEnv returns those of the variables of a file's http hook that every list which has
// a say lets through.
func (s *fileSet) allowedEnv(f *Settings, names []string) (allowed, refused []string) {
	for _, name := range names {
		ok := true
		for _, by := range s.files {
			ok = ok && (!by.mayDisable(f) || by.Switches.HTTPHookAllowedEnvVars == nil || slices.Contains(by.Switches.HTTPHookAllowedEnvVars, name))
		}
		if ok {
			allowed = append(allowed, name)
		} else {
			refused = append(refused, name)
		}
	}
	return allowed, refused
}
