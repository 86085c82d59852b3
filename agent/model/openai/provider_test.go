package openai_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/model/openai"
)

const key = "sk-canary-0123456789"

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreTopFunction("net/http.(*persistConn).writeLoop"))
}

// chunks writes chunks in the wire format, "[DONE]" included if it is given.
func chunks(deltas ...string) string {
	var b strings.Builder
	for _, d := range deltas {
		if strings.HasPrefix(d, "{") {
			d = `{"id":"c1","object":"chat.completion.chunk","created":1,"model":"gpt-x",` + strings.TrimPrefix(d, "{")
		}
		fmt.Fprintf(&b, "data: %s\n\n", d)
	}
	return b.String()
}

func delta(d string) string {
	return `{"choices":[{"index":0,"delta":` + d + `,"finish_reason":null}]}`
}

func finish(reason string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

const (
	usageChunk = `{"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":7,"total_tokens":19,"prompt_tokens_details":{"cached_tokens":2},"completion_tokens_details":{"reasoning_tokens":3}}}`
	done       = "[DONE]"
)

func serve(t *testing.T, h http.HandlerFunc) *openai.Provider {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return openai.New(openai.Options{APIKey: key, BaseURL: srv.URL + "/v1", HTTPClient: srv.Client()})
}

func stream(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, body)
	}
}

func request() *model.Request {
	return &model.Request{Model: "gpt-x", Messages: []model.Message{model.UserText("hi")}}
}

