package kodelet

import (
	"embed"
	"path/filepath"
	"strings"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/plugin"
)

// rank places the dialect's hooks among those of others.
const rank = 200

// Dialect is the dialect of executable hooks.
type Dialect struct{}

var (
	_ dialect.Dialect = Dialect{}
	_ dialect.Switch  = Dialect{}
)

// Name returns "kodelet".
func (Dialect) Name() string { return Name }

// Summary says where the hooks live.
func (Dialect) Summary() string { return "executables in .hookline/hooks" }

// Groups returns one group, in which the first block ends the event.
func (Dialect) Groups() []dialect.Group {
	return []dialect.Group{{Name: Name, Flow: hook.DenyFast, Rank: rank}}
}

// EventName returns the hook type that covers an event.
func (Dialect) EventName(ev hook.Event) string { return TypeOf(ev) }

// EventsOf returns the events of a hook type.
func (Dialect) EventsOf(name string) []hook.Event { return Events(name) }

// EventNames returns the hook types.
func (Dialect) EventNames() []string { return Types() }

// Tools returns kodelet's tool vocabulary.
func (Dialect) Tools() vocab.Vocabulary { return tools }

// Codec returns the codec.
func (Dialect) Codec() dialect.Codec { return Codec{} }

// Recognise looks for a payload's event.
func (Dialect) Recognise(payload hook.JSON) dialect.Recognition {
	switch {
	case Events(payload.String("event")) != nil:
		return dialect.Own
	case payload.Has("event"):
		return dialect.Similar
	}
	return dialect.Foreign
}

// layout is kodelet's directory, which holds plugins too.
func layout() plugin.Layout {
	return plugin.Layout{Name: Name, Dir: ".kodelet", Kinds: []string{"hooks", "recipes", "skills", "tools", "workers", "extensions"}, Plugins: true}
}

// Places returns kodelet's directory and its configuration.
func (Dialect) Places() dialect.Places {
	return dialect.Places{Layouts: []plugin.Layout{layout()}, Protected: []string{"kodelet-config.yaml", ".config/kodelet"}}
}

// Check finds programs that are older than their source.
func (Dialect) Check(own []dialect.Found, _ dialect.CheckEnv) []diag.Diagnostic {
	return dialect.StalePrograms(own)
}

// SetEnabled renames an executable to or from NAME.disable. One that its name does not
// switch off is left to whoever does.
func (Dialect) SetEnabled(f *dialect.Found, on bool) (bool, error) {
	return dialect.RenameProgram(f.Path, on)
}

//go:embed templates
var templates embed.FS

// New writes an executable, in Go with its source beside the hooks directory.
func (Dialect) New(p dialect.NewHook) (dialect.Draft, error) {
	typ := TypeOf(p.Event)
	if typ == "" {
		return dialect.Draft{}, dialect.NoSuchHook("the kodelet dialect has no %v; it has %s", p.Event, strings.Join(Types(), ", "))
	}
	if p.Matcher != "" {
		return dialect.Draft{}, dialect.NoSuchHook("executables have no matcher; they look at the event's tool_name")
	}
	if p.Field == "prompt" {
		p.Field = "message"
	}
	path := filepath.Join(p.Base, ".hookline", "hooks", p.Name)
	file := map[string]string{"bash": "hook.bash", "python": "hook.python", "js": "hook.js", "go": "hook.go.txt"}[p.Lang]
	if file == "" {
		return dialect.Draft{}, dialect.NoSuchHook("there is no kodelet hook in %s; it is the pi dialect that has modules in ts", p.Lang)
	}
	text, err := dialect.RenderFile(templates, "templates/"+file, struct {
		dialect.NewHook
		Type string
	}{p, typ})
	if err != nil {
		return dialect.Draft{}, err
	}
	d := dialect.Draft{Files: []dialect.DraftFile{{Path: path, Data: text, Mode: 0o755}}, Guards: p.Refuses != ""}
	if p.Lang == "go" {
		source := filepath.Join(filepath.Dir(path), "src", p.Name+".go")
		d.Files[0] = dialect.DraftFile{Path: source, Data: text, Mode: 0o644}
		d.Program = path
	}
	return d, nil
}
