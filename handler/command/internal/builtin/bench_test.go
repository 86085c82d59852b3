//go:build unix

package builtin_test

import (
	"testing"

	"github.com/hookline-dev/hookline/handler/command/internal/builtin"
	"github.com/hookline-dev/hookline/handler/process"
)

func benchmark(b *testing.B, name string) {
	text := read(b, "testdata/"+name+".sh")
	p, err := builtin.Parse(text, lang(text))
	if err != nil {
		b.Fatal(err)
	}
	s := spec(b, []byte(read(b, "testdata/payload.json")))
	b.ReportAllocs()
	for b.Loop() {
		if exit, err := p.Run(b.Context(), s); err != nil || exit.Code != 0 && exit.Code != 2 {
			b.Fatal(exit, err)
		}
	}
}

func BenchmarkReadCaseGuard(b *testing.B) { benchmark(b, "read_case_guard") }
func BenchmarkJqGuard(b *testing.B)       { benchmark(b, "jq_guard") }
func BenchmarkBashJqGuard(b *testing.B)   { benchmark(b, "bash_jq_guard") }

// BenchmarkSpawn is what a real shell takes for the guard of BenchmarkJqGuard.
func BenchmarkSpawn(b *testing.B) {
	text := read(b, "testdata/jq_guard.sh")
	s := spec(b, []byte(read(b, "testdata/payload.json")))
	s.Path, s.Args = "/bin/sh", []string{"-c", text}
	for b.Loop() {
		if _, err := process.Run(b.Context(), s); err != nil {
			b.Fatal(err)
		}
	}
}
