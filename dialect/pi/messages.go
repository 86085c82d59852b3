package pi

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/hook"
)

// The roles of messages in the dialect that are not roles of the engine's.
const (
	toolResultRole = "toolResult"
	customRole     = "custom"
)

// noThinking is the level of an answer for which none was asked.
const noThinking = "off"

// pending is the reason of a message that may still grow.
const pending = "pending"

// stopReasons are the dialect's words for why a model stopped.
var stopReasons = [][2]string{
	{"end_turn", "stop"},
	{"tool_use", "toolUse"},
	{"max_tokens", "length"},
	{"stop_sequence", "stop"},
	{"pause_turn", "stop"},
	{"refusal", "error"},
	{"model_context_window_exceeded", "length"},
}

// names remembers which tool a call was of, for its result.
type names map[string]string

// stopOut is the dialect's word for why a model stopped, "" for what it has none for.
func stopOut(reason string) string {
	for _, r := range stopReasons {
		if r[0] == reason {
			return r[1]
		}
	}
	return ""
}

// stopIn is the way back: the model's own word, where that is what it says.
func stopIn(word, own string) string {
	if word != "" && stopOut(own) == word {
		return own
	}
	for _, r := range stopReasons {
		if r[1] == word {
			return r[0]
		}
	}
	return ""
}

// messagesOut gives messages the dialect's shape. A message with several tool results
// becomes one for each.
func messagesOut(list []hook.Message) []hook.JSON {
	out, called := []hook.JSON{}, names{}
	for _, m := range list {
		out = append(out, called.out(m)...)
	}
	return out
}

// messageOut is a single message that is not a tool result, or one made of its text when
// there is only that.
func messageOut(m *hook.Message, text string) hook.JSON {
	if m == nil {
		m = &hook.Message{Role: "assistant", Content: textContent(text)}
	}
	return names{}.out(*m)[0]
}

// out gives one message the dialect's shape.
func (n names) out(m hook.Message) []hook.JSON {
	if m.Role == "assistant" {
		return []hook.JSON{n.assistantOut(m)}
	}
	blocks, ok := blocksOf(m.Content)
	if m.Role != "user" || !ok {
		return []hook.JSON{plainOut(m, m.Content)}
	}
	var results, rest []hook.JSON
	for _, b := range blocks {
		if b.String("type") == "tool_result" {
			results = append(results, n.resultOut(m, b))
		} else {
			rest = append(rest, blockOut(b))
		}
	}
	if len(rest) > 0 || len(results) == 0 {
		results = append(results, plainOut(m, hook.MustJSON(list(rest))))
	}
	return results
}

// plainOut is a message with the members that it has.
func plainOut(m hook.Message, content hook.JSON) hook.JSON {
	v := object(m.Extra)
	set(&v, "role", m.Role)
	if content.IsZero() {
		content = hook.RawJSON("[]")
	}
	set(&v, "content", contentOut(content))
	return v
}

// timed adds the time of a message, in milliseconds, which its entry has.
func timed(m hook.JSON, at string) hook.JSON {
	if t, err := time.Parse(time.RFC3339Nano, at); err == nil && !m.Has("timestamp") {
		set(&m, "timestamp", t.UnixMilli())
	}
	return m
}

func (n names) assistantOut(m hook.Message) hook.JSON {
	blocks, ok := blocksOf(m.Content)
	if s, text := m.Content.AsString(); text {
		blocks, ok = []hook.JSON{hook.MustJSON(block{"text", s})}, true
	}
	content := []hook.JSON{}
	for _, b := range blocks {
		if b.String("type") == "tool_use" {
			n[b.String("id")] = b.String("name")
		}
		content = append(content, blockOut(b))
	}
	v := plainOut(m, hook.RawJSON("[]"))
	if ok {
		set(&v, "content", content)
	}
	if usage, ok := v.Get("usage"); ok && usage.Has("input_tokens") {
		cost, _ := v.Get("cost")
		v.Delete("cost")
		set(&v, "usage", usageOut(usage, cost))
	}
	effort := v.String("effort")
	v.Delete("effort")
	if reason := stopOut(v.String("stop_reason")); reason != "" {
		v.Rename("stop_reason", "rawStopReason")
		set(&v, "stopReason", reason)
		set(&v, "thinkingLevel", orElse(effort, noThinking))
	}
	return renamed(renamed(v, "id", "responseId"), "duration_ms", "durationMs")
}

