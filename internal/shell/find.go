package shell

import (
	"slices"
	"strings"
)

// findExec are the actions of find that start a command.
var findExec = []string{"-exec", "-execdir", "-ok", "-okdir"}

// found is what stands in place of a name that find or fd comes upon.
func found() Word { return Word{Text: "(found)", Parts: []Part{{Unknown: true}}} }

// find reads find's -exec and its relatives.
func (u *unfolder) find(c *Command) {
	c.Wrap = NoWrap
	for i := 1; i < len(c.Args); i++ {
		if !c.Args[i].Literal || !slices.Contains(findExec, c.Args[i].Text) {
			continue
		}
		end := i + 1
		for end < len(c.Args) && !c.Args[end].Is(";") && (!c.Args[end].Is("+") || !c.Args[end-1].Is("{}")) {
			end++
		}
		if end == i+1 {
			continue
		}
		if c.Wrap == NoWrap {
			c.Wrap, c.InnerAt = Opaque, i+1
		}
		u.a.out.Chdir = u.a.out.Chdir || strings.HasSuffix(c.Args[i].Text, "dir")
		u.child(c, Command{Args: replaced(c.Args[i+1:end], "{}", found()), Source: c.Source, Line: c.Line})
		i = end
	}
}

// fd reads fd's -x and -X, also behind other letters.
func (u *unfolder) fd(c *Command) {
	c.Wrap = NoWrap
	for i := 1; i < len(c.Args); i++ {
		text := c.Args[i].Text
		long := strings.HasPrefix(text, "--")
		switch {
		case !c.Args[i].Literal || len(text) < 2 || text[0] != '-':
			continue
		case text == "--exec", text == "--exec-batch", !long && strings.IndexAny(text, "xX") == len(text)-1:
			if i+1 < len(c.Args) {
				c.Wrap, c.InnerAt = Opaque, i+1
				u.child(c, Command{Args: append(replaced(c.Args[i+1:], "{}", found()), found()), Source: c.Source, Line: c.Line})
			}
		case strings.HasPrefix(text, "--exec"), !long && strings.ContainsAny(text, "xX"):
			c.Wrap, c.InnerAt, c.Uncertain = Opaque, len(c.Args), c.Name()+" runs "+text
		default:
			continue
		}
		return
	}
}
