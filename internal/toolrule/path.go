package toolrule

import (
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// anyPath is the reading of a path rule that misses nothing: the path as given
// or as resolved, from either base, also inside a directory that matches.
func (r Rule) anyPath(call Call) Match {
	given, ok := call.Path()
	if !ok {
		return doubt("", "the input holds no path")
	}
	return r.matchesPath(given, call)
}

// MatchPath is Match for one path instead of a call's.
func (r Rule) MatchPath(path string, call Call) Match {
	if r.path == "" {
		return no("not a rule about paths")
	}
	return r.matchesPath(path, call.Analyzed())
}

// matchesPath matches one path for deny, ask and if.
func (r Rule) matchesPath(given string, call Call) Match {
	return matchesAny(r.bases(call, toForbid), given, call)
}

// matchesAny matches one path with the readings of a rule's pattern.
func matchesAny(bases []anchored, given string, call Call) Match {
	abs, ok := call.absolute(given)
	if !ok {
		return doubt(given, "the path can't be made absolute")
	}
	real, err := call.links.resolve(abs)
	lexical := cleanSlash(abs)
	for _, base := range bases {
		for _, p := range []string{lexical, real} {
			if p != "" && base.matches(p, toForbid) {
				return yes(given, "the path is "+p)
			}
		}
	}
	if err != nil {
		return doubt(given, "the path can't be resolved: "+err.Error())
	}
	return no("the path is " + real)
}

// CoversPath reports whether a path rule allows a path: as given and, when
// symbolic links lead elsewhere, where they lead to. Relative paths start from
// the call's Cwd.
func (r Rule) CoversPath(given string, call Call) Match {
	abs, ok := call.absolute(given)
	if !ok {
		return doubt(given, "the path can't be made absolute")
	}
	real, err := call.links.resolve(abs)
	if err != nil {
		return doubt(given, "the path can't be resolved: "+err.Error())
	}
	bases := r.bases(call, toAllow)
	covered := func(p string) bool {
		for _, b := range bases {
			if b.matches(p, toAllow) {
				return true
			}
		}
		return false
	}
	switch {
	case !covered(cleanSlash(abs)):
		return no("the path is " + abs)
	case !covered(real):
		return no("the path leads to " + real)
	}
	return yes(given, "the path is "+real)
}

// anchored is a pattern relative to a directory.
type anchored struct {
	dir     string // slash-separated, absolute
	pattern string
}

// bases lists the readings of a rule's pattern. To allow, a
// relative pattern starts at the project, and a pattern that would cover the
// whole file system isn't read as absolute.
func (r Rule) bases(call Call, use purpose) []anchored {
	var out []anchored
	add := func(dir, pattern string) {
		if dir == "" {
			return
		}
		dir = cleanSlash(dir)
		out = append(out, anchored{dir, pattern})
		if real, err := call.links.resolve(dir); err == nil && real != dir {
			out = append(out, anchored{real, pattern})
		}
	}
	project := call.ProjectDir
	if project == "" {
		project = call.Cwd
	}
	p := r.path
	switch {
	case strings.HasPrefix(p, "//"):
		call.links.addAbsolute(&out, p[1:], use)
	case strings.HasPrefix(p, "~/"):
		add(call.Home, p[2:])
	case strings.HasPrefix(p, "/"):
		add(project, p[1:])
		first, _, _ := strings.Cut(p[1:], "/")
		if use != toAllow || !strings.ContainsAny(first, `*?[{\`) {
			call.links.addAbsolute(&out, p, use)
		}
	case isDrive(p):
		call.links.addAbsolute(&out, filepath.ToSlash(p), use)
	default:
		dirs := []string{project}
		if use != toAllow {
			dirs = append(dirs, call.Cwd)
		}
		rel := strings.TrimPrefix(p, "./")
		if rel == p && !strings.Contains(strings.TrimSuffix(p, "/"), "/") {
			rel = "**/" + p
		}
		for _, d := range dirs {
			for strings.HasPrefix(rel, "../") && d != "" {
				d, rel = path.Dir(cleanSlash(d)), rel[3:]
			}
			add(d, rel)
		}
	}
	return out
}

// addAbsolute adds an absolute pattern, and what it is where a link leads: of
// the first directory only for allow rules (/tmp on macOS is one), of the whole
// fixed part for the others.
func (l *links) addAbsolute(out *[]anchored, pattern string, use purpose) {
	*out = append(*out, anchored{"/", strings.TrimPrefix(pattern, "/")})
	fixed, rest := doublestar.SplitPattern(pattern)
	if use == toAllow {
		parts := strings.SplitN(strings.TrimPrefix(pattern, "/"), "/", 2)
		if len(parts) < 2 || strings.ContainsAny(parts[0], `*?[{\`) {
			return
		}
		fixed, rest = "/"+parts[0], parts[1]
	}
	if real, err := l.resolve(fixed); err == nil && real != fixed {
		*out = append(*out, anchored{real, rest})
	}
}

// maxPath is longer than the path of any file, in bytes. Words that are longer are not
// paths.
const maxPath = 32 << 10

// maxElements bounds how many directories above a path are looked at; file systems
// that are more nested can't be reached by one path.
const maxElements = 2048

// matches reports whether an absolute path matches. To forbid, everything
// below a directory that matches does too and case is ignored where file
// systems commonly do; to allow, only what is below a directory that is named in
// full.
func (a anchored) matches(p string, use purpose) bool {
	fold := use != toAllow && (runtime.GOOS == "windows" || runtime.GOOS == "darwin")
	same := equal
	if fold {
		same = strings.EqualFold
	}
	rel, ok := below(a.dir, p, same)
	if !ok || len(p) > maxPath || strings.Count(p, "/") > maxElements {
		return false
	}
	pattern := strings.TrimSuffix(a.pattern, "/")
	if pattern == "" || pattern == "." {
		return true
	}
	if fold {
		pattern, rel = strings.ToLower(pattern), strings.ToLower(rel)
	}
	_, last := path.Split(pattern)
	if use == toAllow && strings.ContainsAny(last, `*?[{\`) {
		return doublestar.MatchUnvalidated(pattern, rel)
	}
	for rel != "." && rel != "/" && rel != "" {
		if doublestar.MatchUnvalidated(pattern, rel) {
			return true
		}
		rel = path.Dir(rel)
	}
	return false
}

func equal(a, b string) bool { return a == b }

// below returns p relative to dir when it is dir or lies in it, as same compares them.
func below(dir, p string, same func(a, b string) bool) (string, bool) {
	if same(dir, p) {
		return ".", true
	}
	prefix := strings.TrimSuffix(dir, "/") + "/"
	if len(p) > len(prefix) && same(p[:len(prefix)], prefix) {
		return p[len(prefix):], true
	}
	return "", false
}

// absolute makes a path of the call absolute, without resolving anything.
func (c Call) absolute(p string) (string, bool) {
	if p == "~" || strings.HasPrefix(p, "~/") {
		if c.Home == "" {
			return "", false
		}
		p = joinSlash(c.Home, strings.TrimPrefix(p[1:], "/"))
	}
	if !filepath.IsAbs(p) && !strings.HasPrefix(p, "/") {
		if c.Cwd == "" {
			return "", false
		}
		p = joinSlash(c.Cwd, p)
	}
	return filepath.ToSlash(p), !strings.ContainsRune(p, 0)
}

func joinSlash(dir, p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.ToSlash(dir) + "/" + p
}

func cleanSlash(p string) string { return path.Clean(filepath.ToSlash(p)) }

func isDrive(p string) bool {
	return len(p) > 2 && p[1] == ':' && (p[2] == '/' || p[2] == '\\') && runtime.GOOS == "windows"
}
