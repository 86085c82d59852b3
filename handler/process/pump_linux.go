package process

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// hurryPause is how often a drain looks whether the context has ended.
const hurryPause = 20 * time.Millisecond

// canPump reports whether the thread that waits for the process can read its
// output as well. It needs a descriptor that becomes readable at the process's
// end, which kernels before 5.4 and some sandboxes lack.
//
// One thread that waits for everything, in place of a goroutine per stream,
// spares a short run several switches between threads. On a busy machine each
// of these waits for a processor.
func (p *Process) canPump() bool {
	return !p.spec.noPump && p.cmd.WithHandle(func(uintptr) {}) == nil
}

// attend reads the output until the process ends. It leaves the process
// unreaped, as awaitExit does.
func (p *Process) attend() (*os.ProcessState, error) {
	if !p.pumped {
		return awaitExit(p.cmd)
	}
	ended := false
	err := p.cmd.WithHandle(func(handle uintptr) { ended = p.pump(int(handle)) })
	if err != nil || !ended {
		return awaitExit(p.cmd)
	}
	return nil, nil
}

// pump handles what is ready until pidfd is: then the process has ended. False
// means that the system refused to wait, for want of memory.
func (p *Process) pump(pidfd int) (ended bool) {
	fds, streams := p.pollSet()
	fds = append(fds, unix.PollFd{Fd: int32(pidfd), Events: unix.POLLIN})
	for {
		_, err := unix.Poll(fds, -1)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return false
		}
		step(fds, streams)
		if fds[len(fds)-1].Revents != 0 {
			return true
		}
	}
}

// pumpRest reads what is left after the end, with the patience of drain.
func (p *Process) pumpRest() {
	idle := span(p.spec.Drain, defaultDrain)
	last := time.Now()
	until := last.Add(drainCap * idle)
	fds, streams := p.pollSet()
	for open := countOpen(streams); open > 0; open = countOpen(streams) {
		wait := min(time.Until(last.Add(idle)), time.Until(until))
		if p.hurries() || wait <= 0 {
			break
		}
		// Rounded up, so that the last wait is not a busy one.
		ms := int(min(wait, hurryPause)/time.Millisecond) + 1
		if n, err := unix.Poll(fds, ms); err == nil && n > 0 {
			step(fds, streams)
			last = time.Now()
		} else if err != nil && err != unix.EINTR {
			break
		}
	}
	for _, r := range streams {
		if !r.ended {
			r.held = r.sweep()
			r.finish()
		}
	}
}

// pollSet returns the streams still open, and how to wait for them.
func (p *Process) pollSet() (fds []unix.PollFd, streams []*reader) {
	for _, r := range []*reader{p.out, p.err} {
		if r != nil && !r.ended {
			fds = append(fds, unix.PollFd{Fd: int32(r.file.Fd()), Events: unix.POLLIN})
			streams = append(streams, r)
		}
	}
	return fds, streams
}

// step reads once from each stream that is ready. A stream that ended is no
// longer waited for.
func step(fds []unix.PollFd, streams []*reader) {
	for i, r := range streams {
		switch fds[i].Revents {
		case 0:
			continue
		case unix.POLLHUP: // the end, with nothing before it
			r.finish()
			fds[i].Fd = -1
			continue
		}
		if n, open := readFD(int(fds[i].Fd), r.capture.space()); n > 0 {
			r.take(n)
		} else if !open {
			r.finish()
			fds[i].Fd = -1
		}
	}
}

func countOpen(streams []*reader) (n int) {
	for _, r := range streams {
		if !r.ended {
			n++
		}
	}
	return n
}
