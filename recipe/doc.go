// Package recipe finds recipes and turns them into prompts.
//
// A recipe is a Markdown file with a YAML header, all of whose keys may be
// left out:
//
//	---
//	name: Review                       # a title; the recipe's name is its path
//	description: reviews a branch
//	arguments:
//	  branch: {description: what to review}
//	  focus: {description: what to look for, default: everything}
//	allowed_tools: [bash, file_read]   # [] allows none; no key allows all
//	allowed_commands: ["git *"]
//	hooks:
//	  turn_end: {handler: swap_context, once: true}
//	---
//	Review {{.branch}}. Look for {{.focus}}. {{default .note "Be kind."}}
//
// The body is a Go text/template whose data are the arguments. It may run
// commands with {{bash "git" "status"}} when the program that renders it allows
// that; see [RenderOptions].
//
// The commands of Claude Code (.claude/commands/**/*.md, and commands/ of its
// plugins) are recipes too: $ARGUMENTS stands for the arguments, $0, $1 and so on for
// single ones, as do names that the header lists, and !`git status` for what it prints.
//
// [Discover] reads the directories of the project, its plugins, the home
// directory and its plugins, in that order. Of two recipes of one name the
// earlier one counts; one that is broken does not stand in the way of a good
// one further down. Nothing is passed over silently: [Set.All] has everything,
// with reasons.
package recipe
