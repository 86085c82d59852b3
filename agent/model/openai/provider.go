package openai

import (
	"context"
	"iter"
	"net/http"
	"strings"
	"time"

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
	endpoint wire.Endpoint
	own      bool // OpenAI's own server, which has names of its own
}

var (
	_ model.Provider  = (*Provider)(nil)
	_ model.Describer = (*Provider)(nil)
)

// New returns a provider.
func New(o Options) *Provider {
	own := o.BaseURL == "" || o.BaseURL == DefaultBaseURL
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	if o.Name == "" {
		o.Name = "openai"
	}
	cfg := wire.Config{Provider: o.Name, Idle: o.Idle, Client: o.HTTPClient}
	url := strings.TrimSuffix(o.BaseURL, "/") + "/chat/completions"
	return &Provider{endpoint: wire.NewEndpoint(cfg, url, o.APIKey, o.Headers), own: own}
}

// String names the provider; it shows nothing of its configuration.
func (p *Provider) String() string { return p.endpoint.Provider }

// GoString is String, so that no verb of fmt prints a key.
func (p *Provider) GoString() string { return p.endpoint.Provider }

// Describe tells of a model what is the same for all of the server's; see [model.Describer].
func (p *Provider) Describe(_ string) model.Description {
	return model.Description{API: "openai-completions"}
}

// Stream calls the model; see [model.Provider].
func (p *Provider) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		body, err := p.encode(req)
		if err != nil {
			yield(model.Event{}, p.endpoint.Invalid(err))
			return
		}
		p.endpoint.Stream(ctx, "openai-completions", req.Headers, body, &decoder{endpoint: &p.endpoint, yield: yield}, yield)
	}
}
