package sandbox

import (
	"os"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// room is a thread within the rules, for as long as somebody uses it: the wall, and each
// process that was started there.
type room struct {
	jobs   chan job
	passed []mark

	mu    sync.Mutex
	users int
}

type job struct {
	f    func() error
	done chan<- error
}

// mark is how a directory was whose entries were granted one by one.
type mark struct {
	dir  string
	time unix.Timespec
}

func (r *room) note(dirs []string) error {
	for _, dir := range dirs {
		var st unix.Stat_t
		if err := unix.Stat(dir, &st); err != nil {
			return &os.PathError{Op: "stat", Path: dir, Err: err}
		}
		r.passed = append(r.passed, mark{dir, st.Mtim})
	}
	return nil
}

// stale reports whether an entry was made or removed where entries are granted one by
// one.
func (r *room) stale() bool {
	for _, m := range r.passed {
		var st unix.Stat_t
		if unix.Stat(m.dir, &st) != nil || st.Mtim != m.time {
			return true
		}
	}
	return false
}

func (r *room) enter() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.users++
}

// leave returns how many use the room still, the wall among them.
func (r *room) leave() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.users--; r.users == 0 {
		rooms.Add(-1)
		close(r.jobs)
	}
	return r.users
}

// idle reports whether nobody but the wall uses the room.
func (r *room) idle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.users == 1
}

func (r *room) do(f func() error) error {
	done := make(chan error)
	r.jobs <- job{f, done}
	return <-done
}

// live is the goroutine of the room's thread. The thread can't be freed again, so the
// goroutine ends without unlocking it, which ends the thread. The main thread would not
// end; while this goroutine holds it, another one cannot get it.
func (r *room) live(ruleset int, ready chan<- error) {
	runtime.LockOSThread()
	if unix.Gettid() == unix.Getpid() {
		moved := make(chan error)
		go r.live(ruleset, moved)
		ready <- <-moved
		runtime.UnlockOSThread()
		return
	}
	if err := restrict(ruleset); err != nil {
		ready <- err
		return
	}
	ready <- nil
	for j := range r.jobs {
		j.done <- j.f()
	}
}

// restrict takes rights from the calling thread, for good.
func restrict(ruleset int) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("no_new_privs", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), 0, 0); errno != 0 {
		return os.NewSyscallError("landlock_restrict_self", errno)
	}
	return nil
}
