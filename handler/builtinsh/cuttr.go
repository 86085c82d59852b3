package builtinsh

import (
	"bytes"
	"io"
	"strconv"
	"strings"
)

// span is a range of fields or bytes from 1, with 0 as no end.
type span struct{ from, to int }

func spans(list string) (out []span, ok bool) {
	for part := range strings.SplitSeq(list, ",") {
		from, to, ranged := strings.Cut(part, "-")
		var s span
		var err error
		switch {
		case !ranged:
			s.from, err = strconv.Atoi(part)
			s.to = s.from
		case from == "" && to == "":
			return nil, false
		default:
			s.from = 1
			if from != "" {
				s.from, err = strconv.Atoi(from)
			}
			if to != "" && err == nil {
				if s.to, err = strconv.Atoi(to); s.to < s.from {
					return nil, false
				}
			}
		}
		if err != nil || s.from < 1 {
			return nil, false
		}
		out = append(out, s)
	}
	return out, true
}

func within(list []span, n int) bool {
	for _, s := range list {
		if n >= s.from && (s.to == 0 || n <= s.to) {
			return true
		}
	}
	return false
}

// cutting is what cut was asked for.
type cutting struct {
	list     []span
	byFields bool
	delim    byte
	only     bool // lines with a delimiter only
}

func cut(t *call) (int, bool) {
	c := cutting{delim: '\t'}
	args := t.args[1:]
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		flag, value := args[0][1], args[0][2:]
		args = args[1:]
		if flag == 's' && value == "" {
			c.only = true
			continue
		}
		if value == "" {
			if len(args) == 0 {
				return 0, false
			}
			value, args = args[0], args[1:]
		}
		ok := true
		switch flag {
		case 'd':
			ok = len(value) == 1
			if ok {
				c.delim = value[0]
			}
		case 'f', 'b', 'c':
			ok = c.list == nil
			if ok {
				c.byFields = flag == 'f'
				c.list, ok = spans(value)
			}
		default:
			ok = false
		}
		if !ok {
			return 0, false
		}
	}
	if c.list == nil || len(args) > 0 {
		return 0, false
	}
	b, err := io.ReadAll(t.stdin())
	if err != nil {
		return 1, true
	}
	var out bytes.Buffer
	for line := range bytes.Lines(b) {
		c.line(&out, bytes.TrimSuffix(line, []byte("\n")))
	}
	code, _ := t.write(out.Bytes())
	return code, true
}

func (c *cutting) line(out *bytes.Buffer, line []byte) {
	if !c.byFields {
		for i, b := range line {
			if within(c.list, i+1) {
				out.WriteByte(b)
			}
		}
		out.WriteByte('\n')
		return
	}
	if bytes.IndexByte(line, c.delim) < 0 {
		if !c.only {
			out.Write(line)
			out.WriteByte('\n')
		}
		return
	}
	first := true
	for i, field := range bytes.Split(line, []byte{c.delim}) {
		if !within(c.list, i+1) {
			continue
		}
		if !first {
			out.WriteByte(c.delim)
		}
		first = false
		out.Write(field)
	}
	out.WriteByte('\n')
}

// tr works on bytes, as the usual one does.
func tr(t *call) (int, bool) {
	var remove, squeeze, complement bool
	args := t.args[1:]
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		for _, flag := range args[0][1:] {
			switch flag {
			case 'd':
				remove = true
			case 's':
				squeeze = true
			case 'c', 'C':
				complement = true
			default:
				return 0, false
			}
		}
		args = args[1:]
	}
	want := 2
	if remove != squeeze {
		want = 1
	}
	if len(args) != want && !(squeeze && !remove && len(args) == 2) {
		return 0, false
	}
	sets := make([][]byte, len(args))
	for i, arg := range args {
		var ok bool
		if sets[i], ok = byteSet(arg); !ok {
			return 0, false
		}
	}
	if complement {
		var in [256]bool
		for _, b := range sets[0] {
			in[b] = true
		}
		sets[0] = sets[0][:0:0]
		for b := range 256 {
			if !in[b] {
				sets[0] = append(sets[0], byte(b))
			}
		}
	}
	b, err := io.ReadAll(t.stdin())
	if err != nil {
		return 1, true
	}
	code, _ := t.write(translate(b, sets, remove, squeeze))
	return code, true
}

