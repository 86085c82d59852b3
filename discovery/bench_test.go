//go:build unix

package discovery_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/trust"
)

// fifty makes a project with fifty executable hooks.
func fifty(b *testing.B) (discovery.Dirs, []string) {
	b.Helper()
	root := b.TempDir()
	d := discovery.Dirs{Project: filepath.Join(root, "p"), Home: filepath.Join(root, "h"), State: filepath.Join(root, "s"), Cache: filepath.Join(root, "c")}
	dir := filepath.Join(d.Project, ".hookline", "hooks")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	var paths []string
	for i := range 50 {
		p := filepath.Join(dir, fmt.Sprintf("h%02d", i))
		if err := os.WriteFile(p, []byte("#!/bin/sh\n# "+p+"\n"+"echo before_tool_call\n"), 0o755); err != nil {
			b.Fatal(err)
		}
		paths = append(paths, p)
	}
	return d, paths
}

func discover(b *testing.B, d discovery.Dirs) {
	b.Helper()
	l := discovery.New(discovery.Options{Dirs: d, Gate: trust.Anything{}})
	defer l.Close()
	set, err := l.Register(b.Context(), hook.NewRegistry())
	if err != nil || len(set.Hooks) != 50 || set.Hooks[0].Status != discovery.Active {
		b.Fatal(err, len(set.Hooks))
	}
}

// BenchmarkDiscoverFiftyCold asks fifty executables for their type.
func BenchmarkDiscoverFiftyCold(b *testing.B) {
	d, _ := fifty(b)
	for b.Loop() {
		if err := os.RemoveAll(d.Cache); err != nil {
			b.Fatal(err)
		}
		discover(b, d)
	}
}

// BenchmarkDiscoverFiftyFloor runs the fifty questions two at a time and nothing
// else.
func BenchmarkDiscoverFiftyFloor(b *testing.B) {
	_, paths := fifty(b)
	for b.Loop() {
		var wg sync.WaitGroup
		work := make(chan string)
		for range 2 {
			wg.Go(func() {
				for p := range work {
					if err := exec.Command(p, "hook").Run(); err != nil {
						b.Error(err)
					}
				}
			})
		}
		for _, p := range paths {
			work <- p
		}
		close(work)
		wg.Wait()
	}
}

// BenchmarkDiscoverFiftyWarm finds fifty executables whose types are remembered.
func BenchmarkDiscoverFiftyWarm(b *testing.B) {
	d, _ := fifty(b)
	discover(b, d)
	for b.Loop() {
		discover(b, d)
	}
}
