//go:build unix

package process_test

import (
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/handler/process"
)

// TestRatioToBareExec reports what a run costs against the bare one, taking
// turns so that the machine's load hits both. It asserts nothing: set
// PROCESS_RATIO=1 and read the log.
func TestRatioToBareExec(t *testing.T) {
	if os.Getenv("PROCESS_RATIO") == "" {
		t.Skip("a measurement: set PROCESS_RATIO=1")
	}
	spec := benchSpec()
	withInput := spec
	withInput.Stdin = make([]byte, 2000)
	run := func(s process.Spec) func() {
		return func() { process.Run(t.Context(), s) }
	}
	kinds := []struct {
		name string
		do   func()
	}{
		{"bare", func() { exec.Command("sh", "-c", ":").Run() }},
		{"run", run(spec)},
		{"run with input", run(withInput)},
		{"start and wait", func() {
			if p, err := process.Start(t.Context(), spec); err == nil {
				p.Wait()
			}
		}},
	}
	for _, width := range []int{1, 10} {
		times := make([][]time.Duration, len(kinds))
		for range 300 / width * 3 {
			for i, k := range kinds {
				began := time.Now()
				var wg sync.WaitGroup
				for range width {
					wg.Go(k.do)
				}
				wg.Wait()
				times[i] = append(times[i], time.Since(began))
			}
		}
		var floor time.Duration
		for i, k := range kinds {
			slices.Sort(times[i])
			median := times[i][len(times[i])/2]
			if i == 0 {
				floor = median
			}
			t.Logf("%2d at once, %-15s median %8s p95 %8s max %8s ratio %.3f", width, k.name, median,
				times[i][len(times[i])*95/100], times[i][len(times[i])-1], float64(median)/float64(floor))
		}
	}
}
