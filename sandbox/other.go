//go:build !linux

package sandbox

import (
	"fmt"
	"os/exec"
	"runtime"
	"syscall"
)

var devices = []string{"/dev/null", "/dev/zero", "/dev/tty", "/dev/ptmx", "/dev/random", "/dev/urandom"}

// program is what holds a policy on macOS.
const program = "/usr/bin/sandbox-exec"

// Offered says what the system offers.
func Offered() Support {
	if runtime.GOOS != "darwin" {
		return Support{Lost: []string{"there is no wall for files on this system"}}
	}
	if _, err := exec.LookPath(program); err != nil {
		return Support{Lost: []string{program + " is missing"}}
	}
	return Support{Name: "sandbox-exec", Lost: []string{"the profile was never tried on a Mac by its makers", "processes outside can be sent signals", "UDP and other protocols are not held"}}
}

// Namespaces says why [Policy.Hold] cannot be held here.
func Namespaces() error { return fmt.Errorf("%w: there are no namespaces on this system", ErrNone) }

// Wall starts processes within a policy. It may be used concurrently. Close it.
type Wall struct{ profile string }

// New makes a wall of a policy. Where the system has none, the error wraps [ErrNone].
func New(p Policy) (*Wall, error) {
	if Offered().Name == "" {
		return nil, ErrNone
	}
	if len(p.Hold) > 0 {
		return nil, Namespaces()
	}
	return &Wall{profile: profile(p)}, nil
}

// Start runs f, which starts what [Wall.Command] returned. Release is to be called when
// that has ended.
func (w *Wall) Start(f func() error) (release func(), err error) { return func() {}, f() }

// Command returns how a command is started: by the program that holds the policy.
func (w *Wall) Command(path string, argv []string, _ *syscall.SysProcAttr) (string, []string) {
	return program, append([]string{program, "-p", w.profile, path}, argv[1:]...)
}

// Close lets go of the wall.
func (w *Wall) Close() {}
