package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/agent/model"
)

const (
	// defaultIdle is how long a provider may be silent. Models think for
	// minutes before their first word, so it is generous.
	defaultIdle = 5 * time.Minute

	maxErrorBody = 64 << 10
	maxBody      = 256 << 20
)

// Config says how a provider is reached.
type Config struct {
	Provider string
	// Secrets are kept out of every error text.
	Secrets []string
	// Idle is how long the provider may be silent; 0 is defaultIdle.
	Idle time.Duration
	// Client, when not nil, gives the transport that is wrapped.
	Client *http.Client
}

// newClient returns a client for streamed calls of one provider. It follows no
// redirect: the key in a request's headers is meant for one host.
func newClient(cfg Config) *http.Client {
	if cfg.Idle <= 0 {
		cfg.Idle = defaultIdle
	}
	base := http.DefaultTransport
	if cfg.Client != nil && cfg.Client.Transport != nil {
		base = cfg.Client.Transport
	}
	return &http.Client{
		Transport: &transport{cfg: cfg, base: base},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
}

type transport struct {
	cfg  Config
	base http.RoundTripper
}

// RoundTrip sends the request. Every answer but a stream comes back as an
// *model.APIError.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	silence := &model.APIError{
		Kind: model.KindTimeout, Provider: t.cfg.Provider,
		Message: fmt.Sprintf("nothing came for %s", t.cfg.Idle),
	}
	body := &watchedBody{ctx: ctx, cancel: cancel, idle: t.cfg.Idle}
	body.timer = time.AfterFunc(t.cfg.Idle, func() { cancel(silence) })

	resp, err := t.base.RoundTrip(req.WithContext(ctx))
	if err != nil {
		err = body.cause(err)
		body.stop()
		return nil, err
	}
	body.timer.Stop()
	body.rc = resp.Body
	resp.Body = body
	if isStream(resp) {
		return resp, nil
	}
	defer body.Close()
	return nil, t.refused(resp)
}

// answered is the event of an answer that begins. Cookies are for the client, and not
// for who watches it.
func (c Config) answered(api string, resp *http.Response) model.Event {
	header := resp.Header.Clone()
	header.Del("Set-Cookie")
	return model.Event{Kind: model.Answered, Provider: c.Provider, API: api, Status: resp.StatusCode, Header: header}
}

// isStream accepts an answer without a content type, since some servers forget
// to send one.
func isStream(resp *http.Response) bool {
	if resp.StatusCode != http.StatusOK {
		return false
	}
	mt, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return mt != "text/html" && mt != "application/json"
}

func (t *transport) refused(resp *http.Response) error {
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if err != nil && len(data) == 0 {
		return err
	}
	e := parseError(data)
	e.Provider = t.cfg.Provider
	e.Status = resp.StatusCode
	e.RetryAfter = retryAfter(resp.Header, time.Now())
	e.RequestID = requestID(resp.Header)
	switch resp.Header.Get("X-Should-Retry") {
	case "true":
		e.Retry = new(true)
	case "false":
		e.Retry = new(false)
	}
	switch {
	case resp.StatusCode == http.StatusOK:
		e.Kind = model.KindBadResponse
		e.Message = "the server did not answer with a stream: " + e.Message
		if e.Type != "" {
			e.Kind = Classify(0, e.Type, e.Message)
		}
	case resp.StatusCode < 400:
		e.Kind = model.KindBadResponse
		e.Message = "the server redirects to " + resp.Header.Get("Location") + "; redirects are not followed, set the base URL to the right address"
	default:
		e.Kind = Classify(resp.StatusCode, e.Type, e.Message)
	}
	e.Message = tidy(e.Message, t.cfg.Secrets)
	e.Type = tidy(e.Type, t.cfg.Secrets)
	e.Body = tidy(strings.TrimSpace(string(data)), t.cfg.Secrets)
	return e
}

func requestID(h http.Header) string {
	for _, name := range []string{"Request-Id", "X-Request-Id"} {
		if id := h.Get(name); id != "" {
			return id
		}
	}
	return ""
}

// watchedBody ends the call when nothing comes for too long or when too much
// has come.
type watchedBody struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	rc     io.ReadCloser
	idle   time.Duration
	timer  *time.Timer
	read   int64
}

func (b *watchedBody) Read(p []byte) (int, error) {
	b.timer.Reset(b.idle) // only waiting counts, not what the reader does in between
	n, err := b.rc.Read(p)
	b.timer.Stop()
	b.read += int64(n)
	if b.read > maxBody {
		return n, &model.APIError{Kind: model.KindBadResponse, Message: fmt.Sprintf("the answer is longer than %d MiB", maxBody>>20)}
	}
	if err != nil && err != io.EOF {
		err = b.broken(b.cause(err))
	}
	return n, err
}

// broken marks what went wrong below HTTP, whatever type it has, so that it is
// not taken for an answer that can not be understood.
func (b *watchedBody) broken(err error) error {
	if _, ok := errors.AsType[*model.APIError](err); ok || b.ctx.Err() != nil {
		return err
	}
	kind := model.KindNetwork
	if errors.Is(err, io.ErrUnexpectedEOF) {
		kind = model.KindTruncated
	}
	return &model.APIError{Kind: kind, Message: err.Error(), Err: err}
}

// cause replaces the bare "context canceled" of a call that we ended ourselves.
func (b *watchedBody) cause(err error) error {
	if apiErr, ok := errors.AsType[*model.APIError](context.Cause(b.ctx)); ok {
		return apiErr
	}
	return err
}

func (b *watchedBody) stop() {
	b.timer.Stop()
	b.cancel(nil)
}

func (b *watchedBody) Close() error {
	b.stop()
	return b.rc.Close()
}
