package pi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/oracle"
)

// changing are texts that differ from run to run.
var changing = []struct {
	re  *regexp.Regexp
	put string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "<uuid>"},
	{regexp.MustCompile(`20\d\d-\d\d-\d\dT[0-9:.]+Z`), "<time>"},
	{regexp.MustCompile(`\b1[78]\d{11}\b`), "<time>"},
	{regexp.MustCompile("\x1b\\[[0-9;]*m"), ""},
	{regexp.MustCompile(`<ROOM>/home/\S*?sessions/[^"\s]*\.jsonl`), "<session file>"},
}

// steady returns a text without what differs from run to run.
func steady(p *oracle.Play, s string) string {
	s = strings.ReplaceAll(s, p.Dir, "<ROOM>")
	for _, c := range changing {
		s = c.re.ReplaceAllString(s, c.put)
	}
	return s
}

// Facts returns what is compared of a play of a cell.
func Facts(p *oracle.Play, c *Cell) (oracle.Facts, error) {
	exit := "ok"
	if p.Exit != 0 {
		exit = "failed"
	}
	f := oracle.Facts{"exit": exit, "files": strings.Join(p.Files, " "), "model: requests": fmt.Sprint(len(p.Requests))}
	log, err := lines(filepath.Join(p.Dir, "log.jsonl"))
	if err != nil {
		return nil, err
	}
	if c.watched {
		if err := eventFacts(f, p, log); err != nil {
			return nil, err
		}
	} else {
		var out []string
		for _, l := range log {
			out = append(out, steady(p, string(canonical(l))))
		}
		f["log"] = strings.Join(out, "\n")
	}
	if err := modelFacts(f, p); err != nil {
		return nil, err
	}
	if f["session"], err = sessionFacts(p); err != nil {
		return nil, err
	}
	if c.steps != nil {
		f["person"] = personFacts(p)
	}
	return f, nil
}

// lines reads a file of JSON lines; one that is not there has none.
func lines(path string) ([]json.RawMessage, error) {
	raw, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []json.RawMessage
	for l := range bytes.Lines(raw) {
		if json.Valid(l) {
			out = append(out, bytes.TrimSpace(l))
		}
	}
	return out, nil
}

// canonical is a JSON text with its members in order.
func canonical(raw json.RawMessage) []byte {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return raw
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // what was decoded can be encoded
	return bytes.TrimSpace(out.Bytes())
}

// volatile are the members of events of which only the kind of value is compared.
var volatile = []string{"id", "parentId", "entryId", "targetId", "oldLeafId", "newLeafId", "fromId", "firstKeptEntryId", "timestamp", "tokensBefore", "systemPrompt", "systemPromptOptions", "fileOps"}

