//go:build unix

package command_test

import (
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"
)

// sessionFloor is the floor in a session of its own, which a hook has too. Where
// the kernel schedules by session (autogroup on Linux), this alone costs much on a
// machine that is busy with other sessions, and nothing on an idle one.
func sessionFloor() error {
	c := exec.Command("/bin/sh", "-c", benchLine)
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return c.Run()
}

// BenchmarkShellRatio takes turns between hooks and floors, so that all see the
// same machine, and reports the ratios of the medians.
func BenchmarkShellRatio(b *testing.B) {
	one, in := benchEngine(b, 1)
	ten, _ := benchEngine(b, 10)
	must := func(err error) {
		if err != nil {
			b.Error(err)
		}
	}
	runs := [...]func(){
		func() { _, err := one.Fire(b.Context(), in); must(err) },
		func() { must(floor()) },
		func() { must(sessionFloor()) },
		func() { _, err := ten.Fire(b.Context(), in); must(err) },
		func() { together(b, floor) },
		func() { together(b, sessionFloor) },
	}
	var spent [len(runs)][]time.Duration
	for b.Loop() {
		for i, run := range runs {
			began := time.Now()
			run()
			spent[i] = append(spent[i], time.Since(began))
		}
	}
	median := func(i int) float64 {
		slices.Sort(spent[i])
		return spent[i][len(spent[i])/2].Seconds()
	}
	b.ReportMetric(median(0)/median(1), "one/floor")
	b.ReportMetric(median(0)/median(2), "one/session-floor")
	b.ReportMetric(median(3)/median(4), "ten/floor")
	b.ReportMetric(median(3)/median(5), "ten/session-floor")
}
