//go:build !linux

package process

// Watch has a process of its own end what this program started should it be killed; here
// there is none. On Windows the job objects of what runs end with the program.
func Watch(...string) {}

func startWatcher() {}

// Watcher is what a watcher does; here there is none.
func Watcher(string) error { return nil }
