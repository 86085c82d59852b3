package builtinsh

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// printing formats the arguments of printf.
type printing struct {
	lang     Lang
	out      strings.Builder
	args     []string
	used     int
	problems []string
	stopped  bool // by \c
}

// maxWidth bounds what one conversion is padded to.
const maxWidth = 1 << 16

// format returns what printf prints, and what it complains about.
func format(lang Lang, template string, args []string) (out string, problems []string) {
	p := &printing{lang: lang, args: args}
	for {
		before := p.used
		p.once(template)
		if p.stopped || p.used >= len(args) || p.used == before {
			return p.out.String(), p.problems
		}
	}
}

func (p *printing) next() (string, bool) {
	if p.used >= len(p.args) {
		p.used++
		return "", false
	}
	p.used++
	return p.args[p.used-1], true
}

func (p *printing) once(t string) {
	for i := 0; i < len(t) && !p.stopped; i++ {
		switch {
		case t[i] == '\\' && i+1 < len(t):
			i += p.escape(t[i+1:])
		case t[i] == '%' && i+1 < len(t) && t[i+1] == '%':
			p.out.WriteByte('%')
			i++
		case t[i] == '%':
			i += p.conversion(t[i+1:])
		default:
			p.out.WriteByte(t[i])
		}
	}
}

// escape prints what follows a backslash in a format and returns its length.
func (p *printing) escape(s string) int {
	if i := strings.IndexByte(`abfnrtv\"'`, s[0]); i >= 0 {
		p.out.WriteByte("\a\b\f\n\r\t\v\\\"'"[i])
		return 1
	}
	if n, used := number(s, 3, 8); used > 0 {
		p.out.WriteByte(byte(n))
		return used
	}
	if p.lang == Bash && s[0] == 'e' {
		p.out.WriteByte(0x1b)
		return 1
	}
	if p.lang == Bash && s[0] == 'x' {
		if n, used := number(s[1:], 2, 16); used > 0 {
			p.out.WriteByte(byte(n))
			return used + 1
		}
	}
	p.out.WriteByte('\\')
	p.out.WriteByte(s[0])
	return 1
}

// conversion prints one conversion and returns the length of what follows the percent
// sign.
func (p *printing) conversion(s string) int {
	i := 0
	for i < len(s) && strings.IndexByte("-+ #0", s[i]) >= 0 {
		i++
	}
	flags := s[:i]
	width, precision := -1, -1
	amount := func() int {
		if i < len(s) && s[i] == '*' {
			i++
			arg, _ := p.next()
			n, _ := strconv.Atoi(arg)
			if n < 0 {
				flags, n = flags+"-", -n
			}
			return min(n, maxWidth)
		}
		n := 0
		for ; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
			n = min(n*10+int(s[i]-'0'), maxWidth)
		}
		return n
	}
	width = amount()
	if i < len(s) && s[i] == '.' {
		i++
		precision = amount()
	}
	for i < len(s) && strings.IndexByte("hlLqjzt", s[i]) >= 0 && i+1 < len(s) && strings.IndexByte("diouxXeEfFgG", s[i+1]) >= 0 {
		i++
	}
	if i == len(s) {
		p.problems = append(p.problems, "printf: missing format character")
		p.stopped = true
		return i
	}
	p.convert(flags, width, precision, s[i])
	return i + 1
}

func (p *printing) convert(flags string, width, precision int, verb byte) {
	arg, given := p.next()
	spec := "%" + flags
	if width > 0 {
		spec += strconv.Itoa(width)
	}
	if precision >= 0 {
		spec += "." + strconv.Itoa(precision)
	}
	switch verb {
	case 's':
		p.pad(arg, flags, width, precision)
	case 'b':
		text, whole := unescape(arg, p.lang)
		p.pad(text, flags, width, precision)
		p.stopped = !whole
	case 'c':
		p.pad(arg[:min(1, len(arg))], flags, width, -1)
	case 'q':
		if p.lang != Bash {
			p.invalid(verb)
			return
		}
		p.pad(quoteWord(arg), flags, width, precision)
	case 'd', 'i', 'u':
		fmt.Fprintf(&p.out, spec+"d", p.integer(arg, given))
	case 'o', 'x', 'X':
		fmt.Fprintf(&p.out, spec+string(verb), uint64(p.integer(arg, given)))
	case 'e', 'E', 'f', 'F', 'g', 'G':
		if precision < 0 && (verb == 'e' || verb == 'E' || verb == 'f' || verb == 'F') {
			spec += ".6"
		} else if precision < 0 {
			spec += ".6"
		}
		f, err := strconv.ParseFloat(strings.TrimSpace(arg), 64)
		if err != nil && arg != "" {
			p.problems = append(p.problems, p.wrongNumber(arg))
		}
		fmt.Fprintf(&p.out, spec+string(verb), f)
	default:
		p.invalid(verb)
	}
}

func (p *printing) invalid(verb byte) {
	p.problems = append(p.problems, fmt.Sprintf("printf: %%%c: invalid directive", verb))
	p.stopped = true
}

func (p *printing) wrongNumber(arg string) string {
	if p.lang == Bash {
		return "printf: " + arg + ": invalid number"
	}
	return "printf: " + arg + ": expected numeric value"
}

func (p *printing) integer(arg string, given bool) int64 {
	if !given || arg == "" {
		return 0
	}
	if arg[0] == '\'' || arg[0] == '"' {
		r, _ := utf8.DecodeRuneInString(arg[1:])
		return int64(r)
	}
	text := strings.TrimSpace(arg)
	n, err := strconv.ParseInt(text, 0, 64)
	if err == nil && !strings.ContainsAny(text, "_bB") || err == nil && strings.HasPrefix(strings.TrimLeft(text, "+-"), "0x") {
		return n
	}
	// What begins like a number counts as far as it does.
	end := 0
	for end < len(text) && (end == 0 && (text[0] == '-' || text[0] == '+') || '0' <= text[end] && text[end] <= '9') {
		end++
	}
	n, _ = strconv.ParseInt(text[:end], 10, 64)
	p.problems = append(p.problems, p.wrongNumber(arg))
	return n
}

// pad prints text, cut and filled up in bytes.
func (p *printing) pad(text, flags string, width, precision int) {
	if precision >= 0 && precision < len(text) {
		text = text[:precision]
	}
	fill := strings.Repeat(" ", max(width-len(text), 0))
	if strings.Contains(flags, "-") {
		p.out.WriteString(text + fill)
	} else {
		p.out.WriteString(fill + text)
	}
}

// quoteWord quotes a word as %q of bash does, in most cases.
func quoteWord(s string) string {
	if s == "" {
		return "''"
	}
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c == 0x7f {
			return "$'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`, "\t", `\t`, "\r", `\r`, "\a", `\a`, "\b", `\b`, "\f", `\f`, "\v", `\v`, "\x1b", `\E`).Replace(s) + "'"
		}
		if strings.IndexByte(" !\"#$&'()*,;<>?[\\]^`{|}~", c) >= 0 && !(c == '#' && i > 0 || c == '~' && i > 0) {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}
