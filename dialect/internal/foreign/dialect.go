package foreign

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/internal/patch"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
)

// Spec is a dialect of a foreign host, as data.
type Spec struct {
	// Title is the host's own name, and Summary says where its hooks live.
	Title, Summary string
	Rank           int
	// Tables are how it spells payloads and answers: one, or one for each form that it
	// has. The first one's name is the dialect's.
	Tables []*Table
	// Files are nil for a host that has no files of hooks.
	Files  *Files
	Places dialect.Places
	// Vocabulary is what Tools say for those who ask for names only.
	Vocabulary vocab.Vocabulary
	// Patch is the member of the input of apply_patch that is the patch, "" for a host without
	// that tool.
	Patch string
	// Hosts are the agents that speak it.
	Hosts []Host
}

// Host is an agent with the forms that it has of the dialect. The events of its row are
// those of the tables.
type Host struct {
	Row    *dialect.Host
	Tables []*Table
	// Without are events of the tables that it does not fire, and Lost the parts of an answer
	// that it does not act on though the tables can say them.
	Without []string
	Lost    hook.Fields
}

// Dialect is a dialect that is data.
type Dialect struct {
	name, title string
	spec        *Spec
	tables      []*Table
	files       *Files
}

var (
	_ dialect.Dialect = (*Dialect)(nil)
	_ dialect.Files   = (*Dialect)(nil)
	_ dialect.Hosted  = (*Dialect)(nil)

	_ dialect.Optional = (*Dialect)(nil)
)

// New returns the dialect that a Spec describes.
func New(s *Spec) *Dialect {
	files := s.Files
	if files == nil {
		files = &Files{List: func(dialect.Dirs) []Place { return nil }}
	}
	return &Dialect{s.Tables[0].Name, s.Title, s, s.Tables, files}
}

// Name is the name of its tables.
func (d *Dialect) Name() string { return d.name }

// Summary says where the hooks live.
func (d *Dialect) Summary() string { return d.spec.Summary }

// Groups returns one group, whose hooks run at the same time.
func (d *Dialect) Groups() []dialect.Group {
	return []dialect.Group{{Name: d.name, Flow: hook.Parallel, Rank: d.spec.Rank}}
}

// EventName returns the host's name of an event.
func (d *Dialect) EventName(ev hook.Event) string {
	for _, t := range d.tables {
		for _, e := range t.rows() {
			if e.Event == ev {
				return e.Name
			}
		}
	}
	return ""
}

// EventsOf returns the events that a name stands for.
func (d *Dialect) EventsOf(name string) (out []hook.Event) {
	for _, t := range d.tables {
		for _, e := range t.rows() {
			if e.Name == name && !slices.Contains(out, e.Event) {
				out = append(out, e.Event)
			}
		}
	}
	return out
}

// EventNames returns the host's names.
func (d *Dialect) EventNames() (out []string) {
	for _, t := range d.tables {
		for _, e := range t.rows() {
			if !slices.Contains(out, e.Name) {
				out = append(out, e.Name)
			}
		}
	}
	return out
}

// Tools returns the host's names of tools.
func (d *Dialect) Tools() vocab.Vocabulary { return d.spec.Vocabulary }

// patching is a codec whose calls of apply_patch stand for several.
type patching struct {
	*codec
	patch.Splitter
}

var (
	_ dialect.EventCodec = patching{}
	_ dialect.Splitter   = patching{}
)

// Codec returns the codec.
func (d *Dialect) Codec() dialect.Codec {
	c := &codec{Tables: d.tables}
	if d.spec.Patch != "" {
		return patching{c, patch.Splitter{Key: d.spec.Patch}}
	}
	return c
}

// Hosts returns the rows of the agents, with the events of their tables.
func (d *Dialect) Hosts() []*dialect.Host {
	var out []*dialect.Host
	for _, h := range d.spec.Hosts {
		row := *h.Row
		for _, t := range h.Tables {
			for _, e := range t.rows() {
				if slices.Contains(h.Without, e.Name) {
					continue
				}
				made := dialect.HostEvent{Name: e.Name, Event: e.Event, Honours: e.honours() &^ h.Lost, OnRequest: e.OnRequest, Matcher: e.Matcher, OnFailure: e.OnFailure}
				switch known := row.Event(e.Name); {
				case known == nil:
					row.Events = append(row.Events, made)
				case known.For(e.Event).Event == e.Event:
				case e.When == nil: // what holds unless something special does
					special := *known
					special.Also = nil
					made.Also = append(known.Also, special)
					*known = made
				default:
					known.Also = append(known.Also, made)
				}
			}
		}
		out = append(out, &row)
	}
	return out
}

// Recognise looks for what marks the host's payloads, and for nothing that other hosts
// have in the same way.
func (d *Dialect) Recognise(payload hook.JSON) dialect.Recognition {
	for _, t := range d.tables {
		if t.Own == nil || !t.Own(payload) {
			continue
		}
		if t.byName(payload.String(t.EventKey), payload) != nil || t.EventKey == "" && t.byMarks(payload) != nil {
			return dialect.Certain
		}
		return dialect.Similar
	}
	return dialect.Foreign
}

