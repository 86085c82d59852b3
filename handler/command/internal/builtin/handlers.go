package builtin

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"mvdan.cc/sh/v3/interp"
)

type anyWriter = io.Writer

// caller is what the interpreter of one script calls.
type caller struct {
	session *session
	program *Program
	name    string // $0
	depth   int    // of scripts that called it
}

// fail ends the run, which has failed: here is met what only a real shell does right, and
// what the script did before is not an answer.
func (c *caller) fail(ctx context.Context, what string) error {
	err := &UnsupportedError{What: what, Line: max(interp.HandlerCtx(ctx).Pos.Line(), 1)}
	c.session.watcher.fail(err)
	return err
}

// call sees every simple command before it runs, and returns what is run in its place.
// An error fails the run, in a substitution too, where the interpreter would go on.
func (c *caller) call(ctx context.Context, args []string) ([]string, error) {
	if err := roomFor(args); err != nil {
		c.session.watcher.fail(err)
		return nil, err
	}
	if path, ok := strings.CutPrefix(args[0], pathMark); ok {
		if strings.ContainsAny(path, " \t\n*?[\\") {
			return nil, c.fail(ctx, "splitting of the name of a command")
		}
		args[0] = path
	}
	switch args[0] {
	case "echo":
		return c.echo(args), nil
	case "test", "[":
		return c.test(args), nil
	case "cd":
		hc := interp.HandlerCtx(ctx)
		if args[1] == "" || args[1][0] != '/' && args[1][0] != '.' && hc.Env.Get("CDPATH").IsSet() {
			return nil, c.fail(ctx, "this cd")
		}
	}
	return args, nil
}

// reallyLine is what a real shell gets to call a command of its own.
const reallyLine = `"$@"`

// really is a call of a command of the shell's own by a real shell, for values that the
// interpreter takes for something else.
func (c *caller) really(args []string) []string {
	return append([]string{c.program.lang.String(), "-c", reallyLine, c.name}, args...)
}

// backslashes are those that echo of sh expands; others it leaves as they are.
var backslashes = strings.NewReplacer(`\\`, `\`, `\a`, "\a", `\b`, "\b", `\f`, "\f", `\n`, "\n", `\r`, "\r", `\t`, "\t", `\v`, "\v")

func (c *caller) echo(args []string) []string {
	rest := args[1:]
	newline := true
	if len(rest) > 0 && rest[0] == "-n" {
		newline, rest = false, rest[1:]
	}
	if c.program.lang == Bash && len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
		return c.really(args)
	}
	text := strings.Join(rest, " ")
	if c.program.lang == Sh && strings.Contains(text, `\`) {
		plain := strings.ReplaceAll(text, `\\`, "")
		for _, special := range []string{`\c`, `\0`, `\1`, `\2`, `\3`, `\4`, `\5`, `\6`, `\7`, `\e`} {
			if strings.Contains(plain, special) {
				return c.really(args)
			}
		}
		text = backslashes.Replace(text)
	}
	if newline {
		text += "\n"
	}
	return []string{"printf", "%s", text}
}

// test has the interpreter test what it cannot take for an operator. Comparing strings
// needs no interpreter; all that is not simple is for a real shell.
func (c *caller) test(args []string) []string {
	operands := args[1:]
	if args[0] == "[" {
		if len(operands) == 0 || operands[len(operands)-1] != "]" {
			return c.really(args)
		}
		operands = operands[:len(operands)-1]
	}
	want := true
	if len(operands) > 2 && operands[0] == "!" && operands[1] != "=" && operands[1] != "!=" {
		want, operands = false, operands[1:]
	}
	truth := func(is bool) []string {
		if is == want {
			return []string{"true"}
		}
		return []string{"false"}
	}
	switch len(operands) {
	case 1:
		return truth(operands[0] != "")
	case 2:
		switch op, x := operands[0], operands[1]; op {
		case "-n":
			return truth(x != "")
		case "-z":
			return truth(x == "")
		case "-e", "-f", "-d", "-s", "-r", "-w", "-x", "-L", "-h":
			if want && x != "" && !strings.Contains(x, `\`) {
				return []string{"test", op, x}
			}
		}
	case 3:
		switch x, op, y := operands[0], operands[1], operands[2]; op {
		case "=":
			return truth(x == y)
		case "!=":
			return truth(x != y)
		case "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
			if want && isNumber(x) && isNumber(y) {
				return []string{"test", x, op, y}
			}
		}
	}
	return c.really(args)
}

func isNumber(s string) bool {
	return s != "" && len(s) < 18 && strings.Trim(s, "0123456789") == ""
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

// readDir is asked for the names of files that a pattern may mean. A script has none
// that was not refused.
func (c *caller) readDir(ctx context.Context, _ string) ([]fs.DirEntry, error) {
	return nil, c.fail(ctx, "patterns of file names")
}

// open opens the files of redirections.
func (c *caller) open(ctx context.Context, path string, flag int, _ os.FileMode) (io.ReadWriteCloser, error) {
	hc := interp.HandlerCtx(ctx)
	if names, ok := strings.CutPrefix(path, sizePrefix); ok {
		return nothing{}, c.session.room(hc.Env, names)
	}
	switch path {
	case "/dev/stdout":
		return unclosed{hc.Stdout}, nil
	case "/dev/stderr":
		return unclosed{hc.Stderr}, nil
	case "/dev/stdin":
		if f, ok := hc.Stdin.(*os.File); ok {
			return duplicate(f)
		}
	case "/dev/null":
		return os.OpenFile(os.DevNull, flag&^os.O_TRUNC, 0)
	case "":
		return nil, &os.PathError{Op: "open", Path: path, Err: syscall.ENOENT}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(hc.Dir, path)
	}
	// What is not a file could be this process's own, or take for ever to open.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() || errors.Is(err, syscall.ENXIO) || strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, "/proc/") {
		return nil, c.fail(ctx, "redirections of what is not a file")
	}
	return os.OpenFile(path, flag, 0o666)
}

// unclosed is a stream of the script that a redirection names and must not close.
type unclosed struct{ io.Writer }

func (unclosed) Read([]byte) (int, error) { return 0, io.EOF }
func (unclosed) Close() error             { return nil }
