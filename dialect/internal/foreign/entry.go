package foreign

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/internal/jsonx"
	"github.com/hookline-dev/hookline/internal/nearest"
)

// commandOf finds the command of an entry, and says whether it is one for Windows.
func (f *Files) commandOf(n *jsonx.Node) (c *jsonx.Node, windows bool) {
	if own := f.OS[runtime.GOOS]; own != "" && n.Get(own) != nil {
		return n.Get(own), runtime.GOOS == "windows"
	}
	for _, key := range f.Commands {
		if c := n.Get(key); c != nil {
			return c, false
		}
	}
	return nil, false
}

// entryKeys are the members that entries have in every host.
var entryKeys = []string{"type", "matcher", "name", "description", "env", "cwd", "args", "failClosed", "hooks"}

// entry reads one hook.
func (p *parser) entry(n *jsonx.Node, e Entry) {
	e.Line = n.Line
	if n.Kind != jsonx.Object {
		p.reject(n, e, "write an object", "a hook must be an object, not %v: it was not loaded", n.Kind)
		return
	}
	if len(n.Duplicates) > 0 {
		p.reject(n.Duplicates[0].Value, e, "remove one of them", "duplicate key %q: it was not loaded", n.Duplicates[0].Key)
		return
	}
	if name := n.Get("name"); name != nil && name.Kind == jsonx.String {
		e.Name = name.Text
	}
	if c := n.Get("failClosed"); c != nil {
		e.Closed = c.Bool()
	}
	if typ := n.Get("type"); typ != nil && (typ.Kind != jsonx.String || typ.Text != "command") {
		if typ.Kind == jsonx.String && slices.Contains(p.f.Skips, typ.Text) {
			p.diags = append(p.diags, p.at(typ, diag.Warning, "", "hooks of type %s do not run: it was not loaded", typ.Text))
			return
		}
		p.reject(typ, e, "use a command", "hooks of type %s do not run here: it was not loaded", typ.JSON())
		return
	}
	c, windows := p.f.commandOf(n)
	if c == nil || c.Kind != jsonx.String || strings.TrimSpace(c.Text) == "" {
		p.reject(n, e, `add "command": "..."`, "the hook has no command: it was not loaded")
		return
	}
	e.Command, e.PowerShell = c.Text, windows
	if bad, what := p.details(n, &e); bad != nil {
		p.reject(bad, e, "", "%s: the hook was not loaded", what)
		return
	}
	p.misspelt(n)
	if slices.Contains(p.off, cmp.Or(e.Name, e.Command)) {
		return
	}
	p.out.Entries = append(p.out.Entries, e)
}

// details reads what else an entry may say; bad is the first member that is wrong.
func (p *parser) details(n *jsonx.Node, e *Entry) (bad *jsonx.Node, what string) {
	for _, key := range p.f.Timeouts {
		t := n.Get(key)
		if t == nil || t.Kind == jsonx.Null {
			continue
		}
		s, ok := t.Float()
		if !ok || s <= 0 {
			return t, key + " must be a number above 0"
		}
		if e.Timeout = Duration(s, p.f.Unit); p.f.Time != nil {
			e.Timeout = p.f.Time(s)
		}
		break
	}
	if a := n.Get("args"); a != nil {
		list, wrong := a.Strings()
		if wrong != nil {
			return wrong, "args must be an array of strings"
		}
		e.Args = append([]string{}, list...)
	}
	if d := n.Get("cwd"); d != nil {
		if d.Kind != jsonx.String {
			return d, "cwd must be a string"
		}
		e.Dir = d.Text
	}
	if env := n.Get("env"); env != nil {
		if env.Kind != jsonx.Object {
			return env, "env must be an object"
		}
		e.Env = map[string]string{}
		for _, m := range env.Members {
			if m.Value.Kind != jsonx.String {
				return m.Value, "a variable of env must be a string"
			}
			e.Env[m.Key] = m.Value.Text
		}
	}
	return nil, ""
}

// Duration converts a number of units, at most the longest time.Duration.
func Duration(n float64, unit time.Duration) time.Duration {
	const longest = 1<<63 - 1
	if n >= longest/float64(unit) {
		return longest
	}
	return time.Duration(n * float64(unit))
}

// misspelt reports a member that is nearly one that matters.
func (p *parser) misspelt(n *jsonx.Node) {
	known := slices.Concat(entryKeys, p.f.Timeouts, p.f.Commands, p.f.Known)
	for _, m := range n.Members {
		if near := nearest.Spelling(m.Key, known); near != "" && !slices.Contains(known, m.Key) {
			p.diags = append(p.diags, p.at(m.Value, diag.Warning, fmt.Sprintf("did you mean %s?", near), "unknown key %q of a hook was ignored", m.Key))
		}
	}
}
