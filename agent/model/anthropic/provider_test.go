package anthropic_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/model/anthropic"
)

const key = "sk-ant-canary-0123456789"

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreTopFunction("net/http.(*persistConn).writeLoop"))
}

// sse writes events in the wire format: "name data" per line.
func sse(lines ...string) string {
	var b strings.Builder
	for _, l := range lines {
		name, data, _ := strings.Cut(l, " ")
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", name, data)
	}
	return b.String()
}

const (
	msgStart = `message_start {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":10,"cache_read_input_tokens":4,"cache_creation_input_tokens":2,"output_tokens":1}}}`
	msgStop  = `message_stop {"type":"message_stop"}`
	ping     = `ping {"type":"ping"}`
)

func blockStart(i int, block string) string {
	return fmt.Sprintf(`content_block_start {"type":"content_block_start","index":%d,"content_block":%s}`, i, block)
}

func blockDelta(i int, delta string) string {
	return fmt.Sprintf(`content_block_delta {"type":"content_block_delta","index":%d,"delta":%s}`, i, delta)
}

func blockStop(i int) string {
	return fmt.Sprintf(`content_block_stop {"type":"content_block_stop","index":%d}`, i)
}

func msgDelta(reason, more string) string {
	return fmt.Sprintf(`message_delta {"type":"message_delta","delta":{"stop_reason":"%s","stop_sequence":null%s},"usage":{"output_tokens":20}}`, reason, more)
}

// serve answers every call with the handler and returns a provider for it.
func serve(t *testing.T, h http.HandlerFunc) *anthropic.Provider {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return anthropic.New(anthropic.Options{APIKey: key, BaseURL: srv.URL, HTTPClient: srv.Client()})
}

func stream(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		io.WriteString(w, body)
	}
}

func request() *model.Request {
	return &model.Request{Model: "claude-x", Messages: []model.Message{model.UserText("hi")}}
}

