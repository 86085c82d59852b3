package permission

import (
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/shell"
	"github.com/hookline-dev/hookline/internal/toolrule"
)

// reader describes a command that prints what it finds and changes nothing, as long as
// it is given no other options than these: none of them writes, runs something, reaches
// out, names a file of options or goes through the links that it comes upon.
type reader struct {
	// flags are options of a single letter, or digit. Those in values take the rest of
	// their word, or the next one.
	flags, values string
	// long are the long options, without dashes. They may have a value behind "=".
	long string
	// words are whole words that are options or operators.
	words string
	// operands says what its other words are.
	operands operands
	// max, when set, is how many operands there may be; none is a file pattern then.
	max int
}

// operands are what the words of a command are that are not options.
type operands uint8

const (
	files   operands = iota // paths
	search                  // a pattern, and paths
	text                    // no paths, and all options are harmless
	format                  // a format that begins with "+"
	nothing                 // there are none
)

const digits = "0123456789"

// readers are the commands that run without asking when their words are plain and what
// they name lies in the working directories.
var readers = map[string]reader{
	"ls": {
		flags: "1aAbBcCdfFghiklmnopqQrRsStuUvxXZGD", values: "IwT",
		long: "all almost-all author classify color directory file-type full-time group-directories-first human-readable ignore inode no-group recursive reverse si size sort time time-style",
	},
	"cat":  {flags: "AbeEnstTuv", long: "number number-nonblank show-all show-ends show-tabs squeeze-blank"},
	"head": {flags: "qvz" + digits, values: "cn", long: "bytes lines quiet verbose"}, "tail": {flags: "qrvz" + digits, values: "cn", long: "bytes lines quiet verbose"},
	"wc": {flags: "clmwL", long: "bytes chars lines words max-line-length"}, "nl": {flags: "p", values: "bdfhilnsvw"},
	"stat": {flags: "Lxt", values: "cf", long: "format printf dereference terse"}, "file": {flags: "bhiks", long: "brief mime mime-type mime-encoding"},
	"du": {flags: "abchkmsx", values: "d", long: "all apparent-size human-readable max-depth summarize total"}, "df": {flags: "hiklPT", long: "human-readable"},
	"tree":     {flags: "adfghinprstuCDFQ", values: "ILP", long: "dirsfirst noreport prune"},
	"cd":       {max: 1},
	"readlink": {flags: "efmnqsvz"}, "realpath": {flags: "eLmPqsz", long: "relative-to relative-base"},
	"sort": {flags: "bcCdfghiMnRrsuVz", values: "kt", long: "check field-separator human-numeric-sort ignore-case key numeric-sort reverse stable unique version-sort"},
	"uniq": {flags: "cdDiuz", values: "fsw", long: "count ignore-case repeated unique", max: 1},
	"cut":  {flags: "ns", values: "bcdf", long: "bytes characters complement delimiter fields only-delimited output-delimiter"},
	"comm": {flags: "123"}, "column": {flags: "t", values: "s"}, "cmp": {flags: "bls", values: "in"},
	"diff":   {flags: "abBcdeEiNpqstTuwy" + digits, values: "CFIUWx", long: "brief color context ignore-all-space ignore-blank-lines ignore-case side-by-side unified"},
	"md5sum": {flags: "bt"}, "sha1sum": {flags: "bt"}, "sha256sum": {flags: "bt"}, "sha512sum": {flags: "bt"},
	"grep": grep, "egrep": grep, "fgrep": grep,
	"rg": {
		flags: "abcFhHiIlnNopPqsSuUvVwx." + digits, values: "ABCdeEgjmMrtT", operands: search,
		long: "after-context before-context case-sensitive color context count count-matches files files-with-matches files-without-match fixed-strings glob heading hidden iglob ignore-case " +
			"invert-match json line-number max-count max-depth multiline no-heading no-ignore no-ignore-vcs no-line-number no-messages only-matching pcre2 regexp replace smart-case sort sortr " +
			"stats trim type type-list type-not vimgrep word-regexp",
	},
	"find": {
		flags: digits,
		words: "-name -iname -path -ipath -wholename -regex -iregex -type -maxdepth -mindepth -size -mtime -mmin -atime -ctime -cmin -newer -perm -user -group -empty -print -print0 -ls -prune " +
			"-quit -depth -mount -xdev -true -false -not -and -or -a -o -links -executable -readable -writable ! ( ) ,",
	},
	"test": test, "[": test,
	"pwd": {flags: "LP", operands: nothing}, "true": {operands: text}, "false": {operands: text}, ":": {operands: text}, "exit": {operands: text}, "wait": {operands: nothing}, "set": {flags: "euxo", words: "pipefail", operands: nothing},
	"echo": {operands: text}, "sleep": {operands: text}, "tr": {operands: text},
	"basename": {operands: text}, "dirname": {operands: text},
	"which": {operands: text}, "type": {operands: text}, "command": {operands: text},
	"date":   {flags: "Ru", values: "I", long: "utc iso-8601 rfc-email", operands: format},
	"whoami": {operands: nothing}, "id": {operands: text}, "uname": {flags: "aimnoprsv", operands: nothing},
	"hostname": {flags: "s", operands: nothing}, "nproc": {operands: nothing},
}

