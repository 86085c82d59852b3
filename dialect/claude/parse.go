package claude

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/frontmatter"
	"github.com/hookline-dev/hookline/internal/jsonx"
	"github.com/hookline-dev/hookline/internal/lazyregexp"
	"github.com/hookline-dev/hookline/internal/nearest"
)

// ReadSettings reads a settings file or a plugin's hooks.json. Only a regular file
// of at most Options.MaxSize bytes is read. The error is about reading alone and
// wraps fs.ErrNotExist when there is no file; faults in the text are diagnostics.
func ReadSettings(path string, opts Options) (*Settings, []diag.Diagnostic, error) {
	limit := opts.MaxSize
	if limit <= 0 {
		limit = defaultMaxSize
	}
	data, err := frontmatter.ReadRegular(path, limit)
	if err != nil {
		return nil, nil, fmt.Errorf("reading hooks: %w", err)
	}
	s, diags := ParseSettings(path, data, opts)
	return s, diags, nil
}

// ParseSettings reads the text of a settings file or of a plugin's hooks.json.
// Comments and trailing commas are accepted. Every good entry loads; each bad one
// gives a diagnostic, and when it might have guarded something, a broken Entry as
// well. The Settings are never nil.
func ParseSettings(path string, data []byte, opts Options) (*Settings, []diag.Diagnostic) {
	p := newParser(path, opts)
	limit := opts.MaxSize
	if limit <= 0 {
		limit = defaultMaxSize
	}
	if int64(len(data)) > limit {
		p.lose(diag.Diagnostic{Path: path, Message: fmt.Sprintf("the file has %d bytes, more than %d: none of its hooks were loaded", len(data), limit)})
		return p.done()
	}
	root, err := jsonx.Parse(data)
	if err != nil {
		p.lose(located(path, err, "the file is not valid JSON, none of its hooks were loaded: "))
		return p.done()
	}
	p.root(root)
	return p.done()
}

// parseInlineHooks reads the member hooks of a plugin's manifest, when it is an
// object: events, or the whole shape of a hooks.json. data is the manifest; a
// manifest without such a member has no hooks.
func parseInlineHooks(path string, data []byte, opts Options) (*Settings, []diag.Diagnostic) {
	p := newParser(path, opts)
	root, err := jsonx.Parse(data)
	if err != nil {
		p.lose(located(path, err, "the manifest is not valid JSON, none of its hooks were loaded: "))
		return p.done()
	}
	hooks := root.Get("hooks")
	switch {
	case hooks == nil || hooks.Kind == jsonx.String:
	case hooks.Kind == jsonx.Array && !slices.ContainsFunc(hooks.Items, func(n *jsonx.Node) bool { return n.Kind != jsonx.String }):
	case hooks.Kind == jsonx.Object && hooks.Get("hooks") != nil && hooks.Get("hooks").Kind == jsonx.Object:
		p.events(hooks.Get("hooks"))
	default:
		p.events(hooks)
	}
	return p.done()
}

// parseFrontmatter reads the hooks in the header of a skill's or an agent's file,
// as Options.Scope says. In an agent's file Stop means SubagentStop; the agent
// files of plugins have no hooks.
func parseFrontmatter(path string, data []byte, opts Options) (*Settings, []diag.Diagnostic) {
	p := newParser(path, opts)
	doc, err := frontmatter.Split(path, data)
	var header frontmatter.Value
	if err == nil {
		header, err = doc.Decode()
	}
	if err != nil {
		d := diag.Diagnostic{Path: path, Message: "the header cannot be read, none of its hooks were loaded: " + err.Error()}
		if e, ok := errors.AsType[*diag.Diagnostic](err); ok {
			d.Line, d.Column, d.Remedy = e.Line, e.Column, e.Remedy
			d.Message = "the header cannot be read, none of its hooks were loaded: " + e.Message
		}
		if namesHooks.Get().Match(data) {
			p.lose(d)
		} else {
			p.out.Unread, p.diags = true, append(p.diags, d)
		}
		return p.done()
	}
	if name, ok := header.Get("name"); ok {
		p.out.AgentName, _ = name.Text("name")
	}
	hooks, ok := header.Get("hooks")
	if !ok {
		return p.done()
	}
	root := &jsonx.Node{Kind: jsonx.Object, Line: 1, Column: 1}
	node := fromYAML(hooks)
	node.Child(root, "hooks")
	if opts.Scope == ScopeAgent && opts.Plugin != nil {
		p.report(node, diag.Warning, "remove them, or put them into the plugin's hooks.json", "hooks in the agent files of plugins are not run")
		return p.done()
	}
	p.events(node)
	return p.done()
}

// namesHooks finds the member hooks in a header that cannot be read.
var namesHooks = lazyregexp.New(`(?m)^["']?hooks["']?\s*:`)

