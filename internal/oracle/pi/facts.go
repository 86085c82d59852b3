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
	} else if err := logFacts(f, p, log); err != nil {
		return nil, err
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
		if mark := r.Header.Get("X-" + oracle.Mark); mark != "" {
			f[fmt.Sprintf("model: header %d", i)] = mark
		}
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

// common are the tools that both programs offer.
var common = []string{"bash", "read", "edit", "write"}

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
		case slices.Contains(common, name):
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// toolLists are lists of tools in what modules keep.
var toolLists = regexp.MustCompile(`\[[^][]*"bash"[^][]*\]`)

// bothHave leaves in a list of tools those that both programs have.
func bothHave(raw []byte) []byte {
	var list []string
	if json.Unmarshal(raw, &list) != nil {
		return raw
	}
	list = slices.DeleteFunc(list, func(name string) bool { return !slices.Contains(common, name) })
	slices.Sort(list)
	out, _ := json.Marshal(list) // texts can be encoded
	return out
}

// hostEntries are what oh-my-pi itself keeps beside the entries of modules.
var hostEntries = []string{"tool_execution_start", "session_exit"}

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
				if slices.Contains(hostEntries, e.CustomType) {
					continue
				}
				was = fmt.Sprintf("custom %s %s", e.CustomType, toolLists.ReplaceAllFunc(e.Data, bothHave))
			case "custom_message":
				was = fmt.Sprintf("custom_message %s %s display=%t %s", e.CustomType, e.Content, e.Display, e.Details)
			case "label":
				was = "label " + e.Label
			case "session_info", "title":
				if e.Name+e.Text == "" {
					continue // nobody has named it
				}
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
