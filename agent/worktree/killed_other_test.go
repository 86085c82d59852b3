//go:build !unix

package worktree_test

func createIn(string) {}
