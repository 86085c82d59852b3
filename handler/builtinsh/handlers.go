package builtinsh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

const (
	depthEvery = 32    // how many calls apart the depth of the stack is looked at
	maxDepth   = 20000 // frames of Go; a call of a function of the shell takes about ten
)

type anyWriter = io.Writer

// caller is what the interpreter of one script calls.
type caller struct {
	session *session
	program *Program
	name    string // $0
	calls   counter
}

// intercepted reports whether calls of a command of the shell are changed by call.
func intercepted(name string) bool {
	switch name {
	case "echo", "read", "trap", "printf", "command", "test", "[":
		return true
	}
	return inProcess(name)
}

// call sees every simple command before it runs, and returns what is run in its place.
// An error fails the run, in a substitution too, where the interpreter would go on.
func (c *caller) call(ctx context.Context, args []string) ([]string, error) {
	err := roomFor(args)
	if err == nil {
		args, err = c.replace(ctx, args)
	}
	if err != nil && ctx.Err() == nil {
		c.session.watcher.fail(err)
	}
	return args, err
}

func (c *caller) replace(ctx context.Context, args []string) ([]string, error) {
	if c.calls.next()%depthEvery == 0 {
		var one [1]uintptr
		if runtime.Callers(maxDepth, one[:]) > 0 {
			return nil, fmt.Errorf("%s: functions call each other too deep for the built-in shell", c.name)
		}
	}
	switch name := args[0]; name {
	case "echo":
		return answer(0, echo(args[1:], c.program.lang), ""), nil
	case "printf":
		return c.printf(ctx, args[1:]), nil
	case "test", "[":
		return c.test(ctx, args)
	case "read":
		return c.read(ctx, args)
	case "trap":
		return trap(args), nil
	case "command":
		if len(args) == 3 && args[1] == "-v" && inProcess(args[2]) {
			hc := interp.HandlerCtx(ctx)
			if _, err := interp.LookPathDir(hc.Dir, hc.Env, args[2]); err != nil {
				return answer(0, args[2]+"\n", ""), nil
			}
		}
	}
	return c.ending(ctx, args)
}

// answerName is the name of a command that prints what it is given and ends with the
// code that it is given: how call runs what it has worked out.
const answerName = "\x00answer"

func answer(code int, stdout, stderr string) []string {
	return []string{answerName, string(rune(code)), stdout, stderr}
}

// printAnswer runs what answer returned.
func printAnswer(hc interp.HandlerContext, args []string) error {
	if args[3] != "" {
		io.WriteString(hc.Stderr, args[3])
	}
	if args[2] != "" {
		if _, err := io.WriteString(hc.Stdout, args[2]); err != nil {
			return status(codeSignal + 13) // as the signal of a pipe that nobody reads
		}
	}
	return status(int(args[1][0]))
}

func (c *caller) printf(ctx context.Context, args []string) []string {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	where := c.where(interp.HandlerCtx(ctx))
	if len(args) == 0 {
		return answer(2, "", where+"printf: usage: printf format [arg ...]\n")
	}
	out, problems := format(c.program.lang, args[0], args[1:])
	if len(problems) == 0 {
		return answer(0, out, "")
	}
	return answer(1, out, where+strings.Join(problems, "\n"+where)+"\n")
}

func (c *caller) test(ctx context.Context, args []string) ([]string, error) {
	hc := interp.HandlerCtx(ctx)
	operands := args[1:]
	if args[0] == "[" {
		if len(operands) == 0 || operands[len(operands)-1] != "]" {
			return answer(2, "", c.where(hc)+"[: missing ]\n"), nil
		}
		operands = operands[:len(operands)-1]
	}
	ok, err := evaluate(c.program.lang, hc.Dir, operands)
	if unsupported, is := errors.AsType[*UnsupportedError](err); is {
		unsupported.Line = hc.Pos.Line()
		return nil, unsupported
	}
	switch {
	case err != nil:
		return answer(2, "", c.where(hc)+args[0]+": "+err.Error()+"\n"), nil
	case ok:
		return []string{"true"}, nil
	}
	return []string{"false"}, nil
}

