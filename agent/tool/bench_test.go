package tool_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/agent/tool"
)

// tree makes a directory of 1,000 files of 8 KiB.
func tree(b *testing.B) *tool.Set {
	b.Helper()
	dir := b.TempDir()
	body := strings.Repeat("func something(a, b int) int { return a + b }\n", 180)
	for i := range 1000 {
		sub := filepath.Join(dir, fmt.Sprint(i%20))
		if err := os.MkdirAll(sub, 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(sub, fmt.Sprintf("f%d.go", i)), []byte(body), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	s, err := tool.New(tool.Config{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s
}

func bench(b *testing.B, s *tool.Set, name, input string) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Lookup(name).Run(b.Context(), tool.Input{JSON: []byte(input)}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGrepNothing(b *testing.B) { bench(b, tree(b), "Grep", `{"pattern":"needle [0-9]+"}`) }
func BenchmarkGrepAll(b *testing.B)     { bench(b, tree(b), "Grep", `{"pattern":"something"}`) }
func BenchmarkGlob(b *testing.B)        { bench(b, tree(b), "Glob", `{"pattern":"**/*.go"}`) }
func BenchmarkBashTrue(b *testing.B)    { bench(b, tree(b), "Bash", `{"command":"true"}`) }
func BenchmarkTodoWrite(b *testing.B)   { bench(b, tree(b), "TodoWrite", `{"todos":[]}`) }
