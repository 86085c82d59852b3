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

// Header is what goes along with every request: own, and the key as a bearer token where
// there is one.
func Header(key string, own map[string]string) http.Header {
	h := http.Header{"User-Agent": {"hookline"}, "Accept": {"application/json"}}
	for name, value := range own {
		h.Set(name, value)
	}
	if key != "" {
		h.Set("Authorization", "Bearer "+key)
	}
	return h
}

// Post sends body as JSON and returns the answer, which is a stream; client is one that
// [NewClient] made, which turns every other answer into an error. header goes along; the
// caller closes the answer's body.
func Post(ctx context.Context, client *http.Client, url string, header http.Header, body any) (*http.Response, error) {
	data, err := json.Marshal(body, Lenient)
	if err != nil {
		return nil, &model.APIError{Kind: model.KindInvalidRequest, Message: "encoding the request: " + err.Error(), Err: err}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("making the request: %w", err)
	}
	req.Header = header.Clone()
	req.Header.Set("Content-Type", "application/json")
	return client.Do(req)
}

// Headers are a provider's own headers with those of a request in their place or beside them.
func Headers(own http.Header, more map[string]string) http.Header {
	if len(more) == 0 {
		return own
	}
	out := own.Clone()
	for name, value := range more {
		out.Set(name, value)
	}
	return out
}

// Event is one of a stream: its kind, "" where the server gives none, and its data.
type Event struct {
	Kind string
	Data []byte
}

// Events reads a stream of server-sent events (HTML Living Standard, 9.2.6). Those without
// data are left out, and so is one that the end of the stream cut off.
func Events(r io.Reader) iter.Seq2[Event, error] {
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
