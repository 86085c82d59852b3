package process

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// feeder writes the payload to a process and closes its standard input.
type feeder struct {
	file *os.File

	mu      sync.Mutex
	fed     bool
	began   time.Time
	took    time.Duration
	written atomic.Int64
	done    chan struct{} // closed when the writer has ended; nil without one
}

// feed writes payload, in the background if the pipe is full, and closes. It
// may be called once.
func (f *feeder) feed(payload []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fed {
		return ErrFed
	}
	f.fed = true
	f.began = time.Now()
	n := writeNow(f.file, payload)
	f.written.Add(int64(n))
	if n == len(payload) {
		return ignoreClosed(f.file.Close())
	}
	f.write(payload[n:])
	return nil
}

// write starts the writer of rest. The feeder's lock is held, or nobody else
// knows the feeder yet.
func (f *feeder) write(rest []byte) {
	f.fed = true
	f.done = make(chan struct{})
	go func() {
		defer close(f.done)
		// A process that does not read is within its rights: whatever the
		// error is, the input ends here and the exit tells the rest.
		n, _ := f.file.Write(rest)
		f.written.Add(int64(n))
		f.file.Close()
		f.mu.Lock()
		f.took = time.Since(f.began)
		f.mu.Unlock()
	}()
}

// stop ends the writer and closes the input. It waits for the writer.
func (f *feeder) stop() {
	f.mu.Lock()
	f.fed = true
	done := f.done
	f.mu.Unlock()
	// Close alone waits for a write in progress on some systems; the deadline
	// ends that write.
	f.file.SetWriteDeadline(time.Now())
	f.file.Close()
	if done != nil {
		<-done
	}
}

func (f *feeder) duration() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.took
}

// stdinWriter is the caller's hand on an open standard input.
type stdinWriter struct{ f *feeder }

// Write writes to the process. A deadline for it can be set through
// SetWriteDeadline where the system has them.
func (w stdinWriter) Write(b []byte) (int, error) {
	n, err := w.f.file.Write(b)
	w.f.written.Add(int64(n))
	return n, err
}

// SetWriteDeadline bounds writes, see [os.File.SetWriteDeadline].
func (w stdinWriter) SetWriteDeadline(t time.Time) error {
	return w.f.file.SetWriteDeadline(t)
}

// Close closes the process's standard input. Closing twice is not an error.
func (w stdinWriter) Close() error {
	w.f.mu.Lock()
	w.f.fed = true
	w.f.mu.Unlock()
	return ignoreClosed(w.f.file.Close())
}

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}
