package claude

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/jsonx"
	"github.com/hookline-dev/hookline/internal/nearest"
)

// events reads the member hooks: an object from events to groups.
func (p *fileParser) events(n *jsonx.Node) {
	if n.Kind != jsonx.Object {
		d := place(p.out.Path, n.Line, n.Column, n.Pointer())
		d.Message = fmt.Sprintf("hooks must be an object from events to groups, not %v: none of them were loaded", n.Kind)
		d.Remedy = `write "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "..."}]}]}`
		p.lose(d)
		return
	}
	p.duplicates(n, "the groups of both were loaded")
	index := map[hook.Event]int{}
	for _, m := range n.Members {
		ev, ok := p.eventOf(m)
		if !ok {
			continue
		}
		if m.Value.Kind != jsonx.Array {
			p.reject(m.Value, Entry{Event: ev, Place: m.Key}, `put the group into brackets: [{"matcher": ..., "hooks": [...]}]`,
				"%s must be an array of groups, not %v: it was not loaded", m.Key, m.Value.Kind)
			continue
		}
		for _, g := range m.Value.Items {
			p.group(ev, g, fmt.Sprintf("%s[%d]", m.Key, index[ev]))
			index[ev]++
		}
	}
}

// elsewhere are names that events have in files of other formats which look like this one.
var elsewhere = map[string]string{
	"BeforeTool": "PreToolUse", "AfterTool": "PostToolUse", "BeforeAgent": "UserPromptSubmit", "AfterAgent": "Stop", "PreCompress": "PreCompact",
}

// eventOf finds the event of a key.
func (p *fileParser) eventOf(m jsonx.Member) (hook.Event, bool) {
	ev, ok := hook.ParseEvent(m.Key)
	if !ok {
		near := cmp.Or(elsewhere[m.Key], nearest.Event(m.Key).Suggestion)
		remedy := "see the list of events"
		if near != "" {
			remedy = fmt.Sprintf("did you mean %s?", near)
		}
		d := place(p.out.Path, m.Line, m.Column, m.Value.Pointer())
		d.Message, d.Remedy = fmt.Sprintf("unknown event %q: its hooks were not loaded", m.Key), remedy
		p.diags = append(p.diags, d)
		if meant, ok := hook.ParseEvent(near); ok {
			p.broken(wanted(Entry{Event: meant, Place: m.Key, Line: m.Line, Column: m.Column, Pointer: d.Pointer, Broken: d.Message}, m.Value.Items...))
		}
		return 0, false
	}
	if !native(ev) {
		p.report(m.Value, diag.Info, "", "%v is an event of this program: other hosts of the file do not know it", ev)
	}
	if p.opts.Scope == ScopeAgent && ev == hook.EventStop {
		ev = hook.EventSubagentStop
	}
	return ev, true
}

// reject reports an entry that could not be loaded and keeps it as broken.
func (p *fileParser) reject(n *jsonx.Node, e Entry, remedy, format string, args ...any) {
	p.report(n, diag.Error, remedy, format, args...)
	e.Line, e.Column, e.Pointer = n.Line, n.Column, n.Pointer()
	e.Broken = fmt.Sprintf(format, args...)
	p.broken(e)
}

// group reads a matcher with its hooks.
func (p *fileParser) group(ev hook.Event, n *jsonx.Node, place string) {
	e := Entry{Event: ev, Place: place, IncludeSubagents: true}
	if n.Kind != jsonx.Object {
		p.reject(n, e, `write {"hooks": [...]}`, "a group must be an object, not %v: it was not loaded", n.Kind)
		return
	}
	p.duplicates(n, "the first one counts")
	for _, m := range n.Members {
		if near := nearest.Spelling(m.Key, []string{"matcher", "hooks"}); near != "" && near != m.Key {
			p.report(m.Value, diag.Warning, fmt.Sprintf("did you mean %s?", near), "unknown key %q in a group", m.Key)
		}
	}
	if !p.matcher(n, &e) {
		return
	}
	hooks := n.Get("hooks")
	switch {
	case hooks == nil && (n.Get("type") != nil || n.Get("command") != nil):
		p.reject(n, e, fmt.Sprintf(`wrap it: {"hooks": [%s]}`, truncate(n.JSON(), 120)), "a hook stands where a group is expected: it was not loaded")
	case hooks == nil:
		p.reject(n, e, `add "hooks": [...]`, "the group has no hooks")
	case hooks.Kind != jsonx.Array:
		p.reject(hooks, e, "put the hook into brackets: [{...}]", "the hooks of a group must be an array, not %v: they were not loaded", hooks.Kind)
	default:
		for i, h := range hooks.Items {
			one := e
			one.Place = fmt.Sprintf("%s.hooks[%d]", place, i)
			p.handler(h, one)
		}
	}
}

