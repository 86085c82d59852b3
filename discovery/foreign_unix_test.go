//go:build unix

package discovery_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/config"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/all"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
)

// guardIn is a file of a host with one guard of commands, in the file's own shape.
func guardIn(h *dialect.Host, f dialect.HostFile) string {
	for _, ev := range h.Events {
		if ev.Event != hook.EventPreToolUse {
			continue
		}
		switch entry := `{"type": "command", "command": "exit 2"}`; {
		case f.Format == dialect.FormatTOML:
			return fmt.Sprintf("[[hooks.%s]]\n[[hooks.%[1]s.hooks]]\ntype = \"command\"\ncommand = \"exit 2\"\n", ev.Name)
		case f.Shape == dialect.ShapeFlat:
			return fmt.Sprintf(`{"version": 1, "hooks": {%q: [%s]}}`, ev.Name, entry)
		case f.Shape == dialect.ShapeList:
			return fmt.Sprintf(`{"hooks": {%q: [%s]}}`, ev.Name, entry)
		default:
			return fmt.Sprintf(`{"hooks": {%q: [{"hooks": [%s]}]}}`, ev.Name, entry)
		}
	}
	return ""
}

// TestBrokenFilesOfOtherAgents breaks each file in which another agent's hooks are, after
// the person asked for them: what it held is a guard that has failed, of the person at once,
// and of the project when it was approved. It is never an absence.
func TestBrokenFilesOfOtherAgents(t *testing.T) {
	seen := 0
	for _, d := range all.Dialects() {
		hosted, ok := d.(dialect.Hosted)
		if optional, is := d.(dialect.Optional); !ok || !is || !optional.OnRequest() {
			continue // its files are not read on request, or are another's
		}
		for _, h := range hosted.Hosts() {
			for _, f := range h.Files {
				if f.Format == dialect.FormatModule || f.Base == dialect.SystemBase || f.Shape == dialect.ShapeOther {
					continue
				}
				seen++
				ways := map[string]string{"cut off": "CUT", "no text": "\x00\xff", "a directory": "DIR", "empty": "", "another kind": `["hooks"]`, "hooks of another kind": `{"version": 1, "hooks": 7}`}
				if f.Format == dialect.FormatTOML { // where the empty text is a file like any other
					delete(ways, "empty")
					delete(ways, "another kind")
					ways["hooks of another kind"] = "hooks = 7\n"
				}
				for way, text := range ways {
					t.Run(fmt.Sprint(h.Name, " ", f.Level, " ", filepath.Join(f.Dir, f.Name), ", ", way), func(t *testing.T) { brokenFile(t, d.Name(), h, f, text) })
				}
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d files were broken", seen)
	}
}

func brokenFile(t *testing.T, name string, h *dialect.Host, f dialect.HostFile, text string) {
	if f.Name == "" {
		f.Name = "x.json"
	}
	p := newPlace(t)
	path, good := f.Path(p.dirs, func(string) string { return "" }), guardIn(h, f)
	dir, base := filepath.Split(path)
	change := func(o *discovery.Options) {
		o.Gate = nil
		o.Config = &config.Config{Dialects: []string{name}, OnFailure: map[string]string{"*": "closed"}}
	}
	p.write(dir, base, good)
	load := func() (*hook.Engine, *discovery.Set) { return p.register(p.loader(change)) }
	approve(p, change)
	e, set := load()
	if out, ran := p.call(e); ran || len(set.Hooks) != 1 || strings.Contains(out.Reason, "could not answer") {
		t.Fatalf("as it was: ran %v, %q, %+v", ran, out.Reason, set)
	}
	switch text {
	case "CUT":
		p.write(dir, base, good[:len(good)-6])
	case "DIR":
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		p.write(path, "in", "")
	default:
		p.write(dir, base, text)
	}
	e, set = load()
	if out, ran := p.call(e); ran || !strings.Contains(out.Reason, "could not answer") {
		t.Errorf("it counts as absent: ran %v, %q, %+v", ran, out.Reason, set)
	}
}

// approve approves what was found with some options.
func approve(p *place, change func(*discovery.Options)) {
	p.Helper()
	set, err := p.loader(change).Load(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	p.approveAll(set)
}
