// Package permission decides whether a tool call may run: without asking, after
// asking a person, or not at all.
//
// A [Checker] joins everything that has a say:
//
//   - rules ([Rule]) that deny, ask or allow, from every scope: managed,
//     command line, local, project, user, and the answers given during the
//     session. Deny wins over ask and ask over allow, whatever the scopes;
//   - the permission mode;
//   - what hooks decided, by [Request.Hook];
//   - a built-in table of tools and shell commands that only read;
//   - names that steer the agent or the person's shell (settings, hooks, plugins,
//     .git, shell start-up files). Writing those is asked about even where a rule
//     or a hook allows it, in every mode but bypassPermissions, whether they exist
//     yet or not.
//
// Shell commands are taken apart and every part has to be allowed: each simple
// command, each redirection, whatever a substitution or a wrapper such as sudo,
// xargs or bash -c starts. What can't be parsed is asked about. Deny and ask
// rules see the input as the model gave it and as hooks left it; allow rules see
// only what will run.
//
// Deny and ask rules look through whatever starts a command: wrappers, substitutions,
// nested shells, here-documents, aliases and functions of the same text, settings of
// git (git -c alias.x=...), variables such as GIT_PAGER. Where text can't be followed,
// because a name is computed or a script is what another command prints, a rule that
// may be about it asks. They don't see what programs in other languages start.
//
// A person's answer "always" is a permission update ([Checker.Apply]), for the
// session or written to a settings file through a [Store].
//
// # What only reads
//
// The file tools that read (Read, Glob, Grep, LS) run without asking within the
// working directories, as do the tools that keep to the session (TodoWrite, Task,
// AskUserQuestion and the like). So do these shell commands, with options that are
// known to do nothing but change what is printed, as long as their words are written
// out or are file patterns, and every path lies there too:
//
//	ls cat head tail wc nl stat file du df tree readlink realpath sort uniq cut comm
//	column cmp diff md5sum sha1sum sha256sum sha512sum grep egrep fgrep rg
//	find, with tests and -print; what -exec starts is asked about on its own
//	test [ pwd cd true false : echo sleep tr basename dirname which type command -v
//	date whoami id uname hostname nproc exit wait, set -euxo
//	git version, rev-parse (of HEAD and of directories), branch --show-current,
//	remote -v, config --get and --list
//	PROGRAM --version of node, python, gcc, clang, make and git
//
// Everything else is asked about: what a variable, a substitution or a loop computes,
// scripts of sed, awk, jq and printf, and the other commands of git, for which the
// settings of a repository name programs (core.fsmonitor, filters, diff drivers, gpg).
// A rule that allows one of these, such as Bash(git status:*), speaks of the repository
// in which the agent works: a command that moves to another one is asked about unless a
// rule is exactly it.
//
// Paths count where symbolic links lead, and file patterns for all that they match.
// Deny rules for Read hold for patterns and for recursive searches as well, ask about
// commands that read a file whose name is computed, and [Checker.Hidden] keeps the
// files out of the searches of a tool.
//
// # Modes
//
//	default            asks for what no rule allows
//	acceptEdits        also allows edits within the working directories
//	plan               refuses edits, asks for everything that doesn't only read
//	dontAsk            refuses what would be asked
//	bypassPermissions  allows everything but what a rule denies or asks about
package permission
