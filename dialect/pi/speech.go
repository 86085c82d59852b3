package pi

import (
	"fmt"
	"strings"

	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
)

// speech gives modules the dialect's tool names, messages and entries where they ask
// the agent for them.
type speech struct{}

// Speech is what modules of the dialect speak with a host.
func Speech() script.Speech { return speech{} }

// Answer translates what the agent answers.
func (speech) Answer(what string, v []byte) []byte {
	raw := hook.RawJSON(v)
	if raw.IsZero() {
		return v
	}
	switch what {
	case "activeTools":
		raw = eachName(raw, tools.DialectName)
	case "systemPromptOptions":
		names, _ := raw.Get("selectedTools")
		set(&raw, "selectedTools", eachName(names, tools.DialectName))
		snippets, _ := raw.Get("toolSnippets")
		for _, name := range snippets.Keys() {
			snippets.Rename(name, tools.DialectName(name))
		}
		set(&raw, "toolSnippets", snippets)
	case "allTools":
		list, _ := blocksOf(raw)
		for i, t := range list {
			list[i] = toolInfoOut(t)
		}
		raw = hook.MustJSON(list)
	case "getEntries", "getBranch", "getChildren":
		list, _ := blocksOf(raw)
		raw = hook.MustJSON(entriesOut(list))
	case "getEntry", "getLeafEntry":
		parts := entriesOut([]hook.JSON{raw})
		raw = parts[len(parts)-1]
	case "getTree":
		raw = hook.MustJSON(treeOut(raw))
	case "buildSessionContext":
		m, _ := raw.Get("messages")
		var list []hook.Message
		if m.Decode(&list) != nil {
			return v
		}
		set(&raw, "messages", messagesOut(list))
	}
	return []byte(raw.Raw())
}

// Question translates what a module says.
func (speech) Question(what string, v []byte) []byte {
	raw := hook.RawJSON(v)
	switch what {
	case "activeTools":
		raw = eachName(raw, tools.CanonicalName)
	case "label":
		set(&raw, "entryId", wholeEntry(raw.String("entryId")))
	case "getEntry", "getBranch", "getChildren", "getLabel", "branch", "navigateTree", "newSession":
		list, ok := blocksOf(raw)
		if !ok || len(list) == 0 {
			return v
		}
		if id, ok := list[0].AsString(); ok {
			list[0] = hook.MustJSON(wholeEntry(id))
		} else if steps, ok := list[0].Get("setup"); ok {
			set(&list[0], "setup", setupIn(steps))
		}
		raw = hook.MustJSON(list)
	default:
		return v
	}
	return []byte(raw.Raw())
}

// eachName translates a list of names; what is none stays.
func eachName(list hook.JSON, translate func(string) string) hook.JSON {
	var names []string
	if list.Decode(&names) != nil {
		return list
	}
	for i, name := range names {
		names[i] = translate(name)
	}
	return hook.MustJSON(names)
}

// setupIn translates the messages with which a module fills a new session.
func setupIn(steps hook.JSON) hook.JSON {
	list, ok := blocksOf(steps)
	if !ok {
		return steps
	}
	for i, step := range list {
		pair, _ := blocksOf(step)
		if len(pair) != 2 {
			continue
		}
		args, _ := blocksOf(pair[1])
		if method, _ := pair[0].AsString(); method != "appendMessage" || len(args) == 0 {
			continue
		}
		if m := messageIn(args[0]); m != nil {
			list[i] = hook.MustJSON([]any{"appendMessage", []any{m}})
		}
	}
	return hook.MustJSON(list)
}

// toolInfoOut is a tool with the dialect's names, also of its parameters.
func toolInfoOut(t hook.JSON) hook.JSON {
	name := t.String("name")
	set(&t, "name", tools.DialectName(name))
	if schema, ok := t.Get("parameters"); ok {
		set(&t, "parameters", vocab.RenameParameters(schema, tools.Renames(name)))
	}
	return t
}

// partMark parts an entry's id from the number of the message in it.
const partMark = "#"

// wholeEntry is the agent's id of an entry.
func wholeEntry(id string) string {
	whole, _, _ := strings.Cut(id, partMark)
	return whole
}

// entriesOut gives entries the dialect's shape. One with several tool results becomes
// one for each, of which the last has the entry's id.
func entriesOut(list []hook.JSON) []hook.JSON {
	out, called := []hook.JSON{}, names{}
	for _, e := range list {
		out = append(out, called.entryOut(e)...)
	}
	return out
}

func (n names) entryOut(e hook.JSON) []hook.JSON {
	if !e.Has("parentId") {
		set(&e, "parentId", nil)
	}
	switch e.String("type") {
	case "title":
		set(&e, "type", "session_info")
		e.Rename("text", "name")
	case "model_change":
		if provider, _, ok := strings.Cut(e.String("requestedModel"), "/"); ok && !e.Has("provider") {
			set(&e, "provider", provider)
		}
		e.Delete("requestedModel")
	case "message":
		raw, _ := e.Get("message")
		var m hook.Message
		if raw.Decode(&m) != nil {
			return []hook.JSON{e}
		}
		return n.parts(e, n.out(m))
	case "custom_message":
		if content, ok := e.Get("content"); ok {
			set(&e, "content", contentOut(content))
		}
		if !e.Has("display") {
			set(&e, "display", false)
		}
	}
	return []hook.JSON{e}
}

// parts are the entries of the messages that one entry holds.
func (n names) parts(e hook.JSON, messages []hook.JSON) []hook.JSON {
	id := e.String("id")
	parent, _ := e.Get("parentId")
	out := make([]hook.JSON, len(messages))
	for i, m := range messages {
		part := e
		set(&part, "id", partID(id, i, len(messages)))
		set(&part, "parentId", parent)
		set(&part, "message", timed(m, e.String("timestamp")))
		parent, _ = part.Get("id")
		out[i] = part
	}
	return out
}

// partID is the id of one of the messages that an entry holds: the last has the entry's own.
func partID(entry string, i, n int) string {
	if i == n-1 {
		return entry
	}
	return fmt.Sprintf("%s%s%d", entry, partMark, i+1)
}

// treeOut gives the entries of a tree the dialect's shape.
func treeOut(tree hook.JSON) []hook.JSON {
	nodes, _ := blocksOf(tree)
	called := names{}
	var walk func(nodes []hook.JSON) []hook.JSON
	walk = func(nodes []hook.JSON) []hook.JSON {
		out := []hook.JSON{}
		for _, node := range nodes {
			entry, _ := node.Get("entry")
			parts := called.entryOut(entry)
			children, _ := node.Get("children")
			below, _ := blocksOf(children)
			set(&node, "children", walk(below))
			for i := len(parts) - 1; i >= 0; i-- {
				if i < len(parts)-1 {
					node = hook.MustJSON(values{"children": []hook.JSON{node}})
				}
				set(&node, "entry", parts[i])
			}
			out = append(out, node)
		}
		return out
	}
	return walk(nodes)
}
