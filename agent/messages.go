package agent

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
)

// history is the messages of a session. The three lists belong together.
type history struct {
	ids       []string
	messages  []model.Message
	seen      []hook.Message // the same for hooks: read it by forHooks
	compacted bool           // a compaction stands at the beginning
}

// readHistory reads what a session sends to the model.
func readHistory(s *session.Session) (history, error) {
	var h history
	items, err := s.Context()
	if err != nil {
		return h, err
	}
	for _, it := range items {
		msg, seen, err := decodeMessage(it.Message)
		if err != nil {
			return h, fmt.Errorf("reading entry %s of the session: %w", it.EntryID, err)
		}
		if it.Type == session.CustomMessage {
			seen = seenAsCustom(seen, it.CustomType, it.Details, it.Display)
		}
		stamp(&seen, it.Time)
		h.compacted = h.compacted || it.Type == session.Compaction
		h.add(it.EntryID, msg, seen)
	}
	return h, nil
}

func (h *history) add(id string, msg model.Message, seen hook.Message) {
	h.ids, h.messages, h.seen = append(h.ids, id), append(h.messages, withoutDetails(msg)), append(h.seen, seen)
}

// forHooks is the messages as hooks see them. What one holds is encoded when first a hook
// asks: it may be long, and mostly none does.
func (h *history) forHooks() ([]hook.Message, error) {
	for i := range h.seen {
		if !h.seen[i].Content.IsZero() {
			continue
		}
		content, err := toContent(h.messages[i].Content)
		if err != nil {
			return nil, err
		}
		h.seen[i].Content = content
	}
	return h.seen, nil
}

// rawOptions carry what models and tools wrote.
var rawOptions = json.JoinOptions(
	jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true),
)

func hasDetails(m model.Message) bool {
	return slices.ContainsFunc(m.Content, func(b model.Block) bool { return b.Details != nil })
}

// withoutDetails is a message as the model gets it.
func withoutDetails(m model.Message) model.Message {
	if hasDetails(m) {
		m.Content = slices.Clone(m.Content)
		for i := range m.Content {
			m.Content[i].Details = nil
		}
	}
	return m
}

// customRole is the role, for hooks, of messages of their own kinds; the model gets
// them as the person's.
const customRole = "custom"

// seenAsCustom is a custom message as hooks see it: they tell it from the person's
// messages by its role, and from others by its customType.
func seenAsCustom(m hook.Message, customType string, details jsontext.Value, display bool) hook.Message {
	m.Role = customRole
	extra := hook.MustJSON(map[string]any{"customType": customType, "display": display})
	if details != nil {
		if err := extra.Set("details", details); err != nil {
			return m
		}
	}
	m.Extra = jsontext.Value(extra.Raw())
	return m
}

// stamp gives a message as hooks see it its time, in milliseconds.
func stamp(m *hook.Message, at time.Time) {
	extra := hook.RawJSON("{}")
	if len(m.Extra) > 0 {
		extra = hook.RawJSON(m.Extra)
	}
	if extra.Set("timestamp", at.UnixMilli()) == nil {
		m.Extra = jsontext.Value(extra.Raw())
	}
}

// decodeMessage reads a message of a session.
func decodeMessage(raw jsontext.Value) (model.Message, hook.Message, error) {
	var seen hook.Message
	if err := json.Unmarshal(raw, &seen, rawOptions); err != nil {
		return model.Message{}, seen, err
	}
	msg, err := toModel(seen)
	return msg, seen, err
}

// toModel turns a message of a hook's into one of the model's.
func toModel(m hook.Message) (model.Message, error) {
	out := model.Message{Role: model.Role(m.Role)}
	if m.Role == customRole {
		out.Role = model.User
	}
	if out.Role != model.User && out.Role != model.Assistant {
		return out, fmt.Errorf("a message has the role %q; there are user and assistant", m.Role)
	}
	if m.Content.IsZero() {
		return out, nil
	}
	blocks, err := toBlocks(m.Content)
	out.Content = blocks
	return out, err
}

// toBlocks reads content: a string or content blocks.
func toBlocks(content hook.JSON) ([]model.Block, error) {
	if s, ok := content.AsString(); ok {
		return []model.Block{model.Text(s)}, nil
	}
	var blocks []rawBlock
	if err := json.Unmarshal([]byte(content.Raw()), &blocks, rawOptions); err != nil {
		return nil, fmt.Errorf("content is neither a string nor content blocks: %w", err)
	}
	out := make([]model.Block, 0, len(blocks))
	for _, b := range blocks {
		block, err := b.block()
		if err != nil {
			return nil, err
		}
		out = append(out, block)
	}
	return out, nil
}

// rawBlock is a block whose content may also be a string, as tool results of
// other programs have it.
type rawBlock struct {
	Raw jsontext.Value
}

// UnmarshalJSONFrom keeps the block for later.
func (b *rawBlock) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	v, err := dec.ReadValue()
	b.Raw = v.Clone()
	return err
}

func (b rawBlock) block() (model.Block, error) {
	raw := hook.RawJSON(b.Raw)
	var out model.Block
	if content, ok := raw.Get("content"); ok {
		inner, err := toBlocks(content)
		if err != nil {
			return out, err
		}
		raw.Delete("content")
		if err := json.Unmarshal([]byte(raw.Raw()), &out, rawOptions); err != nil {
			return out, fmt.Errorf("reading a content block: %w", err)
		}
		out.Content = inner
		return out, nil
	}
	if err := json.Unmarshal([]byte(raw.Raw()), &out, rawOptions); err != nil {
		return out, fmt.Errorf("reading a content block: %w", err)
	}
	return out, nil
}

