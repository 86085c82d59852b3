//go:build !windows

package tool

func nativePath(p string) string { return p }
