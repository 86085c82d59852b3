package builtinsh

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// unsupportedCommand reports whether a command of the shell itself is none here.
func unsupportedCommand(name string) bool {
	switch name {
	case "kill", "umask", "ulimit", "jobs", "fg", "bg", "fc", "newgrp", "bind", "caller", "compgen", "complete", "compopt",
		"disown", "enable", "history", "logout", "suspend", "wait", "eval", "source", ".", "times", "help", "builtin",
		"export", "readonly", "local", "declare", "typeset", "alias", "unalias", "mapfile", "readarray", "dirs", "pushd", "popd", "let", "time", "coproc":
		return true
	}
	return false
}

// call looks at a command whose name is written out; one that is computed is looked
// at when it runs.
func (s *screen) call(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		return
	}
	args, whole := words(c.Args)
	if len(args) == 0 {
		return
	}
	name := args[0]
	if name == "command" && len(args) > 1 && !strings.HasPrefix(args[1], "-") {
		args = args[1:]
		name = args[0]
		if _, ok := s.functions[name]; ok || intercepted(name) {
			s.no(c, "command "+name)
			return
		}
	}
	if unsupportedCommand(name) {
		s.no(c, name)
		return
	}
	switch name {
	case "set":
		s.set(c, args[1:])
	case "shopt":
		s.bash(c, "shopt")
		if !whole {
			s.no(c, "shopt of what is computed")
		}
		for _, arg := range args[1:] {
			if !slices.Contains([]string{"-s", "-u", "-q", "dotglob", "globstar", "nocaseglob", "nullglob"}, arg) {
				s.no(c, "shopt "+arg)
			}
		}
	case "read":
		s.read(c, args[1:])
	case "trap":
		s.trap(c, args[1:], whole)
	case "test", "[":
		if slices.Contains(args, "-t") || slices.Contains(args, "-o") && len(args) <= 4 || slices.Contains(args, "-v") {
			s.no(c, "this test")
		}
		for _, w := range c.Args[1:] {
			if text, _ := literal(w); text == "==" {
				s.bash(c, "the test ==")
			}
		}
	case "printf":
		if len(args) > 1 && args[1] == "-v" {
			s.no(c, "printf -v")
		}
	case "exec":
		if len(args) > 1 && strings.HasPrefix(args[1], "-") {
			s.no(c, "exec "+args[1])
		}
	case "command":
		if len(args) > 1 && args[1] != "-v" {
			s.no(c, "command "+args[1])
		}
	case "unset", "export", "cd", "pwd", "hash", "type":
		for _, arg := range args[1:] {
			if strings.HasPrefix(arg, "-") && arg != "-" && arg != "-v" && arg != "-f" && arg != "-P" && arg != "-p" {
				s.no(c, name+" "+arg)
			}
		}
	case "shift":
		if c.Args[0].Lit() != name {
			s.no(c, "this shift")
		}
	case "exit", "return":
		if name == "return" {
			if !s.inFunction(c) {
				s.no(c, "return outside a function")
			}
			if c.Pos().Offset() < s.apart {
				s.no(c, "return in a subshell")
			}
			s.returns[c.Pos()] = true
		}
		if len(args) > 1 && strings.Trim(args[1], "0123456789") != "" {
			s.no(c, name+" "+args[1])
		}
	}
}

// words returns the arguments up to the first that is computed, and whether there is
// none.
func words(ws []*syntax.Word) (args []string, whole bool) {
	for _, w := range ws {
		text, ok := literal(w)
		if !ok {
			return args, false
		}
		args = append(args, text)
	}
	return args, true
}

// literal returns the text of a word that is written out, quotes removed.
func literal(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			if strings.Contains(part.Value, `\`) {
				return "", false
			}
			b.WriteString(part.Value)
		case *syntax.SglQuoted:
			if part.Dollar {
				return "", false
			}
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			for _, inner := range part.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok || strings.Contains(lit.Value, `\`) {
					return "", false
				}
				b.WriteString(lit.Value)
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

func (s *screen) set(c *syntax.CallExpr, args []string) {
	if len(args) == 0 && len(c.Args) == 1 {
		s.no(c, "set without arguments")
	}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" || arg == "-" || arg == "" || arg[0] != '-' && arg[0] != '+' {
			return
		}
		for _, flag := range arg[1:] {
			switch flag {
			case 'e':
				s.errexit = true
			case 'u', 'f':
			case 'o':
				if i++; i >= len(args) || !slices.Contains([]string{"errexit", "nounset", "noglob", "pipefail"}, args[i]) {
					s.no(c, "this option of set")
					return
				}
				if args[i] == "pipefail" {
					s.bash(c, "pipefail")
				}
				s.errexit = s.errexit || args[i] == "errexit"
			default:
				s.no(c, "set "+arg)
				return
			}
		}
	}
}

func (s *screen) read(c *syntax.CallExpr, args []string) {
	names := 0
	for _, arg := range args {
		switch {
		case arg == "-r":
		case arg == "-a" && s.lang == Bash:
			s.no(c, "read -a")
		case strings.HasPrefix(arg, "-"):
			s.no(c, "read "+arg)
		default:
			s.name(c, arg)
			names++
		}
	}
	if names == 0 {
		s.bash(c, "read without a name")
	}
}

// trap takes what a script does at its end. Signals cannot reach a script in this
// process: their names are left out when it runs.
func (s *screen) trap(c *syntax.CallExpr, args []string, whole bool) {
	if !whole || len(args) < 2 || strings.HasPrefix(args[0], "-") && args[0] != "-" {
		s.no(c, "this trap")
		return
	}
	for _, name := range args[1:] {
		switch name {
		case "EXIT", "0", "INT", "TERM", "HUP", "QUIT", "PIPE", "SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGPIPE", "1", "2", "13", "15":
		case "ERR":
			s.bash(c, "trap ERR")
		default:
			s.no(c, "trap "+name)
		}
	}
	if args[0] == "-" || args[0] == "" {
		return
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(args[0]), "trap")
	if err != nil {
		s.no(c, "this trap")
		return
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 && (call.Args[0].Lit() == "exit" || call.Args[0].Lit() == "trap") {
			s.no(c, "trap that ends with exit")
		}
		return true
	})
	inner := screen{lang: s.lang}
	if inner.check(file) != nil {
		s.no(c, inner.found.What+" in a trap")
	}
}