// versioned are programs that only read when they are asked for their version, and for
// nothing else: without a word they run what they are given, or find.
var versioned = []string{"node", "python", "python3", "gcc", "clang", "make"}

var (
	grep = reader{
		flags: "abcEFGhHilLnopPqrsTUvVwxyZ" + digits, values: "ABCdDem", operands: search,
		long: "after-context basic-regexp before-context binary-files color colour context count exclude exclude-dir extended-regexp files-with-matches files-without-match fixed-strings " +
			"ignore-case include invert-match line-number line-regexp max-count no-filename no-messages null only-matching perl-regexp quiet recursive regexp silent text with-filename word-regexp",
	}
	// Comparisons of numbers are left out: some shells evaluate what they compare.
	test = reader{words: "-a -b -c -d -e -f -g -h -k -L -n -o -p -r -s -S -u -w -x -z -nt -ot -ef = == != ! ( ) ]", max: 32}
)

// gitReaders are the subcommands of git that start no program, whatever the settings of
// a repository say, with the words that they may be given: they read neither the index,
// for which core.fsmonitor runs, nor files or commits, for which filters, diff drivers,
// gpg and what fetches missing objects do.
var gitReaders = map[string]string{
	"--version": "", "version": "", "remote": "-v",
	"rev-parse": "--show-toplevel --git-dir --git-common-dir --absolute-git-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --show-prefix --show-cdup " +
		"--abbrev-ref --symbolic-full-name --short --verify --quiet -q HEAD @",
}

// gitReads reports a call of git that only reads.
func gitReads(args []shell.Word) bool {
	if len(args) == 0 || slices.ContainsFunc(args, func(w shell.Word) bool { return !w.Literal }) {
		return false
	}
	sub, rest := args[0].Text, args[1:]
	switch sub {
	case "branch": // without a word it lists by what its settings say
		return len(rest) == 1 && rest[0].Text == "--show-current"
	case "config":
		switch {
		case len(rest) == 1:
			return rest[0].Text == "--list" || rest[0].Text == "-l" || rest[0].Text == "list"
		case len(rest) == 2:
			return (rest[0].Text == "--get" || rest[0].Text == "get") && !strings.HasPrefix(rest[1].Text, "-")
		}
		return false
	}
	words, known := gitReaders[sub]
	return known && !slices.ContainsFunc(rest, func(w shell.Word) bool { return !slices.Contains(strings.Fields(words), w.Text) })
}

