package oracle

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Facts are what is compared of a play: texts by name, the same run for run.
type Facts map[string]string

// Mark is what every text of a hook contains that a model may be sent: it tells such
// texts from those of the programs.
const Mark = "MARK"

// ownBlock is a text that a program puts beside a prompt on its own account: which command
// was called.
const ownBlock = "<command-message>"

// commandOutput begins what a command of a person's printed, which the model reads too.
const commandOutput = "<local-command-stdout>"

// remark is a sentence, in each program's own words, that a hook speaks and not the person.
var remark = regexp.MustCompile(`(?m)^<system-reminder>\n[^:\n]*\bhook\b[^:\n]*\bnot\b[^:\n]*\.$`)

// volatile are the members of a payload of which only the kind is compared.
var volatile = []string{
	"session_id", "transcript_path", "agent_transcript_path", "agent_id", "prompt_id", "turn_id", "message_id", "duration_ms", "task_id", "conv_id", "seconds_since_last_response",
}

// beside are events of which the hooks run beside those of PostToolUse in some programs.
var beside = []string{"CwdChanged", "Notification"}

// words are members that a program fills with words of its own, unless a hook gave them.
var words = []string{"decision_reason", "message"}

var changing = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// taskID is what names a task in the background.
var taskID = regexp.MustCompile(`"id":"[^"]+"`)

// team is what a team is called, after its session.
var team = regexp.MustCompile(`session-[0-9a-f]{8}`)

// port is where a scripted model listens.
var port = regexp.MustCompile(`127\.0\.0\.1:\d{4,}`)

// endedByHook is our exit code when a hook ended a run. Programs of others have none.
const endedByHook = 3

// Facts returns what is compared of a play. What is the same in every case is left out
// unless the case is about it: surroundings, and that we say with an exit code of its own
// that a hook ended the run.
func (p *Play) Facts(surroundings bool) (Facts, error) {
	if !surroundings && p.Exit == endedByHook {
		p.Exit = 0
	}
	f := Facts{"steps missed": strings.Join(p.Missed, " "), "exit": fmt.Sprint(p.Exit), "files": strings.Join(p.Files, " "), "model: requests": fmt.Sprint(len(p.Requests))}
	if err := p.hookFacts(f); err != nil {
		return nil, err
	}
	if err := p.modelFacts(f); err != nil {
		return nil, err
	}
	p.resultFacts(f)
	if !surroundings {
		maps.DeleteFunc(f, func(fact, _ string) bool {
			return strings.HasPrefix(fact, "environment ") || strings.HasPrefix(fact, "stream ")
		})
	}
	return f, nil
}

// steady returns a text without what differs from run to run.
func (p *Play) steady(s string) string {
	s = changing.ReplaceAllString(strings.ReplaceAll(s, p.Dir, "<ROOM>"), "<uuid>")
	return team.ReplaceAllString(port.ReplaceAllString(s, "<MODEL>"), "session-<id>")
}

// hookFacts says which hooks ran in what order, and what each received. Hooks that run
// for the same event are put in order by name and by tool call, since they run at once, and
// what runs beside those of PostToolUse before these.
func (p *Play) hookFacts(f Facts) error {
	heard := slices.Clone(p.Heard)
	for i := 1; i < len(heard); i++ {
		before, _ := heard[i-1].about()
		if event, _ := heard[i].about(); slices.Contains(beside, event) && before == "PostToolUse" {
			heard[i-1], heard[i] = heard[i], heard[i-1]
		}
	}
	for from := 0; from < len(heard); {
		event, _ := heard[from].about()
		to := from + 1
		for ; to < len(heard); to++ {
			if next, _ := heard[to].about(); next != event {
				break
			}
		}
		slices.SortStableFunc(heard[from:to], func(a, b Heard) int {
			_, callA := a.about()
			_, callB := b.about()
			return cmp.Or(strings.Compare(a.Hook, b.Hook), strings.Compare(callA, callB))
		})
		from = to
	}
	var order []string
	count := map[string]int{}
	env := map[string]bool{}
	for _, h := range heard {
		order = append(order, h.Hook)
		name := fmt.Sprintf("hook %s#%d", h.Hook, count[h.Hook])
		count[h.Hook]++
		f[name+" directory"] = p.steady(h.Dir)
		if err := p.payloadFacts(f, name, h.Payload); err != nil {
			return err
		}
		for _, key := range h.Env {
			env[key] = true
		}
	}
	f["hooks"] = strings.Join(order, " ")
	for key := range env {
		f["environment "+key] = "set"
	}
	return nil
}

