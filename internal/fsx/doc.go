// Package fsx replaces files so that a reader, or the next start after
// a crash, sees the old content or the new content and nothing between, locks them against
// other processes, and says where paths lead.
package fsx
