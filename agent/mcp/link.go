package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hookline-dev/hookline/handler/process"
)

// farewell is how long a server has to end by itself.
const farewell = 2 * time.Second

// link is one connection to a server.
type link struct {
	session *sdk.ClientSession
	proc    *process.Process   // nil for HTTP
	cancel  context.CancelFunc // ends the process and every request
	done    chan struct{}      // closed when the session has ended
	waitErr error              // why, once done is closed
	once    sync.Once

	mu     sync.Mutex
	closed bool           // no more calls
	wg     sync.WaitGroup // calls and what waits for the session; added to with mu held
}

// spawn runs f beside the link, unless that is being closed. What runs has ended
// when close returns.
func (l *link) spawn(f func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.wg.Go(f)
	}
	return !l.closed
}

// seal keeps anything more from being spawned.
func (l *link) seal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}

// open starts or reaches a server. The link lives until it is closed, so that
// the server can end politely; startCtx limits the opening.
func (c *conn) open(startCtx context.Context) (*link, error) {
	s, err := c.server.Expand(lookup(c.opts.Env))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(startCtx))
	l := &link{cancel: cancel, done: make(chan struct{})}
	transport, err := c.transport(ctx, l, s)
	if err != nil {
		cancel()
		return nil, err
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "hookline", Version: c.opts.Version}, c.clientOptions())
	err = l.do(startCtx, func(ctx context.Context) error {
		session, err := client.Connect(ctx, transport, nil)
		l.session = session
		return err
	})
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
			err = context.Cause(startCtx)
		}
		l.abandon()
		return nil, l.explain(err)
	}
	l.spawn(func() {
		l.waitErr = l.session.Wait()
		close(l.done)
	})
	return l, nil
}

func (c *conn) transport(ctx context.Context, l *link, s Server) (sdk.Transport, error) {
	if s.Transport != nil {
		return ordered{s.Transport()}, nil
	}
	if s.Type != "stdio" {
		client := c.httpClient(ctx, s)
		if s.Type == "sse" {
			return &sdk.SSEClientTransport{Endpoint: s.URL, HTTPClient: client}, nil
		}
		return &sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: client, DisableStandaloneSSE: true}, nil
	}
	var set []string
	for _, vars := range []map[string]string{s.Vars, s.Env} {
		for k, v := range vars {
			set = append(set, k+"="+v)
		}
	}
	env, _ := process.Environ(c.opts.Env, set, process.EnvPolicy{})
	proc, err := process.Start(ctx, process.Spec{
		Path: s.Command, Args: s.Args, Dir: c.opts.Dir, Env: env, Wall: c.opts.Wall,
		StdinLater: true, StdoutPipe: true, StderrLimit: 16 << 10,
	})
	if err != nil {
		return nil, fmt.Errorf("starting it: %w", err)
	}
	l.proc = proc
	return ordered{&sdk.IOTransport{Reader: proc.Stdout(), Writer: proc.Stdin()}}, nil
}