func TestStream(t *testing.T) {
	usage := model.Usage{InputTokens: 10, CacheReadTokens: 2, OutputTokens: 7, ThinkingTokens: 3}
	tests := []struct {
		name   string
		body   string
		want   []model.Block
		usage  model.Usage
		reason model.StopReason
		detail string
	}{
		{
			name: "text",
			body: chunks(delta(`{"role":"assistant","content":""}`), delta(`{"content":"Hel"}`), delta(`{"content":"lo ✓"}`), finish("stop"), usageChunk, done),
			want: []model.Block{model.Text("Hello ✓")}, usage: usage, reason: model.StopEndTurn,
		},
		{
			name: "parallel calls, split and mixed",
			body: chunks(delta(`{"content":"ok"}`),
				delta(`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"Bash","arguments":""}}]}`),
				delta(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"comm"}}]}`),
				delta(`{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"Read","arguments":"{\"n\":900719925474099"}}]}`),
				delta(`{"tool_calls":[{"index":0,"function":{"arguments":"and\":\"ls\"}"}},{"index":1,"function":{"arguments":"3}"}}]}`),
				finish("tool_calls"), usageChunk, done),
			want:  []model.Block{model.Text("ok"), model.ToolUse("a", "Bash", `{"command":"ls"}`), model.ToolUse("b", "Read", `{"n":9007199254740993}`)},
			usage: usage, reason: model.StopToolUse,
		},
		{
			name: "calls that share an index, with ids",
			body: chunks(delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"X","arguments":"{}"}},{"index":0,"id":"b","function":{"name":"Y","arguments":"{\"q\":1}"}}]}`), finish("stop"), done),
			want: []model.Block{model.ToolUse("a", "X", `{}`), model.ToolUse("b", "Y", `{"q":1}`)}, reason: model.StopToolUse,
		},
		{
			name: "calls that share an index, without ids",
			body: chunks(delta(`{"tool_calls":[{"index":0,"function":{"name":"X","arguments":"{\"p\":1}"}}]}`), delta(`{"tool_calls":[{"index":0,"function":{"name":"Y","arguments":"{\"q\":1}"}}]}`), finish("stop"), done),
			want: []model.Block{model.ToolUse("call_1", "X", `{"p":1}`), model.ToolUse("call_2", "Y", `{"q":1}`)}, reason: model.StopToolUse,
		},
		{
			name: "id and name repeated in each piece",
			body: chunks(delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"X","arguments":"{\"p\""}}]}`), delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"X","arguments":":1}"}}]}`), finish("tool_calls"), done),
			want: []model.Block{model.ToolUse("a", "X", `{"p":1}`)}, reason: model.StopToolUse,
		},
		{
			name: "reasoning, no DONE, no usage",
			body: chunks(delta(`{"reasoning_content":"h"}`), delta(`{"reasoning":"m"}`), delta(`{"content":"x"}`), finish("stop")),
			want: []model.Block{{Type: model.ThinkingBlock, Thinking: "hm"}, model.Text("x")}, reason: model.StopEndTurn,
		},
		{
			name: "something else in the place of text",
			body: chunks(delta(`{"content":[{"type":"thinking"}],"reasoning":{"a":1}}`), delta(`{"content":null}`), delta(`{"content":"x"}`), finish("stop"), done),
			want: []model.Block{model.Text("x")}, reason: model.StopEndTurn,
		},
		{
			name: "malformed arguments, cut by the token limit",
			body: chunks(delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"X","arguments":"{\"p\": "}}]}`), finish("length"), done),
			want: []model.Block{model.ToolUse("a", "X", `{"p": `)}, reason: model.StopMaxTokens,
		},
		{
			name:   "refusal",
			body:   chunks(delta(`{"refusal":"I "}`), delta(`{"refusal":"can't"}`), finish("stop"), done),
			reason: model.StopRefusal, detail: "I can't",
		},
		{
			name: "content filter",
			body: chunks(delta(`{"content":"x"}`), finish("content_filter"), done),
			want: []model.Block{model.Text("x")}, reason: model.StopRefusal,
		},
		{
			name: "comments and other choices",
			body: ": keep-alive\n\n" + chunks(`{"choices":[{"index":1,"delta":{"content":"no"},"finish_reason":"stop"}]}`, delta(`{"content":"yes"}`), finish("stop"), done),
			want: []model.Block{model.Text("yes")}, reason: model.StopEndTurn,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := serve(t, stream(tt.body))
			got, err := model.Accumulate(p.Stream(t.Context(), request()), nil)
			if err != nil {
				t.Fatal(err)
			}
			want := &model.Response{
				ID: "c1", Model: "gpt-x", Provider: "openai", API: "openai-completions", Usage: tt.usage, Reason: tt.reason, Detail: tt.detail,
				Message: model.Message{Role: model.Assistant, Content: tt.want},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	status := func(code int, header, value, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if header != "" {
				w.Header().Set(header, value)
			}
			w.WriteHeader(code)
			io.WriteString(w, strings.ReplaceAll(body, "KEY", r.Header.Get("Authorization")))
		}
	}
	tests := []struct {
		name  string
		h     http.HandlerFunc
		kind  model.ErrorKind
		after time.Duration
		retry bool
	}{
		{"auth, key echoed", status(401, "", "", `{"error":{"message":"Incorrect API key: KEY","type":"invalid_request_error","code":"invalid_api_key"}}`), model.KindAuth, 0, false},
		{"rate limit", status(429, "Retry-After", "3", `{"error":{"message":"x","code":"rate_limit_exceeded"}}`), model.KindRateLimit, 3 * time.Second, true},
		{"quota", status(429, "", "", `{"error":{"message":"x","code":"insufficient_quota"}}`), model.KindBilling, 0, false},
		{"too long", status(400, "", "", `{"error":{"message":"This model's maximum context length is 8","code":"context_length_exceeded"}}`), model.KindContextTooLong, 0, false},
		{"no such model, text error", status(404, "", "", `{"error":"model not found"}`), model.KindNotFound, 0, false},
		{"gateway", status(503, "", "", "<html>"), model.KindOverloaded, 0, true},
		{"error in the stream", stream(chunks(delta(`{"content":"x"}`), `{"error":{"message":"boom KEY","type":"server_error"}}`)), model.KindServer, 0, true},
		{"cut", stream(chunks(delta(`{"content":"x"}`))), model.KindTruncated, 0, true},
		{"done without a reason", stream(chunks(delta(`{"content":"x"}`), done)), model.KindTruncated, 0, true},
		{"garbage", stream("data: {nope\n\n"), model.KindBadResponse, 0, false},
		{"event beyond the limit", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "data: ")
			block := strings.Repeat("x", 1<<20)
			for range 40 {
				if _, err := io.WriteString(w, block); err != nil {
					return
				}
			}
		}, model.KindBadResponse, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			calls := 0
			p := serve(t, func(w http.ResponseWriter, r *http.Request) { calls++; tt.h(w, r) })
			_, err := model.Accumulate(p.Stream(t.Context(), request()), nil)
			e, ok := errors.AsType[*model.APIError](err)
			if !ok {
				t.Fatalf("got %T %v", err, err)
			}
			if e.Kind != tt.kind || e.RetryAfter != tt.after || e.Retryable() != tt.retry || e.Provider != "openai" {
				t.Errorf("got %+v", e)
			}
			if calls != 1 {
				t.Errorf("%d calls were made", calls)
			}
			if all := fmt.Sprintf("%v %+v %#v %v %#v", err, e, e, p, p); strings.Contains(all, key) {
				t.Errorf("the key is in %s", all)
			}
		})
	}
}

func TestSlowStreamIsCancelled(t *testing.T) {
	gone := make(chan struct{})
	p := serve(t, func(w http.ResponseWriter, r *http.Request) {
		defer close(gone)
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			if _, err := io.WriteString(w, chunks(delta(`{"content":"x"}`))); err != nil || r.Context().Err() != nil {
				return
			}
			w.(http.Flusher).Flush()
			time.Sleep(time.Millisecond)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	_, err := model.Accumulate(p.Stream(ctx, request()), func(ev model.Event) error {
		if n++; n == 10 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	<-gone
}

// A request's headers stand beside the provider's own and not in their place.
func TestHeadersOfARequestAreSent(t *testing.T) {
	var got http.Header
	answer := stream(chunks(finish("stop"), done))
	p := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		answer(w, r)
	})
	req := request()
	req.Headers = map[string]string{"x-team": "red", "authorization": "Bearer another"}
	if _, err := model.Accumulate(p.Stream(t.Context(), req), nil); err != nil || got.Get("X-Team") != "red" || got.Get("Authorization") != "Bearer "+key {
		t.Errorf("the headers are %v, %v", got, err)
	}
}