func TestStream(t *testing.T) {
	usage := model.Usage{InputTokens: 10, CacheReadTokens: 4, CacheWriteTokens: 2, OutputTokens: 20}
	tests := []struct {
		name   string
		body   string
		want   []model.Block
		reason model.StopReason
		detail string
	}{
		{
			name: "text",
			body: sse(msgStart, ping, blockStart(0, `{"type":"text","text":""}`),
				blockDelta(0, `{"type":"text_delta","text":"Hel"}`), blockDelta(0, `{"type":"text_delta","text":"lo ✓"}`),
				blockStop(0), msgDelta("end_turn", ""), msgStop),
			want: []model.Block{model.Text("Hello ✓")}, reason: model.StopEndTurn,
		},
		{
			name: "thinking, redacted thinking, parallel calls split anywhere",
			body: sse(msgStart,
				blockStart(0, `{"type":"thinking","thinking":"","signature":""}`),
				blockDelta(0, `{"type":"thinking_delta","thinking":"hm"}`), blockDelta(0, `{"type":"signature_delta","signature":"c2ln"}`), blockStop(0),
				blockStart(1, `{"type":"redacted_thinking","data":"xyz"}`), blockStop(1),
				blockStart(2, `{"type":"tool_use","id":"toolu_a","name":"Bash","input":{}}`),
				blockDelta(2, `{"type":"input_json_delta","partial_json":""}`),
				blockDelta(2, `{"type":"input_json_delta","partial_json":"{\"comm"}`),
				blockStart(3, `{"type":"tool_use","id":"toolu_b","name":"Read","input":{}}`),
				blockDelta(3, `{"type":"input_json_delta","partial_json":"{\"n\": 900719925474099"}`),
				blockDelta(2, `{"type":"input_json_delta","partial_json":"and\":\"ls\"}"}`), blockStop(2),
				blockDelta(3, `{"type":"input_json_delta","partial_json":"3}"}`), blockStop(3),
				msgDelta("tool_use", ""), msgStop),
			want: []model.Block{
				{Type: model.ThinkingBlock, Thinking: "hm", Signature: "c2ln"},
				{Type: model.RedactedThinkingBlock, Data: "xyz"},
				model.ToolUse("toolu_a", "Bash", `{"command":"ls"}`),
				model.ToolUse("toolu_b", "Read", `{"n": 9007199254740993}`),
			}, reason: model.StopToolUse,
		},
		{
			name: "call without deltas, and one with input in its start",
			body: sse(msgStart, blockStart(0, `{"type":"tool_use","id":"a","name":"LS","input":{}}`), blockStop(0),
				blockStart(1, `{"type":"tool_use","id":"b","name":"LS","input":{"path":"/x"}}`), blockStop(1),
				msgDelta("tool_use", ""), msgStop),
			want:   []model.Block{model.ToolUse("a", "LS", `{}`), model.ToolUse("b", "LS", `{"path":"/x"}`)},
			reason: model.StopToolUse,
		},
		{
			name: "malformed arguments keep their text",
			body: sse(msgStart, blockStart(0, `{"type":"tool_use","id":"a","name":"Bash","input":{}}`),
				blockDelta(0, `{"type":"input_json_delta","partial_json":"{\"command\": \"rm"}`), blockStop(0),
				msgDelta("max_tokens", ""), msgStop),
			want: []model.Block{model.ToolUse("a", "Bash", `{"command": "rm`)}, reason: model.StopMaxTokens,
		},
		{
			name: "refusal",
			body: sse(msgStart, blockStart(0, `{"type":"text","text":""}`), blockDelta(0, `{"type":"text_delta","text":"I"}`), blockStop(0),
				msgDelta("refusal", `,"stop_details":{"type":"refusal","category":"cyber","explanation":"not this"}`), msgStop),
			want: []model.Block{model.Text("I")}, reason: model.StopRefusal, detail: "not this",
		},
		{
			name: "unknown events and blocks are skipped",
			body: sse(msgStart, `surprise {"type":"surprise"}`, blockStart(0, `{"type":"hologram","x":1}`), blockDelta(0, `{"type":"photon_delta"}`), blockStop(0),
				msgDelta("end_turn", ""), msgStop),
			reason: model.StopEndTurn,
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
				ID: "msg_1", Model: "claude-x", Provider: "anthropic", API: "anthropic-messages", Usage: usage, Reason: tt.reason, Detail: tt.detail,
				Message: model.Message{Role: model.Assistant, Content: tt.want},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestInvalidInputIsMarked(t *testing.T) {
	p := serve(t, stream(sse(msgStart, blockStart(0, `{"type":"tool_use","id":"a","name":"Bash","input":{}}`),
		blockDelta(0, `{"type":"input_json_delta","partial_json":"{\"command\": \"rm"}`), blockStop(0), msgDelta("tool_use", ""), msgStop)))
	got, err := model.Accumulate(p.Stream(t.Context(), request()), nil)
	if err != nil {
		t.Fatal(err)
	}
	call := got.Message.ToolUses()[0]
	if call.InputError == "" || call.InputText() != `{"command": "rm` || call.Input.Kind() != '"' {
		t.Errorf("got %+v", call)
	}
}

func TestHugeEvent(t *testing.T) {
	big := strings.Repeat("x", 4<<20)
	p := serve(t, stream(sse(msgStart, blockStart(0, `{"type":"text","text":""}`),
		blockDelta(0, `{"type":"text_delta","text":"`+big+`"}`), blockStop(0), msgDelta("end_turn", ""), msgStop)))
	got, err := model.Accumulate(p.Stream(t.Context(), request()), nil)
	if err != nil || got.Message.Text() != big {
		t.Fatalf("err %v, %d bytes", err, len(got.Message.Text()))
	}
}

func TestErrors(t *testing.T) {
	status := func(code int, header, value, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Request-Id", "req_9")
			if header != "" {
				w.Header().Set(header, value)
			}
			w.WriteHeader(code)
			io.WriteString(w, strings.ReplaceAll(body, "KEY", r.Header.Get("Authorization")))
		}
	}
	errBody := func(typ, msg string) string {
		return fmt.Sprintf(`{"type":"error","error":{"type":"%s","message":"%s"},"request_id":"req_9"}`, typ, msg)
	}
	tests := []struct {
		name   string
		h      http.HandlerFunc
		kind   model.ErrorKind
		status int
		after  time.Duration
		retry  bool
	}{
		{"overloaded", status(529, "", "", errBody("overloaded_error", "Overloaded")), model.KindOverloaded, 529, 0, true},
		{"rate limit, seconds", status(429, "Retry-After", "12", errBody("rate_limit_error", "slow down")), model.KindRateLimit, 429, 12 * time.Second, true},
		{"rate limit, milliseconds", status(429, "Retry-After-Ms", "1500", errBody("rate_limit_error", "slow down")), model.KindRateLimit, 429, 1500 * time.Millisecond, true},
		{"told not to retry", status(529, "X-Should-Retry", "false", errBody("overloaded_error", "Overloaded")), model.KindOverloaded, 529, 0, false},
		{"auth, key echoed", status(401, "", "", errBody("authentication_error", "invalid x-api-key: KEY")), model.KindAuth, 401, 0, false},
		{"invalid", status(400, "", "", errBody("invalid_request_error", "messages: bad")), model.KindInvalidRequest, 400, 0, false},
		{"too long", status(400, "", "", errBody("invalid_request_error", "prompt is too long: 9 > 8")), model.KindContextTooLong, 400, 0, false},
		{"no such model", status(404, "", "", errBody("not_found_error", "model: x")), model.KindNotFound, 404, 0, false},
		{"html", status(502, "", "", "<html>"), model.KindServer, 502, 0, true},
		{"redirect", status(307, "Location", "http://127.0.0.1:1/", ""), model.KindBadResponse, 307, 0, false},
		{"json where a stream should be", status(200, "", "", `{"hello":1}`), model.KindBadResponse, 200, 0, false},
		{"error in the stream", stream(sse(msgStart, blockStart(0, `{"type":"text","text":"a"}`),
			`error `+errBody("overloaded_error", "Overloaded"))), model.KindOverloaded, 0, 0, true},
		{"cut between events", stream(sse(msgStart, blockStart(0, `{"type":"text","text":"a"}`))), model.KindTruncated, 0, 0, true},
		{"garbage data", stream("event: message_start\ndata: {nope\n\n"), model.KindBadResponse, 0, 0, false},
		{"nothing", stream(""), model.KindTruncated, 0, 0, true},
		{"cut inside an event", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.Header().Set("Content-Length", "100000")
			io.WriteString(w, sse(msgStart)+"event: content_blo")
		}, model.KindTruncated, 0, 0, true},
		{"connection reset", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, sse(msgStart))
			w.(http.Flusher).Flush()
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			conn.(*net.TCPConn).SetLinger(0)
			conn.Close()
		}, model.KindNetwork, 0, 0, true},
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
			if e.Kind != tt.kind || e.Status != tt.status || e.RetryAfter != tt.after || e.Retryable() != tt.retry || e.Provider != "anthropic" {
				t.Errorf("got %+v", e)
			}
			if calls != 1 {
				t.Errorf("%d calls were made", calls)
			}
			for _, text := range []string{err.Error(), fmt.Sprintf("%+v", e), fmt.Sprintf("%#v", e), fmt.Sprintf("%v %+v %#v", p, p, p)} {
				if strings.Contains(text, key) {
					t.Errorf("the key is in %s", text)
				}
			}
		})
	}
}

