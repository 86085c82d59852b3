package pi

import (
	"embed"
	"path/filepath"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/plugin"
)

// Dialect is the dialect of script modules.
type Dialect struct{}

var _ dialect.Dialect = Dialect{}

// Name returns "pi".
func (Dialect) Name() string { return name }

// Summary says where modules live.
func (Dialect) Summary() string { return "modules in .hookline/modules" }

// Groups returns the group of gates, of which the first block ends the event, and that
// of all other handlers.
func (Dialect) Groups() []dialect.Group { return groups[:] }

// EventName returns the dialect's name of an event.
func (Dialect) EventName(ev hook.Event) string { return nameOf(ev) }

// EventsOf returns the events that a handler of a name is for.
func (Dialect) EventsOf(name string) []hook.Event { return eventsOf(name) }

// EventNames returns all names of events.
func (Dialect) EventNames() []string { return Names() }

// Tools returns the dialect's tool vocabulary.
func (Dialect) Tools() vocab.Vocabulary { return tools }

// Codec returns a codec that takes the dialect's first name of each event.
func (Dialect) Codec() dialect.Codec { return foreignCodec{} }

// Recognise looks for an event's type.
func (Dialect) Recognise(payload hook.JSON) dialect.Recognition {
	switch {
	case eventsOf(payload.String("type")) != nil:
		return dialect.Own
	case payload.Has("type"):
		return dialect.Similar
	}
	return dialect.Foreign
}

// Places returns the directories of the hosts that modules are written for.
func (Dialect) Places() dialect.Places {
	return dialect.Places{Layouts: []plugin.Layout{{Name: "omp", Dir: ".omp", Kinds: []string{}}, {Name: name, Dir: ".pi", Kinds: []string{}}}}
}

// Check finds nothing: what a module uses and this host lacks is known to the module.
func (Dialect) Check([]dialect.Found, dialect.CheckEnv) []diag.Diagnostic { return nil }

//go:embed templates
var templates embed.FS

// New writes a module and, beside it, the declarations that let an editor complete
// events and results.
func (Dialect) New(p dialect.NewHook) (dialect.Draft, error) {
	name := nameOf(p.Event)
	if name == "" {
		return dialect.Draft{}, dialect.NoSuchHook("the pi dialect has no %v; use --lang bash, python or js with another dialect", p.Event)
	}
	if p.Lang != "ts" && p.Lang != "js" {
		return dialect.Draft{}, dialect.NoSuchHook("%v is for modules here, which are written in ts or js, not in %s: use --lang ts", p.Event, p.Lang)
	}
	if p.Matcher != "" {
		return dialect.Draft{}, dialect.NoSuchHook("modules have no matcher; they look at event.toolName")
	}
	if p.Event != hook.EventPreToolUse {
		p.Refuses = ""
	}
	if p.Field == "file_path" {
		p.Field = "path"
	}
	text, err := dialect.RenderFile(templates, "templates/hook."+p.Lang, struct {
		dialect.NewHook
		PiName string
	}{p, name})
	if err != nil {
		return dialect.Draft{}, err
	}
	dir := filepath.Join(p.Base, ".hookline", "modules")
	return dialect.Draft{Guards: p.Refuses != "", Files: []dialect.DraftFile{
		{Path: filepath.Join(dir, p.Name+"."+p.Lang), Data: text, Mode: 0o644},
		{Path: filepath.Join(dir, "hookline.d.ts"), Data: []byte(declarations()), Mode: 0o644, Replace: true},
	}}, nil
}
