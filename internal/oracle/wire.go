package oracle

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// wire is the format of one maker: what in an address tells it, how a request is read, and
// how a turn is written. Every request is kept in the form of Anthropic's, the answers of the
// model as one message each and the results of tools as blocks of that name.
type wire struct {
	path   string
	read   func(body []byte) (*Request, error)
	answer func(w http.ResponseWriter, req *Request, n int, turn Turn)
}

// What is not Anthropic's is answered as a stream only: no program asks for anything else.
var wires = []wire{
	{"/v1/messages", readMessages, answerMessages},
	{"/chat/completions", readChat, answerChat},
	{"/responses", readResponses, answerResponses},
	{":streamGenerateContent", readGemini, answerGemini},
}

type object = map[string]any

// events returns what writes the events of a stream; one without a name is data alone.
func events(w http.ResponseWriter) func(name string, fields object) {
	w.Header().Set("Content-Type", "text/event-stream")
	return func(name string, fields object) {
		if name != "" {
			fields["type"] = name
			fmt.Fprintf(w, "event: %s\n", name)
		}
		line, _ := plainJSON(fields)
		fmt.Fprintf(w, "data: %s\n", line)
	}
}

// add puts a message at the end of a request's. What the model said in several parts is one.
func (r *Request) add(role string, content json.RawMessage) {
	if n := len(r.Messages); role == "assistant" && n > 0 && r.Messages[n-1].Role == role {
		return
	}
	r.Messages = append(r.Messages, Message{role, content})
}

// addResult puts the result of a tool at the end of a request's messages.
func (r *Request) addResult(content json.RawMessage) {
	blocks, _ := plainJSON([]object{{"type": "tool_result", "content": content}})
	r.add("user", blocks)
}

func readMessages(body []byte) (*Request, error) {
	var req Request
	return &req, json.Unmarshal(body, &req)
}

func readChat(body []byte) (*Request, error) {
	req, err := readMessages(body)
	said := req.Messages
	req.Messages = nil
	for _, m := range said {
		if m.Role == "tool" {
			req.addResult(m.Content)
		} else {
			req.add(m.Role, m.Content)
		}
	}
	return req, err
}

func readResponses(body []byte) (*Request, error) {
	var asked struct {
		Request
		Input []struct {
			Type, Role      string
			Content, Output json.RawMessage
		}
	}
	err := json.Unmarshal(body, &asked)
	for _, item := range asked.Input {
		switch {
		case item.Output != nil:
			asked.addResult(item.Output)
		case item.Role == "":
			asked.add("assistant", nil) // a call, or what it thought
		default:
			asked.add(item.Role, item.Content)
		}
	}
	return &asked.Request, err
}

func readGemini(body []byte) (*Request, error) {
	var asked struct {
		Request
		Contents []struct {
			Role  string
			Parts []json.RawMessage
		}
	}
	err := json.Unmarshal(body, &asked)
	for _, c := range asked.Contents {
		for _, raw := range c.Parts {
			var part struct {
				FunctionResponse struct{ Response json.RawMessage }
			}
			_ = json.Unmarshal(raw, &part)
			switch {
			case c.Role == "model":
				asked.add("assistant", raw)
			case part.FunctionResponse.Response != nil:
				asked.addResult(part.FunctionResponse.Response)
			default:
				asked.add("user", raw)
			}
		}
	}
	return &asked.Request, err
}

func answerChat(w http.ResponseWriter, req *Request, n int, turn Turn) {
	finish, delta, calls := "stop", object{"role": "assistant"}, []object{}
	for i, b := range turn.Blocks {
		if b.Tool == "" {
			delta["content"] = b.Text
			continue
		}
		finish = "tool_calls"
		calls = append(calls, object{"index": i, "id": callID(n, i), "type": "function", "function": object{"name": b.Tool, "arguments": arguments(b)}})
		delta["tool_calls"] = calls
	}
	event := events(w)
	for _, choice := range []object{{"index": 0, "delta": delta, "finish_reason": nil}, {"index": 0, "delta": object{}, "finish_reason": finish}} {
		event("", object{"id": fmt.Sprint("chat_", n), "object": "chat.completion.chunk", "created": 1, "model": req.Model, "choices": []object{choice}})
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func answerResponses(w http.ResponseWriter, req *Request, n int, turn Turn) {
	whole := object{"id": fmt.Sprint("resp_", n), "object": "response", "created_at": 1, "model": req.Model, "status": "in_progress"}
	event := events(w)
	event("response.created", object{"response": whole})
	output := []object{}
	for i, b := range turn.Blocks {
		item := object{"type": "message", "id": callID(n, i), "role": "assistant", "status": "completed", "content": []object{{"type": "output_text", "text": b.Text, "annotations": []any{}}}}
		if b.Tool != "" {
			item = object{"type": "function_call", "id": "fc_" + callID(n, i), "call_id": callID(n, i), "status": "completed", "name": b.Tool, "arguments": arguments(b)}
		}
		output = append(output, item)
		event("response.output_item.added", object{"output_index": i, "item": item})
		event("response.output_item.done", object{"output_index": i, "item": item})
	}
	whole["status"], whole["output"] = "completed", output
	whole["usage"] = object{"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
	event("response.completed", object{"response": whole})
}

func answerGemini(w http.ResponseWriter, req *Request, n int, turn Turn) {
	parts := []object{}
	for i, b := range turn.Blocks {
		if b.Tool == "" {
			parts = append(parts, object{"text": b.Text})
		} else {
			parts = append(parts, object{"functionCall": object{"id": callID(n, i), "name": b.Tool, "args": b.Input}, "thoughtSignature": "c2ln"})
		}
	}
	events(w)("", object{
		"candidates":    []object{{"content": object{"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": object{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
	})
}

func callID(n, i int) string { return fmt.Sprintf("call_%d_%d", n, i) }

// arguments are the input of a call as text.
func arguments(b Block) string {
	input, _ := plainJSON(b.Input)
	return strings.TrimSpace(string(input))
}

// answerMessages writes a turn in the form that the request asks for.
func answerMessages(w http.ResponseWriter, req *Request, n int, turn Turn) {
	stop := "end_turn"
	var content []object
	for i, b := range turn.Blocks {
		if b.Tool == "" {
			content = append(content, object{"type": "text", "text": b.Text})
			continue
		}
		stop = "tool_use"
		content = append(content, object{"type": "tool_use", "id": fmt.Sprintf("toolu_%d_%d", n, i), "name": b.Tool, "input": b.Input})
	}
	usage := object{"input_tokens": 10, "output_tokens": 5}
	msg := object{
		"id": fmt.Sprintf("msg_%d", n), "type": "message", "role": "assistant", "model": req.Model,
		"content": content, "stop_reason": stop, "stop_sequence": nil, "usage": usage,
	}
	if !req.Stream {
		_ = json.NewEncoder(w).Encode(msg)
		return
	}
	event := events(w)
	msg["content"], msg["stop_reason"] = []object{}, nil
	event("message_start", object{"message": msg})
	for i, b := range content {
		start, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": b["text"]}
		if b["type"] == "tool_use" {
			start = object{"type": "tool_use", "id": b["id"], "name": b["name"], "input": object{}}
			delta = object{"type": "input_json_delta", "partial_json": arguments(turn.Blocks[i])}
		}
		event("content_block_start", object{"index": i, "content_block": start})
		event("content_block_delta", object{"index": i, "delta": delta})
		event("content_block_stop", object{"index": i})
	}
	event("message_delta", object{"delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": usage})
	event("message_stop", object{})
}
