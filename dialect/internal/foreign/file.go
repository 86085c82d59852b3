package foreign

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/jsonx"
	"github.com/hookline-dev/hookline/internal/nearest"
	"github.com/hookline-dev/hookline/ui/clean"
)

// Files says how a host writes hooks in files.
type Files struct {
	// JSON makes JSON of the text of a file that is none; nil is for hosts that have no such
	// file, and so is what it returns nil for. Lines mean nothing then.
	JSON func(path string, data []byte) ([]byte, error)
	// List are the places of its files, in the order in which their hooks are declared.
	List func(d dialect.Dirs) []Place
	// Nested says that the entries of an event stand in groups with a matcher, and Version
	// that a file without "version": 1 holds nothing. Named says that the events stand in
	// objects with names of the person's, each of which may be switched off, and that an entry
	// of an event that has no matchers stands in no group.
	Nested, Version, Named bool
	// Timeouts are the members that say how long a hook may take, Unit is what they count
	// in, and Default holds for hooks that do not say. Time, when not nil, reads a number.
	Timeouts []string
	Unit     time.Duration
	Default  time.Duration
	Time     func(n float64) time.Duration
	// Commands are the members that hold the command, the first one counts that is there;
	// OS are those that come before them on one system, by runtime.GOOS.
	Commands []string
	OS       map[string]string
	// Known are further members of an entry and of a file, which mean nothing here.
	Known []string
	// Others are events of the host that are never fired here.
	Others []string
	// Skips are types of hooks that the host itself does not run.
	Skips []string
	// Pattern reads a matcher.
	Pattern func(e *Event, text string) (hook.Matcher, error)
	// WorkDir is the directory in which hooks of a file run, "" for the session's.
	WorkDir func(d dialect.Dirs, p Place) string
	// Env are the variables of its hooks.
	Env func(d dialect.Dirs, in hook.Input) []string
	// Off says of a file whether none of its hooks are to run; nil is never. Disabled are
	// the names of single ones, or commands of those that have no name.
	Off      func(root *jsonx.Node) bool
	Disabled func(root *jsonx.Node) []string
}

// Place is a file that may be there, or a directory of which every file that ends in
// .json counts.
type Place struct {
	Path, Level string
	Dir         bool
}

// Entry is one hook of a file.
type Entry struct {
	Row     *Event
	Event   hook.Event
	Name    string
	Matcher string
	matcher hook.Matcher
	Command string
	Args    []string
	// PowerShell says that the command is for that shell.
	PowerShell bool
	Env        map[string]string
	Dir        string
	Timeout    time.Duration
	Closed     bool
	// Line is where it stands, Broken why it could not be loaded.
	Line   int
	Broken string
}

// Label names the entry for people, in one short line.
func (e *Entry) Label() string {
	label := clean.ExactLine(strings.Join(strings.Fields(e.Name+" "), " "))
	if label == "" {
		label = clean.ExactLine(strings.Join(strings.Fields(strings.Join(append([]string{e.Command}, e.Args...), " ")), " "))
	}
	if r := []rune(label); len(r) > 60 {
		label = string(r[:57]) + "..."
	}
	if label == "" {
		label = e.Row.Name
	}
	return label
}

// Content is what one file says about hooks.
type Content struct {
	Path    string
	Entries []Entry
	// Unread says that nothing of the file could be read.
	Unread bool
}

// parser reads one file.
type parser struct {
	f      *Files
	tables []*Table
	out    Content
	diags  []diag.Diagnostic
	off    []string // names of hooks that are not to run
}

// Parse reads the text of a file. Every good entry loads; each bad one is a diagnostic
// and, when it might have guarded something, a broken entry.
func (f *Files) Parse(tables []*Table, path string, data []byte) (*Content, []diag.Diagnostic) {
	p := &parser{f: f, tables: tables, out: Content{Path: path}}
	if f.JSON != nil {
		made, err := f.JSON(path, data)
		if err != nil {
			return f.lost(tables, diag.Diagnostic{Path: path, Message: fmt.Sprintf("none of its hooks were loaded: %v", err)})
		}
		if made != nil {
			data = made
			defer p.forgetLines()
		}
	}
	root, err := jsonx.Parse(data)
	if err != nil {
		d := diag.Diagnostic{Path: path, Message: "the file is not valid JSON, none of its hooks were loaded: " + err.Error()}
		if e, ok := err.(*jsonx.Error); ok {
			d.Line, d.Column, d.Remedy = e.Line, e.Column, e.Remedy
			d.Message = "the file is not valid JSON, none of its hooks were loaded: " + e.Message
		}
		p.lose(d)
		return &p.out, p.diags
	}
	p.root(root)
	diag.Sort(p.diags)
	return &p.out, p.diags
}

