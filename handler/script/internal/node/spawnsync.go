package node

import (
	"bytes"
	"context"
	"sync"
	"time"
)

// syncResult is what became of a program run by spawnSync. Error is a Node
// code if we ended it.
type syncResult struct {
	Pid    int    `json:"pid"`
	Code   int    `json:"code"`
	Signal string `json:"signal"`
	Stdout []byte `json:"stdout"`
	Stderr []byte `json:"stderr"`
	Error  string `json:"error,omitempty"`
	Errno  int    `json:"errno,omitzero"`
}

// spawnSync runs a program to its end. It is bounded by its timeout, by the
// limit of its output and by Close.
func (p *Primitives) spawnSync(ctx context.Context, a struct {
	spawnArgs
	Input      *[]byte
	Timeout    float64 // milliseconds; 0 means none
	MaxBuffer  int64   // bytes of each stream; 0 means no limit
	KillSignal string
},
) (any, error) {
	c, err := p.start(a.spawnArgs)
	if err != nil {
		return nil, err
	}
	defer c.closePipes()
	if !p.track(c) {
		c.end()
		return nil, errClosed
	}

	var stop sync.Once
	var why string
	finish := func(code string) {
		stop.Do(func() {
			why = code
			_, _ = c.kill(a.KillSignal)
		})
	}
	if a.Timeout > 0 {
		timer := time.AfterFunc(time.Duration(a.Timeout*float64(time.Millisecond)), func() {
			finish("ETIMEDOUT")
			c.killLater()
		})
		defer timer.Stop()
	}
	unhook := context.AfterFunc(ctx, func() { _, _ = c.kill("SIGKILL") })
	defer unhook()

	stdout, stderr := c.communicate(ctx, a.Input, a.MaxBuffer, func() { finish("ENOBUFS") })
	stop.Do(func() {}) // from here on why is settled
	p.untrack(c)
	if p.ctx.Err() != nil {
		return nil, errClosed
	}
	return syncResult{
		Pid: c.proc.Process.Pid, Code: c.code, Signal: c.signal,
		Stdout: stdout, Stderr: stderr, Error: why, Errno: errnoOf(why),
	}, nil
}

// communicate gives a program its input and reads its output until it has ended: up to limit
// bytes of each stream, with a call of overflow when there are more.
func (c *child) communicate(ctx context.Context, input *[]byte, limit int64, overflow func()) (stdout, stderr []byte) {
	var wg sync.WaitGroup
	wg.Go(func() {
		if c.stdin != nil {
			if input != nil {
				_, _ = c.stdin.Write(*input) // not reading it is not an error
			}
			_ = c.stdin.Close()
		}
	})
	var out [3]bytes.Buffer
	for fd := 1; fd <= 2; fd++ {
		if c.output[fd] != nil {
			wg.Go(func() { c.collect(ctx, fd, &out[fd], limit, overflow) })
		}
	}
	<-c.done
	if c.stdin != nil {
		_ = c.stdin.Close() // the writer gives up
	}
	wg.Wait()
	return out[1].Bytes(), out[2].Bytes()
}

// killLater ends a program that lives on after its signal.
func (c *child) killLater() {
	select {
	case <-c.done:
	case <-time.After(killGrace):
		_, _ = c.kill("SIGKILL")
	}
}

// collect reads a stream to its end and keeps up to limit bytes.
func (c *child) collect(ctx context.Context, fd int, into *bytes.Buffer, limit int64, overflow func()) {
	buf := make([]byte, chunkSize)
	for {
		n, err := c.readChunk(ctx, fd, buf)
		if err != nil {
			return
		}
		if room := limit - int64(into.Len()); limit > 0 && int64(n) > room {
			into.Write(buf[:room])
			overflow()
			continue
		}
		into.Write(buf[:n])
	}
}

// track has Close end a program that no id stands for.
func (p *Primitives) track(c *child) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.children[-c.proc.Process.Pid] = c
	return true
}

func (p *Primitives) untrack(c *child) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.children, -c.proc.Process.Pid)
}
