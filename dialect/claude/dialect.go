package claude

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/plugin"
)

// Name is the dialect's name.
const Name = "claude"

// Rank places the dialect's hooks among those of others.
const Rank = 100

// Dialect is the dialect of settings files. Its names of events and tools are the
// canonical ones.
type Dialect struct{}

var (
	_ dialect.Dialect = Dialect{}
	_ dialect.Files   = Dialect{}
	_ dialect.Schemas = Dialect{}
	_ dialect.Framer  = Dialect{}
)

// Name returns "claude".
func (Dialect) Name() string { return Name }

// Summary says where the hooks live.
func (Dialect) Summary() string { return "entries in .claude/settings.json" }

// Groups returns one group, whose hooks run at the same time.
func (Dialect) Groups() []dialect.Group {
	return []dialect.Group{{Name: Name, Flow: hook.Parallel, Rank: Rank}}
}

// EventName returns the canonical name of an event that the format has.
func (Dialect) EventName(ev hook.Event) string {
	if native(ev) {
		return ev.String()
	}
	return ""
}

// EventsOf returns the event of a name that the format has.
func (Dialect) EventsOf(name string) []hook.Event {
	if ev, ok := hook.ParseEvent(name); ok && native(ev) {
		return []hook.Event{ev}
	}
	return nil
}

// EventNames returns the names that the format has.
func (Dialect) EventNames() []string {
	var out []string
	for _, ev := range Events() {
		out = append(out, ev.String())
	}
	return out
}

// Tools returns nil: the vocabulary is the canonical one.
func (Dialect) Tools() vocab.Vocabulary { return nil }

// Codec returns the codec of command hooks with its default options.
func (Dialect) Codec() dialect.Codec { return NewCodec(CodecOptions{}) }

// Recognise looks for hook_event_name.
func (Dialect) Recognise(payload hook.JSON) dialect.Recognition {
	switch {
	case !payload.Has("hook_event_name"):
		return dialect.Foreign
	case (Dialect{}).EventsOf(payload.String("hook_event_name")) == nil:
		return dialect.Similar
	}
	return dialect.Own
}

// Places returns Claude Code's directory and its configuration.
func (Dialect) Places() dialect.Places {
	return dialect.Places{
		Layouts:   []plugin.Layout{{Name: Name, Dir: ".claude", Kinds: []string{"skills", "commands"}}},
		Protected: []string{".claude.json"},
		Work:      []string{".claude/worktrees"},
	}
}

// Schemas returns the schemas of settings files and of plugins.
func (Dialect) Schemas() []dialect.Schema {
	return []dialect.Schema{
		{Name: "settings", About: "settings files of the claude dialect", Make: func() ([]byte, error) { return fileSchema(), nil }},
		{Name: "plugin", About: "the manifest of a plugin", Make: pluginSchema},
	}
}

// CheckFile checks a settings file, which ends in .json, or the header of a skill or an
// agent, in .md.
func (Dialect) CheckFile(path string) (list []diag.Diagnostic, ok bool, err error) {
	var s *Settings
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json":
		s, list, err = ReadSettings(path, Options{Scope: ScopeProject})
	case ".md":
		var data []byte
		if data, err = os.ReadFile(path); err == nil {
			s, list = parseFrontmatter(path, data, Options{Scope: ScopeSkill})
		}
	default:
		return nil, false, nil
	}
	if err != nil {
		return nil, true, err
	}
	return append(list, lints(s)...), true, nil
}

// lints reports matchers that are valid and probably not what was meant.
func lints(s *Settings) []diag.Diagnostic {
	var out []diag.Diagnostic
	for i := range s.Entries {
		e := &s.Entries[i]
		if e.Broken != "" {
			continue
		}
		for _, l := range lintMatcher(e.Event, e.Matcher) {
			d := place(s.Path, e.Line, e.Column, e.Pointer)
			d.Severity, d.Message, d.Remedy = diag.Warning, l.Message, l.Remedy
			out = append(out, d)
		}
	}
	return out
}

//go:embed templates
var templates embed.FS

// New writes a script and an entry in a settings file that runs it.
func (Dialect) New(p dialect.NewHook) (dialect.Draft, error) {
	if !native(p.Event) {
		return dialect.Draft{}, dialect.NoSuchHook("the claude dialect has no %v", p.Event)
	}
	ext := map[string]string{"bash": ".sh", "python": ".py", "js": ".js"}[p.Lang]
	if ext == "" {
		return dialect.Draft{}, dialect.NoSuchHook("there is no claude hook in %s: it is the kodelet dialect that has executables in go, and the pi dialect that has modules in ts", p.Lang)
	}
	if _, err := ParseMatcher(p.Event, p.Matcher); err != nil {
		return dialect.Draft{}, dialect.NoSuchHook("matcher %q: %v", p.Matcher, err)
	}
	text, err := dialect.RenderFile(templates, "templates/hook."+p.Lang, p)
	if err != nil {
		return dialect.Draft{}, err
	}
	script := filepath.Join(p.Base, ".claude", "hooks", p.Name+ext)
	settings := filepath.Join(p.Base, ".claude", "settings.json")
	data, err := os.ReadFile(settings)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return dialect.Draft{}, fmt.Errorf("add the hook to %s: %w", settings, err)
	}
	base := `"$CLAUDE_PROJECT_DIR"`
	if p.Global {
		base = `"$HOME"`
	}
	entry, err := addHook(data, p.Event, p.Matcher, p.Name, base+"/.claude/hooks/"+p.Name+ext)
	if err != nil {
		return dialect.Draft{}, fmt.Errorf("add the hook to %s: %w", settings, err)
	}
	return dialect.Draft{Guards: p.Refuses != "", Files: []dialect.DraftFile{
		{Path: script, Data: text, Mode: 0o755}, {Path: settings, Data: entry, Mode: 0o644, Replace: true},
	}}, nil
}
