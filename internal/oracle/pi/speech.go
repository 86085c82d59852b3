package pi

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// theirSpeech is pi's rpc mode.
type theirSpeech struct{}

func (theirSpeech) request(s step, t *conversation) (object, error) {
	switch s.do {
	case "prompt", "start":
		return object{"type": "prompt", "message": s.text}, nil
	case "image":
		return object{"type": "prompt", "message": s.text, "images": []object{{"type": "image", "data": dot, "mimeType": "image/png"}}}, nil
	case "bash":
		return object{"type": "bash", "command": s.text}, nil
	case "steer":
		return object{"type": "steer", "message": s.text}, nil
	case "follow":
		return object{"type": "follow_up", "message": s.text}, nil
	case "new":
		return object{"type": "new_session"}, nil
	case "compact":
		return object{"type": "compact", "customInstructions": s.text}, nil
	case "abort":
		return object{"type": "abort"}, nil
	case "model":
		return object{"type": "set_model", "provider": "anthropic", "modelId": otherModel}, nil
	case "resume":
		return object{"type": "switch_session", "sessionPath": t.old}, nil
	case "fork":
		l, err := t.ask(object{"type": "get_fork_messages"})
		if err != nil || s.n >= len(l.Data.Messages) {
			return nil, fmt.Errorf("no message %d to fork from: %w", s.n, err)
		}
		return object{"type": "fork", "entryId": l.Data.Messages[s.n].EntryID}, nil
	}
	return nil, fmt.Errorf("no such step")
}

func (theirSpeech) busy(l line) bool { return l.Data.IsStreaming || l.Data.IsCompacting }

func (theirSpeech) end() object { return nil }

func (theirSpeech) dialog(l line, answer any) object {
	if l.Type != "extension_ui_request" {
		return nil
	}
	out := object{"type": "extension_ui_response", "id": l.ID}
	switch l.Method {
	case "confirm":
		out["confirmed"] = answer
	case "select":
		out["value"] = answer
		if n, ok := answer.(int); ok {
			out["value"] = l.Options[n]
		}
	case "input", "editor":
		out["value"] = answer
	default:
		return nil
	}
	if answer == nil {
		out = object{"type": "extension_ui_response", "id": l.ID, "cancelled": true}
	}
	return out
}

// ourSpeech is the rpc command of this project.
type ourSpeech struct{}

func (ourSpeech) request(s step, t *conversation) (object, error) {
	switch s.do {
	case "prompt", "start":
		return object{"type": "prompt", "text": s.text}, nil
	case "image":
		return object{"type": "prompt", "text": s.text, "images": []object{{"type": "base64", "data": dot, "media_type": "image/png"}}}, nil
	case "bash":
		return object{"type": "prompt", "text": "!" + s.text}, nil
	case "steer":
		return object{"type": "steer", "text": s.text}, nil
	case "follow":
		return object{"type": "follow_up", "text": s.text}, nil
	case "new":
		return object{"type": "new_session"}, nil
	case "compact":
		return object{"type": "compact", "instructions": s.text}, nil
	case "abort":
		return object{"type": "abort"}, nil
	case "model":
		return object{"type": "set_model", "model": "anthropic/" + otherModel}, nil
	case "resume":
		return object{"type": "resume", "session": t.old}, nil
	case "fork":
		state, err := t.ask(object{"type": "get_state"})
		if err != nil {
			return nil, err
		}
		parent, err := beforePrompt(state.Data.Session, s.n)
		return object{"type": "branch", "entry": parent}, err
	}
	return nil, fmt.Errorf("no such step")
}

func (ourSpeech) busy(l line) bool { return !l.Data.Idle }

func (ourSpeech) end() object { return object{"type": "shutdown"} }

func (ourSpeech) dialog(l line, answer any) object {
	if l.Type != "ui_request" {
		return nil
	}
	out := object{"type": "ui_response", "id": l.ID}
	switch l.Method {
	case "confirm":
		out["confirmed"] = answer
	case "select":
		for i, choice := range l.Choices {
			if choice == answer || i == answer {
				out["index"] = i
			}
		}
	default:
		out["text"] = answer
	}
	if answer == nil {
		out = object{"type": "ui_response", "id": l.ID, "dismissed": true}
	}
	return out
}

// beforePrompt finds the entry before the prompt of a number in a session's file: pi's
// fork goes there, ours to the entry that it is told.
func beforePrompt(path string, n int) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	r := bufio.NewScanner(f)
	r.Buffer(nil, 1<<26)
	for r.Scan() {
		var e struct {
			ID, ParentID, Type string
			Message            struct {
				Role    string
				Content json.RawMessage
			}
		}
		var blocks []struct{ Type string }
		if json.Unmarshal(r.Bytes(), &e) != nil || e.Type != "message" || e.Message.Role != "user" {
			continue
		}
		if json.Unmarshal(e.Message.Content, &blocks) == nil && len(blocks) > 0 && blocks[0].Type == "tool_result" {
			continue
		}
		if n--; n < 0 {
			return e.ParentID, r.Err()
		}
	}
	return "", fmt.Errorf("no such prompt in the session: %w", r.Err())
}

// dot is a picture.
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mMQ7DAGAAF6AM29UB63AAAAAElFTkSuQmCC"