// still replaces the volatile members of a value by their kind.
func still(v any) any {
	switch v := v.(type) {
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

// eventFacts are the order of the events that a watching module was told, and the
// members of each.
func eventFacts(f oracle.Facts, p *oracle.Play, log []json.RawMessage) error {
	var order []string
	count := map[string]int{}
	for _, l := range log {
		var pair [2]any
		if err := json.Unmarshal(l, &pair); err != nil {
			return fmt.Errorf("reading the log of modules: %w", err)
		}
		name, _ := pair[0].(string)
		order = append(order, name)
		members, ok := pair[1].(map[string]any)
		if !ok {
			continue
		}
		for k, v := range members {
			raw, err := json.Marshal(still(map[string]any{k: v}))
			if err != nil {
				return err
			}
			f[fmt.Sprintf("event %s#%d .%s", name, count[name], k)] = steady(p, string(canonical(raw)))
		}
		count[name]++
	}
	f["events"] = strings.Join(order, " ")
	return nil
}

// marked are the lines of a text that have the mark.
func marked(s string) []string {
	var out []string
	for l := range strings.Lines(s) {
		if strings.Contains(l, oracle.Mark) {
			out = append(out, strings.TrimSpace(l))
		}
	}
	return out
}

// modelFacts says what the model was sent: of each request what was not in the one
// before, texts only where they have the mark.
func modelFacts(f oracle.Facts, p *oracle.Play) error {
	var before []string
	for i, r := range p.Requests {
		now := []string{}
		for _, m := range r.Messages {
			parts, err := messageFacts(p, m)
			if err != nil {
				return fmt.Errorf("reading request %d: %w", i, err)
			}
			now = append(now, parts...)
		}
		same := 0
		for same < len(now) && same < len(before) && now[same] == before[same] {
			same++
		}
		f[fmt.Sprintf("model: request %d", i)] = fmt.Sprintf("(%d of %d as before)\n", same, len(before)) + strings.Join(now[same:], "\n")
		before = now
		if system := marked(steady(p, systemText(r.System))); len(system) > 0 {
			f[fmt.Sprintf("model: system %d", i)] = strings.Join(system, "\n")
		}
		f[fmt.Sprintf("model: tools %d", i)] = offered(r.Tools)
	}
	return nil
}

type block struct {
	Type, Text, Name string
	Input, Content   json.RawMessage
	IsError          bool `json:"is_error"`
}

func blocksOf(content json.RawMessage) ([]block, error) {
	var s string
	if json.Unmarshal(content, &s) == nil {
		return []block{{Type: "text", Text: s}}, nil
	}
	var out []block
	if len(content) == 0 {
		return nil, nil
	}
	return out, json.Unmarshal(content, &out)
}

// messageFacts is a line for each part of a message that is worth comparing: the words
// of either program itself are not.
func messageFacts(p *oracle.Play, m oracle.Message) ([]string, error) {
	blocks, err := blocksOf(m.Content)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, b := range blocks {
		switch b.Type {
		case "text":
			for _, l := range marked(steady(p, b.Text)) {
				out = append(out, m.Role+": "+l)
			}
		case "tool_use":
			out = append(out, m.Role+" calls "+theirName(b.Name))
		case "tool_result":
			inner, err := blocksOf(b.Content)
			if err != nil {
				return nil, err
			}
			line := fmt.Sprintf("result error=%t", b.IsError)
			for _, in := range inner {
				if in.Type != "text" {
					line += " [" + in.Type + "]"
				}
				line += " " + strings.Join(marked(steady(p, in.Text)), " / ")
			}
			out = append(out, strings.TrimSpace(line))
		default:
			out = append(out, m.Role+" ["+b.Type+"]")
		}
	}
	return out, nil
}

func systemText(raw json.RawMessage) string {
	blocks, _ := blocksOf(raw) // no system prompt is an empty one
	var out []string
	for _, b := range blocks {
		out = append(out, b.Text)
	}
	return strings.Join(out, "\n")
}

// theirName is pi's name of a tool of ours.
func theirName(name string) string {
	for theirs, ours := range toolNames {
		if name == ours {
			return theirs
		}
	}
	return name
}

// offered are the tools of a request that both programs have, and those of modules.
func offered(tools []json.RawMessage) string {
	var out []string
	for _, raw := range tools {
		var t struct {
			Name, Description string
			Schema            struct {
				Properties map[string]json.RawMessage
				Required   []string
			} `json:"input_schema"`
		}
		if json.Unmarshal(raw, &t) != nil {
			continue
		}
		switch name := theirName(t.Name); {
		case strings.HasPrefix(name, "greet"):
			var keys []string
			for k := range t.Schema.Properties {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			out = append(out, fmt.Sprintf("%s(%s; %s)", name, strings.Join(keys, ","), strings.Join(t.Schema.Required, ",")))
		case slices.Contains([]string{"bash", "read", "edit", "write"}, name):
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// sessionFacts are what modules left in the session files.
func sessionFacts(p *oracle.Play) (string, error) {
	var out []string
	err := filepath.WalkDir(filepath.Join(p.Dir, "home"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.Contains(path, "sessions") || filepath.Ext(path) != ".jsonl" {
			return err
		}
		entries, err := lines(path)
		for _, raw := range entries {
			var e struct {
				Type, CustomType, Name, Text, Label, Summary string
				Data, Content, Details                       json.RawMessage
				Display                                      bool
			}
			if json.Unmarshal(raw, &e) != nil {
				continue
			}
			var was string
			switch e.Type {
			case "custom":
				was = fmt.Sprintf("custom %s %s", e.CustomType, e.Data)
			case "custom_message":
				was = fmt.Sprintf("custom_message %s %s display=%t %s", e.CustomType, e.Content, e.Display, e.Details)
			case "label":
				was = "label " + e.Label
			case "session_info", "title":
				was = "name " + e.Name + e.Text
			case "compaction", "branch_summary":
				was = e.Type + " " + strings.Join(marked(e.Summary), " / ")
			default:
				continue
			}
			out = append(out, steady(p, was))
		}
		return err
	})
	return strings.Join(out, "\n"), err
}

// personFacts are what the person was shown over rpc: dialogs, notices, and what stands
// around the editor.
func personFacts(p *oracle.Play) string {
	var out []string
	for raw := range strings.Lines(p.Stdout) {
		var l struct {
			Type, Method, Title, Message, Placeholder, Prefill, Text string
			NotifyType, Level, StatusKey, StatusText, Key            string
			WidgetKey, Placement, WidgetPlacement                    string
			Options, Choices, WidgetLines, Lines                     []string
		}
		if json.Unmarshal([]byte(raw), &l) != nil {
			continue
		}
		kind := strings.TrimPrefix(l.Type, "ui_")
		if l.Type == "extension_ui_request" || l.Type == "ui_request" {
			kind = l.Method
		} else if kind == l.Type {
			continue
		}
		switch kind {
		case "select":
			out = append(out, "select "+l.Title+" "+strings.Join(append(l.Options, l.Choices...), "|"))
		case "confirm", "input", "editor":
			out = append(out, kind+" "+l.Title+" "+l.Message+l.Placeholder+l.Prefill+l.Text)
		case "notify":
			level := l.NotifyType + l.Level
			if level == "" {
				level = "info"
			}
			out = append(out, "notify "+level+" "+l.Message)
		case "setStatus", "status":
			out = append(out, "status "+l.StatusKey+l.Key+" "+l.StatusText+l.Text)
		case "setTitle", "title":
			out = append(out, "title "+l.Title+l.Text)
		case "set_editor_text", "editor_text":
			out = append(out, "editor text "+l.Text)
		case "setWidget", "widget":
			out = append(out, "widget "+l.WidgetKey+l.Key+" "+strings.Join(append(l.WidgetLines, l.Lines...), "|"))
		}
	}
	return steady(p, strings.Join(out, "\n"))
}
