//go:build unix

package process_test

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/handler/process"
)

// The bare benchmarks are the floor: the same program through os/exec, with no
// pipes and no guarantees.

func BenchmarkBareTrue(b *testing.B) {
	for b.Loop() {
		if err := exec.Command("sh", "-c", ":").Run(); err != nil {
			b.Fatal(err)
		}
	}
}

func benchSpec() process.Spec {
	env, _ := process.Environ(os.Environ(), nil, process.EnvPolicy{})
	return process.Spec{Path: "sh", Args: []string{"-c", ":"}, Env: env}
}

func BenchmarkRunTrue(b *testing.B) {
	spec := benchSpec()
	for b.Loop() {
		if e, err := process.Run(b.Context(), spec); err != nil || !e.Success() {
			b.Fatal(e, err)
		}
	}
}

// BenchmarkRunTrueWithInput is what a hook costs: with a payload to take.
func BenchmarkRunTrueWithInput(b *testing.B) {
	spec := benchSpec()
	spec.Stdin = make([]byte, 2000)
	for b.Loop() {
		if e, err := process.Run(b.Context(), spec); err != nil || !e.Success() {
			b.Fatal(e, err)
		}
	}
}

func BenchmarkStartWaitTrue(b *testing.B) {
	spec := benchSpec()
	for b.Loop() {
		p, err := process.Start(b.Context(), spec)
		if err != nil || !p.Wait().Success() {
			b.Fatal(err)
		}
	}
}

func tenAtOnce(b *testing.B, run func() error) {
	for b.Loop() {
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if err := run(); err != nil {
					b.Error(err)
				}
			})
		}
		wg.Wait()
	}
}

func BenchmarkBareTrueTen(b *testing.B) {
	tenAtOnce(b, func() error { return exec.Command("sh", "-c", ":").Run() })
}

func BenchmarkRunTrueTen(b *testing.B) {
	spec := benchSpec()
	tenAtOnce(b, func() error {
		_, err := process.Run(b.Context(), spec)
		return err
	})
}

func BenchmarkStartWaitTrueTen(b *testing.B) {
	spec := benchSpec()
	tenAtOnce(b, func() error {
		p, err := process.Start(b.Context(), spec)
		if err == nil {
			p.Wait()
		}
		return err
	})
}

func BenchmarkEnviron(b *testing.B) {
	base := os.Environ()
	for b.Loop() {
		process.Environ(base, nil, process.EnvPolicy{})
	}
}

// BenchmarkAgainstBare runs both in turns, so that the machine's load hits them
// alike, and reports the medians' ratio.
func BenchmarkAgainstBare(b *testing.B) {
	spec := benchSpec()
	spec.Stdin = make([]byte, 2000)
	kinds := [2]func(){
		func() { exec.Command("sh", "-c", ":").Run() },
		func() { process.Run(b.Context(), spec) },
	}
	for _, width := range []int{1, 10} {
		b.Run(strconv.Itoa(width)+"-at-once", func(b *testing.B) {
			var times [2][]time.Duration
			for turn := 0; b.Loop(); turn++ {
				for i := range kinds {
					i = (i + turn) % 2
					began := time.Now()
					var wg sync.WaitGroup
					for range width {
						wg.Go(kinds[i])
					}
					wg.Wait()
					times[i] = append(times[i], time.Since(began))
				}
			}
			var median [2]float64
			for i, t := range times {
				slices.Sort(t)
				median[i] = float64(t[len(t)/2])
			}
			b.ReportMetric(median[1]/median[0], "ratio")
			b.ReportMetric(median[0], "bare-ns")
			b.ReportMetric(median[1], "run-ns")
		})
	}
}
