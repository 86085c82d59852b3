package shell

import (
	"slices"
	"strings"
)

// doubt notes that a command may start something that can't be known.
func (u *unfolder) doubt(c *Command, why string) {
	c.Maybe = append(c.Maybe, Command{Source: c.Source, Line: c.Line, Uncertain: why})
}

// may adds what a text would run, with more words behind it, to what a command may
// start.
func (u *unfolder) may(c *Command, text Word, more []Word) {
	if !text.Literal {
		u.doubt(c, c.Name()+" may run text that is computed: "+text.Text)
		return
	}
	s := analyzeAt(text.Text+quoted(more), u.depth+1, u.a.count)
	u.a.out.Chdir = u.a.out.Chdir || s.Chdir
	for i := range s.Commands {
		s.Commands[i].Source = c.Source
	}
	c.Maybe = append(c.Maybe, s.Commands...)
	switch {
	case !s.Parsed:
		u.doubt(c, c.Name()+" may run text that can't be parsed: "+s.Problem)
	case len(s.Uncertain) > 0:
		u.doubt(c, strings.Join(s.Uncertain, "; "))
	}
}

// rest of the words of a command that is not known: as a shell would have them.
const anyWords = ` "$@"`

// quoted spells words so that a shell reads them as they are; one that is computed
// stays computed.
func quoted(words []Word) string {
	var b strings.Builder
	for _, w := range words {
		if !w.Literal {
			b.WriteString(anyWords)
			continue
		}
		b.WriteString(" '" + strings.ReplaceAll(w.Text, "'", `'\''`) + "'")
	}
	return b.String()
}

// maxPlaces bounds at how many of its words a runner's command is looked for.
const maxPlaces = 64

// words looks for the command of a runner at each of its words. Those of runners among
// them are looked at with it.
func (u *unfolder) words(c *Command) {
	if u.a.inWords {
		return
	}
	u.a.inWords = true
	defer func() { u.a.inWords = false }()
	for i := 1; i < len(c.Args); i++ {
		w := c.Args[i]
		switch {
		case i > maxPlaces:
			u.doubt(c, c.Name()+" has too many words to look at")
			return
		case w.Literal && (w.Text == "" || w.Text[0] == '-'):
			continue
		case strings.ContainsAny(w.Text, " \n;"):
			u.may(c, w, nil)
		}
		if w.Literal && u.depth < maxDepth && u.counted(c) {
			inner := Command{Args: c.Args[i:], Source: c.Source, Line: c.Line}
			u.a.unfold(&inner, u.depth+1)
			c.Maybe = append(c.Maybe, inner)
		}
	}
}

// setting looks at a variable that a program, or the shell, takes for a command.
func (u *unfolder) setting(c *Command, as Assign) {
	ends := func(suffix string) bool { return strings.HasSuffix(as.Name, suffix) }
	switch {
	case as.Name == "BASH_ALIASES", as.Name == "BASH_CMDS":
		u.doubt(c, as.Name+" gives commands other names")
	case strings.HasPrefix(as.Name, "GIT_CONFIG") && as.Name != "GIT_CONFIG_NOSYSTEM":
		u.doubt(c, as.Name+" gives git other settings, and commands other names")
	case as.Name == "PS0", as.Name == "PS4":
		u.a.evaluates = true
	case ends("_COMMAND"), ends("PAGER"), ends("EDITOR"), ends("ASKPASS"), ends("BROWSER"), as.Name == "VISUAL", as.Name == "GIT_SSH", as.Name == "GIT_EXTERNAL_DIFF", as.Name == "LESSOPEN", as.Name == "LESSCLOSE":
		as.Value.Text = strings.TrimLeft(as.Value.Text, "|-")
		u.may(c, as.Value, nil)
	}
}

// alias reads alias NAME=TEXT: what the name will stand for.
func (u *unfolder) alias(c *Command, p parsed) {
	c.Wrap = NoWrap
	for _, w := range c.Args[p.next:] {
		switch {
		case !w.Literal:
			c.Uncertain = "alias gives a name to something that is computed: " + w.Text
		default:
			if _, text, ok := strings.Cut(w.Text, "="); ok && text != "" {
				c.Wrap = Opaque
				u.script(c, Word{Text: text + anyWords, Literal: true})
			}
		}
	}
	if c.Uncertain != "" {
		c.Wrap, c.InnerAt = Opaque, len(c.Args)
	}
}

// hash reads hash -p FILE NAME, which makes the name stand for the file.
func (u *unfolder) hash(c *Command, p parsed) {
	file := p.values["p"]
	if len(file) == 0 {
		c.Wrap = NoWrap
		return
	}
	c.InnerAt = len(c.Args)
	u.child(c, Command{Args: []Word{file[0], {Text: "$@", Parts: []Part{{Unknown: true}}}}, Source: c.Source, Line: c.Line})
}

