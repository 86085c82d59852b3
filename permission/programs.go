package permission

import (
	"regexp"
	"strings"

	"github.com/hookline-dev/hookline/internal/shell"
)

// sedReads reads the arguments of sed. Its scripts may print, change and leave out
// lines, but not write files, read others or run commands; options that name a script
// in a file or write in place aren't known here.
func sedReads(args []shell.Word) (paths []shell.Word, ok bool) {
	var scripts []shell.Word
	options, given := true, false
	for i := 0; i < len(args); i++ {
		w := args[i]
		text, long := strings.CutPrefix(w.Text, "--expression=")
		switch {
		case !options || !w.Literal || len(w.Text) < 2 || w.Text[0] != '-':
			if !w.Literal && !w.Glob && !w.Output {
				return nil, false
			}
			if strings.HasPrefix(w.Pieces()[0].Text, "-") && !w.Literal {
				return nil, false
			}
			if !w.Output {
				paths = append(paths, w)
			}
		case w.Text == "--":
			options = false
		case long:
			scripts, given = append(scripts, shell.Word{Text: text, Literal: true}), true
		case w.Text == "--quiet", w.Text == "--silent", w.Text == "--regexp-extended", w.Text == "--posix":
		case strings.Trim(w.Text[1:len(w.Text)-1], "nErsuz") == "" && strings.HasSuffix(w.Text, "e"):
			if i++; i == len(args) {
				return nil, false
			}
			scripts, given = append(scripts, args[i]), true
		case strings.Trim(w.Text[1:], "nErsuz") != "":
			return nil, false
		}
	}
	if !given {
		if len(paths) == 0 {
			return nil, false
		}
		scripts, paths = paths[:1], paths[1:]
	}
	for _, s := range scripts {
		if !s.Literal || !sedPrints(s.Text) {
			return nil, false
		}
	}
	return paths, true
}

var (
	// sedAddress is the address of a line that is no regular expression.
	sedAddress = regexp.MustCompile(`^([0-9]+(~[0-9]+)?|\$)`)
	// sedSecond is the second of two, which may count from the first.
	sedSecond = regexp.MustCompile(`^(([0-9]+|\$|[+~][0-9]+))`)
	// sedCommand is a command without text behind it.
	sedCommand = regexp.MustCompile(`^([pPdDnNgGhHx=]|[lqQ][ \t]*[0-9]*)`)
	sedFlags   = regexp.MustCompile(`^[gpiImM0-9]*`)
)

// sedPrints reports a script of sed that does nothing but read and print: addresses,
// and the commands p, d, s, y, q and their like. POSIX says how a script is read;
// where implementations differ, as on a delimiter within brackets, it is refused.
func sedPrints(script string) bool {
	s := script
	for depth := 0; ; {
		if s = strings.TrimLeft(s, " \t\n;"); s == "" {
			return depth == 0
		}
		if s[0] == '}' {
			depth, s = depth-1, s[1:]
			if depth < 0 {
				return false
			}
			continue
		}
		var ok bool
		if s, ok = sedAddresses(s); !ok || s == "" {
			return false
		}
		switch {
		case s[0] == '{':
			depth, s = depth+1, s[1:]
			continue
		case s[0] == 's' || s[0] == 'y':
			pattern, rest, ok := delimited(s[1:])
			if !ok || !bracketsClose(pattern) {
				return false
			}
			if _, rest, ok = delimited(s[1:2] + rest); !ok {
				return false
			}
			if s[0] == 's' {
				rest = rest[len(sedFlags.FindString(rest)):]
			}
			s = rest
		default:
			found := sedCommand.FindString(s)
			if found == "" {
				return false
			}
			s = s[len(found):]
		}
		s = strings.TrimLeft(s, " \t")
		if s != "" && !strings.ContainsAny(s[:1], ";\n}") {
			return false
		}
	}
}

