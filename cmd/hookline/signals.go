package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// interrupt is why a command ends before its time: a signal, or nobody reads what it
// prints. It counts as context.Canceled.
type interrupt struct{ signal syscall.Signal }

func (e *interrupt) Error() string {
	switch e.signal {
	case syscall.SIGTERM:
		return "terminated"
	case syscall.SIGHUP:
		return "the terminal is gone"
	case syscall.SIGPIPE:
		return "nobody reads the output"
	}
	return "interrupted"
}

// Is makes it context.Canceled.
func (e *interrupt) Is(target error) bool { return target == context.Canceled }

// code is the exit code, as shells have it for programs that a signal ended.
func (e *interrupt) code() int { return 128 + int(e.signal) }

// interrupts turns signals into the end of a context. The first ends it, and the
// command closes what it has begun. The second closes hurry: what still runs is ended
// at once. The third ends the program.
type interrupts struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	hurry  chan struct{}
	ch     chan os.Signal
	pipe   chan os.Signal
	done   chan struct{}
	ended  sync.WaitGroup
}

// watchSignals begins to watch; stop ends it.
func watchSignals() *interrupts {
	i := &interrupts{hurry: make(chan struct{}), ch: make(chan os.Signal, 3), pipe: make(chan os.Signal, 1), done: make(chan struct{})}
	i.ctx, i.cancel = context.WithCancelCause(context.Background())
	signals := []os.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		signals = append(signals, syscall.SIGHUP)
	}
	signal.Notify(i.ch, signals...)
	// A write that nobody reads is to fail, and not to end the program before it has
	// closed what it has begun.
	signal.Notify(i.pipe, syscall.SIGPIPE)
	i.ended.Go(i.watch)
	return i
}

func (i *interrupts) watch() {
	for n := 1; ; n++ {
		select {
		case <-i.done:
			return
		case s := <-i.ch:
			sig, _ := s.(syscall.Signal)
			in := &interrupt{sig}
			switch n {
			case 1:
				i.cancel(in)
			case 2:
				close(i.hurry)
			default:
				os.Exit(in.code())
			}
		}
	}
}

// readerGone ends the context: nobody reads the output any more.
func (i *interrupts) readerGone() { i.cancel(&interrupt{syscall.SIGPIPE}) }

func (i *interrupts) stop() {
	signal.Stop(i.ch)
	signal.Stop(i.pipe)
	close(i.done)
	i.ended.Wait()
	i.cancel(nil)
}
