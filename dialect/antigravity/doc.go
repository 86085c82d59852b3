// Package antigravity is the dialect of the hooks of Google Antigravity: its command line, its
// editor and the program of that name, which have one form for all.
package antigravity
