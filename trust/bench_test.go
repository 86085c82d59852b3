package trust

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkCheck looks at a hook with one script, which happens before each run.
func BenchmarkCheck(b *testing.B) {
	base := realTemp(b)
	root := filepath.Join(base, "project")
	script := filepath.Join(root, "guard.sh")
	if err := os.MkdirAll(root, 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(script, []byte(strings.Repeat("# a line of a script\n", 200)), 0o755); err != nil {
		b.Fatal(err)
	}
	a := Artifact{Name: "guard", Dialect: "claude", Level: "project", Root: root, Source: filepath.Join(root, "s.json"), Definition: "x", Files: []string{script}}
	s := NewStore(filepath.Join(base, "state"))
	if _, err := s.Approve(context.Background(), ApproveOptions{}, a); err != nil {
		b.Fatal(err)
	}
	g := NewGate(GateOptions{Store: s, Copies: Copies{Dir: filepath.Join(base, "cache")}})
	for b.Loop() {
		if !g.Check(a).Allowed {
			b.Fatal("not allowed")
		}
	}
}
