package openai

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

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
	completions sdk.ChatCompletionService
	cfg         wire.Config
	own         bool // OpenAI's own server, which has names of its own
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
	cfg := wire.Config{Provider: o.Name, Secrets: []string{o.APIKey}, Idle: o.Idle, Client: o.HTTPClient}
	opts := []option.RequestOption{
		option.WithBaseURL(o.BaseURL),
		option.WithHTTPClient(wire.NewClient(cfg)),
		option.WithMaxRetries(0),
		option.WithHeader("User-Agent", "hookline"),
	}
	for name, value := range o.Headers {
		opts = append(opts, option.WithHeader(name, value))
	}
	if o.APIKey != "" {
		opts = append(opts, option.WithAPIKey(o.APIKey))
	}
	return &Provider{completions: sdk.NewChatCompletionService(opts...), cfg: cfg, own: own}
}

// String names the provider; it shows nothing of its configuration.
func (p *Provider) String() string { return p.cfg.Provider }

// GoString is String, so that no verb of fmt prints a key.
func (p *Provider) GoString() string { return p.cfg.Provider }

// Stream calls the model; see [model.Provider].
func (p *Provider) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		params, err := params(req, p.own)
		if err != nil {
			yield(model.Event{}, p.cfg.Invalid(err))
			return
		}
		var answered *http.Response
		opts := []option.RequestOption{option.WithResponseInto(&answered)}
		for name, value := range req.Headers {
			opts = append(opts, option.WithHeader(name, value))
		}
		stream := p.completions.NewStreaming(ctx, params, opts...)
		defer stream.Close()
		if stream.Err() == nil && answered != nil && !yield(p.cfg.Answered("openai-completions", answered), nil) {
			return
		}
		d := decoder{yield: yield}
		for stream.Next() {
			if !d.chunk(stream.Current()) {
				return
			}
		}
		if err := stream.Err(); err != nil {
			yield(model.Event{}, p.err(ctx, err))
			return
		}
		if done, more := d.finish(); !done && more {
			yield(model.Event{}, p.cfg.Error(ctx, p.cfg.Truncated()))
		}
	}
}

func (p *Provider) err(ctx context.Context, err error) error {
	if streamErr, ok := errors.AsType[*ssestream.StreamError](err); ok && ctx.Err() == nil {
		return p.cfg.StreamError(streamErr.Event.Data)
	}
	return p.cfg.Error(ctx, err)
}