// wanted gives what stands in for lost groups the strictest policy that their hooks
// ask for.
func wanted(e Entry, groups ...*jsonx.Node) Entry {
	for _, g := range groups {
		hooks := g.Get("hooks")
		if hooks == nil {
			continue
		}
		for _, h := range hooks.Items {
			if n := h.Get("guard"); n != nil && n.Bool() {
				e.Guard = true
			}
			switch n := h.Get("onFailure"); {
			case n == nil:
			case n.Text == "block":
				e.OnFailure = hook.FailClosed
			case n.Text == "ask" && e.OnFailure != hook.FailClosed:
				e.OnFailure = hook.FailAsk
			}
		}
	}
	return e
}

// matcher reads a group's matcher; ok is false when the group is lost.
func (p *fileParser) matcher(n *jsonx.Node, e *Entry) (ok bool) {
	m := n.Get("matcher")
	switch {
	case m == nil:
		return true
	case m.Kind == jsonx.Null:
		p.report(m, diag.Warning, "leave the matcher out", "matcher null is read as none")
		return true
	case m.Kind != jsonx.String:
		p.reject(m, wanted(*e, n), `write a string, such as "Bash" or "Edit|Write"`, "matcher must be a string, not %v: the group was not loaded", m.Kind)
		return false
	}
	e.Matcher = m.Text
	key := matcherKey{e.Event, m.Text}
	parsed, seen := p.matchers[key]
	if !seen {
		parsed.m, parsed.err = ParseMatcher(e.Event, m.Text)
		p.matchers[key] = parsed
	}
	if parsed.err != nil {
		p.reject(m, wanted(*e, n), "repair the regular expression, or name tools with | between them", "%v: the group was not loaded", parsed.err)
		return false
	}
	e.matcher = parsed.m
	for _, l := range lintMatcher(e.Event, m.Text) {
		p.report(m, diag.Warning, l.Remedy, "%s", l.Message)
	}
	return true
}

// handler reads one hook.
func (p *fileParser) handler(n *jsonx.Node, e Entry) {
	if n.Kind != jsonx.Object {
		remedy := "write an object"
		if n.Kind == jsonx.String {
			remedy = fmt.Sprintf(`write {"type": "command", "command": %s}`, n.JSON())
		}
		p.reject(n, e, remedy, "a hook must be an object, not %v: it was not loaded", n.Kind)
		return
	}
	e.Line, e.Column, e.Pointer = n.Line, n.Column, n.Pointer()
	h := handlerParser{p: p, n: n, e: &e}
	h.read()
	if h.bad != nil {
		// What was understood of a lost guard still says when it would have run
		// and that its failure counts.
		e.Env, e.Once = nil, false
		p.reject(h.bad, e, h.remedy, "%s", h.message)
		return
	}
	p.out.Entries = append(p.out.Entries, e)
}

// handlerParser reads the members of one hook. The first fault loses it.
type handlerParser struct {
	p *fileParser
	n *jsonx.Node
	e *Entry

	bad             *jsonx.Node
	message, remedy string
}

func (h *handlerParser) fail(n *jsonx.Node, remedy, format string, args ...any) {
	if h.bad == nil {
		h.bad, h.remedy, h.message = n, remedy, fmt.Sprintf(format, args...)+": the hook was not loaded"
	}
}

func (h *handlerParser) read() {
	if len(h.n.Duplicates) > 0 {
		d := h.n.Duplicates[0]
		h.fail(d.Value, "remove one of them", "duplicate key %q", d.Key)
	}
	// Of a hook that is lost in the end, the filter, the matcher and what its
	// failure counts as are still worth knowing.
	h.typed()
	for _, m := range h.n.Members {
		f := findField(m.Key)
		switch {
		case f == nil:
			h.unknown(m)
		case f.types != nil && h.e.Type != "" && !slices.Contains(f.types, h.e.Type):
			h.p.report(m.Value, diag.Warning, "", "%s has no effect on hooks of type %s", m.Key, h.e.Type)
		default:
			f.read(h, m.Value)
		}
	}
	h.required()
	h.together()
}

