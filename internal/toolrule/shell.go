package toolrule

import (
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/shell"
)

// anyCommand looks for a command in the call that the rule speaks about. To forbid
// one, the text as a whole is looked at too, for rules that name operators, and what
// another shell would read differently is in doubt.
func (r Rule) anyCommand(call Call, p purpose) Match {
	text, _ := call.text("command")
	best := no("no command in it matches")
	if r.wholeText(text) {
		return yes(text, "the command is "+r.content)
	}
	if p == toForbid && r.shell.match(symbols(strings.Fields(text)), surely) {
		return yes(text, "the text matches")
	}
	if !call.script.Parsed {
		return doubt(text, "the command can't be read: "+call.script.Problem)
	}
	for i := range call.script.Commands {
		call.script.Commands[i].Each(func(c *shell.Command) bool {
			best = stronger(best, r.anyForm(c, p))
			return best.Answer != Yes
		})
	}
	if best.Answer == No && p == toFilter && r.inDoubt(call.script.Dynamic) {
		return doubt(text, "parts of the command are known only when it runs")
	}
	doubts := call.script.Uncertain
	if p == toForbid {
		doubts = slices.Concat(doubts, call.script.Dialect)
	}
	if best.Answer == No && len(doubts) > 0 {
		return doubt(text, strings.Join(doubts, "; "))
	}
	return best
}

// wholeText reports whether the rule's content is the command word for word.
func (r Rule) wholeText(text string) bool {
	return strings.TrimSpace(text) == strings.TrimSpace(r.content) && r.shell.exact
}

// inDoubt reports whether the rule may speak about a text that is dynamic: computed words
// matter to one that says more than which program is run.
func (r Rule) inDoubt(how shell.Dynamic) bool {
	name := strings.TrimRight(strings.TrimSuffix(r.content, ":*"), "* ")
	return how == shell.DynamicText || how == shell.DynamicWords && strings.ContainsAny(name, "* ")
}

// anyForm matches one command in every form in which a person would name it:
// as written, without the directory of its program, without git's global
// options, with the assignments before it.
func (r Rule) anyForm(c *shell.Command, p purpose) Match {
	best := Match{}
	for _, args := range forms(c.Args) {
		best = stronger(best, r.words(c, nil, args))
	}
	if len(c.Env) > 0 && r.shell.assigns {
		best = stronger(best, r.words(c, c.Env, c.Args))
	}
	switch {
	case best.Answer != No:
	case c.Uncertain != "":
		return doubt(c.Source, c.Uncertain)
	case c.Dialect != "" && p == toForbid:
		return doubt(c.Source, c.Dialect)
	}
	return best
}

// words matches one list of words.
func (r Rule) words(c *shell.Command, env []shell.Assign, args []shell.Word) Match {
	if len(args) == 0 && len(env) == 0 {
		return Match{}
	}
	if r.shell.matchWords(env, args, surely) {
		return yes(c.Source, "the command matches "+r.content)
	}
	if hasUnknown(env, args) && r.shell.matchWords(env, args, possibly) {
		return doubt(c.Source, "the command computes some of its words")
	}
	return Match{}
}

func hasUnknown(env []shell.Assign, args []shell.Word) bool {
	return slices.ContainsFunc(args, func(w shell.Word) bool { return !w.Literal }) ||
		slices.ContainsFunc(env, func(a shell.Assign) bool { return !a.Value.Literal })
}

// matchWords runs the pattern over a command's words.
func (g *glob) matchWords(env []shell.Assign, args []shell.Word, c certainty) bool {
	return g.match(wordSymbols(env, args, c), c)
}

// wordSymbols spells a command for matching. A word of which nothing is known
// may vanish, and then so does the separator before it.
func wordSymbols(env []shell.Assign, args []shell.Word, c certainty) []symbol {
	var out []symbol
	add := func(parts []shell.Part, prefix string) {
		gone := c == possibly && prefix == "" && len(parts) == 1 && parts[0].Unknown
		if len(out) > 0 && !gone {
			out = append(out, symbol{c: sep})
		}
		for i := range len(prefix) {
			out = append(out, symbol{c: prefix[i]})
		}
		for _, p := range parts {
			if p.Unknown {
				out = append(out, symbol{unknown: true})
				continue
			}
			for i := range len(p.Text) {
				out = append(out, symbol{c: p.Text[i]})
			}
		}
	}
	for _, e := range env {
		add(e.Value.Pieces(), e.Name+"=")
	}
	for _, w := range args {
		add(w.Pieces(), "")
	}
	return out
}

// forms lists the spellings of a command that mean the same to a person who
// forbids it.
func forms(args []shell.Word) [][]shell.Word {
	out := [][]shell.Word{args}
	if len(args) == 0 || !args[0].Literal {
		return out
	}
	base := args[0].Text[strings.LastIndexAny(args[0].Text, `/\`)+1:]
	base = strings.TrimSuffix(base, ".exe")
	if base != args[0].Text && base != "" {
		args = slices.Clone(args)
		args[0].Text = base
		out = append(out, args)
	}
	if base == "git" {
		if bare := withoutGlobals(args); len(bare) < len(args) {
			out = append(out, bare)
		}
	}
	return out
}

// withoutGlobals removes git's options between git and the subcommand.
func withoutGlobals(args []shell.Word) []shell.Word {
	i := shell.GitSubcommand(args)
	if i == 1 || i >= len(args) {
		return args
	}
	return slices.Concat(args[:1], args[i:])
}

// everyCommand is Covers for a shell call.
func (r Rule) everyCommand(call Call) Match {
	any := false
	gaps := Uncovered(call, func(p Part) Cover {
		c := r.Cover(p, call)
		any = any || c != NotCovered
		return c
	})
	if len(gaps) == 0 && !any {
		return no("no command in it matches")
	}
	if len(gaps) == 0 {
		return yes("", "every command matches "+r.content)
	}
	g := gaps[0]
	if g.Doubt {
		return doubt(g.Text, g.Why)
	}
	return Match{Part: g.Text, Why: g.Why}
}
