package builtinsh

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// errTest is a wrong call of test.
var errTest = errors.New("argument expected")

// tester evaluates the arguments of test by their number first, as POSIX says, so that
// no value can be taken for an operator.
type tester struct {
	lang Lang
	dir  string
	args []string
}

// evaluate returns what test says of its arguments, without the closing bracket. The
// error is an *UnsupportedError, or what is wrong with them.
func evaluate(lang Lang, dir string, args []string) (bool, error) {
	t := tester{lang, dir, args}
	switch len(args) {
	case 0:
		return false, nil
	case 1:
		return args[0] != "", nil
	case 2:
		return t.two(args)
	case 3:
		return t.three(args)
	case 4:
		if args[0] == "!" {
			ok, err := t.three(args[1:])
			return !ok, err
		}
		if args[0] == "(" && args[3] == ")" {
			return t.two(args[1:3])
		}
	}
	ok, err := t.or()
	if err == nil && len(t.args) > 0 {
		err = fmt.Errorf("%s: unexpected operator", t.args[0])
	}
	return ok, err
}

func (t *tester) two(args []string) (bool, error) {
	if args[0] == "!" {
		return args[1] == "", nil
	}
	return t.unary(args[0], args[1])
}

func (t *tester) three(args []string) (bool, error) {
	if isBinary(args[1]) {
		return t.binary(args[0], args[1], args[2])
	}
	switch {
	case args[1] == "-a":
		return args[0] != "" && args[2] != "", nil
	case args[1] == "-o":
		return args[0] != "" || args[2] != "", nil
	case args[0] == "!":
		ok, err := t.two(args[1:])
		return !ok, err
	case args[0] == "(" && args[2] == ")":
		return args[1] != "", nil
	}
	return false, fmt.Errorf("%s: unexpected operator", args[1])
}

func (t *tester) next() string {
	arg := t.args[0]
	t.args = t.args[1:]
	return arg
}

func (t *tester) or() (bool, error) {
	ok, err := t.and()
	for err == nil && len(t.args) > 0 && t.args[0] == "-o" {
		t.next()
		var more bool
		more, err = t.and()
		ok = ok || more
	}
	return ok, err
}

func (t *tester) and() (bool, error) {
	ok, err := t.not()
	for err == nil && len(t.args) > 0 && t.args[0] == "-a" {
		t.next()
		var more bool
		more, err = t.not()
		ok = ok && more
	}
	return ok, err
}

func (t *tester) not() (bool, error) {
	if len(t.args) > 1 && t.args[0] == "!" {
		t.next()
		ok, err := t.not()
		return !ok, err
	}
	return t.primary()
}

func (t *tester) primary() (bool, error) {
	switch {
	case len(t.args) == 0:
		return false, errTest
	case len(t.args) > 2 && isBinary(t.args[1]):
		a, op, b := t.next(), t.next(), t.next()
		return t.binary(a, op, b)
	case len(t.args) > 2 && t.args[0] == "(":
		t.next()
		ok, err := t.or()
		if err == nil && (len(t.args) == 0 || t.next() != ")") {
			err = errors.New("closing paren expected")
		}
		return ok, err
	case len(t.args) > 1 && isUnary(t.args[0]):
		op, a := t.next(), t.next()
		return t.unary(op, a)
	}
	return t.next() != "", nil
}

func isUnary(op string) bool {
	return len(op) == 2 && op[0] == '-' && strings.IndexByte("bcdefghkLnprsSuwxzO", op[1]) >= 0
}

func isBinary(op string) bool {
	switch op {
	case "=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef":
		return true
	}
	return false
}

func (t *tester) path(name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(t.dir, name)
}

func (t *tester) unary(op, arg string) (bool, error) {
	switch op {
	case "-n":
		return arg != "", nil
	case "-z":
		return arg == "", nil
	}
	if !isUnary(op) {
		return false, fmt.Errorf("%s: unexpected operator", op)
	}
	if op == "-L" || op == "-h" {
		info, err := os.Lstat(t.path(arg))
		return err == nil && info.Mode()&os.ModeSymlink != 0, nil
	}
	info, err := os.Stat(t.path(arg))
	if arg == "" || err != nil {
		return false, nil
	}
	mode := info.Mode()
	switch op {
	case "-f":
		return mode.IsRegular(), nil
	case "-d":
		return mode.IsDir(), nil
	case "-s":
		return info.Size() > 0, nil
	case "-r", "-w", "-x":
		return access(t.path(arg), info, op[1]), nil
	case "-p":
		return mode&os.ModeNamedPipe != 0, nil
	case "-S":
		return mode&os.ModeSocket != 0, nil
	case "-b":
		return mode&os.ModeDevice != 0 && mode&os.ModeCharDevice == 0, nil
	case "-c":
		return mode&os.ModeCharDevice != 0, nil
	case "-u":
		return mode&os.ModeSetuid != 0, nil
	case "-g":
		return mode&os.ModeSetgid != 0, nil
	case "-k":
		return mode&os.ModeSticky != 0, nil
	}
	return op == "-e", nil
}

func (t *tester) binary(a, op, b string) (bool, error) {
	switch op {
	case "==":
		if t.lang == Sh { // each sh has its own opinion
			return false, &UnsupportedError{What: "the test == in sh"}
		}
		return a == b, nil
	case "=":
		return a == b, nil
	case "!=":
		return a != b, nil
	case "<":
		return a < b, nil
	case ">":
		return a > b, nil
	case "-nt", "-ot", "-ef":
		x, errX := os.Stat(t.path(a))
		y, errY := os.Stat(t.path(b))
		switch {
		case op == "-ef":
			return errX == nil && errY == nil && os.SameFile(x, y), nil
		case op == "-ot":
			x, y, errX, errY = y, x, errY, errX
		}
		if t.lang == Sh && errY != nil {
			return false, nil
		}
		return errX == nil && (errY != nil || x.ModTime().After(y.ModTime())), nil
	}
	x, err := integer(a)
	if err != nil {
		return false, err
	}
	y, err := integer(b)
	if err != nil {
		return false, err
	}
	switch op {
	case "-eq":
		return x == y, nil
	case "-ne":
		return x != y, nil
	case "-lt":
		return x < y, nil
	case "-le":
		return x <= y, nil
	case "-gt":
		return x > y, nil
	}
	return x >= y, nil
}

// illegalNumber is the error in the words of the shell.
type illegalNumber string

func (n illegalNumber) Error() string { return "Illegal number: " + string(n) }

func integer(s string) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil {
		return 0, illegalNumber(s)
	}
	return n, nil
}
