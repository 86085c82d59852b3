package permission

import (
	"regexp"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/shell"
	"github.com/hookline-dev/hookline/permission/rule"
)

// reader describes a command that only reads, as long as none of its bad
// options is used.
type reader struct {
	// bad are the single-letter options that write, run something or reach out;
	// badLong the long ones, which count in every abbreviation.
	bad     string
	badLong []string
	// only, when set, are the single-letter options that are permitted.
	only string
	// noLong refuses all long options.
	noLong bool
	// max is how many operands are permitted; 0 means any number, -1 none.
	max int
	// text says that the operands are not paths.
	text bool
	// pattern says that the first operand is a search pattern.
	pattern bool
	// numbers are the single-letter options that a number follows.
	numbers string
}

// readers are the commands that run without asking: they print what they find
// and change nothing. Their paths have to lie in the working directories.
var readers = map[string]reader{
	"ls": {}, "cat": {}, "head": {}, "tail": {}, "wc": {}, "nl": {}, "tac": {}, "rev": {}, "cut": {}, "paste": {}, "comm": {},
	"cmp": {}, "diff": {}, "column": {}, "fold": {}, "fmt": {}, "expand": {}, "unexpand": {}, "od": {}, "hexdump": {},
	"strings": {}, "join": {}, "pr": {}, "du": {}, "df": {}, "stat": {}, "realpath": {},
	"readlink": {}, "md5sum": {}, "sha1sum": {}, "sha224sum": {}, "sha256sum": {}, "sha384sum": {}, "sha512sum": {},
	"b2sum": {}, "cksum": {}, "sum": {}, "jq": {pattern: true, bad: "fL", badLong: []string{"from-file", "library-path"}}, "cd": {max: 1},
	"file": {bad: "Cfm", badLong: []string{"compile", "files-from", "magic-file"}},
	"tree": {bad: "oR", badLong: []string{"output"}},
	"xxd":  {bad: "r", max: 1},
	"uniq": {max: 1},
	"sort": {bad: "oTS", badLong: []string{"output", "compress-program", "temporary-directory", "files0-from"}},
	"grep": {pattern: true, numbers: "ABCm"}, "egrep": {pattern: true, numbers: "ABCm"}, "fgrep": {pattern: true, numbers: "ABCm"},
	"rg":  {pattern: true, numbers: "ABCmj", bad: "z", badLong: []string{"pre", "pre-glob", "hostname-bin", "search-zip"}},
	"pwd": {text: true}, "echo": {text: true}, "true": {text: true}, "false": {text: true}, ":": {text: true},
	"printf": {text: true, bad: "v"}, "seq": {text: true}, "expr": {text: true}, "sleep": {text: true}, "tr": {text: true},
	"basename": {text: true}, "dirname": {text: true}, "pgrep": {text: true}, "which": {text: true}, "type": {text: true}, "command": {text: true, only: "vVp"},
	"whoami": {max: -1}, "id": {text: true}, "groups": {text: true}, "uname": {text: true}, "arch": {max: -1},
	"nproc": {text: true}, "uptime": {max: -1}, "tty": {max: -1}, "locale": {max: -1}, "cal": {text: true},
	"hostname": {only: "fsid", noLong: true, max: -1},
	"exit":     {text: true}, "return": {text: true}, "break": {text: true}, "continue": {text: true}, "wait": {text: true, bad: "p"}, "shift": {text: true},
	"[[": {text: true},
}

// versions are the programs that say which version they are, and do nothing else, when
// they are given one of these words alone.
var versions = map[string][]string{
	"node": {"--version", "-v"}, "npm": {"--version", "-v"}, "python": {"--version", "-V"}, "python3": {"--version", "-V"}, "ruby": {"--version", "-v"},
	"java": {"--version", "-version"}, "docker": {"--version"}, "make": {"--version"}, "gcc": {"--version"}, "clang": {"--version"}, "cmake": {"--version"},
	"bash": {"--version"}, "git": {"--version"}, "go": {"version"},
}

// reads reports whether a command only reads, and lists the words that are
// paths. It looks at the command alone, not at what it starts, nor at its
// redirections.
func reads(c *shell.Command) (paths []shell.Word, ok bool) {
	if c.Uncertain != "" || c.Dialect != "" || len(c.Args) == 0 || rule.RiskyEnv(c) != "" {
		return nil, false
	}
	name := c.Name()
	if dir := strings.TrimSuffix(c.Args[0].Text, name); dir != "" && dir != "/bin/" && dir != "/usr/bin/" {
		return nil, false
	}
	args := c.Args[1:]
	if len(args) == 1 && args[0].Literal && slices.Contains(versions[name], args[0].Text) {
		return nil, true
	}
	if special, ok := specialReaders[name]; ok {
		return special(args)
	}
	if name == "printf" && setsLength(args) || name == "jq" && slices.ContainsFunc(args, importsModule) {
		return nil, false
	}
	r, known := readers[name]
	if !known {
		return nil, false
	}
	return r.reads(args)
}

