package trust

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// childVar makes the test binary act as another process that approves.
const childVar = "TRUST_TEST_CHILD"

func TestMain(m *testing.M) {
	if spec := os.Getenv(childVar); spec != "" {
		os.Exit(child(spec))
	}
	goleak.VerifyTestMain(m)
}

// child approves one hook, or hooks without end: "dir|root|name" or with "|loop".
func child(spec string) int {
	parts := strings.Split(spec, "|")
	s := NewStore(parts[0])
	for i := 0; ; i++ {
		name := parts[2]
		if len(parts) > 3 {
			name = fmt.Sprintf("%s-%d", name, i)
		}
		a := Artifact{Name: name, Dialect: "claude", Level: "project", Root: parts[1], Source: filepath.Join(parts[1], "settings.json"), Definition: name}
		if _, err := s.Approve(context.Background(), ApproveOptions{How: HowCommand}, a); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		if len(parts) < 4 {
			return 0
		}
	}
}

// bench is a project, a store and a hook with a script in it.
type bench struct {
	t     *testing.T
	root  string
	store *Store
	hook  Artifact
}

func newBench(t *testing.T) *bench {
	t.Helper()
	base := realTemp(t)
	b := &bench{t: t, root: filepath.Join(base, "project"), store: NewStore(filepath.Join(base, "state"))}
	b.write("hooks/guard.sh", "#!/bin/sh\nexit 0\n", 0o755)
	b.write("settings.json", "{}", 0o644)
	b.hook = Artifact{
		Name: "guard", Dialect: "claude", Level: "project", Root: b.root, Source: b.path("settings.json"),
		Definition: `{"event":"PreToolUse","command":"hooks/guard.sh"}`, Files: []string{b.path("hooks/guard.sh")},
		Event: "PreToolUse", Command: "hooks/guard.sh",
	}
	return b
}

// realTemp is a temporary directory by its real path.
func realTemp(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func (b *bench) path(name string) string { return filepath.Join(b.root, filepath.FromSlash(name)) }

func (b *bench) write(name, content string, mode os.FileMode) {
	b.t.Helper()
	path := b.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		b.t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) approve(artifacts ...Artifact) {
	b.t.Helper()
	if _, err := b.store.Approve(b.t.Context(), ApproveOptions{How: HowCommand}, artifacts...); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) gate(change ...func(*GateOptions)) *SessionGate {
	o := GateOptions{Store: b.store, Copies: Copies{Dir: filepath.Join(filepath.Dir(b.root), "cache")}}
	for _, c := range change {
		c(&o)
	}
	return NewGate(o)
}

// check fails unless the hook stands as said.
func (b *bench) check(g *SessionGate, a Artifact, allowed bool, why string) Verdict {
	b.t.Helper()
	v := g.Check(a)
	if v.Allowed != allowed || !strings.Contains(v.Why, why) {
		b.t.Fatalf("%s: allowed %t (%q), want %t (%q)", a.Name, v.Allowed, v.Why, allowed, why)
	}
	return v
}
