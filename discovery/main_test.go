package discovery_test

import (
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/trust"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// place is a project and a home directory for a test.
type place struct {
	testing.TB
	dirs discovery.Dirs
}

func newPlace(t testing.TB) *place {
	t.Helper()
	root := t.TempDir()
	p := &place{t, discovery.Dirs{
		Project: filepath.Join(root, "projéct 1"), Home: filepath.Join(root, "home"), Config: filepath.Join(root, "config"),
		State: filepath.Join(root, "state"), Cache: filepath.Join(root, "cache"), Managed: filepath.Join(root, "managed"),
	}}
	for _, d := range []string{p.dirs.Project, p.dirs.Home} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// write writes a file below a directory; those with a first line #! are made
// executable.
func (p *place) write(dir, name, text string) string {
	p.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.Fatal(err)
	}
	mode := os.FileMode(0o644)
	if len(text) > 2 && text[:2] == "#!" {
		mode = 0o755
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		p.Fatal(err)
	}
	return path
}

func (p *place) loader(change ...func(*discovery.Options)) *discovery.Loader {
	o := discovery.Options{Dirs: p.dirs, Gate: trust.Anything{}}
	for _, c := range change {
		c(&o)
	}
	l := discovery.New(o)
	p.Cleanup(func() {
		if err := l.Close(); err != nil {
			p.Error(err)
		}
	})
	return l
}

// register finds hooks and returns an engine over them.
func (p *place) register(l *discovery.Loader, opts ...hook.EngineOption) (*hook.Engine, *discovery.Set) {
	p.Helper()
	reg := hook.NewRegistry()
	set, err := l.Register(p.Context(), reg)
	if err != nil {
		p.Fatal(err)
	}
	e := hook.New(reg, opts...)
	p.Cleanup(func() {
		if err := e.Close(); err != nil {
			p.Error(err)
		}
	})
	return e, set
}

func (p *place) fire(e *hook.Engine, in hook.Input) hook.Outcome {
	p.Helper()
	in.Base().CWD = p.dirs.Project
	out, err := e.Fire(p.Context(), in)
	if err != nil {
		p.Fatal(err)
	}
	return out
}

func bash(command string) *hook.PreToolUse {
	return &hook.PreToolUse{Common: hook.Common{SessionID: "s"}, ToolName: "Bash", ToolInput: hook.MustJSON(map[string]string{"command": command})}
}

func statuses(set *discovery.Set) map[string]discovery.Status {
	out := map[string]discovery.Status{}
	for _, h := range set.Hooks {
		out[h.Path] = h.Status
	}
	return out
}
