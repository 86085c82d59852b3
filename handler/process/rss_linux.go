package process

import (
	"os"
	"strconv"
	"strings"
)

// rss returns how much memory a process occupies, in bytes; 0 when that cannot be
// learnt.
func rss(pid int) int64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(b))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// isZombie reports whether a process has ended that nobody has waited for yet. The
// pid must be a child's that was not waited for a moment ago.
func isZombie(pid int) bool {
	m, ok := stat(pid)
	return !ok || !m.alive()
}
