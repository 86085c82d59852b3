package anthropic

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"strings"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/model/internal/wire"
)

// DefaultBaseURL is the address of the vendor's own API.
const DefaultBaseURL = "https://api.anthropic.com/"

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
	messages sdk.MessageService
	cfg      wire.Config
}

// New returns a provider.
func New(o Options) *Provider {
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	if o.Name == "" {
		o.Name = "anthropic"
	}
	cfg := wire.Config{
		Provider: o.Name, Secrets: []string{o.APIKey},
		Idle: o.Idle, Client: o.HTTPClient,
	}
	opts := []option.RequestOption{
		option.WithBaseURL(strings.TrimSuffix(strings.TrimSuffix(o.BaseURL, "/"), "/v1")),
		option.WithHTTPClient(wire.NewClient(cfg)),
		option.WithMaxRetries(0),
		option.WithoutOpenTelemetry(),
		option.WithHeader("User-Agent", "hookline"),
	}
	for name, value := range o.Headers {
		opts = append(opts, option.WithHeader(name, value))
	}
	if o.APIKey != "" {
		opts = append(opts, option.WithAPIKey(o.APIKey))
	}
	return &Provider{messages: sdk.NewMessageService(opts...), cfg: cfg}
}

// String names the provider; it shows nothing of its configuration.
func (p *Provider) String() string { return p.cfg.Provider }

// GoString is String, so that no verb of fmt prints a key.
func (p *Provider) GoString() string { return p.cfg.Provider }

// Stream calls the model; see [model.Provider].
func (p *Provider) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		params, err := params(req)
		if err != nil {
			yield(model.Event{}, p.cfg.Invalid(err))
			return
		}
		var answered *http.Response
		opts := []option.RequestOption{option.WithResponseInto(&answered)}
		for name, value := range req.Headers {
			opts = append(opts, option.WithHeader(name, value))
		}
		stream := p.messages.NewStreaming(ctx, params, opts...)
		defer stream.Close()
		if stream.Err() == nil && answered != nil && !yield(p.cfg.Answered("anthropic-messages", answered), nil) {
			return
		}
		d := decoder{yield: yield, open: make(map[int64]*openBlock)}
		for stream.Next() {
			if !d.event(stream.Current()) {
				return
			}
		}
		if err := stream.Err(); err != nil {
			yield(model.Event{}, p.err(ctx, err))
			return
		}
		if !d.finish() {
			yield(model.Event{}, p.cfg.Error(ctx, p.cfg.Truncated()))
		}
	}
}

func (p *Provider) err(ctx context.Context, err error) error {
	if sdkErr, ok := errors.AsType[*sdk.Error](err); ok && ctx.Err() == nil {
		return p.cfg.StreamError([]byte(sdkErr.RawJSON()))
	}
	return p.cfg.Error(ctx, err)
}
