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
	// Dialect lists what bash, as which the text is read, and a plain sh would
	// take for different things.
	Dialect []string
	// Chdir reports that a command may change the working directory, so that
	// the relative paths of the other commands can't be resolved.
	Chdir bool
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
	// Uncertain says why it can't be known what this command runs; "" when it
	// can.
	Uncertain string
	// Dialect says why a plain sh would run something else; "" when it wouldn't.
	Dialect string
	// Stdin reports a shell that runs what it reads from standard input.
	Stdin bool
	// Source is the command's text. A command whose variables are known is listed
	// once for each of their values, with the same text.
	Source string
	// Line is the line, from 1, on which it stands in the text it was read from.
	Line int

	input *Word // what it reads, one to a line, where that is known
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
	// Found says that what isn't known is what find comes upon, below the
	// directory that the known part names.
	Found Found
	// Split reports that the names of the files fall apart where they hold a blank, a
	// quote or a wildcard.
	Split bool
	// Output reports a process substitution, <(command): a file that gives what the
	// command prints.
	Output bool
	// FoundName is the pattern that the names of what find comes upon have to match;
	// "" is any name.
	FoundName string
	// Parts is the word in pieces. Nil stands for one literal piece of Text.
	Parts []Part
}

// Found is what find can come upon in place of a word.
type Found uint8

// The kinds of what is found.
const (
	NotFound  Found = iota // the word is not what find comes upon
	FoundAny               // files, directories and links
	FoundFile              // files only, and no links
)

// Part is a piece of a word.
type Part struct {
	// Text is the piece's value when it is known.
	Text string
	// Unknown reports that the shell computes the piece. It may turn out to be
	// anything: nothing at all, or several words.
	Unknown bool
	// Like says what is known of an unknown piece.
	Like Like
}

// Like is what is known of a piece that the shell computes.
type Like uint8

// What can be known.
const (
	LikeAnything Like = iota
	LikeName          // names of files: what a wildcard stands for, or find comes upon
	LikeNumber        // digits
	LikeObject        // the name of a commit: hexadecimal digits, or HEAD
	LikeWorkDir       // the working directory
	LikeTopDir        // the top of the work tree that the working directory is in, as git says
)

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
// until f returns false.
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
