package host

import (
	"errors"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
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
		s, err = h.openFile(info.Path, opts)
		if err == nil && o.ResumeAt != "" {
			err = cut(s, o.ResumeAt)
		}
		return s, "resume", err
	}
	old, err := h.openFile(info.Path, session.Options{ReadOnly: true})
	if err != nil {
		return nil, "", err
	}
	source = "fork"
	if !o.Fork {
		opts.ID, source = old.ID(), "resume"
	}
	at := old.Leaf()
	if o.ResumeAt != "" {
		at, err = messageOf(old, o.ResumeAt)
	}
	if err == nil {
		s, err = old.Branch(at, opts)
	}
	return s, source, errors.Join(err, old.Close())
}

// openFile opens the file of a session and tells the caller what of it cannot be read.
func (h *Agent) openFile(path string, o session.Options) (*session.Session, error) {
	s, err := session.Open(path, o)
	if err != nil {
		return nil, err
	}
	for _, w := range s.Warnings() {
		h.notify(ui.Warning, "%s", w)
	}
	return s, nil
}

// cut has a session go on after a message. What came later stays beside it in the file.
func cut(s *session.Session, id string) error {
	at, err := messageOf(s, id)
	if err == nil && at != s.Leaf() {
		_, err = s.Navigate(at, nil)
	}
	if err != nil {
		return errors.Join(err, s.Close())
	}
	return nil
}

// messageOf finds an entry of a session's conversation.
func messageOf(s *session.Session, id string) (string, error) {
	at, err := s.Known(id)
	if err == nil {
		_, err = s.BranchEntries(at)
	}
	if err != nil {
		return "", &OptionError{"ResumeAt", id, err}
	}
	return at, nil
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
