package anthropic

import (
	"context"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/model/internal/wire"
)

// DefaultBaseURL is the address of the vendor's own API.
const DefaultBaseURL = "https://api.anthropic.com/"

// version is that of the API, as the vendor's own library of October 2026 asks for it.
const version = "2026-10-21"

// Options says how the API is reached. The environment is not read.
type Options struct {
	// APIKey is an API key or a bearer token. It never appears in an error or
	// in the printed form of a Provider.
	APIKey string
	// BaseURL is the server's address, with or without /v1; "" is DefaultBaseURL.
	BaseURL string
	// Name is what errors call the provider; "" is "anthropic".
	Name string
	// Headers are sent with every request.
	Headers map[string]string
	// Idle is how long the server may be silent before the call fails; 0 is
	// five minutes.
	Idle time.Duration
	// HTTPClient, when not nil, gives the transport to use.
	HTTPClient *http.Client
}

// Provider is a model.Provider for the Messages API. It is safe for concurrent
// use.
type Provider struct {
	client *http.Client
	url    string
	header http.Header
	cfg    wire.Config
}

// New returns a provider.
func New(o Options) *Provider {
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	if o.Name == "" {
		o.Name = "anthropic"
	}
	p := &Provider{
		url:    strings.TrimSuffix(strings.TrimSuffix(o.BaseURL, "/"), "/v1") + "/v1/messages",
		header: wire.Header(o.APIKey, o.Headers),
		cfg:    wire.Config{Provider: o.Name, Secrets: []string{o.APIKey}, Idle: o.Idle, Client: o.HTTPClient},
	}
	if p.header.Get("Anthropic-Version") == "" {
		p.header.Set("Anthropic-Version", version)
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
		body, err := encode(req)
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
		if !yield(p.cfg.Answered("anthropic-messages", resp), nil) {
			return
		}
		d := decoder{yield: yield, open: make(map[int]*openBlock)}
		for ev, err := range wire.Events(resp.Body) {
			if more, err := p.next(ctx, &d, ev, err); err != nil {
				yield(model.Event{}, err)
				return
			} else if !more {
				return
			}
		}
		if !d.finish() {
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
	if ev.Kind == "error" {
		return false, p.cfg.StreamError(ev.Data)
	}
	var e event
	if err := json.Unmarshal(ev.Data, &e, wire.Lenient); err != nil {
		return false, p.cfg.Error(ctx, err)
	}
	return d.event(&e), nil
}
