// Command hookline finds, runs, explains and tests hooks of AI coding agents.
package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

func main() {
	collectLate()
	os.Exit(program(os.Args[1:], osStreams()))
}

// collectLate lets the heap grow to 16 MiB before it is collected for the first time, which
// most commands never reach; from then on it is collected as usual.
func collectLate() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(400) // of the 4 MiB at which a heap is collected first
	runtime.AddCleanup(new([1 << 6]byte), func(percent int) { debug.SetGCPercent(percent) }, usual)
}