func TestNoServer(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	p := anthropic.New(anthropic.Options{APIKey: key, BaseURL: srv.URL})
	_, err := model.Accumulate(p.Stream(t.Context(), request()), nil)
	if e, ok := errors.AsType[*model.APIError](err); !ok || e.Kind != model.KindNetwork || !e.Retryable() {
		t.Errorf("got %v", err)
	}
}

// hang sends a first delta and then nothing until the client goes away.
func hang(gone chan<- struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, sse(msgStart, blockStart(0, `{"type":"text","text":"first"}`)))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(gone)
	}
}

func TestHTTP2StreamIsReset(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, sse(msgStart))
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}))
	srv.EnableHTTP2 = true
	srv.StartTLS()
	t.Cleanup(srv.Close)
	p := anthropic.New(anthropic.Options{APIKey: key, BaseURL: srv.URL, HTTPClient: srv.Client()})
	_, err := model.Accumulate(p.Stream(t.Context(), request()), nil)
	if e, ok := errors.AsType[*model.APIError](err); !ok || e.Kind != model.KindNetwork || !e.Retryable() || e.Provider != "anthropic" {
		t.Errorf("got %v", err)
	}
}

func TestCancel(t *testing.T) {
	gone := make(chan struct{})
	p := serve(t, hang(gone))
	ctx, cancel := context.WithCancel(t.Context())
	got, err := model.Accumulate(p.Stream(ctx, request()), func(ev model.Event) error {
		if ev.Kind == model.TextDelta {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || got.Message.Text() != "first" {
		t.Errorf("got %v, %q", err, got.Message.Text())
	}
	<-gone
}

func TestLeavingTheLoopEndsTheCall(t *testing.T) {
	gone := make(chan struct{})
	p := serve(t, hang(gone))
	for ev, err := range p.Stream(t.Context(), request()) {
		if err != nil || ev.Kind == model.TextDelta {
			break
		}
	}
	<-gone
}

func TestSilence(t *testing.T) {
	gone := make(chan struct{})
	srv := httptest.NewServer(hang(gone))
	t.Cleanup(srv.Close)
	p := anthropic.New(anthropic.Options{APIKey: key, BaseURL: srv.URL, Idle: 50 * time.Millisecond})
	_, err := model.Accumulate(p.Stream(t.Context(), request()), nil)
	if e, ok := errors.AsType[*model.APIError](err); !ok || e.Kind != model.KindTimeout {
		t.Errorf("got %v", err)
	}
	<-gone
}

func TestAnAnswerBeginsWithItsStatusAndHeadersButNoCookies(t *testing.T) {
	p := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "session=1")
		w.Header().Set("Request-Id", "r1")
		stream("")(w, r)
	})
	for ev, err := range p.Stream(t.Context(), request()) {
		if err != nil || ev.Kind != model.Answered || ev.Status != http.StatusOK || ev.Header.Get("Request-Id") != "r1" || ev.Header.Get("Set-Cookie") != "" {
			t.Errorf("the first event is %+v, %v", ev, err)
		}
		break
	}
}

// A request's headers stand beside the provider's own and not in their place.
func TestHeadersOfARequestAreSent(t *testing.T) {
	var got http.Header
	answer := stream(sse(msgStart, msgDelta("end_turn", ""), msgStop))
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
