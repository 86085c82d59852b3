// Package tool holds the agent's built-in tools and the interface that all
// tools share, those of MCP servers included.
//
// The built-in tools carry the names and input fields that hooks for coding
// agents know: Bash, BashOutput, KillShell, Read, Write, Edit, Glob, Grep, LS,
// WebFetch, TodoWrite and AskUserQuestion. [New] makes a set of them that
// shares one working directory.
//
// File tools stay inside the directories of their set, also through symbolic
// links: a path is resolved first and then opened below an [os.Root], so that a
// link that is swapped in between leads nowhere.
package tool