// usageOut is what an answer used, and what that cost, where it is known.
func usageOut(u, cost hook.JSON) values {
	n := func(key string) int { return number(u, key) }
	usd := func(key string) float64 { v, _ := cost.Float(key); return v }
	in, out, read, write := n("input_tokens"), n("output_tokens"), n("cache_read_input_tokens"), n("cache_creation_input_tokens")
	return values{
		"input": in, "output": out, "cacheRead": read, "cacheWrite": write, "totalTokens": in + out + read + write,
		"cacheWrite1h": 0, // nothing is kept for that long
		"cost": values{
			"input": usd("input"), "output": usd("output"), "cacheRead": usd("cache_read"), "cacheWrite": usd("cache_write"),
			"total":             usd("input") + usd("output") + usd("cache_read") + usd("cache_write"),
			"totalFromProvider": false,
		},
	}
}

// resultOut is a tool result, which is a message of its own in the dialect.
func (n names) resultOut(m hook.Message, b hook.JSON) hook.JSON {
	id := b.String("tool_use_id")
	content, ok := b.Get("content")
	if !ok {
		content = hook.RawJSON("[]")
	}
	v := values{
		"role": toolResultRole, "toolCallId": id, "toolName": tools.DialectName(orElse(n[id], object(m.Extra).String("tool_name"))), "isError": b.Bool("is_error"),
		"content": resultContent(content),
	}
	if details, ok := member(b, "details"); ok {
		v["details"] = details
	}
	if at, ok := object(m.Extra).Get("timestamp"); ok {
		v["timestamp"] = at
	}
	return hook.MustJSON(v)
}

// resultContent is content as a list, also where it is a text.
func resultContent(content hook.JSON) hook.JSON {
	if s, ok := content.AsString(); ok {
		return textContent(s)
	}
	return contentOut(content)
}

// contentOut gives the blocks of a content the dialect's shape.
func contentOut(content hook.JSON) hook.JSON { return eachBlock(content, blockOut) }

// contentIn is the way back from contentOut.
func contentIn(content hook.JSON) hook.JSON { return eachBlock(content, blockIn) }

func eachBlock(content hook.JSON, f func(hook.JSON) hook.JSON) hook.JSON {
	blocks, ok := blocksOf(content)
	if !ok {
		return content
	}
	changed := false
	for i, b := range blocks {
		blocks[i] = f(b)
		changed = changed || blocks[i] != b
	}
	if !changed {
		return content
	}
	return hook.MustJSON(blocks)
}

// blocksOf returns the elements of an array.
func blocksOf(content hook.JSON) ([]hook.JSON, bool) {
	var blocks []hook.JSON
	if !strings.HasPrefix(content.Raw(), "[") || content.Decode(&blocks) != nil {
		return nil, false
	}
	return blocks, true
}

// blockOut gives one block the dialect's shape; what the dialect has no word for stays.
func blockOut(b hook.JSON) hook.JSON {
	switch b.String("type") {
	case "tool_use":
		input, _ := b.Get("input")
		c := callOf(b.String("name"), b.String("id"), input)
		return hook.MustJSON(values{"type": "toolCall", "id": c.ToolCallID, "name": c.ToolName, "arguments": c.Input})
	case "thinking":
		return renamed(b, "signature", "thinkingSignature")
	case "redacted_thinking":
		return hook.MustJSON(values{"type": "thinking", "thinking": "", "redacted": true, "thinkingSignature": b.String("data")})
	case "image":
		if source, ok := b.Get("source"); ok && source.Has("data") {
			return hook.MustJSON(values{"type": "image", "data": source.String("data"), "mimeType": source.String("media_type")})
		}
	}
	return b
}

// blockIn is the way back from blockOut.
func blockIn(b hook.JSON) hook.JSON {
	switch b.String("type") {
	case "toolCall":
		input, ok := b.Get("arguments")
		if !ok {
			input = hook.RawJSON("{}")
		}
		name, input := toolIn(b.String("name"), input)
		return hook.MustJSON(values{"type": "tool_use", "id": b.String("id"), "name": name, "input": input})
	case "thinking":
		if b.Bool("redacted") {
			return hook.MustJSON(values{"type": "redacted_thinking", "data": b.String("thinkingSignature")})
		}
		return renamed(b, "thinkingSignature", "signature")
	case "image":
		if b.Has("data") && !b.Has("source") {
			return hook.MustJSON(values{"type": "image", "source": values{
				"type": "base64", "media_type": orElse(b.String("mimeType"), "image/png"), "data": b.String("data"),
			}})
		}
	}
	return b
}