// about names the event and the tool call of a payload. What is not an object has neither.
func (h Heard) about() (event, call string) {
	var in struct {
		Event   string `json:"hook_event_name"`
		Call    string `json:"tool_use_id"`
		Kodelet string `json:"event"` // what that format calls them
		User    string `json:"tool_user_id"`
	}
	_ = json.Unmarshal(h.Payload, &in)
	if h.Hook == "can_use_tool" { // a program that works with the agent is asked at the same time
		in.Event = "PermissionRequest"
	}
	return cmp.Or(in.Event, in.Kodelet), cmp.Or(in.Call, in.User)
}

// payloadFacts are the order of a payload's members, and the value of each.
func (p *Play) payloadFacts(f Facts, name string, payload json.RawMessage) error {
	dec := json.NewDecoder(bytes.NewReader(payload))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		f[name+" input"] = p.steady(string(payload))
		return nil
	}
	var keys []string
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		key := tok.(string)
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		keys = append(keys, key)
		if key == "permission_suggestions" {
			value = unordered(value)
		}
		text := p.steady(string(value))
		if key == "tool_calls" {
			text = p.steady(p.batch(value))
		}
		if key == "background_tasks" { // which agent it is, its session says
			text = taskID.ReplaceAllString(text, `"id":"<text>"`)
		}
		if key == "tool_response" && bytes.Contains(payload, []byte(`"tool_name":"Agent"`)) {
			text = report(value)
		}
		if key == "last_assistant_message" && bytes.Contains(payload, []byte(`"hook_event_name":"StopFailure"`)) {
			text = apology(value)
		}
		if slices.Contains(volatile, key) || slices.Contains(words, key) && !strings.Contains(text, Mark) {
			text = "<" + kind(value) + ">"
		}
		f[name+" ."+key] = text
	}
	f[name+" members"] = strings.Join(keys, " ")
	return nil
}

// unordered is a value with the members of its objects in one order, for those of which
// the order means nothing and is not the same twice in one program.
func unordered(value json.RawMessage) json.RawMessage {
	var v any
	if json.Unmarshal(value, &v) != nil {
		return value
	}
	out, err := json.Marshal(v)
	if err != nil {
		return value
	}
	return out
}

func kind(value json.RawMessage) string {
	switch value[0] {
	case '"':
		if len(value) == 2 {
			return "empty"
		}
		return "text"
	case 'n':
		return "null"
	}
	return "number"
}

