// Package fsx replaces files so that a reader, or the next start after
// a crash, sees the old content or the new content and nothing between, and locks them against other processes.
package fsx
