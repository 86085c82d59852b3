package agent

import (
	"testing"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
)

// What a hook returns as messages or as output may be anything.
func FuzzContent(f *testing.F) {
	for _, s := range []string{
		`"text"`, `[{"type":"text","text":"a"}]`, `[{"type":"tool_result","tool_use_id":"1","content":"x"}]`, `[{"type":"tool_use","id":"1","name":"a","input":{"a":"\ud800"}}]`,
		`{"content":[{"type":"image","data":"aGk="}]}`, `{"stdout":"a","stderr":"b"}`, `[[[]]]`, `{"content":{"content":[]}}`, `nul`, ``,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		content := hook.RawJSON(s)
		if msg, err := toModel(hook.Message{Role: "user", Content: content}); err == nil {
			if _, err := toHook(msg); err != nil {
				t.Errorf("what was read can't be written: %v", err)
			}
			for _, m := range pairTools([]model.Message{msg}) {
				for _, b := range m.Content {
					if b.Type == model.ToolResultBlock && m.Role == model.User && len(msg.ToolUses()) == 0 {
						t.Errorf("an orphan stays: %+v", b)
					}
				}
			}
		}
		for _, b := range outputBlocks(content) {
			if b.Type != model.TextBlock && b.Type != model.ImageBlock {
				t.Errorf("a %s block in a result", b.Type)
			}
		}
	})
}
