package host

import (
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
)

func (h *Agent) sessionDir() string { return filepath.Join(h.Dirs.State, "sessions") }

// openSession opens the session that the options ask for, or a new one; it also says
// what SessionStart calls that.
func (h *Agent) openSession() (*session.Session, string, error) {
	opts := session.Options{Cwd: h.Dir}
	switch {
	case h.opts.Resume != "":
		info, err := session.Find(h.sessionDir(), h.opts.Resume)
		if err != nil {
			return nil, "", err
		}
		s, err := session.Open(info.Path, opts)
		return s, "resume", err
	case h.opts.Continue:
		s, err := session.Resume(h.sessionDir(), h.Dir, opts)
		return s, "resume", err
	}
	s, err := session.Create(h.sessionDir(), opts)
	return s, "startup", err
}

// restoreTodos takes up the list of todos that the model kept in the session.
func (h *Agent) restoreTodos(s *session.Session) error {
	items, err := s.Context()
	if err != nil {
		return err
	}
	for _, it := range slices.Backward(items) {
		var m model.Message
		if json.Unmarshal(it.Message, &m, hook.EncodeOptions()) != nil {
			continue // a text
		}
		for _, call := range slices.Backward(m.ToolUses()) {
			var in struct {
				Todos []tool.Todo `json:"todos"`
			}
			if call.Name == "TodoWrite" && json.Unmarshal(call.Input, &in) == nil {
				h.tools.SetTodos(in.Todos)
				return nil
			}
		}
	}
	return nil
}
