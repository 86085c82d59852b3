package pi

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/oracle"
)

// volatile are the members of events of which only the kind of value is compared.
var volatile = []string{
	"id", "parentId", "entryId", "targetId", "oldLeafId", "newLeafId", "fromId", "firstKeptEntryId", "timestamp", "tokensBefore", "systemPrompt", "systemPromptOptions", "fileOps",
	"durationMs", "messageEntryId", "toolResultEntryIds", "headers",
}

// still replaces the volatile members of a value by their kind, and rounds what things
// cost.
func still(v any) any {
	switch v := v.(type) {
	case float64:
		return math.Round(v*1e9) / 1e9
	case []any:
		for i := range v {
			v[i] = still(v[i])
		}
	case map[string]any:
		for k, member := range v {
			if slices.Contains(volatile, k) && member != nil && v["type"] != "toolCall" {
				v[k] = fmt.Sprintf("<%T>", member)
				continue
			}
			v[k] = still(member)
		}
	}
	return v
}

// elsewhere are the events whose place is a fact of their own, so that the order of all
// others is the same or is not.
var elsewhere = []string{"resources_discover", "tool_execution_start"}

// eventFacts are the order of the events that a watching module was told, and the
// members of each, those of messages one by one. Of pi's messages of the role system
// nothing is compared.
func eventFacts(f oracle.Facts, p *oracle.Play, log []json.RawMessage) error {
	var order []string
	count := map[string]int{}
	last := ""
	for _, l := range log {
		var pair [2]any
		if err := json.Unmarshal(l, &pair); err != nil {
			return fmt.Errorf("reading the log of modules: %w", err)
		}
		name, _ := pair[0].(string)
		members, ok := pair[1].(object)
		if ok && isSystem(members["message"]) {
			continue
		}
		if slices.Contains(elsewhere, name) {
			f[fmt.Sprintf("event %s#%d after", name, count[name])] = last
		} else {
			order = append(order, name)
		}
		last = name
		if ok {
			memberFacts(f, p, fmt.Sprintf("event %s#%d ", name, count[name]), still(members))
			count[name]++
		}
	}
	f["events"] = strings.Join(order, " ")
	return nil
}

// logFacts are what the modules of a cell said, in which order, and each value that they
// said with it by itself, so that a difference is declared for no more than it is.
func logFacts(f oracle.Facts, p *oracle.Play, log []json.RawMessage) error {
	var order []string
	count := map[string]int{}
	for _, l := range log {
		var pair [2]any
		if err := json.Unmarshal(l, &pair); err != nil {
			return fmt.Errorf("reading the log of modules: %w", err)
		}
		what, _ := pair[0].(string)
		order = append(order, what)
		valueFacts(f, p, fmt.Sprintf("log %s#%d ", what, count[what]), pair[1])
		count[what]++
	}
	f["log"] = strings.Join(order, " ")
	return nil
}

// valueFacts are a fact for each member and each element of a value. A list of texts is
// one.
func valueFacts(f oracle.Facts, p *oracle.Play, name string, v any) {
	m, _ := v.(object)
	list, _ := v.([]any)
	switch {
	case len(m) > 0:
		for k, member := range m {
			valueFacts(f, p, name+"."+k, member)
		}
	case slices.ContainsFunc(list, func(v any) bool { _, text := v.(string); return !text }):
		for i, element := range list {
			valueFacts(f, p, fmt.Sprintf("%s[%d]", name, i), element)
		}
	default:
		raw, _ := json.Marshal(v) // what was decoded can be encoded
		f[strings.TrimSpace(name)] = steady(p, string(canonical(raw)))
	}
}

func isSystem(v any) bool {
	m, ok := v.(object)
	return ok && m["role"] == "system"
}

// memberFacts are a fact for each member of an event or of a message in it.
func memberFacts(f oracle.Facts, p *oracle.Play, name string, v any) {
	m, ok := v.(object)
	list, isList := v.([]any)
	inside := func(suffix string) bool { return strings.HasSuffix(name, suffix) }
	if ok && inside(" .context") {
		entries, _ := m["contextEntries"].([]any)
		m["contextEntries"], f[name+".contextEntries begins"] = begun(entries)
	}
	switch {
	case ok && (m["type"] != nil && inside(" ") || m["role"] != nil || m["sourceEntry"] != nil || slices.ContainsFunc(whole, inside)):
		for k, member := range m {
			memberFacts(f, p, name+"."+k, member)
		}
	case isList && slices.ContainsFunc(lists, func(l string) bool { return inside("." + l) }):
		list = slices.DeleteFunc(list, isSystem)
		for i, member := range list {
			memberFacts(f, p, fmt.Sprintf("%s[%d]", name, i), member)
		}
	default:
		raw, _ := json.Marshal(v) // what was decoded can be encoded
		f[name] = steady(p, string(canonical(raw)))
	}
}

// whole are the objects that are compared member by member, beside events and messages.
var whole = []string{".sourceEntry", " .context", " .model", " .previousModel"}

// lists are the members that are compared element by element.
var lists = []string{"messages", "toolResults", "contextEntries", "contextMessages", "llmMessages"}

// begun parts the entries of a session before the first message from the others, and says
// of which kinds they are but for the system prompt, of which nothing is compared.
func begun(entries []any) (rest []any, kinds string) {
	for i, e := range entries {
		m, _ := e.(object)
		source, _ := m["sourceEntry"].(object)
		if source["type"] == "message" && !isSystem(source["message"]) {
			source["parentId"] = nil // what it stands behind is not compared
			return entries[i:], kinds
		}
		if source["type"] != "message" {
			kinds += fmt.Sprint(source["type"], " ")
		}
	}
	return nil, kinds
}
