//go:build unix

package process_test

import (
	"os"
	"os/exec"
	"sync"
	"testing"

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
