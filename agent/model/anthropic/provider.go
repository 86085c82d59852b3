package anthropic

import (
	"context"
	"iter"
	"net/http"
	"strings"
	"time"

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
	endpoint wire.Endpoint
}

var (
	_ model.Provider  = (*Provider)(nil)
	_ model.Describer = (*Provider)(nil)
)

// New returns a provider.
func New(o Options) *Provider {
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	if o.Name == "" {
		o.Name = "anthropic"
	}
	url := strings.TrimSuffix(strings.TrimSuffix(o.BaseURL, "/"), "/v1") + "/v1/messages"
	cfg := wire.Config{Provider: o.Name, Idle: o.Idle, Client: o.HTTPClient}
	return &Provider{endpoint: wire.NewEndpoint(cfg, url, o.APIKey, map[string]string{"Anthropic-Version": version}, o.Headers)}
}

// String names the provider; it shows nothing of its configuration.
func (p *Provider) String() string { return p.endpoint.Provider }

// GoString is String, so that no verb of fmt prints a key.
func (p *Provider) GoString() string { return p.endpoint.Provider }

// Describe tells of a model what is the same for all of the server's; see [model.Describer].
func (p *Provider) Describe(name string) model.Description {
	return model.Description{API: "anthropic-messages", MaxTokens: defaultMaxTokens(name)}
}

// Stream calls the model; see [model.Provider].
func (p *Provider) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		body, err := encode(req)
		if err != nil {
			yield(model.Event{}, p.endpoint.Invalid(err))
			return
		}
		p.endpoint.Stream(ctx, "anthropic-messages", req.Headers, body, &decoder{endpoint: &p.endpoint, yield: yield, open: make(map[int]*openBlock)}, yield)
	}
}