// toHook turns a message into the hooks' form.
func toHook(m model.Message) (hook.Message, error) {
	content, err := toContent(m.Content)
	return hook.Message{Role: string(m.Role), Content: content}, err
}

func toContent(blocks []model.Block) (hook.JSON, error) {
	b, err := json.Marshal(blocks, rawOptions)
	if err != nil {
		return hook.JSON{}, fmt.Errorf("encoding a message: %w", err)
	}
	return hook.RawJSON(b), nil
}

// lenientJSON encodes what holds payloads of models and hooks, which are carried and
// not judged.
func lenientJSON(v any) (hook.JSON, error) {
	b, err := json.Marshal(v, rawOptions, json.Deterministic(true))
	if err != nil {
		return hook.JSON{}, fmt.Errorf("encoding %T: %w", v, err)
	}
	return hook.RawJSON(b), nil
}

// stored is a message as the session keeps it: what the model's answer came with
// stands beside it.
type stored struct {
	Role    model.Role    `json:"role"`
	Content []model.Block `json:"content"`
	answerInfo
}

// answerInfo is what an answer came with.
type answerInfo struct {
	ID         string       `json:"id,omitzero"`
	Model      string       `json:"model,omitzero"`
	Provider   string       `json:"provider,omitzero"`
	API        string       `json:"api,omitzero"`
	StopReason string       `json:"stop_reason,omitzero"`
	Usage      *model.Usage `json:"usage,omitzero"`
	Cost       *model.Cost  `json:"cost,omitzero"`
	DurationMS int64        `json:"duration_ms,omitzero"`
	Effort     string       `json:"effort,omitzero"`
}

// stored is what the session keeps beside an answer.
func (ans *answer) stored() stored {
	return stored{answerInfo: answerInfo{
		ID: ans.resp.ID, Model: ans.model, Provider: ans.resp.Provider, API: ans.resp.API, StopReason: string(ans.resp.Reason),
		Usage: &ans.resp.Usage, Cost: ans.resp.Cost, DurationMS: ans.took.Milliseconds(), Effort: ans.effort,
	}}
}

// extra is what hooks see beside the role and the content.
func (s stored) extra() jsontext.Value {
	if s.answerInfo == (answerInfo{}) {
		return nil
	}
	b, err := json.Marshal(s.answerInfo)
	if err != nil {
		return nil // of texts and numbers it does not happen
	}
	return b
}

// pairTools makes sure that calls and results in messages that a hook has changed
// belong together: orphans are left out, and what has no result gets one.
func pairTools(msgs []model.Message) []model.Message {
	out := make([]model.Message, 0, len(msgs))
	var open []string
	answer := func() {
		if len(open) == 0 {
			return
		}
		m := model.Message{Role: model.User}
		for _, id := range open {
			m.Content = append(m.Content, model.ToolError(id, "The result was removed."))
		}
		out, open = append(out, m), nil
	}
	for _, m := range msgs {
		var results []string
		m.Content = slices.DeleteFunc(slices.Clone(m.Content), func(b model.Block) bool {
			if b.Type != model.ToolResultBlock {
				return false
			}
			results = append(results, b.ToolUseID)
			return !slices.Contains(open, b.ToolUseID)
		})
		if len(results) == 0 {
			answer()
		}
		open = slices.DeleteFunc(open, func(id string) bool { return slices.Contains(results, id) })
		if len(m.Content) > 0 {
			out = append(out, m)
		}
		for _, call := range m.ToolUses() {
			open = append(open, call.ID)
		}
	}
	answer()
	return out
}

// outputBlocks turns an output that a hook supplied into content for the model: a
// text, content blocks, an object that holds them, or the structured result of a
// built-in tool.
func outputBlocks(v hook.JSON) []model.Block {
	if text, ok := v.AsString(); ok {
		return []model.Block{model.Text(text)}
	}
	for _, candidate := range []func() (hook.JSON, bool){func() (hook.JSON, bool) { return v, true }, func() (hook.JSON, bool) { return v.Get("content") }} {
		if content, ok := candidate(); ok && strings.HasPrefix(content.Raw(), "[") {
			if blocks, err := toBlocks(content); err == nil && sendable(blocks) {
				return blocks
			}
		}
	}
	if v.Has("stdout") {
		return []model.Block{model.Text(joinLines(v.String("stdout"), v.String("stderr")))}
	}
	if file, ok := v.Get("file"); ok && file.Has("content") {
		return []model.Block{model.Text(file.String("content"))}
	}
	return []model.Block{model.Text(v.Raw())}
}

// sendable reports whether blocks can be part of a tool result. Images in the form
// of MCP servers are brought into ours.
func sendable(blocks []model.Block) bool {
	for i, b := range blocks {
		switch {
		case b.Type == model.TextBlock:
		case b.Type == model.ImageBlock && b.Source == nil && b.Data != "":
			blocks[i] = model.Block{Type: model.ImageBlock, Source: &model.Image{Type: "base64", MediaType: "image/png", Data: b.Data}}
		case (b.Type == model.ImageBlock || b.Type == model.DocumentBlock) && b.Source != nil:
		default:
			return false
		}
	}
	return true
}

func joinLines(a, b string) string {
	if a != "" && b != "" {
		return strings.TrimSuffix(a, "\n") + "\n" + b
	}
	return a + b
}
