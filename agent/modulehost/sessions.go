package modulehost

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
)

// WaitForIdle waits until no prompt runs.
func (h *Host) WaitForIdle(ctx context.Context) error {
	a, err := h.agent()
	if err != nil {
		return nil
	}
	return a.WaitIdle(ctx)
}

// SessionDo changes sessions for a command.
func (h *Host) SessionDo(ctx context.Context, method string, args []byte) (cancelled bool, err error) {
	a, err := h.agent()
	if err != nil {
		return false, err
	}
	var list []jsontext.Value
	if err := json.Unmarshal(args, &list); err != nil {
		return false, fmt.Errorf("%s: %w", method, err)
	}
	at := func(i int) hook.JSON {
		if i < len(list) {
			return hook.RawJSON(list[i])
		}
		return hook.JSON{}
	}
	text, _ := at(0).AsString()
	switch method {
	case "newSession":
		o := agent.NewSessionOptions{Parent: at(0).String("parentSession")}
		if steps, ok := at(0).Get("setup"); ok {
			o.Setup = func(s *session.Session) error { return setup(s, steps) }
		}
		return a.NewSession(ctx, o)
	case "branch":
		if at(1).String("position") == "before" {
			if text, err = before(a, text); err != nil {
				return false, err
			}
		}
		return a.Branch(ctx, text)
	case "navigateTree":
		prompt, before := promptOf(a, text)
		cancelled, err := a.Navigate(ctx, text, agent.NavigateOptions{Summarise: at(1).Bool("summarize"), Instructions: at(1).String("customInstructions"), Before: before})
		if before && !cancelled && err == nil && h.opts.UI != nil {
			h.opts.UI.SetEditorText(prompt)
		}
		return cancelled, err
	case "switchSession":
		if !filepath.IsAbs(text) {
			text = filepath.Join(filepath.Dir(a.Session().Path()), text)
		}
		return a.Resume(ctx, text)
	case "reload":
		if h.opts.Reload == nil {
			return false, &script.UnsupportedError{What: "ctx.reload"}
		}
		return false, h.opts.Reload(ctx)
	}
	return false, &script.UnsupportedError{What: "ctx." + method}
}

// before returns the entry before one.
func before(a *agent.Agent, id string) (string, error) {
	e, err := a.Session().Entry(id)
	return e.ParentID, err
}

// promptOf returns the text of the prompt that an entry is; ok is false when it is none.
func promptOf(a *agent.Agent, id string) (text string, ok bool) {
	e, err := a.Session().Entry(id)
	var m hook.Message
	if err != nil || e.Type != session.Message || json.Unmarshal(e.Message, &m) != nil || m.Role != "user" || strings.Contains(m.Content.Raw(), `"tool_result"`) {
		return "", false
	}
	return m.Text(), true
}

// setup does what a module has asked of the new session before it was there.
func setup(s *session.Session, steps hook.JSON) error {
	var pairs [][2]jsontext.Value
	if err := steps.Decode(&pairs); err != nil {
		return fmt.Errorf("newSession: setup: %w", err)
	}
	for _, p := range pairs {
		var method string
		var args []jsontext.Value
		if err := errors.Join(json.Unmarshal(p[0], &method), json.Unmarshal(p[1], &args)); err != nil {
			return fmt.Errorf("newSession: setup: %w", err)
		}
		if err := setupStep(s, method, args); err != nil {
			return fmt.Errorf("newSession: setup: %s: %w", method, err)
		}
	}
	return nil
}

func setupStep(s *session.Session, method string, args []jsontext.Value) error {
	at := func(i int) jsontext.Value {
		if i < len(args) && args[i].Kind() != 'n' {
			return args[i]
		}
		return nil
	}
	text := func(i int) string {
		t, _ := hook.RawJSON(at(i)).AsString()
		return t
	}
	e := session.Entry{}
	switch method {
	case "appendMessage":
		e.Type, e.Message = session.Message, at(0)
	case "appendCustomMessageEntry":
		e.Type, e.CustomType, e.Content, e.Display, e.Details = session.CustomMessage, text(0), at(1), string(at(2)) == "true", at(3)
	case "appendCustomEntry":
		e.Type, e.CustomType, e.Data = session.Custom, text(0), at(1)
	case "appendModelChange":
		e.Type, e.Provider, e.ModelID = session.ModelChange, text(0), text(1)
	case "appendSessionInfo":
		return s.SetTitle(text(0))
	default:
		return nil // thinking levels have no place in a session here
	}
	_, err := s.Append(e)
	return err
}