// reads reports whether a command only reads, and lists the words that are
// paths. It looks at the command alone, not at what it starts, nor at its
// redirections.
func reads(c *shell.Command) (paths []shell.Word, ok bool) {
	if c.Uncertain != "" || c.Dialect != "" || len(c.Args) == 0 || toolrule.RiskyEnv(c) != "" {
		return nil, false
	}
	if slices.ContainsFunc(c.Redirects, func(r shell.Redirect) bool { return r.Here && !r.Path.Literal }) {
		return nil, false
	}
	name := c.Name()
	if dir := strings.TrimSuffix(c.Args[0].Text, name); dir != "" && dir != "/bin/" && dir != "/usr/bin/" {
		return nil, false
	}
	if name == "git" {
		return nil, gitReads(c.Args[1:])
	}
	if slices.Contains(versioned, name) {
		return nil, len(c.Args) == 2 && c.Args[1].Is("--version")
	}
	r, known := readers[name]
	if !known {
		return nil, false
	}
	if name == "find" {
		return r.reads(withoutExec(c.Args[1:]))
	}
	return r.reads(c.Args[1:])
}

// withoutExec removes what find starts, which is looked at on its own.
func withoutExec(args []shell.Word) (out []shell.Word) {
	for i := 0; i < len(args); i++ {
		if !args[i].Is("-exec") {
			out = append(out, args[i])
			continue
		}
		for i++; i < len(args) && !args[i].Is(";") && (!args[i].Is("+") || !args[i-1].Is("{}")); i++ {
		}
	}
	return out
}

// reads reads the arguments of a command that the table describes. A value in a word of
// its own counts as an operand, so that a program which takes it for one has no other
// files to read than those that are looked at.
func (r reader) reads(args []shell.Word) (paths []shell.Word, ok bool) {
	count, options, pattern := 0, true, r.operands == search
	for _, w := range args {
		if !w.Literal {
			first := w.Pieces()[0].Text
			if !w.Glob || r.max > 0 || strings.HasPrefix(first, "-") && (!strings.HasPrefix(first, "--") || !strings.Contains(first, "=") || !r.option(first)) {
				return nil, false
			}
			if first == "" || first[0] != '-' {
				paths, pattern = append(paths, w), false
			}
			continue
		}
		switch {
		case options && w.Text == "--":
			options = false
			continue
		case has(r.words, w.Text):
			continue
		case options && r.operands != text && len(w.Text) > 1 && w.Text[0] == '-':
			if !r.option(w.Text) {
				return nil, false
			}
			pattern = pattern && !givesPattern(w.Text)
			continue
		}
		count++
		switch {
		case r.max > 0 && count > r.max, r.operands == nothing, r.operands == format && !strings.HasPrefix(w.Text, "+"):
			return nil, false
		case pattern:
			pattern = false
		case r.operands == files, r.operands == search:
			paths = append(paths, w)
		}
	}
	return paths, true
}

// has reports whether a list that is written as one text holds a word.
func has(list, word string) bool {
	return word != "" && strings.Contains(" "+list+" ", " "+word+" ") && !strings.Contains(word, " ")
}

// option reports whether an option is one of those that are known.
func (r reader) option(option string) bool {
	if name, long := strings.CutPrefix(option, "--"); long {
		name, _, _ = strings.Cut(name, "=")
		return has(r.long, name)
	}
	for _, c := range option[1:] {
		switch {
		case strings.ContainsRune(r.values, c):
			return true
		case !strings.ContainsRune(r.flags, c):
			return false
		}
	}
	return true
}

// givesPattern reports options of grep and rg after which the first operand is a path:
// the pattern came with the option, or there is none. Options are read generously; a
// pattern that is taken for a path does no harm.
func givesPattern(option string) bool {
	name, long := strings.CutPrefix(option, "--")
	if !long {
		return strings.Contains(option, "e")
	}
	return strings.HasPrefix(name, "regexp") || name == "files" || name == "type-list"
}
