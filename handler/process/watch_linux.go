package process

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// watch is the watcher of this program: a process that ends what this one started when it
// was killed and could not do it itself.
var watch struct {
	mu      sync.Mutex
	args    []string // what to start it with; nil when there is to be none, or no more
	process *os.Process
	hand    *os.File // it waits until nobody holds this any more
}

// Watch has a process of its own, a watcher, end what this program started should it be
// killed. The watcher is started with the first child: a shell that waits for this program's
// end, and then becomes this program once more, with the arguments args and one more, which is
// to hand that one to [Watcher] and do nothing else. It finds what it ends by a mark that this
// program passes down to all that it starts. Like [Adopt] it is for a program to call, at its
// start, and [EndAdopted] ends it.
func Watch(args ...string) {
	_ = programMark.put(0) // what cannot be marked has its environment
	watch.mu.Lock()
	defer watch.mu.Unlock()
	watch.args = args
}

// waitAsShell waits as a shell does, since this program takes ten times as long to start, and
// is needed only where the other one was killed. File 3 is this program, wherever its file
// has gone since.
const waitAsShell = `trap '' INT TERM HUP; read -r x; exec /proc/self/fd/3 "$@"`

// startWatcher starts the watcher, once. A child does not fail for the want of it.
func startWatcher() {
	watch.mu.Lock()
	defer watch.mu.Unlock()
	if watch.args == nil {
		return
	}
	args := append([]string{"sh", "-c", waitAsShell, os.Args[0]}, watch.args...)
	watch.args = nil
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		return
	}
	defer self.Close()
	r, w, err := os.Pipe()
	if err != nil {
		return
	}
	defer r.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		w.Close()
		return
	}
	defer null.Close()
	// It has none of our streams, or who waits for their end would wait for it.
	watch.process, err = os.StartProcess("/bin/sh", append(args, programMark.String()), &os.ProcAttr{
		Dir: "/", Files: []*os.File{r, null, null, self}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		w.Close()
		return
	}
	watch.hand = w
}

// watcherPid is the watcher's id, 0 without one.
func watcherPid() int {
	watch.mu.Lock()
	defer watch.mu.Unlock()
	if watch.process == nil {
		return 0
	}
	return watch.process.Pid
}

// endWatcher ends the watcher: there is nothing left for it to end.
func endWatcher() {
	watch.mu.Lock()
	defer watch.mu.Unlock()
	if watch.process == nil {
		return
	}
	_ = watch.process.Kill()
	_, _ = watch.process.Wait()
	watch.hand.Close()
	watch.process = nil
}

// Watcher is all that a watcher does: it waits on its standard input for the end of the
// program that started it, and ends what that left behind. The argument is the last one
// that it was started with; see [Watch].
func Watcher(argument string) error {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	marks := parseMarks(argument)
	if len(marks) != 1 {
		return fmt.Errorf("watching over a program: %q is not a mark of one", argument)
	}
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return fmt.Errorf("watching over a program: %w", err)
	}
	untilQuiet(func() bool {
		return len(find(func(m member) bool { return marked(m.pid, marks[0].sameProgram) }, member.strike)) > 0
	})
	return nil
}