// echo returns what echo prints. That of sh expands backslashes, that of bash when it
// is told to.
func echo(args []string, lang Lang) string {
	newline, escapes := true, lang == Sh
	if lang == Sh {
		if len(args) > 0 && args[0] == "-n" {
			newline, args = false, args[1:]
		}
	} else {
		for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
			for _, flag := range args[0][1:] {
				switch flag {
				case 'n':
					newline = false
				default:
					escapes = flag == 'e'
				}
			}
			args = args[1:]
		}
	}
	text := strings.Join(args, " ")
	if escapes && strings.Contains(text, `\`) {
		var whole bool
		if text, whole = unescape(text, lang); !whole {
			newline = false
		}
	}
	if newline {
		text += "\n"
	}
	return text
}

// unescape expands the backslashes of echo. It is not whole when \c cut it short.
func unescape(s string, lang Lang) (out string, whole bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; {
		case c == 'c':
			return b.String(), false
		case c == '0':
			n, used := number(s[i+1:], 3, 8)
			b.WriteByte(byte(n))
			i += used
		case c == 'x' && lang == Bash:
			n, used := number(s[i+1:], 2, 16)
			if used == 0 {
				b.WriteString(`\x`)
				continue
			}
			b.WriteByte(byte(n))
			i += used
		case strings.IndexByte(`abfnrtv\`, c) >= 0:
			b.WriteByte("\a\b\f\n\r\t\v\\"[strings.IndexByte(`abfnrtv\`, c)])
		case c == 'e' && lang == Bash:
			b.WriteByte(0x1b)
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

// number reads up to so many digits at the start of s.
func number(s string, digits, base int) (n, used int) {
	for used < digits && used < len(s) {
		d := strings.IndexByte("0123456789abcdef", s[used]|0x20)
		if '0' <= s[used] && s[used] <= '9' {
			d = int(s[used] - '0')
		}
		if d < 0 || d >= base {
			break
		}
		n = n*base + d
		used++
	}
	return n, used
}

// trap leaves out the signals, which do not reach a script in this process.
func trap(args []string) []string {
	out := args[:min(2, len(args)):min(2, len(args))]
	for _, name := range args[len(out):] {
		switch name {
		case "EXIT", "0":
			out = append(out, "EXIT")
		case "ERR":
			out = append(out, name)
		}
	}
	if len(args) > 2 && len(out) == 2 {
		return []string{"true"}
	}
	return out
}

// read reads a line and returns the assignments to run. The interpreter's own reads
// byte by byte.
func (c *caller) read(ctx context.Context, args []string) ([]string, error) {
	raw := false
	names := args[1:]
	for len(names) > 0 && names[0] == "-r" {
		raw, names = true, names[1:]
	}
	hc := interp.HandlerCtx(ctx)
	f, ok := hc.Stdin.(*os.File)
	if !ok || slices.ContainsFunc(names, func(n string) bool { return !syntax.ValidName(n) }) {
		return args, nil
	}
	stop := interrupt(ctx, f)
	line, err := readLine(f, raw)
	stop()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var b strings.Builder
	assign := func(name, value string) { b.WriteString(name + "=" + quoteValue(value) + "\n") }
	if len(names) == 0 {
		text, _ := unescapeLine(string(line), raw)
		assign("REPLY", string(text))
	} else {
		ifs := " \t\n"
		if v := hc.Env.Get("IFS"); v.IsSet() {
			ifs = v.String()
		}
		values := readFields(ifs, string(line), len(names), raw)
		for i, name := range names {
			value := ""
			if i < len(values) {
				value = values[i]
			}
			assign(name, value)
		}
	}
	if err != nil {
		b.WriteString("! :") // the status 1 without what a failed command sets off
	}
	return []string{"eval", b.String()}, nil
}

// quoteValue makes one word of a value that is assigned. The interpreter reads its own
// words as UTF-8: what is none is written in escapes.
func quoteValue(s string) string {
	if !strings.ContainsRune(s, utf8.RuneError) && !strings.Contains(s, "\r") {
		return "'" + strings.ReplaceAll(s, "'", `'"'"'`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '\'' || c == '\\' {
			fmt.Fprintf(&b, `\x%02x`, c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteString("'")
	return b.String()
}

// interrupt makes reads of a pipe end with ctx. Stop undoes it.
func interrupt(ctx context.Context, f *os.File) (stop func()) {
	done := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		f.SetReadDeadline(aLongTimeAgo())
		close(done)
	})
	return func() {
		if !cancel() {
			<-done
		}
	}
}

// open opens the files of redirections.
func (c *caller) open(ctx context.Context, path string, flag int, _ os.FileMode) (io.ReadWriteCloser, error) {
	hc := interp.HandlerCtx(ctx)
	if names, ok := strings.CutPrefix(path, sizePrefix); ok {
		return nothing{}, c.session.room(hc.Env, names)
	}
	switch path {
	case "/dev/stdout", "/dev/fd/1":
		return keptOpen{hc.Stdout}, nil
	case "/dev/stderr", "/dev/fd/2":
		return keptOpen{hc.Stderr}, nil
	case "/dev/stdin", "/dev/fd/0":
		if f, ok := hc.Stdin.(*os.File); ok {
			return duplicate(f)
		}
	}
	if strings.HasPrefix(path, "/dev/fd/") || path == "/dev/tty" || strings.HasPrefix(path, "/proc/self/fd/") {
		return nil, &os.PathError{Op: "open", Path: path, Err: syscall.ENXIO} // they would be this process's
	}
	if path == os.DevNull || path == "/dev/null" {
		return os.OpenFile(os.DevNull, flag&^os.O_TRUNC, 0)
	}
	if path != "" && !filepath.IsAbs(path) {
		path = filepath.Join(hc.Dir, path)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, &os.PathError{Op: "open", Path: path, Err: errSpecial}
	}
	return os.OpenFile(path, flag, 0o666)
}

// errSpecial says that something is no file, and that to open it could take for ever.
var errSpecial = fmt.Errorf("the built-in shell opens files only")

// keptOpen is a stream of the script that a redirection names and must not close.
type keptOpen struct{ io.Writer }

func (keptOpen) Read([]byte) (int, error) { return 0, io.EOF }
func (keptOpen) Close() error             { return nil }
