package trust

import "github.com/hookline-dev/hookline/internal/codedir"

// Artifact is what one approval covers: a hook's definition and every file that
// runs with it.
type Artifact struct {
	// Name and Dialect say which hook it is.
	Name, Dialect string
	// Level is managed, user, project or local.
	Level string
	// Root is the directory that relative names in the approval are relative to:
	// the project, or the directory of the user's own hooks. Approvals of one
	// project do not count in another.
	Root string
	// Source is the file in which the hook is defined.
	Source string
	// Definition is the text of everything that the definition says: event,
	// matcher, command, environment, options. Its order among other hooks is not
	// part of it.
	Definition string
	// Earlier is a name that the hook had before, "" for none: an approval may have it.
	Earlier string
	// Files are the files that the hook runs or reads, as absolute paths; the
	// source of a hook that is a file is among them.
	Files []string
	// Trees are directories of which every file counts that an interpreter could load,
	// besides Files.
	Trees []Tree
	// First, when not nil, returns the Files that the first rules of approval covered,
	// besides which there were no Trees. Nil says that they were the same Files.
	First func() []string
	// Replaces names the hook of a stronger level, of the same name, that this one
	// would shadow.
	Replaces string
	// Capabilities are what a module asks for, such as exec or net:example.com. An
	// approval grants them.
	Capabilities []string
	// Event, Matcher and Command say for people when and what the hook runs; what is
	// approved is the Definition.
	Event, Matcher, Command string
	// Unseen says in words what approval cannot see through, such as a command that
	// downloads what it runs: the hook runs something that is not covered.
	Unseen []string
	// Computed says in words what it runs that may be any file of the project, since its name
	// is computed; "" is nothing.
	Computed string
	// Confined says that it is a hook which for that writes to a directory of its own only,
	// unless an approval lets it write what others may.
	Confined bool
	// Broken says that it stands for what cannot be read: it may be whatever was approved
	// in its source before.
	Broken bool
	// Seen, when not nil, is what was seen already while hooks are found: a check then
	// looks at nothing twice. A check right before a run has none.
	Seen *Seen
}

// Tree is a directory of which all counts that an interpreter could load, or the files of
// it that a pattern matches.
type Tree struct {
	Dir string
	// Language is the interpreter's, "python" or "node".
	Language string
	// Glob, when not "", is a pattern of path/filepath, relative to the directory.
	Glob string
}

func (t Tree) code() codedir.Tree {
	return codedir.Tree{Dir: t.Dir, Language: codedir.Language(t.Language), Glob: t.Glob}
}

// Verdict is the answer about an artifact.
type Verdict struct {
	// Allowed says that it may run.
	Allowed bool
	// Why says why it may not, in a few words such as "untrusted".
	Why string
	// Digest is the digest of definition and files as they are now: "sha256:" and
	// hexadecimal digits. It is empty when they cannot be read.
	Digest string
	// AllowedBefore says that the hook was allowed in this session with other content. The
	// new content does not run; the old one may, from a private copy.
	AllowedBefore bool
	// InForce says that the hook was put in force by its level or by an approval of other
	// content: that it may not run now is its failure, and not its absence. When approvals
	// cannot be read, every hook may have been.
	InForce bool
	// Project says that a hook of the person may not run because of what the project holds.
	Project bool
	// Uncovered are, of a hook that may run by an approval of earlier rules, the files that
	// the approval does not cover and one of today would: that they change is not noticed
	// before the hook is approved anew.
	Uncovered []string
	// Approved is the definition that was approved before, "" when none was.
	Approved string
	// MayWrite says that a hook which is Confined may write what others may.
	MayWrite bool
	// Override says that nobody approved the content and that the session runs it
	// nevertheless because it was started so.
	Override bool
}

// Gate decides which hooks may run. Implementations are safe for concurrent use.
// Nothing of a hook is executed before its gate allowed it, not even to find out
// what it is.
type Gate interface {
	Check(a Artifact) Verdict
	// CheckFile says whether a file with this content, "sha256:" and hexadecimal
	// digits, is covered by what Check allowed. It is asked again right before the
	// file is run.
	CheckFile(path, digest string) bool
}

// Mirrorer is a Gate that keeps what it allowed in private copies.
type Mirrorer interface {
	// Mirror returns a directory that stands for the root of an artifact and holds its
	// files as they were when Check allowed them, "" when there are none.
	Mirror(a Artifact) (string, error)
}

// Rememberer is a Gate that knows what was approved before.
type Rememberer interface {
	// Redefined reports whether a person may have approved a hook with another definition.
	// Of the artifact its name, dialect, root and source count; definition returns what it is.
	Redefined(a Artifact, definition func() string) bool
}

// Doubter is a Gate that can tell what keeps it from doing its work.
type Doubter interface {
	// Problem is why approvals cannot be read, so that nothing is approved, and
	// KeepProblem why copies of approved files cannot be kept; nil when they can.
	Problem() error
	KeepProblem() error
}

var (
	_ Gate     = (*SessionGate)(nil)
	_ Mirrorer = (*SessionGate)(nil)
	_ Doubter  = (*SessionGate)(nil)

	_ Rememberer = (*SessionGate)(nil)
)
