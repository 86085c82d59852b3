package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/dialect/all"
)

// stage is a project, a home directory and the streams of a command that is run by its
// options.
type stage struct {
	*app
	t        *testing.T
	out, err *bytes.Buffer
	home     string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{t: t, out: &bytes.Buffer{}, err: &bytes.Buffer{}, home: t.TempDir()}
	env := map[string]string{"HOME": s.home, "USERPROFILE": s.home, "HOOKLINE_MANAGED_DIR": filepath.Join(s.home, "managed"), "PATH": os.Getenv("PATH")}
	s.app = &app{
		streams:  &streams{in: strings.NewReader(""), out: s.out, err: s.err, getenv: func(k string) string { return env[k] }},
		dialects: all.Dialects(), dir: t.TempDir(),
	}
	return s
}

// write writes a file of the project and returns its path.
func (s *stage) write(name, text string) string {
	s.t.Helper()
	path := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// guard makes a hook of the project that refuses Bash.
func (s *stage) guard() {
	s.t.Helper()
	if runtime.GOOS == "windows" {
		s.t.Skip("the hook is a shell line")
	}
	s.write(".claude/settings.json", `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"name":"guard","type":"command","command":"echo no >&2; exit 2"}]}]}}`)
}

// has checks what stands in one of the streams.
func (s *stage) has(b *bytes.Buffer, want string) {
	s.t.Helper()
	if !strings.Contains(b.String(), want) {
		s.t.Errorf("no %q in\n%s", want, b)
	}
}

// bashEvent is PreToolUse for a harmless command.
var bashEvent = eventFlags{args: []string{"PreToolUse"}, tool: "Bash", input: `{"command":"ls"}`}
