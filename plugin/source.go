package plugin

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/hookline-dev/hookline/internal/gitcmd"
	"github.com/hookline-dev/hookline/internal/lazyregexp"
	"github.com/hookline-dev/hookline/ui/clean"
)

// SourceKind says how a source is reached.
type SourceKind string

// The kinds of sources.
const (
	GitSource       SourceKind = "git"
	DirectorySource SourceKind = "directory"
)

// Source is where a plugin comes from.
type Source struct {
	Kind    SourceKind
	Address string // address of the repository, or absolute path of the directory
	Ref     string // branch, tag or commit asked for; empty for the default branch
	Dir     string // of the plugin within the repository; empty for all of it
	Name    Name   // name that the plugin gets
}

// SourceOptions says how short forms of a source are completed.
type SourceOptions struct {
	// Host serves owner/repo. Empty means github.com. It may carry a scheme.
	Host string
	// Dir is what relative paths start from. Empty means the working directory.
	Dir string
}

// sourceError says why a source was not understood.
type sourceError struct {
	Source string // without credentials
	Reason string
}

// Error implements error.
func (e *sourceError) Error() string {
	return fmt.Sprintf("plugin source %q: %s", e.Source, e.Reason)
}

var shortForm = lazyregexp.New(`^([A-Za-z0-9_][A-Za-z0-9._-]*)/([A-Za-z0-9_][A-Za-z0-9._-]*)(?:[@#](.+))?$`)

