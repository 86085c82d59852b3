package openai_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/model"
)

func TestRequest(t *testing.T) {
	// These belong to another account than the server's, and must not be sent.
	t.Setenv("OPENAI_ORG_ID", "org-canary")
	t.Setenv("OPENAI_API_KEY", "sk-env-canary")
	temperature := 0.5
	req := &model.Request{
		Model: "gpt-x", System: []string{"be good", "be brief"}, MaxTokens: 500, Temperature: &temperature, ToolChoice: "Bash", Effort: "low",
		Tools: []model.Tool{{Name: "Bash", Description: "runs", Schema: jsontext.Value(`{"type":"object","properties":{"z":{"type":"string"},"a":{"const":9007199254740993}}}`)}},
		Messages: []model.Message{
			model.UserText("hi"),
			{Role: model.Assistant, Content: []model.Block{
				{Type: model.ThinkingBlock, Thinking: "secret thought"},
				model.Text("ok"),
				model.ToolUse("t1", "Bash", `{"z":"1","a":9007199254740993}`),
				model.ToolUse("t2", "Bash", `{"z":`),
			}},
			{Role: model.User, Content: []model.Block{
				model.ToolResult("t1", model.Text("out"), model.Block{Type: model.ImageBlock, Source: &model.Image{Type: "base64", MediaType: "image/png", Data: "aGk="}}, model.Block{Type: model.DocumentBlock, Source: &model.Image{Type: "base64", MediaType: "application/pdf", Data: "JVBERi0="}}),
				model.ToolError("t2", "bad input"),
				model.Text("and"),
			}},
		},
	}
	var body string
	p := serve(t, func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		body = string(data)
		if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer "+key {
			t.Errorf("path %s, authorization %t", r.URL.Path, r.Header.Get("Authorization") != "")
		}
		for name, values := range r.Header {
			if strings.Contains(strings.Join(values, " "), "canary") && name != "Authorization" {
				t.Errorf("header %s holds %v", name, values)
			}
		}
		stream(chunks(delta(`{"content":"x"}`), finish("stop"), done))(w, r)
	})
	if _, err := model.Accumulate(p.Stream(t.Context(), req), nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"stream":true`, `"include_usage":true`, `"max_tokens":500`, `"temperature":0.5`, `"reasoning_effort":"low"`,
		`"content":"be good\n\nbe brief"`,
		`"properties":{"z":{"type":"string"},"a":{"const":9007199254740993}}`,
		`"arguments":"{\"z\":\"1\",\"a\":9007199254740993}"`,
		`"arguments":"{\"invalid_input\":\"{\\\"z\\\":\"}"`,
		`"content":"Error: bad input"`,
		`data:image/png;base64,aGk=`,
		`which this model cannot be shown`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is not in\n%s", want, body)
		}
	}
	if strings.Contains(body, "secret thought") {
		t.Errorf("the body holds thinking:\n%s", body)
	}
	if strings.Index(body, `"tool_call_id":"t2"`) > strings.Index(body, `image_url`) {
		t.Errorf("a tool result comes after the person's message:\n%s", body)
	}
}
