package session

import (
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Item is one message of the conversation as the model is to see it.
type Item struct {
	// EntryID is the entry that the message comes from, Time is that entry's.
	EntryID string
	Time    time.Time
	// Type is that entry's type: message, custom_message, compaction or
	// branch_summary.
	Type Type
	// Message is the message: the entry's own, or one of role user made of a
	// summary or a custom message.
	Message jsontext.Value
	// CustomType, Details and Display are those of a custom message.
	CustomType string
	Details    jsontext.Value
	Display    bool
	// Repaired reports a message that differs from what is stored, so that every
	// tool call has its result and every result its call.
	Repaired bool
}

// What stands in front of summaries, and in place of results that are missing.
const (
	compactionIntro = "The conversation before this point was summarised as follows.\n\n"
	branchIntro     = "Another line of the conversation was left here. What happened on it, in short:\n\n"
	missingResult   = "No result was recorded: the call was interrupted before it ended."
)

// Context returns the messages to send: those of the branch that ends at the
// leaf, after the last compaction on it the summary, the entries that were kept
// and what followed. A tool call and its result are never parted: what is kept is
// extended backwards to the call of a kept result, and a call without a result is
// followed by one that says so.
func (s *Session) Context() ([]Item, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	nodes := s.branch(s.leaf)
	cut := -1
	for i, n := range slices.Backward(nodes) {
		if s.types[s.nodes[n].typ] == Compaction {
			cut = i
			break
		}
	}
	var items []Item
	if cut >= 0 {
		c, err := s.load(nodes[cut])
		if err != nil {
			return nil, err
		}
		kept, err := s.kept(nodes[:cut], c.FirstKeptEntryID)
		if err != nil {
			return nil, err
		}
		items = append(items, Item{EntryID: c.ID, Time: c.Time, Type: Compaction, Message: userText(compactionIntro + c.Summary)})
		for _, e := range kept {
			items = appendItem(items, e)
		}
	}
	rest, err := s.loadSent(nodes[cut+1:])
	if err != nil {
		return nil, err
	}
	for _, e := range rest {
		items = appendItem(items, e)
	}
	return pairTools(items), nil
}

// loadSent reads the entries that are sent to a model.
func (s *Session) loadSent(nodes []int32) ([]Entry, error) {
	var sent []int32
	for _, i := range nodes {
		switch s.types[s.nodes[i].typ] {
		case Message, CustomMessage, BranchSummary:
			sent = append(sent, i)
		}
	}
	return s.loadAll(sent)
}

// kept reads the entries that a compaction left as they are: from the first one
// on, or from the call of a tool whose result would be the first without it.
func (s *Session) kept(before []int32, first string) ([]Entry, error) {
	from := slices.IndexFunc(before, func(i int32) bool { return s.nodes[i].id == first })
	if from < 0 {
		return nil, nil
	}
	entries, err := s.loadSent(before[from:])
	if err != nil {
		return nil, err
	}
	open, called := map[string]bool{}, map[string]bool{}
	for _, e := range entries {
		calls, results := toolsIn(e.Message)
		for _, id := range results {
			if !called[id] {
				open[id] = true // its call lies before what is kept
			}
		}
		for _, id := range calls {
			called[id] = true
		}
	}
	var earlier []Entry
	take := 0
	for i := from - 1; i >= 0 && len(open) > 0; i-- {
		more, err := s.loadSent(before[i : i+1])
		if err != nil {
			return nil, err
		}
		for _, e := range more {
			earlier = append(earlier, e)
			calls, _ := toolsIn(e.Message)
			for _, id := range calls {
				if open[id] {
					delete(open, id)
					take = len(earlier)
				}
			}
		}
	}
	earlier = earlier[:take]
	slices.Reverse(earlier)
	return append(earlier, entries...), nil
}

// appendItem adds what an entry sends.
func appendItem(items []Item, e Entry) []Item {
	it := Item{EntryID: e.ID, Time: e.Time, Type: e.Type}
	switch e.Type {
	case Message:
		it.Message = e.Message
	case CustomMessage:
		it.Message = userContent(e.Content)
		it.CustomType, it.Details, it.Display = e.CustomType, e.Details, e.Display
	case BranchSummary:
		it.Message = userText(branchIntro + e.Summary)
	default:
		return items
	}
	return append(items, it)
}

func userText(text string) jsontext.Value {
	text = strings.ToValidUTF8(text, "\uFFFD")
	q, _ := jsontext.AppendQuote(nil, text)
	return jsontext.Value(`{"role":"user","content":[{"type":"text","text":` + string(q) + `}]}`)
}

func userContent(content jsontext.Value) jsontext.Value {
	if content == nil {
		content = jsontext.Value(`""`)
	}
	return jsontext.Value(`{"role":"user","content":` + string(content) + `}`)
}

// block is what is looked at in a content block.
type block struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	ToolUseID string `json:"tool_use_id"`
}

