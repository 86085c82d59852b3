// Package worktree makes the working trees in which sessions and subagents work
// apart from the person's own, and removes them when nothing in them would be lost.
//
// A worktree of the name NAME is the directory .claude/worktrees/NAME of the
// project, on the branch worktree-NAME. A .gitignore in .claude/worktrees keeps it
// out of git's status; no file that git tracks is touched.
//
// # Hooks
//
// WorktreeCreate fires first. A hook that answers with a path has made the
// directory itself, in whatever way, and git is not called; a hook that refuses, or
// fails, leaves no worktree. WorktreeRemove fires before a worktree is removed. One
// that a hook has made is a hook's to remove.
//
// # What is kept
//
// [Manager.Finish] removes a worktree only when its files are as they were checked
// out, no commit would be lost, its own branch is checked out, no other worktree
// lies in it and nobody else works in it. Of one that a hook has made it compares
// the files with how they were at the beginning. Everything else stays, and the End
// says why.
//
// # Git
//
// Git runs without the hooks of the repository. Calls that change something are
// made one at a time, also by several processes, and tried again when another git
// holds a lock. What a killed process has left half made is cleared away by the
// next call of Create.
package worktree
