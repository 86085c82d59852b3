package openai_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/model/openai"
)

// ownServer answers in the place of OpenAI's own server, and keeps what it is sent.
type ownServer struct{ host, body string }

func (o *ownServer) RoundTrip(r *http.Request) (*http.Response, error) {
	data, err := io.ReadAll(r.Body)
	o.host, o.body = r.URL.Host, string(data)
	w := httptest.NewRecorder()
	stream(chunks(delta(`{"content":"x"}`), finish("stop"), done))(w, r)
	return w.Result(), err
}

// What OpenAI's own server has beyond those that speak like it.
func TestOwnServer(t *testing.T) {
	var o ownServer
	p := openai.New(openai.Options{APIKey: key, HTTPClient: &http.Client{Transport: &o}})
	pdf := model.Block{Type: model.DocumentBlock, Source: &model.Image{Type: "base64", MediaType: "application/pdf", Data: "JVBERi0="}}
	_, err := model.Accumulate(p.Stream(t.Context(), &model.Request{Model: "gpt-x", MaxTokens: 7, Messages: []model.Message{
		{Role: model.Assistant, Content: []model.Block{model.ToolUse("t1", "Read", `{"file_path":"a.pdf"}`)}},
		{Role: model.User, Content: []model.Block{model.ToolResult("t1", model.Text("a.pdf"), pdf)}},
	}}), nil)
	if err != nil || o.host != "api.openai.com" {
		t.Fatalf("%s is asked: %v", o.host, err)
	}
	for _, want := range []string{
		`"max_completion_tokens":7`, `"content":"a.pdf"`,
		`"type":"file","file":{"file_data":"data:application/pdf;base64,JVBERi0=","filename":"document.pdf"}`,
	} {
		if !strings.Contains(o.body, want) {
			t.Errorf("%s is not in\n%s", want, o.body)
		}
	}
}
