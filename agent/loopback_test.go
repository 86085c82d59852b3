package agent_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/model/anthropic"
	"github.com/hookline-dev/hookline/agent/model/openai"
	"github.com/hookline-dev/hookline/hook"
)

// wire writes what a vendor's server answers.
type wire struct {
	name     string
	provider func(url string, c *http.Client) model.Provider
	path     string
	// answer is a whole stream: text, the arguments of tool calls, a stop reason.
	answer func(text string, args []string, reason string) string
	// calls and results say which ids a request holds, in order.
	calls, results func(body hook.JSON) []string
	overloaded     int
}

var wires = []wire{
	{
		name: "anthropic", path: "/v1/messages", overloaded: 529,
		provider: func(url string, c *http.Client) model.Provider {
			return anthropic.New(anthropic.Options{APIKey: "key", BaseURL: url, HTTPClient: c})
		},
		answer: anthropicAnswer,
		calls:  func(b hook.JSON) []string { return blockIDs(b, "tool_use", "id") }, results: func(b hook.JSON) []string { return blockIDs(b, "tool_result", "tool_use_id") },
	},
	{
		name: "openai", path: "/v1/chat/completions", overloaded: 503,
		provider: func(url string, c *http.Client) model.Provider {
			return openai.New(openai.Options{APIKey: "key", BaseURL: url + "/v1", HTTPClient: c})
		},
		answer: openaiAnswer,
		calls: func(b hook.JSON) (ids []string) {
			eachMessage(b, func(m hook.JSON) {
				for _, c := range elements(m, "tool_calls") {
					ids = append(ids, c.String("id"))
				}
			})
			return ids
		},
		results: func(b hook.JSON) (ids []string) {
			eachMessage(b, func(m hook.JSON) {
				if m.String("role") == "tool" {
					ids = append(ids, m.String("tool_call_id"))
				}
			})
			return ids
		},
	},
}

func elements(j hook.JSON, key string) []hook.JSON {
	var out []hook.JSON
	if list, ok := j.Get(key); ok {
		_ = list.Decode(&out) // a string has none
	}
	return out
}

func eachMessage(body hook.JSON, f func(hook.JSON)) {
	for _, m := range elements(body, "messages") {
		f(m)
	}
}

func blockIDs(body hook.JSON, typ, key string) (ids []string) {
	eachMessage(body, func(m hook.JSON) {
		for _, b := range elements(m, "content") {
			if b.String("type") == typ {
				ids = append(ids, b.String(key))
			}
		}
	})
	return ids
}

// quoted is a text as a JSON string.
func quoted(s string) string { return hook.MustJSON(s).Raw() }

// halves splits a text within a character's reach of its middle, as streams do.
func halves(s string) []string { return []string{s[:len(s)/2], s[len(s)/2:]} }

func anthropicAnswer(text string, args []string, reason string) string {
	var b strings.Builder
	event := func(name, data string) {
		fmt.Fprintf(&b, "event: %s\ndata: {\"type\":%q,%s}\n\n", name, name, data)
	}
	event("message_start", `"message":{"id":"m","type":"message","role":"assistant","model":"x","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}`)
	event("content_block_start", `"index":0,"content_block":{"type":"thinking","thinking":"","signature":""}`)
	event("content_block_delta", `"index":0,"delta":{"type":"thinking_delta","thinking":"I think"}`)
	event("content_block_delta", `"index":0,"delta":{"type":"signature_delta","signature":"c2ln"}`)
	event("content_block_stop", `"index":0`)
	if text != "" {
		event("content_block_start", `"index":1,"content_block":{"type":"text","text":""}`)
		event("content_block_delta", `"index":1,"delta":{"type":"text_delta","text":`+quoted(text)+`}`)
		event("content_block_stop", `"index":1`)
	}
	for i, a := range args {
		event("content_block_start", fmt.Sprintf(`"index":%d,"content_block":{"type":"tool_use","id":"call-%d","name":"Look","input":{}}`, i+2, i))
		for _, part := range halves(a) {
			event("content_block_delta", fmt.Sprintf(`"index":%d,"delta":{"type":"input_json_delta","partial_json":%s}`, i+2, quoted(part)))
		}
		event("content_block_stop", fmt.Sprintf(`"index":%d`, i+2))
	}
	event("message_delta", fmt.Sprintf(`"delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":2}`, reason))
	event("message_stop", `"x":1`)
	return b.String()
}

