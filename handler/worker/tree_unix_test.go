//go:build unix

package worker_test

import (
	"errors"
	"strconv"
	"syscall"
	"testing"

	"github.com/hookline-dev/hookline/handler/worker"
)

// TestTree: nothing that a worker started outlives it.
func TestTree(t *testing.T) {
	s := spec("plain")
	w, err := worker.Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	e := engine(t, w)
	var pids []int
	for _, cmd := range []string{"pid", "child"} {
		out := fire(t, e, cmd)
		if len(out.Context) != 1 {
			t.Fatalf("%s: %v", cmd, out.Runs[0].Err)
		}
		pid, err := strconv.Atoi(out.Context[0])
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		eventually(t, "the end of "+strconv.Itoa(pid), func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) })
	}
}
