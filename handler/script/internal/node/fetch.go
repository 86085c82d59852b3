package node

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// maxRedirects is the web's limit.
const maxRedirects = 20

// An openBody is an answer that the module is reading.
type openBody struct {
	body   io.ReadCloser
	cancel context.CancelFunc
	mu     sync.Mutex // one reader at a time
}

func (b *openBody) close() {
	b.cancel()
	_ = b.body.Close()
}

// setClient takes the caller's client, or makes one of the module's own so
// that Close can end its idle connections.
func (p *Primitives) setClient(client *http.Client) {
	if client != nil {
		copied := *client
		p.client = &copied
	} else {
		transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
		if standard, ok := http.DefaultTransport.(*http.Transport); ok {
			transport = standard.Clone()
		}
		p.client, p.ownClient = &http.Client{Transport: transport}, true
	}
	p.client.Jar = nil
}

func (p *Primitives) addFetchOps(ops map[string]operation) {
	ops["node.fetch.start"] = waitOp(p.fetchStart)
	ops["node.fetch.read"] = waitOp(p.fetchRead)
	ops["node.fetch.close"] = op(func(_ context.Context, a struct{ ID int }) (any, error) {
		if b, ok := take(p, p.bodies, a.ID); ok {
			b.close()
		}
		return nil, nil
	})
}

// checkHost refuses a URL that the grants do not cover.
func (p *Primitives) checkHost(u *url.URL) error {
	port := u.Port()
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return &Error{Code: "ERR_INVALID_URL_SCHEME", Message: "fetch: unknown scheme " + u.Scheme}
	case port == "" && u.Scheme == "http":
		port = "80"
	case port == "":
		port = "443"
	}
	if !p.opts.Grants.allowsHost(net.JoinHostPort(u.Hostname(), port)) {
		return denied("net:"+strings.ToLower(u.Host), u.Host)
	}
	return nil
}

type response struct {
	ID         *int        `json:"id"`
	Status     int         `json:"status"`
	StatusText string      `json:"statusText"`
	Headers    [][2]string `json:"headers"`
	URL        string      `json:"url"`
	Redirected bool        `json:"redirected"`
	Opaque     bool        `json:"opaque"`
}

type requestArgs struct {
	URL, Method, Redirect string
	Headers               [][2]string
	Body                  *[]byte
}

// fetchStart makes the request and returns when the headers are there. The
// answer's body lives on, until it is read, closed or Close is called.
func (p *Primitives) fetchStart(ctx context.Context, a requestArgs) (any, error) {
	target, err := url.Parse(a.URL)
	if err != nil {
		return nil, &Error{Name: "TypeError", Code: "ERR_INVALID_URL", Message: "Invalid URL"}
	}
	if err := p.checkHost(target); err != nil {
		return nil, err
	}
	// The body must be readable after ctx, which ends with this operation.
	life, cancel := context.WithCancel(p.ctx)
	keep := false
	defer func() {
		if !keep {
			cancel()
		}
	}()
	stop := context.AfterFunc(ctx, cancel)
	defer stop()

	req, err := newRequest(life, a)
	if err != nil {
		return nil, err
	}
	client := *p.client
	client.CheckRedirect = p.redirectPolicy(a.Redirect)
	res, err := client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, networkError(err)
	}
	last := res.Request
	if last == nil { // a transport of the caller's may leave it out
		last = req
	}
	out := response{
		Status: res.StatusCode, StatusText: statusText(res), Headers: headerList(res.Header), URL: withoutFragment(last.URL),
		Redirected: last.URL.String() != req.URL.String(),
	}
	if a.Redirect == "manual" && isRedirect(res.StatusCode) {
		out.Opaque = true
	}
	if a.Method == http.MethodHead || res.StatusCode == http.StatusNoContent || res.StatusCode == http.StatusNotModified {
		_ = res.Body.Close()
		return out, nil
	}
	id, ok := register(p, p.bodies, &openBody{body: res.Body, cancel: cancel})
	if !ok {
		_ = res.Body.Close()
		return nil, errClosed
	}
	keep = true
	out.ID = &id
	return out, nil
}

func newRequest(ctx context.Context, a requestArgs) (*http.Request, error) {
	var body io.Reader
	if a.Body != nil {
		body = bytes.NewReader(*a.Body)
	}
	req, err := http.NewRequestWithContext(ctx, a.Method, a.URL, body)
	if err != nil {
		return nil, &Error{Name: "TypeError", Code: "ERR_INVALID_ARG_VALUE", Message: err.Error()}
	}
	for _, h := range a.Headers {
		switch strings.ToLower(h[0]) {
		case "host", "connection", "content-length", "transfer-encoding", "accept-encoding", "upgrade", "te", "trailer", "keep-alive":
			// Ours to set: they steer the connection, not the request.
		default:
			req.Header.Add(h[0], h[1])
		}
	}
	for name, value := range map[string]string{"Accept": "*/*", "Accept-Language": "*", "User-Agent": "node"} {
		if req.Header.Get(name) == "" {
			req.Header.Set(name, value)
		}
	}
	return req, nil
}

// redirectPolicy checks each further host as the first one was.
func (p *Primitives) redirectPolicy(mode string) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		switch {
		case mode == "manual":
			return http.ErrUseLastResponse
		case mode == "error":
			return &Error{Code: "UND_ERR_REDIRECT", Message: "unexpected redirect"}
		case len(via) > maxRedirects:
			return &Error{Code: "UND_ERR_REDIRECT", Message: "redirect count exceeded"}
		}
		return p.checkHost(req.URL)
	}
}

// networkError finds what a module can act on in a transport's error.
func networkError(err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return &Error{Code: "ENOTFOUND", Syscall: "getaddrinfo", Message: "getaddrinfo ENOTFOUND " + dns.Name}
	}
	if code := codeOf(err); code != "" {
		return systemError(err, "connect", "", "")
	}
	return &Error{Code: "UND_ERR_SOCKET", Message: rootCause(err).Error()}
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

func statusText(res *http.Response) string {
	_, text, _ := strings.Cut(res.Status, " ")
	return text
}

func withoutFragment(u *url.URL) string {
	copied := *u
	copied.Fragment, copied.RawFragment, copied.User = "", "", nil
	return copied.String()
}

func headerList(h http.Header) [][2]string {
	list := [][2]string{}
	for name, values := range h {
		for _, value := range values {
			list = append(list, [2]string{name, value})
		}
	}
	return list
}

// fetchRead returns the next piece of a body, or nil at its end.
func (p *Primitives) fetchRead(ctx context.Context, a struct{ ID int }) (any, error) {
	b, ok := lookup(p, p.bodies, a.ID)
	if !ok {
		return nil, nil
	}
	stop := context.AfterFunc(ctx, b.cancel)
	defer stop()
	b.mu.Lock()
	defer b.mu.Unlock()
	buf := make([]byte, chunkSize)
	for {
		n, err := b.body.Read(buf)
		if n > 0 {
			return buf[:n], nil
		}
		if err == nil {
			continue
		}
		take(p, p.bodies, a.ID)
		b.close()
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, io.EOF):
			return nil, nil
		}
		return nil, networkError(err)
	}
}

func (p *Primitives) closeBodies() {
	for _, b := range takeAll(p, p.bodies) {
		b.close()
	}
}