// imagesOut gives the images of a prompt the dialect's shape.
func imagesOut(list []hook.JSON) []hook.JSON {
	out := make([]hook.JSON, len(list))
	for i, img := range list {
		out[i] = blockOut(hook.MustJSON(values{"type": "image", "source": img}))
	}
	return out
}

// imagesIn is the way back from imagesOut.
func imagesIn(list []hook.JSON) []hook.JSON {
	out := make([]hook.JSON, len(list))
	for i, img := range list {
		out[i] = img
		if source, ok := blockIn(img).Get("source"); ok {
			out[i] = source
		}
	}
	return out
}

func renamed(b hook.JSON, from, to string) hook.JSON {
	b.Rename(from, to)
	return b
}

// messagesIn is the way back from messagesOut: tool results that follow each other
// become one message. It is nil when a message is not a message at all.
func messagesIn(v hook.JSON) []hook.Message {
	raw := []hook.JSON{}
	if v.IsZero() || v.Decode(&raw) != nil {
		return nil
	}
	out := []hook.Message{}
	var results []hook.JSON
	end := func() {
		if results != nil {
			out = append(out, hook.Message{Role: "user", Content: hook.MustJSON(results)})
			results = nil
		}
	}
	for _, r := range raw {
		if r.String("role") == toolResultRole {
			results = append(results, resultIn(r))
			continue
		}
		end()
		m := messageIn(r)
		if m == nil {
			return nil
		}
		out = append(out, *m)
	}
	end()
	return out
}

func resultIn(r hook.JSON) hook.JSON {
	content, _ := r.Get("content")
	v := values{"type": "tool_result", "tool_use_id": r.String("toolCallId"), "content": contentIn(content)}
	if r.Bool("isError") {
		v["is_error"] = true
	}
	if details, ok := member(r, "details"); ok {
		v["details"] = details
	}
	return hook.MustJSON(v)
}

// messageIn is the way back for a single message.
func messageIn(r hook.JSON) *hook.Message {
	if r.String("role") == toolResultRole {
		return &hook.Message{Role: "user", Content: hook.MustJSON([]hook.JSON{resultIn(r)})}
	}
	var m hook.Message
	if r.Decode(&m) != nil {
		return nil
	}
	m.Content = contentIn(m.Content)
	if m.Role != "assistant" {
		return &m
	}
	extra := object(m.Extra)
	if extra.String("stopReason") == pending {
		extra.Delete("stopReason")
	}
	level := extra.String("thinkingLevel")
	extra.Delete("thinkingLevel")
	if level != "" && level != noThinking {
		set(&extra, "effort", level)
	}
	if reason := stopIn(extra.String("stopReason"), extra.String("rawStopReason")); reason != "" {
		extra.Delete("stopReason")
		extra.Delete("rawStopReason")
		set(&extra, "stop_reason", reason)
	}
	if usage, ok := extra.Get("usage"); ok && usage.Has("cacheRead") {
		cost, _ := usage.Get("cost")
		if v := costIn(cost); len(v) > 0 {
			set(&extra, "cost", v)
		}
		used := values{"input_tokens": number(usage, "input"), "output_tokens": number(usage, "output")}
		for key, n := range map[string]int{"cache_read_input_tokens": number(usage, "cacheRead"), "cache_creation_input_tokens": number(usage, "cacheWrite")} {
			if n != 0 {
				used[key] = n
			}
		}
		set(&extra, "usage", used)
	}
	m.Extra = nil
	if extra = renamed(renamed(extra, "responseId", "id"), "durationMs", "duration_ms"); len(extra.Keys()) > 0 {
		m.Extra = jsontext.Value(extra.Raw())
	}
	return &m
}

// costIn is the way back for what an answer cost.
func costIn(cost hook.JSON) values {
	v := values{}
	for _, names := range [][2]string{{"input", "input"}, {"output", "output"}, {"cacheRead", "cache_read"}, {"cacheWrite", "cache_write"}} {
		if usd, _ := cost.Float(names[0]); usd != 0 {
			v[names[1]] = usd
		}
	}
	return v
}

// object is an object's members, empty when there are none.
func object(raw jsontext.Value) hook.JSON {
	if len(raw) == 0 {
		return hook.RawJSON("{}")
	}
	return hook.RawJSON(raw)
}
