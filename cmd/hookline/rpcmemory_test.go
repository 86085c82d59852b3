package main

import (
	"bytes"
	"runtime"
	"testing"
)

// counter counts what is written.
type counter struct{ n int }

func (w *counter) Write(b []byte) (int, error) { w.n += len(b); return len(b), nil }

// TestALongPromptIsNotCopiedManyTimes counts what a prompt of many megabytes makes rpc
// allocate: the line as it comes in parts and as a whole, its text, and its JSON, which is in
// the session, in its transcript and in the event that tells of it.
func TestALongPromptIsNotCopiedManyTimes(t *testing.T) {
	allocated := func(size int) float64 {
		s := newStage(t)
		prompt := append(append([]byte(`{"type":"prompt","id":"1","text":"`), bytes.Repeat([]byte("words "), size/6)...), `"}`...)
		var out counter
		flags := s.flags()
		s.in, s.streams.out = bytes.NewReader(prompt), &out
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := s.rpc(t.Context(), &flags); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if out.n < size {
			t.Fatalf("of a prompt of %d bytes only %d came back", size, out.n)
		}
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	const size = 24 << 20
	short := allocated(1 << 10)
	// 4.3 times, and 5.7 with the race detector.
	if copies := (allocated(size) - short) / size; copies > 6.5 {
		t.Errorf("a prompt made rpc allocate %.1f times its size", copies)
	}
}
