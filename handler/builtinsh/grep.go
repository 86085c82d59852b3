package builtinsh

import (
	"bytes"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// search is what grep was asked for.
type search struct {
	extended, fixed, ignoreCase, invert, only, counts, numbers, whole, word, quiet, silent bool
	names                                                                                  bool // print the file's name
	max                                                                                    int
	patterns                                                                               []string
	files                                                                                  []string
	re                                                                                     *regexp.Regexp
}

// parseSearch reads the arguments; false means that there is one that it does not know.
func parseSearch(args []string) (s *search, ok bool) {
	s = &search{max: -1}
	given, named := false, 0
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			s.files = append(s.files, args[i+1:]...)
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			s.files = append(s.files, arg)
			continue
		}
		for j := 1; j < len(arg); j++ {
			value := ""
			if arg[j] == 'e' || arg[j] == 'm' {
				if value = arg[j+1:]; value == "" {
					if i++; i >= len(args) {
						return nil, false
					}
					value = args[i]
				}
			}
			switch arg[j] {
			case 'E':
				s.extended = true
			case 'F':
				s.fixed = true
			case 'G':
				s.extended = false
			case 'i', 'y':
				s.ignoreCase = true
			case 'v':
				s.invert = true
			case 'o':
				s.only = true
			case 'c':
				s.counts = true
			case 'n':
				s.numbers = true
			case 'x':
				s.whole = true
			case 'w':
				s.word = true
			case 'q':
				s.quiet = true
			case 's':
				s.silent = true
			case 'h':
				named = -1
			case 'H':
				named = 1
			case 'e':
				given = true
				s.patterns = append(s.patterns, strings.Split(value, "\n")...)
			case 'm':
				n, err := strconv.Atoi(value)
				if err != nil || n < 0 {
					return nil, false
				}
				s.max = n
			default:
				return nil, false
			}
			if value != "" {
				break
			}
		}
	}
	if !given {
		if len(s.files) == 0 {
			return nil, false
		}
		s.patterns = strings.Split(s.files[0], "\n")
		s.files = s.files[1:]
	}
	s.names = named > 0 || named == 0 && len(s.files) > 1
	return s, !(s.only && (s.word || s.invert))
}

func grep(t *call) (int, bool) {
	s, ok := parseSearch(t.args[1:])
	if !ok || !t.openable(s.files) {
		return 0, false
	}
	source, ok := s.expression()
	if !ok {
		return 0, false
	}
	var err error
	if s.re, err = cached(t.kept, "grep "+source, func() (*regexp.Regexp, error) {
		re, err := regexp.Compile(source)
		if err == nil {
			re.Longest()
		}
		return re, err
	}); err != nil {
		return 0, false
	}
	var out bytes.Buffer
	found := false
	if s.silent {
		t.hc.Stderr = io.Discard
	}
	all := t.each(s.files, func(name string, r io.Reader) error {
		b, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if name == "-" {
			name = "(standard input)"
		}
		if s.search(&out, name, b) {
			found = true
			if s.quiet {
				return io.EOF
			}
		}
		return nil
	})
	if found && s.quiet {
		return 0, true
	}
	if out.Len() > 0 {
		if code, ok := t.write(out.Bytes()); !ok {
			return code, true
		}
	}
	switch {
	case !all:
		return 2, true
	case found:
		return 0, true
	}
	return 1, true
}

// search looks through one input and reports whether a line was selected.
func (s *search) search(out *bytes.Buffer, name string, b []byte) (found bool) {
	number, selected := 0, 0
	prefix := func() {
		if s.names {
			out.WriteString(name + ":")
		}
		if s.numbers {
			out.WriteString(strconv.Itoa(number) + ":")
		}
	}
	for line := range bytes.Lines(b) {
		if selected == s.max {
			break
		}
		number++
		line = bytes.TrimSuffix(line, []byte("\n"))
		if s.re.Match(line) == s.invert {
			continue
		}
		selected++
		switch {
		case s.quiet:
			return true
		case s.counts:
		case s.only:
			for _, m := range s.re.FindAll(line, -1) {
				if len(m) > 0 {
					prefix()
					out.Write(m)
					out.WriteByte('\n')
				}
			}
		default:
			prefix()
			out.Write(line)
			out.WriteByte('\n')
		}
	}
	if s.counts && !s.quiet {
		s.numbers = false
		prefix()
		out.WriteString(strconv.Itoa(selected) + "\n")
	}
	return selected > 0
}

