package openai

import (
	"context"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/model/internal/wire"
)

// DefaultBaseURL is the address of OpenAI's own API.
const DefaultBaseURL = "https://api.openai.com/v1/"

// Options says how the API is reached. The environment is not read.
type Options struct {
	// APIKey goes into the Authorization header; local servers need none. It
	// never appears in an error or in the printed form of a Provider.
	APIKey string
	// BaseURL is the address that "chat/completions" is appended to; "" is
	// DefaultBaseURL.
	BaseURL string
	// Name is what errors call the provider; "" is "openai".
	Name string
	// Headers are sent with every request.
	Headers map[string]string
	// Idle is how long the server may be silent before the call fails; 0 is
	// five minutes.
	Idle time.Duration
	// HTTPClient, when not nil, gives the transport to use.
	HTTPClient *http.Client
}

// Provider is a model.Provider for chat completions. It is safe for concurrent
// use.
type Provider struct {
	client *http.Client
	url    string
	header http.Header
	cfg    wire.Config
	own    bool // OpenAI's own server, which has names of its own
}

// New returns a provider.
func New(o Options) *Provider {
	own := o.BaseURL == "" || o.BaseURL == DefaultBaseURL
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	if o.Name == "" {
		o.Name = "openai"
	}
	p := &Provider{
		url:    strings.TrimSuffix(o.BaseURL, "/") + "/chat/completions",
		header: wire.Header(o.APIKey, o.Headers),
		cfg:    wire.Config{Provider: o.Name, Secrets: []string{o.APIKey}, Idle: o.Idle, Client: o.HTTPClient},
		own:    own,
	}
	p.client = wire.NewClient(p.cfg)
	return p
}

// String names the provider; it shows nothing of its configuration.
func (p *Provider) String() string { return p.cfg.Provider }

// GoString is String, so that no verb of fmt prints a key.
func (p *Provider) GoString() string { return p.cfg.Provider }

// Stream calls the model; see [model.Provider].
func (p *Provider) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		body, err := encode(req, p.own)
		if err != nil {
			yield(model.Event{}, p.cfg.Invalid(err))
			return
		}
		resp, err := wire.Post(ctx, p.client, p.url, wire.Headers(p.header, req.Headers), body)
		if err != nil {
			yield(model.Event{}, p.cfg.Error(ctx, err))
			return
		}
		defer resp.Body.Close()
		if !yield(p.cfg.Answered("openai-completions", resp), nil) {
			return
		}
		d := decoder{yield: yield}
		for ev, err := range wire.Events(resp.Body) {
			if err == nil && string(ev.Data) == "[DONE]" {
				break
			}
			if more, err := p.next(ctx, &d, ev, err); err != nil {
				yield(model.Event{}, err)
				return
			} else if !more {
				return
			}
		}
		if done, more := d.finish(); !done && more {
			yield(model.Event{}, p.cfg.Error(ctx, p.cfg.Truncated()))
		}
	}
}

// next hands an event of the stream to the decoder, and reports whether the caller wants
// more.
func (p *Provider) next(ctx context.Context, d *decoder, ev wire.Event, err error) (more bool, _ error) {
	if err != nil {
		return false, p.cfg.Error(ctx, err)
	}
	var c chunk
	err = json.Unmarshal(ev.Data, &c, wire.Lenient)
	if ev.Kind == "error" || len(c.Error) > 0 && c.Error.Kind() != jsontext.KindNull {
		return false, p.cfg.StreamError(ev.Data)
	}
	if err != nil {
		return false, p.cfg.Error(ctx, err)
	}
	return d.chunk(&c), nil
}