func translate(in []byte, sets [][]byte, remove, squeeze bool) []byte {
	var dropped, squeezed [256]bool
	var to [256]byte
	for b := range to {
		to[b] = byte(b)
	}
	if remove {
		for _, b := range sets[0] {
			dropped[b] = true
		}
	} else if len(sets) == 2 && len(sets[1]) > 0 {
		for i, b := range sets[0] {
			to[b] = sets[1][min(i, len(sets[1])-1)]
		}
	}
	if squeeze {
		for _, b := range sets[len(sets)-1] {
			squeezed[b] = true
		}
	}
	out := make([]byte, 0, len(in))
	for _, b := range in {
		if dropped[b] {
			continue
		}
		b = to[b]
		if squeezed[b] && len(out) > 0 && out[len(out)-1] == b {
			continue
		}
		out = append(out, b)
	}
	return out
}

// byteSet reads a set of tr: characters, escapes, ranges and classes.
func byteSet(s string) (set []byte, ok bool) {
	for i := 0; i < len(s); {
		if rest := s[i:]; strings.HasPrefix(rest, "[:") {
			name, _, found := strings.Cut(rest[2:], ":]")
			if found {
				class, known := byteClass(name)
				if !known {
					return nil, false
				}
				set = append(set, class...)
				i += len(name) + 4
				continue
			}
		}
		if strings.HasPrefix(s[i:], "[=") || i+2 < len(s) && s[i] == '[' && s[i+2] == '*' {
			return nil, false
		}
		b, n := byteOf(s[i:])
		if n == 0 || b >= 0x80 {
			return nil, false // characters of several bytes: leave it to the real one
		}
		i += n
		if i+1 < len(s) && s[i] == '-' {
			last, n := byteOf(s[i+1:])
			if n == 0 || last < b {
				return nil, false
			}
			for c := int(b); c <= int(last); c++ {
				set = append(set, byte(c))
			}
			i += n + 1
			continue
		}
		set = append(set, b)
	}
	return set, true
}

func byteOf(s string) (b byte, n int) {
	if s[0] != '\\' || len(s) == 1 {
		return s[0], 1
	}
	if i := strings.IndexByte(`abfnrtv\`, s[1]); i >= 0 {
		return "\a\b\f\n\r\t\v\\"[i], 2
	}
	if value, used := number(s[1:], 3, 8); used > 0 && value < 256 {
		return byte(value), used + 1
	}
	return s[1], 2
}

func byteClass(name string) (class []byte, known bool) {
	var in func(b byte) bool
	lower := func(b byte) bool { return 'a' <= b && b <= 'z' }
	upper := func(b byte) bool { return 'A' <= b && b <= 'Z' }
	digit := func(b byte) bool { return '0' <= b && b <= '9' }
	switch name {
	case "lower":
		in = lower
	case "upper":
		in = upper
	case "digit":
		in = digit
	case "alpha":
		in = func(b byte) bool { return lower(b) || upper(b) }
	case "alnum":
		in = func(b byte) bool { return lower(b) || upper(b) || digit(b) }
	case "space":
		in = func(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' }
	case "blank":
		in = func(b byte) bool { return b == ' ' || b == '\t' }
	case "punct":
		in = func(b byte) bool { return '!' <= b && b <= '~' && !lower(b) && !upper(b) && !digit(b) }
	case "print":
		in = func(b byte) bool { return ' ' <= b && b <= '~' }
	case "graph":
		in = func(b byte) bool { return '!' <= b && b <= '~' }
	case "cntrl":
		in = func(b byte) bool { return b < ' ' || b == 0x7f }
	case "xdigit":
		in = func(b byte) bool { return digit(b) || 'a' <= b|0x20 && b|0x20 <= 'f' }
	default:
		return nil, false
	}
	for b := range 256 {
		if in(byte(b)) {
			class = append(class, byte(b))
		}
	}
	return class, true
}