// sedAddresses cuts off the addresses before a command.
func sedAddresses(s string) (rest string, ok bool) {
	s, found, ok := sedOne(s, sedAddress)
	if !ok {
		return "", false
	}
	if found {
		s = strings.TrimLeft(s, " \t")
		if after, pair := strings.CutPrefix(s, ","); pair {
			if s, found, ok = sedOne(strings.TrimLeft(after, " \t"), sedSecond); !ok || !found {
				return "", false
			}
		}
	}
	s = strings.TrimLeft(s, " \t")
	for strings.HasPrefix(s, "!") {
		s = strings.TrimLeft(s[1:], " \t")
	}
	return s, true
}

// sedOne cuts off one address.
func sedOne(s string, plain *regexp.Regexp) (rest string, found, ok bool) {
	if strings.HasPrefix(s, "/") {
		pattern, rest, ok := delimited(s)
		rest = strings.TrimLeft(rest, "IM")
		return rest, true, ok && bracketsClose(pattern)
	}
	n := len(plain.FindString(s))
	return s[n:], n > 0, true
}

// delimited cuts off text between two delimiters, the first of which s begins with;
// a backslash keeps one from ending it.
func delimited(s string) (text, rest string, ok bool) {
	if s == "" || s[0] == '\\' || s[0] == '\n' || s[0] >= 0x80 {
		return "", "", false
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return s[1:i], s[i+1:], true
		}
	}
	return "", "", false
}

// bracketsClose reports whether every bracket expression of a regular expression ends
// in it, so that all implementations agree where it ends.
func bracketsClose(pattern string) bool {
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '[':
			rest := strings.TrimPrefix(pattern[i+1:], "^")
			if len(rest) < 2 {
				return false
			}
			end := strings.IndexByte(rest[1:], ']')
			if end < 0 {
				return false
			}
		}
	}
	return true
}

// awkReads reads the arguments of awk. Its program may print to standard output only.
func awkReads(args []shell.Word) (paths []shell.Word, ok bool) {
	for len(args) > 0 && strings.HasPrefix(args[0].Pieces()[0].Text, "-") {
		first := args[0].Pieces()[0].Text
		switch {
		case args[0].Is("--"):
			return awkProgram(args[1:])
		case strings.HasPrefix(first, "-F") && first != "-F" && args[0].Literal:
			args = args[1:]
		case args[0].Is("-F") && len(args) > 1 && args[1].Literal, args[0].Is("-v") && len(args) > 1 && awkAssigns(args[1]):
			args = args[2:]
		default:
			return nil, false
		}
	}
	return awkProgram(args)
}

// awkAssigns reports an assignment to a variable of the program's own.
func awkAssigns(w shell.Word) bool {
	name, _, ok := strings.Cut(w.Pieces()[0].Text, "=")
	return ok && variable.MatchString(name) && !awkActs.MatchString(name)
}

// awkActs are the words with which a program of awk runs commands, reads other files
// or reaches the variables that name them. They count wherever they stand: a number
// needs no space behind it.
var awkActs = regexp.MustCompile(`getline|system|extension|ARGV|ARGC|PROCINFO|SYMTAB|FUNCTAB`)

// awkProgram reads a program of awk and its operands.
func awkProgram(args []shell.Word) (paths []shell.Word, ok bool) {
	if len(args) == 0 || !args[0].Literal || !awkPrints(args[0].Text) {
		return nil, false
	}
	for _, w := range args[1:] {
		if !w.Literal && !w.Glob && !w.Output {
			return nil, false
		}
		if !w.Output {
			paths = append(paths, w)
		}
	}
	return paths, true
}

// awkPrints reports a program of awk that prints to standard output and does nothing
// else. By the grammar of POSIX, output goes to a file or a command by > or | behind
// print or printf; the text is looked through as it is, since only a whole parser
// tells strings and regular expressions from operators. An @ calls functions, and
// loads files, in gawk.
func awkPrints(program string) bool {
	if strings.Contains(program, "@") || strings.Contains(program, "\\\n") || awkActs.MatchString(program) {
		return false
	}
	_, printed, _ := strings.Cut(program, "print")
	return !strings.ContainsAny(strings.ReplaceAll(printed, "||", ""), ">|")
}