// do runs a call that may hang beyond its context, and leaves it alone then: it
// ends with the link at the latest.
func (l *link) do(ctx context.Context, f func(context.Context) error) error {
	result := make(chan error, 1)
	if !l.spawn(func() { result <- f(ctx) }) {
		return sdk.ErrConnectionClosed
	}
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// abandon ends a link that has no session yet.
func (l *link) abandon() {
	l.once.Do(func() {
		l.seal()
		l.cancel()
		if l.proc != nil {
			l.proc.Wait()
		}
		l.wg.Wait()
		if l.session != nil { // it came too late
			l.session.Close()
		}
	})
}

// close ends the session and the server: politely first, then at once.
func (l *link) close() {
	l.once.Do(func() {
		closed := make(chan struct{})
		l.spawn(func() {
			l.session.Close()
			close(closed)
		})
		l.seal()
		patience, stop := context.WithTimeout(context.Background(), farewell)
		defer stop()
		select {
		case <-closed:
		case <-patience.Done():
		}
		if l.proc != nil {
			select {
			case <-l.proc.Done():
			case <-patience.Done():
			}
		}
		l.cancel()
		if l.proc != nil {
			l.proc.Wait()
		}
		l.wg.Wait()
	})
}

// explain adds what a process that has ended said last.
func (l *link) explain(err error) error {
	if l.proc == nil || err == nil {
		return err
	}
	select {
	case <-l.proc.Done():
	default:
		return err
	}
	exit := l.proc.Wait()
	said := strings.TrimSpace(strings.ToValidUTF8(string(exit.Stderr), "\uFFFD"))
	if i := strings.LastIndexByte(said, '\n'); i >= 0 {
		said = said[i+1:]
	}
	if len(said) > 300 {
		said = strings.ToValidUTF8(said[:300], "") + "…"
	}
	switch {
	case exit.Ended():
	case said == "":
		return fmt.Errorf("%w (%s)", err, exit)
	default:
		return fmt.Errorf("%w (%s; it wrote: %s)", err, exit, said)
	}
	if said != "" {
		return fmt.Errorf("%w (it wrote: %s)", err, said)
	}
	return err
}

// lookup finds variables in an environment; the last of equal names counts.
func lookup(env []string) func(string) (string, bool) {
	vars := make(map[string]string, len(env))
	for _, kv := range env {
		if k, v, ok := strings.Cut(kv, "="); ok {
			vars[k] = v
		}
	}
	return func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}
}

// httpClient returns a client whose requests end with ctx, and which sends the
// server's headers to its own host only.
func (c *conn) httpClient(ctx context.Context, s Server) *http.Client {
	base := http.DefaultTransport
	if c.opts.HTTPClient != nil && c.opts.HTTPClient.Transport != nil {
		base = c.opts.HTTPClient.Transport
	}
	home, _ := url.Parse(s.URL) // Expand has checked it
	return &http.Client{
		Transport: &headers{ctx: ctx, base: base, host: home.Host, set: s.Headers},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if req.URL.Host != home.Host || req.URL.Scheme != home.Scheme {
				return fmt.Errorf("the server redirects to %s://%s; put that address into the configuration if it is right", req.URL.Scheme, req.URL.Host)
			}
			if len(via) > 5 {
				return errors.New("too many redirects")
			}
			return nil
		},
	}
}

// headers is a transport that adds headers, and ends requests with a context
// besides their own.
type headers struct {
	ctx  context.Context
	base http.RoundTripper
	host string
	set  map[string]string
}

func (h *headers) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	stop := context.AfterFunc(h.ctx, cancel)
	req = req.Clone(ctx)
	if req.URL.Host == h.host {
		for k, v := range h.set {
			req.Header.Set(k, v)
		}
	}
	resp, err := h.base.RoundTrip(req)
	if err != nil {
		stop()
		cancel()
		return nil, err
	}
	stream := strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
	resp.Body = &endingBody{ReadCloser: resp.Body, stream: stream, left: maxMessage, end: func() { stop(); cancel() }}
	return resp, nil
}

// maxMessage bounds, in bytes, one message of a server over HTTP; the SDK bounds those
// over standard output.
const maxMessage = 16 << 20

// endingBody is the body of an answer: one message, or a stream of messages with an
// empty line after each.
type endingBody struct {
	io.ReadCloser
	stream bool
	left   int // of the message
	line   int // how long the last line is so far
	end    func()
}

// Read fails when a message is longer than any should be.
func (b *endingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.left -= n
	for rest := p[:n]; b.stream && len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		b.line += len(bytes.TrimSuffix(line, []byte("\r")))
		if ended && b.line == 0 {
			b.left = maxMessage - len(after)
		}
		if ended {
			b.line = 0
		}
		rest = after
	}
	if b.left < 0 {
		return 0, fmt.Errorf("a message of the server is longer than %d MiB", maxMessage>>20)
	}
	return n, err
}

func (b *endingBody) Close() error {
	err := b.ReadCloser.Close()
	b.end()
	return err
}
