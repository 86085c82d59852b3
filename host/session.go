package host

import (
	"errors"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
)

// openSession opens the session that the options ask for, or a new one; it also says
// what SessionStart calls that.
func (h *Agent) openSession() (s *session.Session, source string, err error) {
	o, opts := &h.opts, session.Options{Cwd: h.Dir, ID: h.opts.SessionID, InMemory: h.opts.NoPersistence}
	if opts.ID != "" {
		if err := session.CheckFree(h.Dirs.Sessions(), opts.ID); err != nil {
			return nil, "", &OptionError{"SessionID", "", err}
		}
	}
	if o.Resume == "" && !o.Continue {
		s, err = session.Create(h.Dirs.Sessions(), opts)
		return s, "startup", err
	}
	var info session.Info
	if o.Resume != "" {
		info, err = session.Find(h.Dirs.Sessions(), o.Resume)
	} else {
		info, err = session.Latest(h.Dirs.Sessions(), h.Dir)
	}
	if err != nil {
		return nil, "", err
	}
	if !o.Fork && !o.NoPersistence {
		s, err = session.Open(info.Path, opts)
		return s, "resume", err
	}
	old, err := session.Open(info.Path, session.Options{ReadOnly: true})
	if err != nil {
		return nil, "", err
	}
	source = "fork"
	if !o.Fork {
		opts.ID, source = old.ID(), "resume"
	}
	s, err = old.Branch(old.Leaf(), opts)
	return s, source, errors.Join(err, old.Close())
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
