package toolrule

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/shell"
)

// Cover is how much of a part something allows.
type Cover uint8

// The degrees of cover.
const (
	// NotCovered allows nothing.
	NotCovered Cover = iota
	// Covered allows the command itself; what it starts is asked separately.
	Covered
	// CoveredWhole allows the command and what it starts.
	CoveredWhole
)

// Part is one thing that a shell call does and that has to be allowed.
type Part struct {
	// Text is the part as a person reads it.
	Text string
	// Command is the simple command; nil for a redirection.
	Command *shell.Command
	// Redirect is the redirection to or from a file; nil for a command.
	Redirect *shell.Redirect
	// Whole is set for the first part, which stands for the call's whole text.
	Whole bool
}

// Gap is a part that nothing allows.
type Gap struct {
	Part
	// Why says what keeps it from being allowed.
	Why string
	// Doubt reports that it isn't known what the part does.
	Doubt bool
}

// Uncovered returns the parts of a shell call that covers doesn't allow, in the
// order of the text; none means that everything is allowed. covers is first
// asked about the whole text, then about every command and every redirection to
// or from a file.
func Uncovered(call Call, covers func(Part) Cover) []Gap {
	call = call.Analyzed()
	if call.script == nil {
		return []Gap{{Why: "not a shell command"}}
	}
	text, _ := call.text("command")
	if covers(Part{Text: text, Whole: true}) != NotCovered {
		return nil
	}
	if !call.script.Parsed {
		return []Gap{{Part: Part{Text: text, Whole: true}, Why: "it can't be read: " + call.script.Problem, Doubt: true}}
	}
	var gaps []Gap
	for _, u := range slices.Concat(call.script.Uncertain, call.script.Dialect) {
		gaps = append(gaps, Gap{Part: Part{Text: text, Whole: true}, Why: u, Doubt: true})
	}
	for i := range call.script.Commands {
		gaps = append(gaps, gapsOf(&call.script.Commands[i], covers)...)
	}
	return gaps
}

func gapsOf(c *shell.Command, covers func(Part) Cover) []Gap {
	part := Part{Text: c.Source, Command: c}
	var gaps []Gap
	for i := range c.Redirects {
		r := &c.Redirects[i]
		if !r.Read && !r.Write || harmlessTarget(r.Path) {
			continue
		}
		p := Part{Text: r.Op + " " + r.Path.Text, Redirect: r}
		if covers(p) == NotCovered {
			why := "it reads a file"
			if r.Write {
				why = "it writes a file"
			}
			gaps = append(gaps, Gap{Part: p, Why: why, Doubt: !r.Path.Literal})
		}
	}
	if len(c.Args) == 0 {
		if name := RiskyEnv(c); name != "" {
			gaps = append(gaps, Gap{Part: part, Why: "it sets " + name})
		}
		return gaps
	}
	got := covers(part)
	switch {
	case got == CoveredWhole:
	case c.Uncertain != "" || c.Dialect != "":
		gaps = append(gaps, Gap{Part: part, Why: cmp.Or(c.Uncertain, c.Dialect), Doubt: true})
	case c.Wrap == shell.NoWrap && got == NotCovered:
		gaps = append(gaps, Gap{Part: part, Why: notAllowed(c)})
	case c.Wrap == shell.Opaque && got == NotCovered:
		gaps = append(gaps, Gap{Part: part, Why: c.Name() + " itself isn't allowed"})
	}
	if got == CoveredWhole {
		return gaps
	}
	if name := RiskyEnv(c); name != "" && c.Wrap != shell.NoWrap {
		gaps = append(gaps, Gap{Part: part, Why: "it sets " + name})
	}
	for i := range c.Inner {
		in := &c.Inner[i]
		for _, g := range gapsOf(in, covers) {
			if g.Text == c.Source && g.Command != nil {
				g.Text = spell(g.Command)
			}
			gaps = append(gaps, g)
		}
	}
	return gaps
}

func notAllowed(c *shell.Command) string {
	if name := RiskyEnv(c); name != "" {
		return "it sets " + name
	}
	return "no rule allows it"
}

// spell writes a command that has no text of its own, such as the one after
// sudo.
func spell(c *shell.Command) string {
	words := make([]string, len(c.Args))
	for i, w := range c.Args {
		words[i] = w.Text
	}
	return strings.Join(words, " ")
}

// harmlessTarget reports files that swallow or give nothing.
func harmlessTarget(w shell.Word) bool {
	return w.Is("/dev/null") || w.Is("/dev/stdout") || w.Is("/dev/stderr") || w.Is("/dev/stdin")
}

// Cover says how much of a part an allow rule allows. Shell rules answer for
// commands; Edit and Read rules for redirections, if the path is one they
// cover.
func (r Rule) Cover(p Part, call Call) Cover {
	switch {
	case p.Redirect != nil:
		return r.coverRedirect(p.Redirect, call.Analyzed())
	case !toolMatches(r.tool, call.Tool):
		return NotCovered
	case r.all:
		return CoveredWhole
	case r.shell == nil:
		return NotCovered
	case p.Whole:
		if r.wholeText(p.Text) {
			return CoveredWhole
		}
		return NotCovered
	}
	return r.coverCommand(p.Command)
}

// coverCommand matches one command for an allow rule. A rule reaches into what
// the command starts only when its fixed words do.
func (r Rule) coverCommand(c *shell.Command) Cover {
	g := r.shell
	switch {
	case g.assigns && len(c.Env) > 0:
		if !g.matchWords(c.Env, c.Args, surely) {
			return NotCovered
		}
	case RiskyEnv(c) != "" || !g.matchWords(nil, c.Args, surely):
		return NotCovered
	}
	switch {
	case c.Stdin:
		return Covered // what it reads is not part of the words
	case g.exact, c.Wrap == shell.NoWrap && c.Uncertain == "" && c.Dialect == "":
		return CoveredWhole
	case c.Uncertain == "" && c.InnerAt > 0 && g.fixed > c.InnerAt && !startsMore(c):
		return CoveredWhole
	}
	return Covered
}

// startsMore reports that what a command starts is a list or starts commands
// itself; those are asked about on their own.
func startsMore(c *shell.Command) bool {
	for i := range c.Inner {
		if c.Inner[i].Wrap != shell.NoWrap || len(c.Inner) > 1 {
			return true
		}
	}
	return false
}

func (r Rule) coverRedirect(red *shell.Redirect, call Call) Cover {
	want := "Read"
	if red.Write {
		want = "Edit"
	}
	if r.tool != want && (r.tool != "Write" || !red.Write) {
		return NotCovered
	}
	if !red.Path.Literal || call.script.Chdir {
		return NotCovered
	}
	if r.all || r.CoversPath(red.Path.Text, call).Answer == Yes {
		return CoveredWhole
	}
	return NotCovered
}
