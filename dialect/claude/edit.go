package claude

import (
	"fmt"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/jsonx"
)

// addHook adds a command hook to the text of a settings file, which may be empty,
// and keeps everything else in it, comments and layout included. A text whose hooks
// are not of the right shape is an error and no guess.
func addHook(data []byte, ev hook.Event, matcher, name, command string) ([]byte, error) {
	if len(data) == 0 {
		data = []byte("{}\n")
	}
	doc, err := jsonx.Edit(data)
	if err != nil {
		return nil, fmt.Errorf("the file is not valid JSON: %w", err)
	}
	type handler struct {
		Type    HandlerType `json:"type"`
		Name    string      `json:"name"`
		Command string      `json:"command"`
	}
	type group struct {
		Matcher string    `json:"matcher,omitzero"`
		Hooks   []handler `json:"hooks"`
	}
	if err := doc.Append(group{matcher, []handler{{TypeCommand, name, command}}}, "hooks", ev.String()); err != nil {
		return nil, fmt.Errorf("the file's hooks have another shape: %w", err)
	}
	return doc.Bytes(), nil
}