// forgetLines takes the places out of what was read: they are those of another text.
func (p *parser) forgetLines() {
	for i := range p.diags {
		p.diags[i].Line, p.diags[i].Column = 0, 0
	}
	for i := range p.out.Entries {
		p.out.Entries[i].Line = 0
	}
}

// lost is what a file comes to that could not be read.
func (f *Files) lost(tables []*Table, why diag.Diagnostic) (*Content, []diag.Diagnostic) {
	p := &parser{f: f, tables: tables, out: Content{Path: why.Path}}
	p.lose(why)
	return &p.out, p.diags
}

func (p *parser) at(n *jsonx.Node, s diag.Severity, remedy, format string, args ...any) diag.Diagnostic {
	return diag.Diagnostic{
		Path: p.out.Path, Line: n.Line, Column: n.Column, Pointer: n.Pointer(), Severity: s, Remedy: remedy, Message: fmt.Sprintf(format, args...),
	}
}

// lose reports that all of the file's hooks are lost: nobody knows what they would have
// guarded.
func (p *parser) lose(d diag.Diagnostic) {
	p.out.Unread = true
	p.diags = append(p.diags, d)
	var done []hook.Event
	for _, t := range p.tables {
		for _, e := range t.rows() {
			if !slices.Contains(done, e.Event) && dialect.Guards(&hook.Registration{Event: e.Event}) {
				done = append(done, e.Event)
				p.out.Entries = append(p.out.Entries, Entry{Row: e, Event: e.Event, Name: filepath.Base(p.out.Path), Line: d.Line, Broken: d.Message})
			}
		}
	}
}

// reject reports an entry that could not be loaded, and keeps it as broken.
func (p *parser) reject(n *jsonx.Node, e Entry, remedy, format string, args ...any) {
	d := p.at(n, diag.Error, remedy, format, args...)
	p.diags = append(p.diags, d)
	e.Line, e.Broken = n.Line, d.Message
	p.out.Entries = append(p.out.Entries, e)
}

func (p *parser) root(root *jsonx.Node) {
	if root.Kind != jsonx.Object {
		p.lose(p.at(root, diag.Error, `write {"hooks": {...}}`, "the file must hold an object, not %v: none of its hooks were loaded", root.Kind))
		return
	}
	hooks := root.Get("hooks")
	if len(root.Duplicates) > 0 {
		p.lose(p.at(root.Duplicates[0].Value, diag.Error, "remove one of them", "duplicate key %q: none of the file's hooks were loaded", root.Duplicates[0].Key))
		return
	}
	if p.f.Off != nil && p.f.Off(root) {
		return
	}
	if p.f.Disabled != nil {
		p.off = p.f.Disabled(root)
	}
	if v := root.Get("version"); p.f.Version && hooks != nil && (v == nil || v.Kind != jsonx.Number || v.Text != "1") {
		n, is := root, "it has none"
		if v != nil {
			n, is = v, "it is "+v.JSON()
		}
		p.lose(p.at(n, diag.Error, `write "version": 1`, "the file's version must be 1, %s: none of its hooks were loaded", is))
		return
	}
	switch {
	case p.f.Named:
		p.named(root)
	case hooks == nil:
	case hooks.Kind != jsonx.Object:
		p.lose(p.at(hooks, diag.Error, `write "hooks": {...}`, "hooks must be an object, not %v: none of them were loaded", hooks.Kind))
	case len(hooks.Duplicates) > 0:
		p.lose(p.at(hooks.Duplicates[0].Value, diag.Error, "remove one of them", "duplicate key %q: none of the file's hooks were loaded", hooks.Duplicates[0].Key))
	default:
		for _, m := range hooks.Members {
			p.event(m)
		}
	}
}

