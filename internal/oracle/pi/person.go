package pi

import (
	"encoding/json"
	"strings"

	"github.com/hookline-dev/hookline/internal/oracle"
)

// displayed is the text of a module's message that pi shows the person: one that is sent, or
// one that a turn or a prompt ends with.
func displayed(raw string) string {
	var l struct {
		Type    string
		Message struct {
			Role    string
			Content json.RawMessage
			Display bool
		}
		Entry struct {
			Type    string
			Content json.RawMessage
			Display bool
		}
	}
	_ = json.Unmarshal([]byte(raw), &l) // what is not so has neither
	switch {
	case l.Type == "message_end" && l.Message.Role == "custom" && l.Message.Display:
		return systemText(l.Message.Content)
	case l.Type == "entry_appended" && l.Entry.Type == "custom_message" && l.Entry.Display:
		return systemText(l.Entry.Content)
	}
	return ""
}

// personFacts are what the person was shown over rpc: dialogs, notices, and what stands
// around the editor.
func personFacts(p *oracle.Play) string {
	var out []string
	for raw := range strings.Lines(p.Stdout) {
		var l struct {
			Type, Method, Name, Title, Message, Placeholder, Prefill, Text string
			NotifyType, Level, StatusKey, StatusText, Key                  string
			WidgetKey, Placement, WidgetPlacement                          string
			Options, Choices, WidgetLines, Lines                           []string
		}
		if text := displayed(raw); text != "" {
			out = append(out, "notify info "+text)
			continue
		}
		if json.Unmarshal([]byte(raw), &l) != nil {
			continue
		}
		kind := strings.TrimPrefix(l.Type, "ui_")
		if l.Type == "extension_ui_request" || l.Type == "ui_request" {
			kind = l.Method
		} else if kind == l.Type && kind != "extension_error" && kind != "session_info_changed" {
			continue
		}
		switch kind {
		case "select":
			out = append(out, "select "+l.Title+" "+strings.Join(append(l.Options, l.Choices...), "|"))
		case "confirm", "input", "editor":
			out = append(out, kind+" "+l.Title+" "+l.Message+l.Placeholder+l.Prefill+l.Text)
		case "extension_error":
			out = append(out, "a handler failed")
		case "notify":
			if strings.HasPrefix(l.Message, "hook ") && strings.Contains(l.Message, " could not answer: ") {
				out = append(out, "a handler failed")
				continue
			}
			level := l.NotifyType + l.Level
			if level == "" {
				level = "info"
			}
			out = append(out, "notify "+level+" "+l.Message)
		case "setStatus", "status":
			out = append(out, "status "+l.StatusKey+l.Key+" "+l.StatusText+l.Text)
		case "setTitle", "title", "session_info_changed": // ours shows a session's name as the title
			out = append(out, "title "+l.Title+l.Text+l.Name)
		case "set_editor_text", "editor_text":
			out = append(out, "editor text "+l.Text)
		case "setWidget", "widget":
			out = append(out, "widget "+l.WidgetKey+l.Key+" "+strings.Join(append(l.WidgetLines, l.Lines...), "|"))
		}
	}
	return steady(p, strings.Join(out, "\n"))
}