// contentOf returns the content of a message in pieces, nil when it is text.
func contentOf(message jsontext.Value) (role string, blocks []jsontext.Value) {
	var m struct {
		Role    string         `json:"role"`
		Content jsontext.Value `json:"content"`
	}
	if json.Unmarshal(message, &m, lenient) != nil || m.Content.Kind() != '[' {
		return m.Role, nil
	}
	if json.Unmarshal(m.Content, &blocks, lenient) != nil {
		return m.Role, nil
	}
	return m.Role, blocks
}

// toolsIn lists the tool calls and the tool results in a message.
func toolsIn(message jsontext.Value) (calls, results []string) {
	_, blocks := contentOf(message)
	for _, raw := range blocks {
		switch b := blockOf(raw); {
		case b.Type == "tool_use":
			calls = append(calls, b.ID)
		case b.Type == "tool_result":
			results = append(results, b.ToolUseID)
		}
	}
	return calls, results
}

func blockOf(raw jsontext.Value) (b block) {
	if raw.Kind() != '{' || json.Unmarshal(raw, &b, lenient) != nil {
		return block{}
	}
	return b
}

// pairTools makes sure that every call has its result in the messages of the
// user that follow it, and that there is no result without a call.
func pairTools(items []Item) []Item {
	out := make([]Item, 0, len(items))
	var open []string // calls without a result so far
	var from Item     // the message that made them
	answer := func() {
		if len(open) > 0 {
			out = append(out, Item{EntryID: from.EntryID, Time: from.Time, Type: from.Type, Message: missing(open), Repaired: true})
			open = nil
		}
	}
	for _, it := range items {
		calls, results := toolsIn(it.Message)
		if len(results) > 0 {
			orphan := func(id string) bool { return !slices.Contains(open, id) }
			if slices.ContainsFunc(results, orphan) {
				it.Message, it.Repaired = withoutResults(it.Message, orphan), true
			}
			open = slices.DeleteFunc(open, func(id string) bool { return slices.Contains(results, id) })
			if it.Message == nil {
				continue
			}
			out = append(out, it)
			continue
		}
		answer()
		out = append(out, it)
		if len(calls) > 0 {
			open, from = calls, it
		}
	}
	answer()
	return out
}

// withoutResults takes tool results out of a message; nil when nothing is left.
func withoutResults(message jsontext.Value, gone func(id string) bool) jsontext.Value {
	_, blocks := contentOf(message)
	blocks = slices.DeleteFunc(blocks, func(raw jsontext.Value) bool {
		b := blockOf(raw)
		return b.Type == "tool_result" && gone(b.ToolUseID)
	})
	if len(blocks) == 0 {
		return nil
	}
	var content []byte
	for i, b := range blocks {
		if i > 0 {
			content = append(content, ',')
		}
		content = append(content, b...)
	}
	// Only the content changes: the other members stay as they are.
	out := []byte{'{'}
	for name, value := range members(message) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, name...), ':')
		if string(name) == `"content"` {
			out = append(append(append(out, '['), content...), ']')
		} else {
			out = append(out, value...)
		}
	}
	return append(out, '}')
}

// missing is a message with results for calls that have none.
func missing(calls []string) jsontext.Value {
	out := []byte(`{"role":"user","content":[`)
	for i, id := range calls {
		if i > 0 {
			out = append(out, ',')
		}
		q, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(id, "\uFFFD"))
		out = append(append(out, `{"type":"tool_result","tool_use_id":`...), q...)
		out = append(out, `,"is_error":true,"content":[{"type":"text","text":"`+missingResult+`"}]}`...)
	}
	return append(out, `]}`...)
}

// Unanswered lists the tool calls at the end of the branch that have no result:
// what was running when the process ended. The agent records a result for each
// before it goes on.
func (s *Session) Unanswered() ([]string, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	entries, err := s.loadSent(s.branch(s.leaf))
	if err != nil {
		return nil, err
	}
	var open []string
	for _, e := range entries {
		calls, results := toolsIn(e.Message)
		if len(calls) > 0 {
			open = calls
			continue
		}
		if len(results) == 0 {
			open = nil
		}
		open = slices.DeleteFunc(open, func(id string) bool { return slices.Contains(results, id) })
	}
	return open, nil
}