// callback reads builtins that take a command to call: mapfile -C, complete -C.
func (u *unfolder) callback(c *Command, p parsed) {
	u.a.evaluates = u.a.evaluates || p.has("W")
	if text := p.values["C"]; len(text) > 0 && text[0].Literal {
		u.script(c, Word{Text: text[0].Text + anyWords, Literal: true})
		return
	} else if len(text) > 0 {
		u.script(c, text[0])
		return
	}
	c.Wrap = NoWrap
}

// ssh reads the command for the other machine, which may be this one.
func (u *unfolder) ssh(c *Command, p parsed) {
	for _, o := range p.values["o"] { // ProxyCommand=TEXT
		if _, text, ok := strings.Cut(o.Text, "="); ok || !o.Literal {
			u.may(c, Word{Text: text, Literal: o.Literal}, nil)
		}
	}
	if p.next >= len(c.Args) {
		return
	}
	words := make([]string, 0, len(c.Args)-p.next)
	for _, w := range c.Args[p.next:] {
		if !w.Literal {
			u.may(c, w, nil)
			return
		}
		words = append(words, w.Text)
	}
	u.may(c, Word{Text: strings.Join(words, " "), Literal: true}, nil)
}

// gitValues are git's options before the subcommand that take the next word.
var gitValues = []string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source"}

// GitSubcommand returns the index in a git command's words at which its subcommand
// stands; len(c.Args) when there is none.
func GitSubcommand(args []Word) int {
	i := 1
	for i < len(args) && strings.HasPrefix(args[i].Pieces()[0].Text, "-") {
		if args[i].Literal && slices.Contains(gitValues, args[i].Text) {
			i++
		}
		i++
	}
	return min(i, len(args))
}

// git reads what git is told to run: by settings on its command line, of which an
// alias gives a subcommand another name, and by options of some subcommands.
func (u *unfolder) git(c *Command) {
	at := GitSubcommand(c.Args)
	var more []Word
	if at < len(c.Args) {
		more = c.Args[at+1:]
	}
	for i, w := range c.Args[:at] {
		switch {
		case w.Is("-c") && i+1 < at:
			u.gitSetting(c, c.Args[i+1], more)
		case w.Is("--config-env"), strings.HasPrefix(w.Pieces()[0].Text, "--config-env="):
			u.doubt(c, "git takes a setting from a variable")
		}
	}
	if at == len(c.Args) {
		return
	}
	sub := c.Args[at].Text
	for i, w := range more {
		name, value, joined := strings.Cut(w.Text, "=")
		switch {
		case sub == "submodule" && name == "foreach", sub == "bisect" && name == "run":
			words := more[i+1:]
			for len(words) > 0 && strings.HasPrefix(words[0].Text, "-") {
				words = words[1:]
			}
			if len(words) > 0 {
				u.may(c, words[0], words[1:])
			}
		case sub != "rebase" && sub != "difftool" && name == "-x", !slices.Contains(gitRuns, name) && !strings.HasSuffix(name, "-filter"):
		case joined:
			u.may(c, Word{Text: value, Literal: w.Literal}, nil)
		case i+1 < len(more):
			u.may(c, more[i+1], nil)
		}
	}
}

// gitRuns are the options of git's subcommands that take a command.
var gitRuns = []string{"-x", "--exec", "--extcmd", "--upload-pack", "--receive-pack"}

// gitSetting reads a setting, as git -c takes it.
func (u *unfolder) gitSetting(c *Command, w Word, more []Word) {
	key, value, _ := strings.Cut(w.Text, "=")
	key = strings.ToLower(key)
	switch {
	case !w.Literal:
		u.doubt(c, "git is given a setting that is computed: "+w.Text)
	case strings.HasPrefix(key, "alias."):
		if text, ok := strings.CutPrefix(value, "!"); ok {
			value = text
		} else {
			value = "git " + value
		}
		u.may(c, Word{Text: value, Literal: true}, more)
	case strings.HasPrefix(key, "include"):
		u.doubt(c, "git is given settings of a file")
	case value != "" && !slices.ContainsFunc(gitHarmless, func(p string) bool { return strings.HasPrefix(key, p) }):
		u.may(c, Word{Text: strings.TrimPrefix(value, "!"), Literal: true}, nil)
	}
}

// gitHarmless are settings whose values are not commands.
var gitHarmless = []string{"user.", "author.", "committer.", "color.", "advice.", "log.", "format.", "i18n.", "commit.", "tag.", "push.", "pull.", "safe.", "column.", "status."}
