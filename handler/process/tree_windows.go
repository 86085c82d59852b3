package process

import (
	"fmt"
	"os"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// tree is a process and its descendants, held together by a job object: they
// cannot leave it, and the system ends them if the engine dies.
//
// The child joins the job right after its start. What it could start before
// that, within microseconds, would stay outside.
type tree struct {
	mu  sync.Mutex
	job windows.Handle // 0 once released
}

func newTree(mark) (*tree, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("creating a job object: %w", err)
	}
	t := &tree{job: job}
	if err := t.limit(windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE); err != nil {
		t.release()
		return nil, err
	}
	return t, nil
}

// limit sets the limits of the job, and no others.
func (t *tree) limit(flags uint32) error {
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = flags
	_, err := windows.SetInformationJobObject(t.job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		return fmt.Errorf("setting up a job object: %w", err)
	}
	return nil
}

// adopt puts the process into the job. One that has already ended needs none.
func (t *tree) adopt(cmd *os.Process, _ ...*os.File) {
	cmd.WithHandle(func(handle uintptr) {
		windows.AssignProcessToJobObject(t.job, windows.Handle(handle))
	})
}

// release lets go of the job; what is left in it goes on.
func (t *tree) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.job == 0 {
		return
	}
	t.limit(0) // or closing the job would end its processes
	windows.CloseHandle(t.job)
	t.job = 0
}

// terminate does nothing: a process without our console cannot be asked.
func (t *tree) terminate() bool { return false }

func (t *tree) settle(<-chan time.Time) {}

func (t *tree) kill() []int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.job != 0 {
		windows.TerminateJobObject(t.job, 1)
	}
	return nil
}

// clear ends what is left in the job.
func (t *tree) clear(bool) []int { return t.kill() }

// members is not asked for here: a kill of a job is complete.
func (t *tree) members() []int { return nil }