// fromYAML turns a value of a header into a node.
func fromYAML(v frontmatter.Value) *jsonx.Node {
	n := &jsonx.Node{Line: v.Line, Column: v.Column}
	switch v.Kind {
	case frontmatter.Bool, frontmatter.Number, frontmatter.String:
		n.Text, _ = v.Text("")
		n.Kind = map[frontmatter.Kind]jsonx.Kind{
			frontmatter.Bool: jsonx.Bool, frontmatter.Number: jsonx.Number, frontmatter.String: jsonx.String,
		}[v.Kind]
		if n.Kind == jsonx.Bool {
			if on, err := v.Bool(""); err == nil {
				n.Text = fmt.Sprint(on)
			}
		}
	case frontmatter.List:
		n.Kind = jsonx.Array
		items, _ := v.Items("")
		for i, item := range items {
			child := fromYAML(item)
			child.Child(n, fmt.Sprint(i))
			n.Items = append(n.Items, child)
		}
	case frontmatter.Map:
		n.Kind = jsonx.Object
		entries, _ := v.Entries("")
		for _, e := range entries {
			child := fromYAML(e.Value)
			child.Child(n, e.Key)
			n.Members = append(n.Members, jsonx.Member{Key: e.Key, Line: e.Line, Column: e.Column, Value: child})
		}
	}
	return n
}

func located(path string, err error, head string) diag.Diagnostic {
	d := diag.Diagnostic{Path: path, Message: head + err.Error()}
	if e, ok := errors.AsType[*jsonx.Error](err); ok {
		d.Line, d.Column, d.Remedy, d.Message = e.Line, e.Column, e.Remedy, head+e.Message
	}
	return d
}

// fileParser reads one file.
type fileParser struct {
	opts     Options
	out      *Settings
	diags    []diag.Diagnostic
	matchers map[matcherKey]parsedMatcher
	lost     map[hook.Event]int // broken entries by event
	async    bool               // that an async hook decides nothing was told
}

type matcherKey struct {
	event hook.Event
	text  string
}

type parsedMatcher struct {
	m   hook.Matcher
	err error
}

func newParser(path string, opts Options) *fileParser {
	return &fileParser{
		opts:     opts,
		out:      &Settings{Path: path, Scope: opts.Scope, Plugin: opts.Plugin, Skill: opts.Skill},
		matchers: map[matcherKey]parsedMatcher{},
		lost:     map[hook.Event]int{},
	}
}

func (p *fileParser) done() (*Settings, []diag.Diagnostic) {
	diag.Sort(p.diags)
	if more := len(p.diags) - maxFaults; more > 0 {
		p.diags = append(p.diags[:maxFaults:maxFaults], diag.Diagnostic{Path: p.out.Path, Message: fmt.Sprintf("%d more faults are not listed", more)})
	}
	return p.out, p.diags
}

// report adds a diagnostic at a node.
func (p *fileParser) report(n *jsonx.Node, s diag.Severity, remedy, format string, args ...any) {
	d := place(p.out.Path, n.Line, n.Column, n.Pointer())
	d.Severity, d.Remedy, d.Message = s, remedy, fmt.Sprintf(format, args...)
	p.diags = append(p.diags, d)
}

// lose reports that all of the file's hooks are lost. Nobody knows what they would have
// guarded, so that there is a broken entry for every event where a failure can refuse.
func (p *fileParser) lose(d diag.Diagnostic) {
	p.out.Unread = true
	p.diags = append(p.diags, d)
	e := Entry{Name: filepath.Base(d.Path), Line: d.Line, Column: d.Column, Pointer: d.Pointer, Broken: d.Message}
	if p.opts.Scope == ScopeManaged {
		e.Broken = "nothing of the administrator's settings file " + d.Path + " can be read; whoever looks after this machine has to mend it"
	}
	for _, ev := range Events() {
		if dialect.Guards(&hook.Registration{Event: ev}) {
			e.Event, e.Place = ev, ev.String()
			p.broken(e)
		}
	}
}

// lost is what a file comes to that could not even be read.
func lost(opts Options, why diag.Diagnostic) (*Settings, []diag.Diagnostic) {
	p := newParser(why.Path, opts)
	p.lose(why)
	return p.done()
}

// maxBroken bounds the broken entries that are kept of one event, and maxFaults the
// diagnostics of one file.
const (
	maxBroken = 100
	maxFaults = 1000
)

// broken keeps an entry that could not be loaded, when it might have guarded
// something. The last one that is kept stands for all that follow and so matches
// everything.
func (p *fileParser) broken(e Entry) {
	if !guards(e.Event) || p.lost[e.Event] >= maxBroken {
		return
	}
	if p.lost[e.Event]++; p.lost[e.Event] == maxBroken {
		e.Matcher, e.matcher, e.If = "", nil, ""
		e.Broken += " (and there may be more)"
	}
	e.IncludeSubagents = true
	p.out.Entries = append(p.out.Entries, e)
}