// ParseSource reads a source as a person writes it:
//
//	owner/repo  owner/repo@ref         on the host of the options
//	https://host/org/repo[@ref]        also ssh:// and file://; #ref works too
//	git@host:org/repo[@ref]
//	owner/repo//dir[@ref]              a directory in a repository, which gives
//	                                   the plugin its name; for addresses too
//	./dir  ../dir  /dir  dir           a local directory; one that is not
//	                                   written with a dot or a slash in front
//	                                   must exist and contain no slash
//
// owner/repo always means the host, whatever directories there are. Errors
// never repeat credentials.
func ParseSource(spec string, o SourceOptions) (Source, error) {
	spec = strings.TrimSpace(spec)
	switch {
	case spec == "":
		return Source{}, &sourceError{Reason: "it is empty"}
	case spec[0] == '-':
		return Source{}, &sourceError{Source: spec, Reason: "it starts with a dash"}
	case isPath(spec):
		return directorySource(spec, o)
	}
	if repo, dir := cutDir(spec); dir != "" {
		src, err := ParseSource(repo, o)
		if err != nil {
			return Source{}, err
		}
		return src.in(dir)
	}
	switch {
	case strings.Contains(spec, "://") || strings.Contains(spec, "::"):
		return urlSource(spec)
	}
	if m := shortForm.Get().FindStringSubmatch(spec); m != nil {
		return hostSource(m[1], m[2], m[3], o)
	}
	if strings.Contains(spec, ":") {
		return urlSource(spec)
	}
	if !strings.ContainsAny(spec, `/\`) {
		if info, err := os.Stat(join(o.Dir, spec)); err == nil && info.IsDir() {
			return directorySource(spec, o)
		}
	}
	return Source{}, &sourceError{Source: spec, Reason: "it is neither owner/repo nor an address; write ./" + clean.ExactLine(spec) + " for a directory"}
}

// cutDir takes the directory off what is written as REPOSITORY//DIR@REF.
func cutDir(spec string) (repo, dir string) {
	start := 0
	if scheme := strings.Index(spec, "://"); scheme >= 0 {
		start = scheme + len("://")
	}
	i := strings.Index(spec[start:], "//")
	if i < 0 {
		return spec, ""
	}
	repo, dir = spec[:start+i], spec[start+i+2:]
	if at := strings.IndexAny(dir, "@#"); at >= 0 {
		repo, dir = repo+dir[at:], dir[:at]
	}
	return repo, dir
}

// in gives the source of a plugin in a directory of a repository.
func (s Source) in(dir string) (Source, error) {
	dir = strings.Trim(strings.TrimPrefix(dir, "./"), "/")
	if reason := nameFault(dir); reason != "" || dir == "" {
		return Source{}, &sourceError{Source: s.Address + "//" + dir, Reason: "its directory cannot be meant: " + cmp.Or(reason, "it is empty")}
	}
	name, err := ParseName(strings.TrimPrefix(s.Name.Org+"/"+path.Base(dir), "/"))
	if err != nil {
		return Source{}, err
	}
	s.Dir, s.Name = dir, name
	return s, nil
}

// isPath reports whether spec is written as a path.
func isPath(spec string) bool {
	if filepath.IsAbs(spec) || spec[0] == '/' || spec == "." || spec == ".." {
		return true
	}
	for _, prefix := range []string{"./", "../", `.\`, `..\`} {
		if strings.HasPrefix(spec, prefix) {
			return true
		}
	}
	return false
}

func join(dir, path string) string {
	if filepath.IsAbs(path) || dir == "" {
		return path
	}
	return filepath.Join(dir, path)
}

func hostSource(owner, repo, ref string, o SourceOptions) (Source, error) {
	host := o.Host
	if host == "" {
		host = "github.com"
	}
	if !strings.Contains(host, "://") {
		host = "https://" + host
	}
	return gitSource(strings.TrimRight(host, "/")+"/"+owner+"/"+strings.TrimSuffix(repo, ".git"), ref)
}

func urlSource(spec string) (Source, error) {
	address, ref := cutRef(spec)
	return gitSource(address, ref)
}

// cutRef takes the ref off an address: what follows a #, or an @ behind the
// host. A file address that exists as it is has no ref.
func cutRef(spec string) (address, ref string) {
	if address, ref, ok := strings.Cut(spec, "#"); ok {
		return address, ref
	}
	pathAt := strings.Index(spec, ":") + 1 // git@host:path
	if scheme := strings.Index(spec, "://"); scheme >= 0 {
		slash := strings.IndexByte(spec[scheme+3:], '/')
		if slash < 0 {
			return spec, ""
		}
		pathAt = scheme + 3 + slash
	}
	if strings.HasPrefix(strings.ToLower(spec), "file://") {
		return cutFileRef(spec, pathAt)
	}
	at := strings.IndexByte(spec[pathAt:], '@')
	if at < 0 {
		return spec, ""
	}
	return spec[:pathAt+at], spec[pathAt+at+1:]
}

// cutFileRef looks which part of a file address is there: directories may have
// an @ in their name.
func cutFileRef(spec string, pathAt int) (address, ref string) {
	address = spec
	for {
		if u, err := gitcmd.ParseURL(address); err == nil {
			if _, err := os.Stat(filePath(u)); err == nil {
				return address, ref
			}
		}
		at := strings.LastIndexByte(address[pathAt:], '@')
		if at < 0 {
			break
		}
		address, ref = address[:pathAt+at], spec[pathAt+at+1:]
	}
	if at := strings.LastIndexByte(spec[pathAt:], '@'); at >= 0 {
		return spec[:pathAt+at], spec[pathAt+at+1:]
	}
	return spec, ""
}

// filePath gives the local path of a file address.
func filePath(u gitcmd.URL) string {
	path := u.Path
	if filepath.VolumeName(strings.TrimPrefix(path, "/")) != "" { // /C:/dir
		path = path[1:]
	}
	return filepath.FromSlash(path)
}

func gitSource(address, ref string) (Source, error) {
	u, err := gitcmd.ParseURL(address)
	if err != nil {
		return Source{}, err
	}
	if err := gitcmd.ValidateRef(ref); err != nil {
		return Source{}, err
	}
	segments := u.Segments()
	if u.Host == "github.com" && len(segments) != 2 {
		return Source{}, &sourceError{Source: u.String(), Reason: "a repository on github.com is owner/repo; a branch, tag or commit goes behind an @: owner/repo@ref"}
	}
	name, err := nameOf(segments, u.Transport == gitcmd.File)
	if err != nil {
		return Source{}, err
	}
	return Source{Kind: GitSource, Address: u.String(), Ref: ref, Name: name}, nil
}

// nameOf makes the name from the last two parts of an address. For a file
// address the last is enough when the one before cannot be part of a name.
func nameOf(segments []string, lenient bool) (Name, error) {
	repo := strings.TrimSuffix(segments[len(segments)-1], ".git")
	if len(segments) == 1 {
		return ParseName(repo)
	}
	org := segments[len(segments)-2]
	n, err := ParseName(org + "/" + repo)
	if err != nil && lenient {
		return ParseName(repo)
	}
	return n, err
}

// cutLast cuts s around the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

func directorySource(spec string, o SourceOptions) (Source, error) {
	path, err := filepath.Abs(join(o.Dir, spec))
	if err != nil {
		return Source{}, fmt.Errorf("finding the directory %q: %w", spec, err)
	}
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		if dir, ref, ok := cutLast(path, "@"); ok {
			if info, err := os.Stat(dir); err == nil && info.IsDir() {
				return Source{}, &sourceError{Source: spec, Reason: "a directory is taken as it is; write file://" + clean.ExactLine(filepath.ToSlash(dir)) + "@" + clean.ExactLine(ref) + " for a commit of its repository"}
			}
		}
		return Source{}, &sourceError{Source: spec, Reason: "there is no such directory"}
	}
	// Its code may look for itself by the name that the manifest gives, whatever the
	// directory is called.
	dirName, remedy := filepath.Base(path), "rename the directory"
	if c, _ := ReadClaude(path); c != nil && c.Name != "" {
		dirName, remedy = c.Name, "rename it in "+claudeManifest
	}
	name, err := parseDirName(dirName)
	if err != nil {
		return Source{}, fmt.Errorf("%w; %s", err, remedy)
	}
	return Source{Kind: DirectorySource, Address: path, Name: name}, nil
}