var (
	variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	modules  = regexp.MustCompile(`(^|[^.A-Za-z0-9_])(import|include)($|[^A-Za-z0-9_])`)
	lengthTo = regexp.MustCompile(`%[-+ #'0-9*.hlLjztq]*n`)
)

// setsLength reports a printf whose format may hold %n, which sets a variable.
func setsLength(args []shell.Word) bool {
	if len(args) > 0 && args[0].Is("--") {
		args = args[1:]
	}
	return len(args) > 1 && (!args[0].Literal || lengthTo.MatchString(args[0].Text))
}

// importsModule reports a program of jq that reads other files. A field may have the
// name of such a keyword: .include.
func importsModule(w shell.Word) bool { return modules.MatchString(w.Text) }

// evaluated reports text that test -v and the like would run.
func evaluated(w shell.Word) bool {
	return w.Literal && (strings.Contains(w.Text, "$(") || strings.Contains(w.Text, "`"))
}

// reads reads the arguments of a command that the table describes.
func (r reader) reads(args []shell.Word) (paths []shell.Word, ok bool) {
	operands, options, number := 0, true, false
	pattern := r.pattern
	for _, w := range args {
		first := w.Pieces()[0]
		switch {
		case number:
			number = false
			if w.Literal && strings.Trim(w.Text, "0123456789") == "" {
				continue
			}
		case w.Output && !r.text:
			operands++
			pattern = false
			continue // what a command prints, which is looked at on its own
		}
		switch {
		case !w.Literal && !w.Glob && !r.text:
			return nil, false
		case first.Unknown && options && first.Like != shell.LikeName && r.refuses():
			return nil, false // it may turn out to be an option
		case options && w.Is("--"):
			options = false
			continue
		case options && len(first.Text) > 1 && first.Text[0] == '-':
			if !r.option(first.Text) {
				return nil, false
			}
			pattern = pattern && !givesPattern(first.Text)
			number = first.Text[1] != '-' && strings.Contains(r.numbers, first.Text[len(first.Text)-1:])
			paths = append(paths, optionValues(w)...)
			continue
		}
		if operands++; r.max != 0 && (operands > max(r.max, 0) || !w.Literal) {
			return nil, false // a pattern may be several operands
		}
		if pattern {
			pattern = false
			continue
		}
		paths = append(paths, w)
	}
	if r.text {
		return nil, true
	}
	return paths, true
}

// refuses reports whether there are options that the command must not be given.
func (r reader) refuses() bool { return r.bad != "" || r.badLong != nil || r.only != "" || r.noLong }

// givesPattern reports options of grep, rg and jq after which the first operand
// is a path: the pattern, or a file of patterns, came with the option. Options are
// read generously; a pattern that is taken for a path does no harm.
func givesPattern(option string) bool {
	name, long := strings.CutPrefix(option, "--")
	if !long {
		return strings.ContainsAny(option[1:], "ef")
	}
	name, _, _ = strings.Cut(name, "=")
	return strings.HasPrefix(name, "file") || slices.ContainsFunc([]string{"regexp", "file", "from-file"}, func(s string) bool {
		return strings.HasPrefix(s, name)
	})
}

// option reports whether an option is harmless.
func (r reader) option(text string) bool {
	if name, long := strings.CutPrefix(text, "--"); long {
		name, _, _ = strings.Cut(name, "=")
		return !r.noLong && !slices.ContainsFunc(r.badLong, func(bad string) bool { return strings.HasPrefix(bad, name) })
	}
	if r.only != "" {
		return strings.Trim(text[1:], r.only) == ""
	}
	return !strings.ContainsAny(text[1:], r.bad)
}

// optionValues returns what may be a path among the letters of an option: the value
// after "=", or what stands behind one of the letters, as in -nf/etc/passwd.
func optionValues(w shell.Word) (out []shell.Word) {
	if !w.Literal {
		return []shell.Word{w}
	}
	if strings.HasPrefix(w.Text, "--") {
		if _, value, ok := strings.Cut(w.Text, "="); ok && value != "" {
			out = append(out, shell.Word{Text: value, Literal: true})
		}
		return out
	}
	const letters = 8 // that a cluster is looked through for
	end := max(strings.IndexAny(w.Text, "/~."), letters)
	for i := 2; i < len(w.Text) && i <= end; i++ {
		out = append(out, shell.Word{Text: w.Text[i:], Literal: true})
	}
	return out
}
