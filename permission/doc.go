// Package permission decides whether a tool call may run: without asking, after
// asking a person, or not at all.
//
// A [Checker] joins everything that has a say:
//
//   - rules (package rule) that deny, ask or allow, from every scope: managed,
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
// A person's answer "always" is a permission update ([Checker.Apply]), for the
// session or written to a settings file through a [Store].
//
// # What only reads
//
// The file tools that read (Read, Glob, Grep, LS) run without asking within the
// working directories, as do the tools that keep to the session (TodoWrite, Task,
// AskUserQuestion and the like). So do these shell commands, as long as every path
// that they name lies there too and none of their options writes, runs or
// reaches out:
//
//	ls cat head tail wc nl tac rev cut paste comm cmp diff column fold fmt expand od
//	hexdump xxd strings join pr du df stat file tree basename dirname realpath
//	readlink md5sum sha*sum b2sum cksum sort uniq grep egrep fgrep rg jq find
//	sed and awk with programs that only print, pwd cd echo printf true false test [ [[
//	seq expr sleep tr which type command -v, date whoami id groups uname arch nproc
//	uptime tty locale cal hostname ps pgrep
//	git status, log, diff, show, blame, grep, ls-files, ls-tree, rev-parse, rev-list,
//	describe, cat-file, shortlog, merge-base, for-each-ref, check-ignore, branch and tag
//	(listing), remote -v, config --get and --list, stash list, worktree list, reflog
//	export, readonly, local, read, set -euxo, exit, return, break, continue, wait, shift
//	PROGRAM --version of some well-known programs
//
// A variable, or a substitution such as $(pwd), counts as what it is where the text
// says that: in a loop over words, behind an assignment, for what find gives to xargs.
//
// Paths count where symbolic links lead, file patterns for all that they match, and
// directories that are gone through with links followed for all links in them. Git
// runs unasked only where the repository's own settings and hooks name no program
// that reading would start (core.fsmonitor, diff.external, filters and the like); a
// rule that allows a git command doesn't speak of repositories that the command
// itself moves to (cd there && git status) when theirs do. Deny rules for Read hold
// for patterns and for recursive searches as well, and [Checker.Hidden] keeps the
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
