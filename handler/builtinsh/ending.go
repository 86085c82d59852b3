package builtinsh

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// shiftName is the name that calls of shift have when they run: the last argument is
// how many there are to shift.
const shiftName = "\x00shift"

// countShift makes a call of shift one that knows how many arguments there are.
func countShift(c *syntax.CallExpr) {
	if len(c.Args) == 0 || c.Args[0].Lit() != "shift" {
		return
	}
	at, end := c.Args[0].Pos(), c.Args[0].End()
	lit := func(s string) *syntax.Lit { return &syntax.Lit{ValuePos: at, ValueEnd: end, Value: s} }
	count := &syntax.ParamExp{Dollar: at, Short: true, Param: lit("#")}
	args := append([]*syntax.Word{{Parts: []syntax.WordPart{lit(shiftName)}}}, c.Args[1:]...)
	c.Args = append(args, &syntax.Word{Parts: []syntax.WordPart{&syntax.DblQuoted{Left: at, Right: end, Parts: []syntax.WordPart{count}}}})
}

// ending looks at the commands whose errors end a script, or have a meaning of their
// own, in a real shell: the run fails where the interpreter would go on. What could be
// seen before is not met here.
func (c *caller) ending(ctx context.Context, args []string) ([]string, error) {
	unsupported := func(what string) ([]string, error) {
		return nil, &UnsupportedError{What: what, Line: interp.HandlerCtx(ctx).Pos.Line()}
	}
	call := args
	if call[0] == "command" && len(call) > 1 {
		call = call[1:]
	}
	switch name, operands := call[0], call[1:]; name {
	case shiftName:
		return c.shift(operands, unsupported)
	case "shift":
		return unsupported("shift that is computed")
	case "return", "exit", "break", "continue":
		if name == "return" && !c.program.returns[interp.HandlerCtx(ctx).Pos] {
			return unsupported("return that is computed")
		}
		if name == "return" && len(operands) == 0 {
			// The interpreter's own has the status 0 then.
			return []string{name, strconv.Itoa(interp.HandlerCtx(ctx).LastExitStatus)}, nil
		}
		if len(operands) > 1 || len(operands) == 1 && !digits(operands[0]) {
			return unsupported(name + " " + strings.Join(operands, " "))
		}
	case "unset":
		for _, arg := range operands {
			if c.program.lang == Sh && arg != "-v" && arg != "-f" && !syntax.ValidName(arg) {
				return unsupported("unset " + arg)
			}
		}
	case "set":
		if !knownOptions(operands) {
			return unsupported("set " + strings.Join(operands, " "))
		}
	default:
		if unsupportedCommand(name) {
			return unsupported(name)
		}
	}
	return args, nil
}

// shift ends a script of sh that shifts by more than there is.
func (c *caller) shift(operands []string, unsupported func(string) ([]string, error)) ([]string, error) {
	count, err := strconv.Atoi(operands[len(operands)-1])
	by := 1
	if err == nil && len(operands) == 2 && digits(operands[0]) {
		by, err = strconv.Atoi(operands[0])
	} else if len(operands) != 1 {
		return unsupported("shift " + strings.Join(operands[:len(operands)-1], " "))
	}
	switch {
	case err == nil && by <= count:
		return []string{"shift", strconv.Itoa(by)}, nil
	case c.program.lang == Bash:
		return []string{"false"}, nil
	}
	return unsupported("shift by more than there is")
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// knownOptions reports whether set is called with options that it has here.
func knownOptions(args []string) bool {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" || arg == "-" || arg == "" || arg[0] != '-' && arg[0] != '+' {
			return true
		}
		for _, flag := range arg[1:] {
			if flag == 'o' {
				if i++; i >= len(args) || !slices.Contains([]string{"errexit", "nounset", "noglob", "pipefail"}, args[i]) {
					return false
				}
			} else if flag != 'e' && flag != 'u' && flag != 'f' {
				return false
			}
		}
	}
	return true
}
