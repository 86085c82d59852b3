package wire

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/model"
)

// maxEvent limits one event of a stream.
const maxEvent = 32 << 20

// Lenient are the options for what servers send, and for schemas and inputs that go to them:
// duplicate names and invalid UTF-8 are not ours to refuse.
var Lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Endpoint is where a provider sends its requests. It is safe for concurrent use.
type Endpoint struct {
	Config
	url    string
	header http.Header
	client *http.Client
}

// NewEndpoint returns the endpoint at a URL. Headers go along with every request, of two of one
// name the later one, and the key as a bearer token where there is one.
func NewEndpoint(cfg Config, url, key string, headers ...map[string]string) Endpoint {
	h := http.Header{"User-Agent": {"hookline"}, "Accept": {"application/json"}, "Content-Type": {"application/json"}}
	for _, list := range headers {
		for name, value := range list {
			h.Set(name, value)
		}
	}
	if key != "" {
		h.Set("Authorization", "Bearer "+key)
	}
	cfg.Secrets = []string{key}
	return Endpoint{Config: cfg, url: url, header: h, client: newClient(cfg)}
}

// Decoder makes a model's events of those of one stream, and hands them to the caller.
type Decoder interface {
	// Event takes the next one, and reports whether the caller wants more. io.EOF says that
	// the answer has ended, whatever the stream still holds.
	Event(Event) (more bool, err error)
	// Finish ends the answer. It is false when the server had not yet said why the model
	// stopped.
	Finish() bool
}

// Stream sends body as JSON, with headers beside the endpoint's own, and has a decoder read the
// answer. api names the API in the event of an answer that begins.
func (e *Endpoint) Stream(ctx context.Context, api string, headers map[string]string, body any, d Decoder, yield func(model.Event, error) bool) {
	resp, err := e.post(ctx, headers, body)
	if err != nil {
		yield(model.Event{}, e.Error(ctx, err))
		return
	}
	defer resp.Body.Close()
	if !yield(e.answered(api, resp), nil) {
		return
	}
	for ev, err := range events(resp.Body) {
		more := true
		if err == nil {
			more, err = d.Event(ev)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			yield(model.Event{}, e.Error(ctx, err))
			return
		}
		if !more {
			return
		}
	}
	if !d.Finish() {
		yield(model.Event{}, e.Error(ctx, e.truncated()))
	}
}

// post returns the answer, which is a stream: the client makes an error of every other.
func (e *Endpoint) post(ctx context.Context, headers map[string]string, body any) (*http.Response, error) {
	data, err := json.Marshal(body, Lenient)
	if err != nil {
		return nil, &model.APIError{Kind: model.KindInvalidRequest, Message: "encoding the request: " + err.Error(), Err: err}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("making the request: %w", err)
	}
	req.Header = e.header.Clone()
	for name, value := range headers {
		if e.header.Values(name) == nil {
			req.Header.Set(name, value)
		}
	}
	return e.client.Do(req)
}

// Event is one of a stream: its kind, "" where the server gives none, and its data.
type Event struct {
	Kind string
	Data []byte
}

// events reads a stream of server-sent events (HTML Living Standard, 9.2.6). Those without
// data are left out, and so is one that the end of the stream cut off.
func events(r io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, maxEvent)
		var ev Event
		for lines.Scan() {
			line := lines.Bytes()
			if len(line) == 0 {
				if len(ev.Data) > 0 && !yield(ev, nil) {
					return
				}
				ev = Event{}
				continue
			}
			name, value, _ := bytes.Cut(line, []byte(":"))
			value = bytes.TrimPrefix(value, []byte(" "))
			switch string(name) {
			case "event":
				ev.Kind = string(value)
			case "data":
				if len(ev.Data) > 0 {
					ev.Data = append(ev.Data, '\n')
				}
				ev.Data = append(ev.Data, value...)
			}
			if len(ev.Data) > maxEvent {
				yield(Event{}, bufio.ErrTooLong)
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(Event{}, err)
		}
	}
}
