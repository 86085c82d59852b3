// Package rule reads and matches permission rules: one line that says which
// uses of a tool it speaks about.
//
// A rule is a tool's name, or a name with content in parentheses:
//
//	Bash                     every call of the tool
//	Bash(git status:*)       commands that begin with these words
//	Bash(git *)              * stands for anything; a trailing " *" also for nothing
//	Bash(ls -la)             exactly this command
//	Read(./src/**)           a path in the project; ** crosses directories
//	Read(.env)               a name without a slash: at any depth
//	Edit(~/notes/**)         below the home directory
//	Edit(//etc/**)           below the root of the file system
//	Edit(/docs/**)           below the project, or the absolute path
//	WebFetch(domain:a.com)   a host; *.a.com for the hosts below it
//	mcp__server              every tool of an MCP server
//	mcp__server__*           the same
//	Agent(reviewer)          one kind of subagent
//	Skill(name)              one skill
//
// Edit rules speak about every tool that changes files, Read rules about every
// tool that reads them, and both about the files that a shell command names.
//
// Whether a rule speaks about a call has three answers: [Yes], [No] and
// [Uncertain], which is what there is to say when a command can't be parsed or
// computes what it runs. There are three ways to ask, because the safe reading
// depends on what the answer is for:
//
//   - [Rule.Match] is for deny and ask rules: Yes when any part of the call
//     matches.
//   - [Rule.Covers] is for allow rules: Yes only when every part matches.
//   - [MatchIf] is for a hook's filter: Yes when a part is what the pattern
//     says, with the least surprise for the person who wrote it.
//
// Shell commands are never matched as text alone: they are parsed, and every
// simple command in them is looked at, those inside substitutions and those
// that sudo, xargs, bash -c and the like start among them.
package rule
