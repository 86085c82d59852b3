package permission

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/internal/shell"
	"github.com/hookline-dev/hookline/internal/toolrule"
)

// protectedDirs are directories in which everything steers the agent, git or
// an editor that runs what it finds. Those of well-known agents are protected by a
// checker of which nobody has configured the names, too.
var protectedDirs = []string{".git", "git~1", ".claude", ".hookline", ".kodelet", ".omp", ".pi", ".husky", ".githooks", ".vscode", ".ssh"}

// protectedFiles are files that do, in whatever directory.
var protectedFiles = []string{
	".mcp.json", ".claude.json", "kodelet-config.yaml",
	".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv",
	".zprofile", ".zlogin", ".zlogout", ".kshrc", ".mkshrc", ".cshrc", ".tcshrc", ".login", ".inputrc", ".xprofile",
	".xsession", ".xinitrc", ".pam_environment", ".envrc", ".gitconfig", ".gitmodules", ".npmrc", ".yarnrc", ".pypirc", ".netrc",
	"microsoft.powershell_profile.ps1", "authorized_keys",
}

// protectedPairs are directories named by two elements.
var protectedPairs = []string{".config/fish", ".config/git", ".config/hookline", ".config/kodelet", ".config/autostart", "etc/profile.d", ".local/bin"}

// interpreters run programs that they read, such as from a here-document.
var interpreters = []string{"python", "python3", "node", "deno", "bun", "ruby", "perl", "php", "lua", "awk", "gawk", "osascript", "ed", "ex", "tclsh"}

// protectedName reports whether a path, by its names alone, is protected.
// Letter case, trailing dots and invisible characters, which some file systems
// ignore, don't count, and a wildcard counts as what it could stand for.
func (c *Checker) protectedName(p string) bool {
	var names []string
	for n := range strings.FieldsFuncSeq(p, func(r rune) bool { return r == '/' || r == '\\' }) {
		names = append(names, plainName(n))
	}
	for i, n := range names {
		next := ""
		if i+1 < len(names) {
			next = names[i+1]
		}
		is := func(name string) bool {
			return (sameName(n, name) || name == n+"/"+next) && n+"/"+next != ".claude/worktrees"
		}
		if slices.ContainsFunc(protectedDirs, is) || slices.ContainsFunc(protectedPairs, is) || slices.ContainsFunc(c.cfg.ProtectedNames, is) {
			return true
		}
	}
	return len(names) > 0 && slices.ContainsFunc(protectedFiles, func(f string) bool { return sameName(names[len(names)-1], f) })
}

// plainName is a file's name as a lenient file system would compare it.
func plainName(n string) string {
	n = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.IsControl(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, n)
	n, _, _ = strings.Cut(n, ":") // a stream on NTFS
	if trimmed := strings.TrimRight(n, ". "); trimmed != "" {
		return trimmed
	}
	return n
}

// sameName compares a name, which may hold wildcards, with a protected one. As
// in a shell, a wildcard doesn't stand for a leading dot.
func sameName(n, protected string) bool {
	if n == protected {
		return true
	}
	if !strings.ContainsAny(n, "*?[") || n[0] != protected[0] {
		return false
	}
	ok, err := path.Match(n, protected)
	return ok && err == nil
}

// protected returns the protected name that a call would change, "" when there
// is none.
func (e *evaluation) protected() string {
	tool := e.req.Tool
	for _, call := range e.calls {
		var found string
		switch {
		case toolrule.Edits(tool):
			if p, ok := call.Path(); ok && e.isProtected(call, p) {
				found = p
			}
		case toolrule.IsShell(tool):
			found = e.protectedInCommand(call)
		case toolrule.Reads(tool), slices.Contains(quietTools, tool), slices.Contains(e.c.cfg.ReadOnlyTools, tool),
			tool == "WebFetch", tool == "WebSearch", tool == "Skill":
		default:
			found = e.protectedInStrings(call, call.Input)
		}
		if found != "" {
			return found
		}
	}
	return ""
}

// isProtected checks one path, as written and where it leads.
func (e *evaluation) isProtected(call toolrule.Call, p string) bool {
	lexical, ok := call.Lexical(p)
	if !ok {
		return e.c.protectedName(p)
	}
	forms := []string{lexical}
	if real, err := call.Resolve(p); err == nil {
		forms = append(forms, real)
	}
	for _, form := range forms {
		// The names of a working directory itself say nothing: a checkout may
		// lie in .claude/worktrees.
		rel, _ := e.relative(form)
		if e.c.protectedName(rel) || e.inProtected(form) {
			return true
		}
	}
	return false
}