func openaiAnswer(text string, args []string, reason string) string {
	reason = map[string]string{"end_turn": "stop", "tool_use": "tool_calls", "max_tokens": "length", "refusal": "content_filter"}[reason]
	var b strings.Builder
	chunk := func(delta, finish string) {
		fmt.Fprintf(&b, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"x\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n", delta, finish)
	}
	chunk(`{"role":"assistant","content":`+quoted(text)+`}`, "null")
	for i, a := range args {
		chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"call-%d","type":"function","function":{"name":"Look","arguments":""}}]}`, i, i), "null")
		for _, part := range halves(a) {
			chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, i, quoted(part)), "null")
		}
	}
	chunk("{}", quoted(reason))
	b.WriteString("data: [DONE]\n\n")
	return b.String()
}

// reply is one answer of a server.
type reply struct {
	status int // 0 is 200
	header string
	body   string
	hang   bool // the stream stays open after the body
}

// server plays replies, one a call and the last one for ever, and checks that no
// request holds a call without its result.
type server struct {
	*httptest.Server
	t       *testing.T
	w       wire
	mu      sync.Mutex
	replies []reply
	calls   int
	hung    chan struct{} // holds a token when a reply hangs
}

func newServer(t *testing.T, w wire, replies ...reply) *server {
	s := &server{t: t, w: w, replies: replies, hung: make(chan struct{}, 1)}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(r.Body)
	body := hook.RawJSON(data)
	if calls, results := s.w.calls(body), s.w.results(body); err != nil || r.URL.Path != s.w.path || !slices.Equal(calls, results) {
		s.t.Errorf("%s: calls %v, results %v, %v", r.URL.Path, calls, results, err)
	}
	s.mu.Lock()
	one := s.replies[min(s.calls, len(s.replies)-1)]
	s.calls++
	s.mu.Unlock()
	if name, value, ok := strings.Cut(one.header, ": "); ok {
		w.Header().Set(name, value)
	}
	if one.status != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(one.status)
	} else {
		w.Header().Set("Content-Type", "text/event-stream")
	}
	_, _ = io.WriteString(w, one.body) // the client may have left
	if one.hang {
		w.(http.Flusher).Flush()
		s.hung <- struct{}{}
		<-r.Context().Done()
	}
}

// The loop with the vendors' own wire formats: whatever the server does, the session
// holds a result for every call, and the next prompt goes well.
func TestLoopOverTheWire(t *testing.T) {
	const (
		failure = `{"type":"error","error":{"type":"overloaded_error","message":"busy"}}`
		denied  = `{"type":"error","error":{"type":"authentication_error","message":"who are you?"}}`
		bad     = `{"type":"error","error":{"type":"invalid_request_error","message":"messages: bad"}}`
	)
	for _, w := range wires {
		whole := reply{body: w.answer("Done.", nil, "end_turn")}
		cut := func(body string) reply { return reply{body: body[:strings.LastIndex(strings.TrimSpace(body), "\n\n")]} }
		for _, tt := range []struct {
			name    string
			replies []reply
			end     agent.End
			text    string
			calls   int
			want    []string // in the session
		}{
			{"one call", []reply{{body: w.answer("I look.", []string{`{"a":"✓"}`}, "tool_use")}, whole}, agent.EndDone, "Done.", 2, []string{`ran {\"a\":\"✓\"}`}},
			{"parallel calls", []reply{{body: w.answer("", []string{`{"a":1}`, `{"a":2}`, `{"a":3}`}, "tool_use")}, whole}, agent.EndDone, "Done.", 2, []string{`ran {\"a\":3}`}},
			{"arguments that are not JSON", []reply{{body: w.answer("", []string{`{"a": `, `{"a":2}`}, "tool_use")}, whole}, agent.EndDone, "Done.", 2, []string{"not a valid JSON object", `ran {\"a\":2}`}},
			{"cut off by the limit within a call", []reply{{body: w.answer("", []string{`{"a": "long`}, "max_tokens")}, whole}, agent.EndDone, "Done.", 2, []string{"not a valid JSON object"}},
			{"cut off by the limit", []reply{{body: w.answer("It is", nil, "max_tokens")}}, agent.EndDone, "It is", 1, []string{"It is"}},
			{"refused", []reply{{body: w.answer("I can't", nil, "refusal")}}, agent.EndDone, "I can't", 1, nil},
			{"overloaded once", []reply{{status: w.overloaded, body: failure}, whole}, agent.EndDone, "Done.", 2, nil},
			{"too many requests", []reply{{status: 429, header: "Retry-After: 0", body: failure}, whole}, agent.EndDone, "Done.", 2, nil},
			{"broken off within a call", []reply{cut(w.answer("I look.", []string{`{"a":1}`}, "tool_use")), whole}, agent.EndDone, "Done.", 2, []string{"!I look."}},
			{"broken off at once", []reply{{body: ""}, whole}, agent.EndDone, "Done.", 2, nil},
			{"a request that it does not like", []reply{{status: 400, body: bad}}, agent.EndFailed, "", 1, nil},
			{"no such key", []reply{{status: 401, body: denied}}, agent.EndFailed, "", 1, nil},
			{"broken after a tool ran", []reply{{body: w.answer("", []string{`{"a":1}`}, "tool_use")}, {status: 401, body: denied}}, agent.EndFailed, "", 2, []string{`ran {\"a\":1}`}},
		} {
			t.Run(w.name+"/"+tt.name, func(t *testing.T) {
				s := newServer(t, w, tt.replies...)
				b := newBench(t, talk, func(_ *bench, cfg *agent.Config) { cfg.Model = w.provider(s.URL, s.Client()) }).allowAll()
				res, err := b.a.Prompt(t.Context(), "go")
				if res.End != tt.end || (err != nil) != (tt.end == agent.EndFailed) || res.Text != tt.text || s.calls != tt.calls {
					t.Errorf("it ended %s with %q after %d calls: %v", res.End, res.Text, s.calls, err)
				}
				expect(t, strings.Join(messages(t, b.a.Session()), "\n"), tt.want...)
				s.replies = []reply{whole}
				if res, err := b.a.Prompt(t.Context(), "go on"); err != nil || res.Text != "Done." {
					t.Errorf("going on: %+v, %v", res, err)
				}
				messages(t, b.a.Session())
			})
		}
	}
}

// A server that falls silent in the middle of a call is left when the prompt is
// interrupted.
func TestInterruptOfASilentServer(t *testing.T) {
	for _, w := range wires {
		t.Run(w.name, func(t *testing.T) {
			body := w.answer("I look.", []string{`{"a":1}`}, "tool_use")
			s := newServer(t, w, reply{body: body[:len(body)*2/3], hang: true}, reply{body: w.answer("Done.", nil, "end_turn")})
			b := newBench(t, talk, func(_ *bench, cfg *agent.Config) { cfg.Model = w.provider(s.URL, s.Client()) }).allowAll()
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() { <-s.hung; cancel(errStopped) }()
			if res, err := b.a.Prompt(ctx, "go"); !errors.Is(err, errStopped) || res.End != agent.EndInterrupted {
				t.Errorf("%+v, %v", res, err)
			}
			messages(t, b.a.Session())
			ctx, cancelAll := context.WithTimeout(t.Context(), time.Minute)
			defer cancelAll()
			if res, err := b.a.Prompt(ctx, "go on"); err != nil || res.Text != "Done." {
				t.Errorf("going on: %+v, %v", res, err)
			}
		})
	}
}
