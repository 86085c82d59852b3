package shell

import (
	"slices"
	"strings"
)

// shell reads bash, sh and the like.
func (u *unfolder) shell(c *Command) {
	i, hasC, hasS, plain := 1, false, false, true
	for ; i < len(c.Args); i++ {
		w := c.Args[i]
		if !w.Literal {
			if first := w.Pieces()[0]; !hasC && (first.Unknown || first.Text[0] == '-') {
				c.Uncertain, c.InnerAt, c.Scripts = c.Name()+": "+w.Text+" is computed", len(c.Args), append(c.Scripts, i)
				return
			}
			break
		}
		if w.Text == "--" || w.Text == "-" {
			i++
			break
		}
		if len(w.Text) < 2 || w.Text[0] != '-' && w.Text[0] != '+' {
			break
		}
		if strings.HasPrefix(w.Text, "--") {
			plain = plain && slices.Contains([]string{"--norc", "--noprofile", "--posix", "--verbose"}, w.Text)
			if w.Text == "--rcfile" || w.Text == "--init-file" {
				if i++; i < len(c.Args) {
					c.Scripts = append(c.Scripts, i)
				}
			}
			continue
		}
		hasC, hasS = hasC || strings.Contains(w.Text, "c"), hasS || strings.Contains(w.Text, "s")
		plain = plain && strings.Trim(w.Text[1:], "ceuxvfn") == ""
		i += strings.Count(strings.ToLower(w.Text), "o") // each takes the name of an option
	}
	if !plain || slices.Contains([]string{"zsh", "ksh", "mksh"}, c.Name()) {
		c.Wrap = Opaque // it reads start-up files, or a language that is not read here
	}
	switch {
	case hasC && i < len(c.Args):
		u.script(c, c.Args[i])
	case hasC:
		c.Uncertain = c.Name() + " -c without text"
	case i < len(c.Args) && !hasS && !IsStdin(c.Args[i].Text):
		c.Wrap = NoWrap // a script file: the command is what it says
		c.Scripts = append(c.Scripts, i)
	default:
		u.stdin(c)
	}
	if slices.Contains(foreign, c.Name()) && c.Wrap != NoWrap && c.Uncertain == "" {
		c.Uncertain = c.Name() + " has a language of its own"
	}
}

// foreign are shells whose language is not the one that is read here.
var foreign = []string{"fish", "csh", "tcsh"}

// IsShell reports the name of a program that is a shell.
func IsShell(name string) bool { return wrappers[name].special == byShell }

// IsStdin reports names under which a program opens what it is given as input.
func IsStdin(name string) bool {
	return name == "/dev/stdin" || strings.HasPrefix(name, "/dev/fd/") || strings.HasPrefix(name, "/proc/self/fd/")
}

// source reads source and ".", whose file may be what another command prints.
func (u *unfolder) source(c *Command) {
	at := 1
	if len(c.Args) > 1 && c.Args[1].Is("--") {
		at = 2
	}
	switch {
	case at >= len(c.Args):
	case IsStdin(c.Args[at].Text):
		c.Wrap = Transparent
		u.stdin(c)
	case !c.Args[at].Literal:
		u.doubt(c, c.Name()+" runs a script that is computed: "+c.Args[at].Text)
		fallthrough
	default:
		c.Scripts = []int{at}
	}
}

// stdin reads the text that a shell gets by a here-document.
func (u *unfolder) stdin(c *Command) {
	c.Stdin = true
	for _, r := range c.Redirects {
		if r.Here && r.Input() {
			u.script(c, r.Path)
			return
		}
	}
	c.Uncertain, c.InnerAt = c.Name()+" runs what it reads", len(c.Args)
}
