package anthropic_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/model/anthropic"
)

// sent returns what a request looks like on the wire.
func sent(t *testing.T, req *model.Request) (body string, h http.Header) {
	t.Helper()
	p := serve(t, func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		body, h = string(data), r.Header
		if r.URL.Path != "/v1/messages" {
			t.Errorf("path %s", r.URL.Path)
		}
		stream(sse(msgStart, msgDelta("end_turn", ""), msgStop))(w, r)
	})
	if _, err := model.Accumulate(p.Stream(t.Context(), req), nil); err != nil {
		t.Fatal(err)
	}
	return body, h
}

func TestRequest(t *testing.T) {
	req := &model.Request{
		Model: "claude-x", System: []string{"be good", "", "be brief"}, CachePrompt: true, ThinkingBudget: 2000, MaxTokens: 500,
		Tools: []model.Tool{{Name: "Bash", Description: "runs", Schema: jsontext.Value(`{"type":"object","properties":{"z":{"type":"string"},"a":{"const":9007199254740993}},"additionalProperties":false}`)}},
		Messages: []model.Message{
			model.UserText("hi"),
			{Role: model.Assistant, Content: []model.Block{
				{Type: model.ThinkingBlock, Thinking: "hm", Signature: "sig"},
				{Type: model.ThinkingBlock, Thinking: "unsigned"},
				model.Text("<b>ok</b>"), model.Text(""),
				model.ToolUse("t1", "Bash", `{"z":"1","a":9007199254740993}`),
				model.ToolUse("t2", "Bash", `{"z":`),
			}},
			{Role: model.User, Content: []model.Block{
				model.Text("and"),
				model.ToolResult("t1", model.Text("out"), model.Block{Type: model.ImageBlock, Source: &model.Image{Type: "base64", MediaType: "image/png", Data: "aGk="}}, model.Block{Type: model.DocumentBlock, Source: &model.Image{Type: "base64", MediaType: "application/pdf", Data: "JVBERi0="}}),
				model.ToolError("t2", "bad input"),
			}},
		},
	}
	body, h := sent(t, req)
	for _, want := range []string{
		`"stream":true`,
		`"max_tokens":2500`,
		`"thinking":{"type":"enabled","budget_tokens":2000}`,
		`{"type":"text","text":"be brief","cache_control":{"type":"ephemeral"}}`,
		`"input_schema":{"type":"object","properties":{"z":{"type":"string"},"a":{"const":9007199254740993}},"additionalProperties":false}`,
		`"input":{"z":"1","a":9007199254740993}`,
		`"input":{"invalid_input":"{\"z\":"}`,
		`"is_error":true`,
		`"media_type":"image/png"`,
		`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0="}}`,
		`{"type":"text","text":"and","cache_control":{"type":"ephemeral"}}`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is not in\n%s", want, body)
		}
	}
	if strings.Contains(body, "unsigned") || strings.Contains(body, `"text":""`) || strings.Contains(body, key) {
		t.Errorf("the body holds what it should not:\n%s", body)
	}
	if strings.Index(body, `"tool_use_id":"t2"`) > strings.Index(body, `"and"`) {
		t.Errorf("tool results do not go first:\n%s", body)
	}
	if h.Get("Authorization") != "Bearer "+key {
		t.Error("the key was not sent")
	}
}

// A person's header counts in place of the provider's own, however its name is written.
func TestVersionOfTheAPICanBeSet(t *testing.T) {
	for _, own := range []map[string]string{nil, {"anthropic-version": "2023-06-01"}} {
		want := "2026-10-21"
		if own != nil {
			want = own["anthropic-version"]
		}
		var got string
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = r.Header.Get("Anthropic-Version")
			stream(sse(msgStart, msgDelta("end_turn", ""), msgStop))(w, r)
		}))
		p := anthropic.New(anthropic.Options{APIKey: key, BaseURL: srv.URL, Headers: own, HTTPClient: srv.Client()})
		_, err := model.Accumulate(p.Stream(t.Context(), request()), nil)
		srv.Close()
		if err != nil || got != want {
			t.Errorf("with %v the version is %q, %v", own, got, err)
		}
	}
}

func TestBadRequestIsNotSent(t *testing.T) {
	p := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	req := request()
	req.Messages[0].Content[0].Type = "hologram"
	_, err := model.Accumulate(p.Stream(t.Context(), req), nil)
	if err == nil || !strings.Contains(err.Error(), `message 0: block of unknown type "hologram"`) || model.IsRetryable(err) {
		t.Errorf("got %v", err)
	}
}