// typed reads the type.
func (h *handlerParser) typed() {
	n := h.n.Get("type")
	switch {
	case n == nil && h.n.Get("command") != nil:
		h.fail(h.n, `add "type": "command"`, "the hook has no type")
	case n == nil:
		h.fail(h.n, "add a type: "+strings.Join(typeNames(), ", "), "the hook has no type")
	case n.Kind != jsonx.String:
		h.fail(n, "use one of "+strings.Join(typeNames(), ", "), "type must be a string, not %v", n.Kind)
	case !slices.Contains(typeNames(), n.Text):
		remedy := "use one of " + strings.Join(typeNames(), ", ")
		if near := nearest.Spelling(n.Text, typeNames()); near != "" {
			remedy = fmt.Sprintf("did you mean %s?", near)
		}
		h.fail(n, remedy, "unknown type %q", n.Text)
	default:
		h.e.Type = HandlerType(n.Text)
		if h.e.Type.row().model && !row(h.e.Event).modelHooks {
			h.fail(n, "use a command, http or mcp_tool hook", "%v takes no %s hooks", h.e.Event, h.e.Type)
		}
	}
}

func (h *handlerParser) unknown(m jsonx.Member) {
	if near := nearest.Spelling(m.Key, fieldNames()); near != "" {
		h.p.report(m.Value, diag.Warning, fmt.Sprintf("did you mean %s?", near), "unknown key %q of a hook was ignored", m.Key)
	}
}

// required checks that the members are there without which the type means
// nothing.
func (h *handlerParser) required() {
	for i := range handlerFields {
		f := &handlerFields[i]
		if f.required && slices.Contains(f.types, h.e.Type) && h.n.Get(f.name) == nil {
			h.fail(h.n, fmt.Sprintf("add %q", f.name), "a hook of type %s needs %s", h.e.Type, f.name)
		}
	}
}

// together checks members that depend on each other or on the event.
func (h *handlerParser) together() {
	e, p := h.e, h.p
	if e.If != "" && !hasTool(e.Event) {
		p.report(h.n.Get("if"), diag.Warning, "remove the filter, or move the hook to PreToolUse", "if works on tool events only: on %v the hook never runs", e.Event)
	}
	if e.Async && e.Event.Spec().CanBlock() && !p.async {
		p.async = true // loggers come in dozens
		p.report(h.n, diag.Info, "", "an async hook decides nothing: its refusal comes too late")
	}
	if e.OnFailure == hook.FailClosed && (e.Async || e.AsyncRewake || !e.Event.Spec().CanFailClosed()) {
		p.report(h.n.Get("onFailure"), diag.Warning, "", "onFailure has no effect here: the failure of this hook stops nothing")
	}
	if e.Once && p.opts.Scope != ScopeSkill && p.opts.Scope != ScopeAgent {
		p.report(h.n.Get("once"), diag.Warning, "remove it", "once has an effect in the frontmatter of skills and agents only: the hook runs every time")
		e.Once = false
	}
	h.placeholders()
}

// placeholders looks for variables that will have no value.
func (h *handlerParser) placeholders() {
	e, p := h.e, h.p
	if !e.startsProgram() {
		return
	}
	all := strings.Join(append([]string{e.Command}, e.Args...), "\n")
	if p.opts.Plugin == nil && (p.opts.Scope != ScopeSkill && strings.Contains(all, "CLAUDE_PLUGIN_ROOT") || strings.Contains(all, "CLAUDE_PLUGIN_DATA")) {
		p.report(h.n, diag.Warning, "use ${CLAUDE_PROJECT_DIR}", "the variables of plugins have no value outside of a plugin")
	}
	if e.Args == nil && strings.Contains(all, "${user_config.") {
		p.report(h.n, diag.Warning, `use args, or "$CLAUDE_PLUGIN_OPTION_<KEY>"`, "${user_config.*} is replaced only in the exec form, with args")
	}
	for _, folklore := range []string{"TOOL_INPUT", "CLAUDE_TOOL_INPUT", "CLAUDE_FILE_PATHS", "CLAUDE_TOOL_NAME", "CLAUDE_TOOL_OUTPUT"} {
		used := strings.Contains(all, "$"+folklore) || strings.Contains(all, "${"+folklore)
		if used && !strings.Contains(all, folklore+"=") {
			p.report(h.n, diag.Warning, "read the JSON on stdin, for example with jq", "there is no variable %s: it is empty", folklore)
		}
	}
}
