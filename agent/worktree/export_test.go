package worktree

type NameError = nameError