// named reads a file whose events stand in objects with names.
func (p *parser) named(root *jsonx.Node) {
	for _, group := range root.Members {
		if group.Value.Kind != jsonx.Object || len(group.Value.Duplicates) > 0 {
			p.lose(p.at(group.Value, diag.Error, `write {"NAME": {"PreToolUse": [...]}}`, "%q must be an object that names each event once: none of the file's hooks were loaded", group.Key))
			return
		}
		if on := group.Value.Get("enabled"); on != nil && on.Kind == jsonx.Bool && !on.Bool() {
			continue
		}
		for _, m := range group.Value.Members {
			if m.Key != "enabled" {
				p.event(m)
			}
		}
	}
}

// event reads the hooks of an event: of each that the name stands for.
func (p *parser) event(m jsonx.Member) {
	rows := rowsOf(p.tables, m.Key)
	if len(rows) == 0 {
		p.unknownEvent(m)
		return
	}
	first := len(p.out.Entries)
	e := Entry{Row: rows[0], Event: rows[0].Event}
	if m.Value.Kind != jsonx.Array {
		p.reject(m.Value, e, "put it into brackets: [{...}]", "%s must be an array, not %v: it was not loaded", m.Key, m.Value.Kind)
	}
	for _, n := range m.Value.Items {
		p.group(n, e)
	}
	read := p.out.Entries[first:]
	for _, row := range rows[1:] {
		for _, e := range read {
			e.Row, e.Event = row, row.Event
			p.out.Entries = append(p.out.Entries, e)
		}
	}
}

// rowsOf finds the rows of a name in several tables, one for each event.
func rowsOf(tables []*Table, name string) (rows []*Event) {
	for _, t := range tables {
		for _, e := range t.rows() {
			if e.Name == name && !slices.ContainsFunc(rows, func(r *Event) bool { return r.Event == e.Event }) {
				rows = append(rows, e)
			}
		}
	}
	return rows
}

func (p *parser) unknownEvent(m jsonx.Member) {
	if slices.Contains(p.f.Others, m.Key) {
		p.diags = append(p.diags, p.at(m.Value, diag.Warning, "", "%s is not fired here: its hooks were not loaded", m.Key))
		return
	}
	var names []string
	for _, t := range p.tables {
		for _, e := range t.rows() {
			names = append(names, e.Name)
		}
	}
	near := nearest.Spelling(m.Key, names)
	if rows := rowsOf(p.tables, near); len(rows) > 0 {
		p.reject(m.Value, Entry{Row: rows[0], Event: rows[0].Event}, fmt.Sprintf("did you mean %s?", near), "unknown event %q: its hooks were not loaded", m.Key)
		return
	}
	p.diags = append(p.diags, p.at(m.Value, diag.Error, "use one of "+strings.Join(names, ", "), "unknown event %q: its hooks were not loaded", m.Key))
}

// group reads an entry or, where they stand in groups, a group of them.
func (p *parser) group(n *jsonx.Node, e Entry) {
	if n.Kind != jsonx.Object {
		p.reject(n, e, "write an object", "a hook must be an object, not %v: it was not loaded", n.Kind)
		return
	}
	if len(n.Duplicates) > 0 {
		p.reject(n.Duplicates[0].Value, e, "remove one of them", "duplicate key %q: it was not loaded", n.Duplicates[0].Key)
		return
	}
	if !p.matcher(n, &e) {
		return
	}
	hooks := n.Get("hooks")
	switch {
	case hooks == nil && (!p.f.Nested || p.f.Named):
		p.entry(n, e)
	case hooks == nil || hooks.Kind != jsonx.Array:
		p.reject(n, e, `write {"hooks": [{"type": "command", "command": "..."}]}`, "the group has no array of hooks: it was not loaded")
	case !p.f.Nested:
		p.reject(n, e, "write the hooks without a group", "hooks stand in no groups here: it was not loaded")
	default:
		for _, h := range hooks.Items {
			p.entry(h, e)
		}
	}
}

// matcher reads the matcher of a group or an entry; false when it is lost.
func (p *parser) matcher(n *jsonx.Node, e *Entry) bool {
	m := n.Get("matcher")
	if m == nil || m.Kind == jsonx.Null {
		return true
	}
	if m.Kind != jsonx.String {
		p.reject(m, *e, `write a string`, "matcher must be a string, not %v: it was not loaded", m.Kind)
		return false
	}
	e.Matcher = m.Text
	if m.Text == "" || m.Text == "*" {
		return true
	}
	var err error
	if e.matcher, err = p.f.Pattern(e.Row, m.Text); err != nil {
		p.reject(m, *e, "repair the regular expression", "%v: it was not loaded", err)
		return false
	}
	return true
}