// Places are the names that are the host's own.
func (d *Dialect) Places() dialect.Places { return d.spec.Places }

// Finder reads the host's own files, where the person asked for them.
func (d *Dialect) Finder(k *dialect.Kit) dialect.Finder {
	return &finder{Kit: k, d: d, good: map[string]*Content{}}
}

// OnRequest reports whether there are such files.
func (d *Dialect) OnRequest() bool { return d.spec.Files != nil }

// Check finds scripts that commands name and that are not there.
func (d *Dialect) Check(found []dialect.Found, _ dialect.CheckEnv) (out []diag.Diagnostic) {
	for i := range found {
		h := &found[i]
		if h.Status == dialect.Disabled || h.Status == dialect.Broken {
			continue
		}
		for _, file := range h.Artifact.Files {
			if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) && strings.Contains(h.Command, filepath.Base(file)) {
				out = append(out, dialect.Note(diag.Warning, h.Path, "hook %s: the script %s is not there", h.FullName(), file))
			}
		}
	}
	return out
}

// CheckFile checks a file of hooks that lies where the host looks for one.
func (d *Dialect) CheckFile(path string) (list []diag.Diagnostic, ok bool, err error) {
	slashed := filepath.ToSlash(path)
	if !slices.ContainsFunc(d.files.List(dialect.Dirs{Project: "/p", Home: "/h"}), func(p Place) bool {
		if p.Path == "" {
			return false
		}
		_, below, _ := strings.Cut(filepath.ToSlash(strings.TrimPrefix(p.Path, filepath.VolumeName(p.Path)))[1:], "/")
		if p.Dir {
			return strings.HasSuffix(slashed, ".json") && strings.HasSuffix(filepath.ToSlash(filepath.Dir(path)), "/"+below)
		}
		return strings.HasSuffix(slashed, "/"+below)
	}) {
		return nil, false, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, true, err
	}
	_, list = d.files.Parse(d.tables, path, data)
	return list, true, nil
}

// New refuses: a host's own files are written by hand, or by the host, and a new hook in a
// dialect of ours runs behind the host too.
func (d *Dialect) New(dialect.NewHook) (dialect.Draft, error) {
	return dialect.Draft{}, dialect.NoSuchHook("no new hooks are written for %s: write one in another dialect, which runs behind other agents too", d.title)
}

// Fields pairs names of members that differ, or do not, in the order canonical, host's.
func Fields(names ...string) []vocab.Field {
	var out []vocab.Field
	for _, n := range names {
		canonical, host, differs := strings.Cut(n, ">")
		if !differs {
			host = n
		}
		out = append(out, vocab.Field{Canonical: canonical, Dialect: host})
	}
	return slices.Clip(out) // so that lists that begin with it are not one
}

// Text makes text of a tool's result, for hosts that have nothing else: what a command
// printed, the content of a file, otherwise the result as it is.
func Text(_ string, response hook.JSON) hook.JSON {
	if _, ok := response.AsString(); ok {
		return response
	}
	if response.Has("stdout") || response.Has("stderr") {
		out, errs := response.String("stdout"), response.String("stderr")
		if out != "" && errs != "" && !strings.HasSuffix(out, "\n") {
			out += "\n"
		}
		return hook.MustJSON(out + errs)
	}
	if file, ok := response.Get("file"); ok && file.Has("content") {
		return hook.MustJSON(file.String("content"))
	}
	return hook.MustJSON(fmt.Sprint(response.Raw()))
}

// Printed makes of text the result of the tool that runs commands; results of other tools
// stay text.
func Printed(tool string, text hook.JSON) hook.JSON {
	s, ok := text.AsString()
	if !ok || tool != "Bash" {
		return text
	}
	out := hook.RawJSON(`{"stdout":"","stderr":"","interrupted":false,"isImage":false}`)
	out.SetString("stdout", s)
	return out
}

// Unpacked reads JSON that is packed into a string, in which no number changes; what is
// none stays text. Packed is the way back.
func Unpacked(v hook.JSON) hook.JSON {
	if s, ok := v.AsString(); ok && hook.RawJSON(s).Valid() {
		return hook.RawJSON(s)
	}
	return v
}

// Packed packs JSON into a string.
func Packed(v hook.JSON) hook.JSON {
	if _, ok := v.AsString(); ok {
		return v
	}
	return hook.MustJSON(v.Raw())
}

// First is the first of a list, and Only a list of one; of nothing, both are nothing.
func First(list hook.JSON) hook.JSON {
	var all []hook.JSON
	if list.Decode(&all) != nil || len(all) == 0 {
		return hook.JSON{}
	}
	return all[0]
}

// Only is the way back from First.
func Only(v hook.JSON) hook.JSON {
	if s, _ := v.AsString(); s == "" {
		return hook.JSON{}
	}
	return hook.MustJSON([]hook.JSON{v})
}
