//go:build unix

package command_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/hook"
)

const large = 10 << 20

func largeInput() *hook.PostToolUse {
	response := bytes.Repeat([]byte{'x'}, large)
	response[0], response[large-1] = '"', '"'
	return &hook.PostToolUse{Common: hook.Common{SessionID: "s1"}, ToolName: "Read", ToolResponse: hook.RawJSON(response)}
}

// While a hook takes in a large tool output, at most three copies of it exist:
// the input, its encoding, and one to spare.
func TestLargeInputInMemory(t *testing.T) {
	in := largeInput()
	in.CWD = t.TempDir()
	// The hook stops in the middle of its input until it is told to go on.
	eng := engine(t, sh(t, `head -c 100000 >/dev/null; : > half; while [ ! -e go ]; do sleep 0.02; done; wc -c`), in.Event(), time.Minute)
	before := heap()
	outcome := make(chan hook.Outcome, 1)
	go func() {
		out, err := eng.Fire(t.Context(), in)
		if err != nil {
			t.Error(err)
		}
		outcome <- out
	}()
	within(t, 30*time.Second, "the hook reads", func() bool {
		_, err := os.Stat(filepath.Join(in.CWD, "half"))
		return err == nil
	})
	held := heap() - before + large // the input existed before
	if err := os.WriteFile(filepath.Join(in.CWD, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	out := <-outcome
	if len(out.Runs) != 1 || out.Runs[0].Err != nil {
		t.Fatalf("%+v", out.Runs)
	}
	t.Logf("%.2f copies in memory", float64(held)/large)
	if held > 3*large+1<<20 {
		t.Errorf("%.2f copies of the input in memory, want at most 3", float64(held)/large)
	}
}

// heap returns the bytes in use, after a collection.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Running a hook makes no copy of its encoded input at all.
func TestRunningMakesNoCopy(t *testing.T) {
	in := largeInput()
	encode := allocated(func() {
		if _, err := hook.MarshalInput(in); err != nil {
			t.Error(err)
		}
	})
	h := sh(t, `wc -c`)
	run := allocated(func() {
		if _, _, err := handle(t.Context(), h, in); err != nil {
			t.Error(err)
		}
	})
	t.Logf("encoding allocates %.2f times the input, the whole run %.2f times", float64(encode)/large, float64(run)/large)
	if run-encode > large/2 {
		t.Errorf("running allocates %d bytes beyond the %d of encoding", run-encode, encode)
	}
}

func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}