type block struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Text      string          `json:"text"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

// blocks reads the content of a message.
func blocks(content json.RawMessage) ([]block, error) {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []block{{Type: "text", Text: text}}, nil
	}
	var out []block
	return out, json.Unmarshal(content, &out)
}

// modelFacts says what the model was sent because of hooks: the results of its calls,
// and every text with the mark, with the first request, the role and where in it.
func (p *Play) modelFacts(f Facts) error {
	seen := map[string]bool{}
	called := map[string]string{}
	var marks []string
	mark := func(request int, place, text string) {
		for _, part := range strings.Split(remark.ReplaceAllString(p.steady(text), "<system-reminder> a hook speaks"), "\n\n") {
			if strings.HasPrefix(part, commandOutput) { // in words of the program's own
				part = strings.Join(append([]string{commandOutput}, markWord.FindAllString(part, -1)...), " ")
			}
			if where := place + ": " + brief(part); !strings.HasPrefix(part, ownBlock) && strings.Contains(part, Mark) && !seen[where] {
				seen[where] = true
				marks = append(marks, fmt.Sprintf("request %d, %s", request, where))
			}
		}
	}
	count := map[string]int{} // subagents ask at the same time as the others
	for _, r := range p.Requests {
		of := p.script.markerOf(r)
		i := count[of]
		count[of]++
		if bytes.Contains(r.System, []byte(Mark)) {
			mark(i, "system", Mark)
		}
		for _, msg := range r.Messages {
			content, err := blocks(msg.Content)
			if err != nil {
				return fmt.Errorf("reading request %d: %w", i, err)
			}
			for _, b := range content {
				switch b.Type {
				case "text":
					mark(i, msg.Role, b.Text)
				case "tool_use":
					called[b.ID] = b.Name
				case "tool_result":
					text, err := resultText(b.Content)
					if err != nil {
						return fmt.Errorf("reading request %d: %w", i, err)
					}
					if p.steps { // later prompts have it in the result, where it stood behind it at first
						for _, said := range reminder.FindAllString(text, -1) {
							mark(i, msg.Role, said)
						}
						text = strings.TrimSpace(reminder.ReplaceAllString(text, ""))
					}
					f["model: result "+b.ToolUseID] = fmt.Sprintf("error=%t %s", b.IsError, p.told(called[b.ToolUseID], text, b.IsError))
				}
			}
		}
	}
	f["model: context"] = strings.Join(marks, "\n")
	return nil
}

// ofReport are the members of the result of a subagent that the format names, the
// last two of which differ from run to run: beside them each program has counts of its own.
var ofReport = []string{"status", "prompt", "agentType", "resolvedModel", "totalTokens", "totalToolUseCount", "agentId", "totalDurationMs"}

// report is the result of a subagent with these alone, and its last text.
func report(value json.RawMessage) string {
	var r map[string]json.RawMessage
	var said []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(value, &r) != nil || json.Unmarshal(r["content"], &said) != nil || len(said) == 0 {
		return string(value)
	}
	var out []string
	for i, key := range ofReport {
		text := string(r[key])
		if i >= len(ofReport)-2 && text != "" {
			text = "<" + kind(r[key]) + ">"
		}
		out = append(out, key+"="+text)
	}
	return strings.Join(append(out, said[len(said)-1].Text), " ")
}

// brief leaves out the long lines of a text that no hook wrote: with them a program
// explains to its model what a hook is.
func brief(text string) string {
	const long = 200
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return len(line) > long && !strings.Contains(line, Mark) }), "\n")
}

// resultText returns the text of a result, without what no hook caused.
func resultText(content json.RawMessage) (string, error) {
	if len(content) == 0 {
		return "", nil
	}
	list, err := blocks(content)
	var texts []string
	for _, b := range list {
		texts = append(texts, b.Text)
	}
	return withoutReminders(strings.Join(texts, "\n")), err
}

// resultFacts are what the caller got: the last line of type result, of a case with steps
// each, and which kinds of lines there were.
func (p *Play) resultFacts(f Facts) {
	kinds := map[string]bool{}
	results := 0
	for line := range strings.Lines(p.Stdout) {
		var l map[string]json.RawMessage
		if json.Unmarshal([]byte(line), &l) != nil {
			continue
		}
		kinds[string(l["type"])+string(l["subtype"])] = true
		if string(l["type"]) != `"result"` {
			continue
		}
		name := "result"
		if p.steps && results > 0 {
			name += fmt.Sprintf("#%d", results)
		}
		results++
		for _, key := range []string{"subtype", "is_error", "num_turns", "result", "stop_reason", "deferred_tool_use", "permission_denials"} {
			f[name+" ."+key] = p.steady(string(l[key]))
		}
		if string(l["subtype"]) == `"success"` && string(l["is_error"]) == "true" {
			f[name+" .result"] = p.steady(apology(l["result"]))
		}
	}
	for k := range kinds {
		f["stream "+strings.ReplaceAll(k, `"`, "")] = "sent"
	}
}
