//go:build !linux

package process

import "os"

// rss returns how much memory a process occupies; 0, as it cannot be learnt here.
func rss(int) int64 { return 0 }

// hasEnded reports whether a process has ended that nobody has waited for yet, which
// is left to the one who waits.
func hasEnded(*os.Process) bool { return false }