// expression returns the patterns as one expression of package regexp.
func (s *search) expression() (string, bool) {
	var parts []string
	for _, p := range s.patterns {
		part := regexp.QuoteMeta(p)
		if !s.fixed {
			var ok bool
			if part, ok = translatePattern(p, s.extended); !ok {
				return "", false
			}
		}
		parts = append(parts, "(?:"+part+")")
	}
	source := strings.Join(parts, "|")
	switch {
	case s.whole:
		source = "^(?:" + source + ")$"
	case s.word:
		source = `(?:^|\W)(?:` + source + `)(?:$|\W)`
	}
	if s.ignoreCase {
		source = "(?i)" + source
	}
	return source, true
}

// translatePattern turns a basic or extended expression into one of package regexp.
// False means that it has something that package lacks.
func translatePattern(p string, extended bool) (string, bool) {
	var b strings.Builder
	start := true // nothing to repeat before here
	for i := 0; i < len(p); i++ {
		c := p[i]
		special := extended
		if c == '\\' {
			if i++; i == len(p) {
				return "", false
			}
			c = p[i]
			if strings.IndexByte("wWsSbB", c) >= 0 {
				b.WriteString(`\` + string(c))
				start = false
				continue
			}
			if strings.IndexByte("(){}|+?", c) >= 0 && !extended {
				special = true
			} else if '1' <= c && c <= '9' || strings.IndexByte("<>'`", c) >= 0 {
				return "", false
			} else {
				b.WriteString(regexp.QuoteMeta(string(c)))
				start = false
				continue
			}
		} else if !extended && strings.IndexByte("(){}|+?", c) >= 0 {
			b.WriteString(`\` + string(c))
			start = false
			continue
		}
		switch c {
		case '[':
			set, n, ok := bracket(p[i:])
			if !ok {
				return "", false
			}
			b.WriteString(set)
			i += n - 1
			start = false
		case '(', '|':
			if !special {
				return "", false
			}
			b.WriteByte(c)
			start = true
		case '*', '+', '?':
			if start {
				if extended || c != '*' {
					return "", false
				}
				b.WriteString(`\*`)
				start = false
				continue
			}
			b.WriteByte(c)
		case '{':
			end := strings.IndexByte(p[i:], '}')
			if start || end < 0 {
				return "", false
			}
			bounds := strings.TrimSuffix(p[i+1:i+end], `\`)
			if bounds == "" || strings.Trim(bounds, "0123456789,") != "" || bounds[0] == ',' {
				return "", false
			}
			b.WriteString("{" + bounds + "}")
			i += end
		case '}':
			b.WriteString(`\}`)
		case ')':
			b.WriteByte(c)
			start = false
		case '^':
			if !extended && !start {
				b.WriteString(`\^`)
				continue
			}
			b.WriteByte(c)
		case '$':
			if rest := p[i+1:]; !extended && rest != "" && !strings.HasPrefix(rest, `\)`) && !strings.HasPrefix(rest, `\|`) {
				b.WriteString(`\$`)
				continue
			}
			b.WriteByte(c)
		default:
			b.WriteByte(c)
			start = false
		}
	}
	return b.String(), true
}

// bracket translates a bracket expression, in which a backslash is itself, and returns
// its length.
func bracket(p string) (out string, n int, ok bool) {
	var b strings.Builder
	b.WriteByte('[')
	i := 1
	if i < len(p) && p[i] == '^' {
		b.WriteByte('^')
		i++
	}
	for first := true; i < len(p); first = false {
		switch {
		case p[i] == ']' && !first:
			b.WriteByte(']')
			return b.String(), i + 1, true
		case strings.HasPrefix(p[i:], "[:"):
			end := strings.Index(p[i:], ":]")
			if end < 0 {
				return "", 0, false
			}
			b.WriteString(p[i : i+end+2])
			i += end + 2
			continue
		case strings.HasPrefix(p[i:], "[.") || strings.HasPrefix(p[i:], "[="):
			return "", 0, false
		case p[i] == '\\' || p[i] == '[' || p[i] == ']' || p[i] == '^':
			b.WriteString(`\` + p[i:i+1])
		case p[i] == '-' && (first || i+1 < len(p) && p[i+1] == ']'):
			b.WriteString(`\-`)
		default:
			b.WriteByte(p[i])
		}
		i++
	}
	return "", 0, false
}