// root reads a settings file.
func (p *fileParser) root(root *jsonx.Node) {
	if root.Kind != jsonx.Object {
		d := place(p.out.Path, root.Line, root.Column, "")
		d.Message, d.Remedy = fmt.Sprintf("the file must hold an object, not %v: none of its hooks were loaded", root.Kind), `write {"hooks": {...}}`
		p.lose(d)
		return
	}
	p.duplicates(root, "the first one counts", "hooks")
	for _, m := range root.Duplicates {
		if m.Key == "hooks" {
			p.report(m.Value, diag.Warning, "put them into one", "duplicate key %q: the hooks of both were loaded", m.Key)
		}
	}
	for _, m := range root.Members {
		switch m.Key {
		case "hooks":
			p.events(m.Value)
		case "description":
			p.out.Description = m.Value.Text
		case "modules":
			p.modules(m.Value)
		case "disableAllHooks":
			p.out.Switches.DisableAllHooks = p.flag(m)
		case "allowManagedHooksOnly":
			p.out.Switches.AllowManagedHooksOnly = p.managedFlag(m)
		case "strictPluginOnlyCustomization":
			p.out.Switches.StrictPluginOnly = p.managedFlag(m)
		case "allowedHttpHookUrls":
			p.out.Switches.AllowedHTTPHookURLs = p.limits(m)
		case "httpHookAllowedEnvVars":
			p.out.Switches.HTTPHookAllowedEnvVars = p.limits(m)
		default:
			p.misspelt(m)
		}
	}
	if len(root.Members) > 0 && root.Get("hooks") == nil {
		p.looseEvents(root)
	}
}

// looseEvents reports events that stand at the top of the file, where they mean
// nothing.
func (p *fileParser) looseEvents(root *jsonx.Node) {
	for _, m := range root.Members {
		if ev, ok := hook.ParseEvent(m.Key); ok && m.Value.Kind == jsonx.Array {
			msg := fmt.Sprintf("%s stands at the top of the file, where it means nothing: it was not loaded", m.Key)
			p.report(m.Value, diag.Error, `put it into "hooks": {...}`, "%s", msg)
			p.broken(Entry{Event: ev, Place: m.Key, Line: m.Line, Column: m.Column, Pointer: m.Value.Pointer(), Broken: msg})
		}
	}
}

// misspelt reports a key that is nearly one that matters here. Settings files
// hold many other keys.
func (p *fileParser) misspelt(m jsonx.Member) {
	known := []string{"hooks", "disableAllHooks", "allowManagedHooksOnly", "strictPluginOnlyCustomization", "allowedHttpHookUrls", "httpHookAllowedEnvVars"}
	if near := nearest.Spelling(m.Key, known); near != "" {
		p.report(m.Value, diag.Warning, fmt.Sprintf("did you mean %s?", near), "unknown key %q", m.Key)
		if near == "hooks" {
			p.lose(diag.Diagnostic{
				Path: p.out.Path, Line: m.Line, Column: m.Column, Pointer: m.Value.Pointer(),
				Message: fmt.Sprintf("the hooks below %q were not loaded", m.Key), Remedy: "did you mean hooks?",
			})
		}
	}
}

// duplicates reports keys that an object has twice.
func (p *fileParser) duplicates(n *jsonx.Node, consequence string, except ...string) {
	for _, m := range n.Duplicates {
		if !slices.Contains(except, m.Key) {
			d := place(p.out.Path, m.Line, m.Column, m.Value.Pointer())
			d.Message, d.Remedy = fmt.Sprintf("duplicate key %q: %s", m.Key, consequence), "remove one of them"
			p.diags = append(p.diags, d)
		}
	}
}

func (p *fileParser) flag(m jsonx.Member) bool {
	if m.Value.Kind != jsonx.Bool {
		p.report(m.Value, diag.Error, "write true or false", "%s must be true or false, not %v: it was ignored", m.Key, m.Value.Kind)
		return false
	}
	if m.Value.Bool() && (p.opts.Scope == ScopeProject || p.opts.Scope == ScopeLocal) {
		p.report(m.Value, diag.Info, "", "%s in a project turns off this project's hooks only", m.Key)
	}
	return m.Value.Bool()
}

func (p *fileParser) managedFlag(m jsonx.Member) bool {
	if p.opts.Scope != ScopeManaged {
		p.report(m.Value, diag.Warning, "", "%s has an effect in managed settings only", m.Key)
		return false
	}
	if m.Value.Kind != jsonx.Bool {
		p.report(m.Value, diag.Error, "write true or false", "%s must be true or false, not %v: it counts as true", m.Key, m.Value.Kind)
		return true
	}
	return m.Value.Bool()
}

// limits reads a list that limits something. A list that cannot be read lets
// nothing through.
func (p *fileParser) limits(m jsonx.Member) []string {
	list, bad := m.Value.Strings()
	if bad != nil {
		p.report(bad, diag.Error, "write an array of strings", "%s must be an array of strings, not %v: nothing is allowed", m.Key, bad.Kind)
	}
	return append([]string{}, list...)
}

// modules says that Claude Code's own hook modules do nothing here.
func (p *fileParser) modules(n *jsonx.Node) {
	p.report(n, diag.Warning, "write them as hooks of type command, or as modules that Hookline loads", "the modules that this names do not run: they are written for Claude Code's own runtime")
}
