package shell

import "strings"

// Limits of one analysis. Text beyond them is reported as not parsed or as
// uncertain, never cut silently.
const (
	// MaxText is the longest text, in bytes, that Analyze parses. It is also the
	// longest argument that Linux lets a program have, so bash -c can't run more.
	MaxText = 128 << 10
	// maxCommands bounds the commands of one analysis, nested ones included.
	maxCommands = 4096
	// maxDepth bounds how deep commands start other commands.
	maxDepth = 12
	// maxBraces bounds the words that one with braces stands for.
	maxBraces = 64
)

// Script is what a piece of shell text would run.
type Script struct {
	// Commands are the simple commands in the order in which they stand, those
	// of substitutions and function bodies among them.
	Commands []Command
	// Parsed reports whether the whole text was understood. When it is false,
	// Commands is empty and Problem says why.
	Parsed bool
	// Problem says in words why the text was not parsed, with line and column.
	Problem string
	// Uncertain lists what could not be decided about a text that was parsed.
	Uncertain []string
	// TooMany reports that there are more commands than are listed.
	TooMany bool
	// Dialect lists what bash, as which the text is read, and a plain sh would
	// take for different things.
	Dialect []string
	// Chdir reports that a command may change the working directory, so that
	// the relative paths of the other commands can't be resolved.
	Chdir bool
	// Dynamic is how much of the text only its run shows.
	Dynamic Dynamic
	// Enters reports that the text begins with a cd and that nothing else in it
	// runs when that fails: cd there && ...
	Enters bool

	reuse reuse
}

// Command is one simple command.
type Command struct {
	// Args is the command and its arguments. It is empty for a statement that
	// only assigns variables or only redirects.
	Args []Word
	// Env holds the assignments that stand before the command, or the ones a
	// declaration makes.
	Env []Assign
	// Redirects are the command's redirections. Those of a block, a loop or a
	// function are listed once, as a command without arguments.
	Redirects []Redirect
	// Wrap says whether this command starts other ones.
	Wrap Wrap
	// Inner are the commands that a wrapper starts.
	Inner []Command
	// InnerAt is the index in Args at which the started command begins. It is
	// len(Args) when that command is text within an argument, as for bash -c.
	InnerAt int
	// Maybe are commands that it may start by what it is given beside its words or
	// in ways that are not read in full: git -c core.pager=TEXT, an alias that the
	// text defines. Who forbids a command looks at them; who allows one does not
	// need to.
	Maybe []Command
	// Uncertain says why it can't be known what this command runs; "" when it
	// can.
	Uncertain string
	// Dialect says why a plain sh would run something else; "" when it wouldn't.
	Dialect string
	// Scripts are the indices in Args of the files that a shell, or source, reads as
	// scripts.
	Scripts []int
	// Loop reports a command without arguments that stands for the variable of a loop:
	// Env holds one assignment for each of its words.
	Loop bool
	// Stdin reports a shell that runs what it reads from standard input.
	Stdin bool
	// Source is the command's text.
	Source string
	// Line is the line, from 1, on which it stands in the text it was read from.
	Line int
}

// Wrap is how a command stands to the ones it starts.
type Wrap uint8

// The kinds of wrapper.
const (
	// NoWrap starts no other command that is known of.
	NoWrap Wrap = iota
	// Transparent runs the inner command with the same powers (time, nohup,
	// env, bash -c with literal text): what counts is the inner command.
	Transparent
	// Opaque changes who runs it, how often or with what (sudo, find -exec):
	// both the wrapper and the inner command count.
	Opaque
)

// Word is one word of a command. It is a sequence of parts that are known and
// parts that the shell computes.
type Word struct {
	// Text is the word's value with quotes removed when Literal, and the word as
	// it is written otherwise.
	Text string
	// Literal reports whether the word's value is known exactly.
	Literal bool
	// Quoted reports whether a part of the word was quoted or escaped.
	Quoted bool
	// Glob reports that what isn't known of the word is only which files its
	// pattern matches.
	Glob bool
	// Braces are the words that bash makes of one with braces, which isn't Literal. Other
	// shells leave it alone. They are nil where there are none, or too many.
	Braces []Word
	// Parts is the word in pieces. Nil stands for one literal piece of Text.
	Parts []Part
}

// Part is a piece of a word.
type Part struct {
	// Text is the piece's value when it is known.
	Text string
	// Unknown reports that the shell computes the piece. It may turn out to be
	// anything: nothing at all, or several words.
	Unknown bool
}

// Pieces returns the word as parts, also when it is literal.
func (w Word) Pieces() []Part {
	if w.Parts == nil {
		return []Part{{Text: w.Text}}
	}
	return w.Parts
}

// Is reports whether the word is literal and equals s.
func (w Word) Is(s string) bool { return w.Literal && w.Text == s }

// Assign is one variable assignment.
type Assign struct {
	// Name is the variable; "" when the assignment's name is computed.
	Name string
	// Value is what is assigned.
	Value Word
}

// Redirect is one redirection.
type Redirect struct {
	// N is the file descriptor as written before the operator, "" for the usual one.
	N string
	// Op is the operator as written: ">", ">>", "<", "<<", "2>&1" has ">&".
	Op string
	// Path is the file. For a here-document or here-string it is the text.
	Path Word
	// Read and Write say what is done to the file. Both are false when no file
	// is opened: here-documents, here-strings and copies of file descriptors.
	Read, Write bool
	// Here reports a here-document or here-string.
	Here bool
}

// Input reports whether what is read becomes the standard input.
func (r Redirect) Input() bool { return (r.Read || r.Here) && (r.N == "" || r.N == "0") }

// Name returns the command's name without its directory, "" when there is none
// or it is computed.
func (c Command) Name() string {
	if len(c.Args) == 0 || !c.Args[0].Literal {
		return ""
	}
	name := c.Args[0].Text
	return name[strings.LastIndexByte(name, '/')+1:]
}

// All calls f for the command and everything below it, outer before inner,
// until f returns false. What it only may start is left out.
func (c *Command) All(f func(*Command) bool) bool {
	if !f(c) {
		return false
	}
	for i := range c.Inner {
		if !c.Inner[i].All(f) {
			return false
		}
	}
	return true
}

// Each is All for what the command may start as well: [Command.Maybe].
func (c *Command) Each(f func(*Command) bool) bool {
	if !f(c) {
		return false
	}
	for _, list := range [][]Command{c.Inner, c.Maybe} {
		for i := range list {
			if !list[i].Each(f) {
				return false
			}
		}
	}
	return true
}