// inProtected checks the files and directories that the host protects.
func (e *evaluation) inProtected(p string) bool {
	for _, dir := range e.guarded {
		if strings.EqualFold(p, dir) || len(p) > len(dir) && p[len(dir)] == '/' && strings.EqualFold(p[:len(dir)], dir) {
			return true
		}
	}
	return false
}

// protectedInCommand looks through what a shell command could write: targets of
// redirections and the words of commands that don't only read.
func (e *evaluation) protectedInCommand(call toolrule.Call) (found string) {
	script := call.Script()
	if !script.Parsed {
		text, _ := call.Command()
		return e.protectedInText(call, text)
	}
	// What is printed names files where something makes a command of it.
	fed := false
	for i := range script.Commands {
		script.Commands[i].Each(func(c *shell.Command) bool {
			fed = fed || slices.Contains(feeders, c.Name())
			return !fed
		})
	}
	visit := func(c *shell.Command) bool {
		for _, r := range c.Redirects {
			if r.Write && found == "" {
				found = e.protectedInWord(call, r.Path)
			}
			if r.Here && found == "" && (fed || c.Uncertain != "" || slices.Contains(interpreters, c.Name())) {
				found = e.protectedInText(call, r.Path.Text)
			}
		}
		if found != "" || len(c.Args) == 0 {
			return found == ""
		}
		_, reads := reads(c)
		if c.Name() == "git" && !reads {
			if at := shell.GitSubcommand(c.Args); at < len(c.Args) && c.Args[at].Text == "config" {
				found = ".git/config"
				return false
			}
		}
		if reads && (!fed || c.Name() != "echo") {
			return true
		}
		for _, w := range writable(c) {
			if found = e.protectedInWord(call, w); found != "" {
				return false
			}
		}
		return true
	}
	for i := range script.Commands {
		if !script.Commands[i].Each(visit) {
			break
		}
	}
	return found
}

// feeders make commands of what they read.
var feeders = []string{"xargs", "parallel"}

// writable lists the words of a command that may be files which it changes.
func writable(c *shell.Command) []shell.Word {
	words := c.Args[1:]
	switch {
	case c.Name() == "find": // after its directories come names to look for
		return findWrites(words)
	case c.Uncertain != "":
	case c.Wrap != shell.NoWrap && c.InnerAt == len(c.Args):
		return nil // its text was taken apart
	case c.Wrap != shell.NoWrap && c.InnerAt > 0:
		return c.Args[1:c.InnerAt]
	}
	return words
}

// findWrites lists the directories of find and the files that it writes to.
func findWrites(words []shell.Word) (out []shell.Word) {
	dirs := true
	for i, w := range words {
		first := w.Pieces()[0].Text
		dirs = dirs && !strings.HasPrefix(first, "-") && first != "(" && first != "!"
		if dirs || i > 0 && (strings.HasPrefix(words[i-1].Text, "-fprint") || words[i-1].Is("-fls")) {
			out = append(out, w)
		}
	}
	return out
}

func (e *evaluation) protectedInWord(call toolrule.Call, w shell.Word) string {
	if w.Literal && w.Text != "" && e.isProtected(call, w.Text) {
		return w.Text
	}
	return e.protectedInText(call, home.Replace(strings.ReplaceAll(w.Text, `"`, "")))
}

// home are the ways in which a shell names the home directory.
var home = strings.NewReplacer("${HOME}", "~", "$HOME", "~")

// protectedInText looks for protected paths in running text, such as the
// program after python -c.
func (e *evaluation) protectedInText(call toolrule.Call, text string) string {
	if !strings.Contains(text, ".") && !strings.Contains(text, "/") {
		return ""
	}
	tokens := strings.FieldsFuncSeq(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'`()[]{}<>|;&,=:@$", r)
	})
	for token := range tokens {
		lexical, ok := call.Lexical(token)
		if rel, _ := e.relative(lexical); ok && (e.c.protectedName(rel) || e.inProtected(lexical)) || !ok && e.c.protectedName(token) {
			return token
		}
	}
	return ""
}

// protectedInStrings looks through all strings of a tool's input.
func (e *evaluation) protectedInStrings(call toolrule.Call, input jsontext.Value) string {
	var v any
	if json.Unmarshal(input, &v, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return e.protectedInText(call, string(input))
	}
	return e.protectedInValue(call, v)
}

func (e *evaluation) protectedInValue(call toolrule.Call, v any) (found string) {
	switch v := v.(type) {
	case string:
		if len(v) < 4096 && !strings.Contains(v, "\n") && v != "" && e.isProtected(call, v) {
			return v
		}
		return e.protectedInText(call, v)
	case []any:
		for _, in := range v {
			if found = e.protectedInValue(call, in); found != "" {
				return found
			}
		}
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			if found = e.protectedInValue(call, v[name]); found != "" {
				return found
			}
		}
	}
	return ""
}
