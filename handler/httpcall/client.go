package httpcall

import (
	"crypto/tls"
	"net/http"
	"net/url"
	"sync"
	"time"
)

const (
	maxRedirects    = 5
	maxHeaderBytes  = 64 << 10
	handshakeTime   = 15 * time.Second
	idleConnections = 4
	idleTime        = 30 * time.Second
)

// Client sends the requests of hooks. The zero Client is ready: it verifies
// certificates and uses no proxy, whatever the environment says. Set its fields
// before its first use and none after it; it is then safe for concurrent use, and
// it must not be copied. A nil *Client is a zero one that keeps no connection
// open.
type Client struct {
	// TLS configures connections; nil is the default of crypto/tls.
	TLS *tls.Config
	// Proxy, when not nil, is the proxy of all requests.
	Proxy *url.URL

	once      sync.Once
	transport *http.Transport
}

// Close closes idle connections. The client stays usable.
func (c *Client) Close() {
	if c != nil {
		c.get().CloseIdleConnections()
	}
}

func (c *Client) get() *http.Transport {
	c.once.Do(func() {
		c.transport = newTransport(c.TLS, c.Proxy)
		c.transport.MaxIdleConnsPerHost = idleConnections
		c.transport.IdleConnTimeout = idleTime
	})
	return c.transport
}

func newTransport(conf *tls.Config, proxy *url.URL) *http.Transport {
	t := &http.Transport{
		TLSHandshakeTimeout:    handshakeTime,
		MaxResponseHeaderBytes: maxHeaderBytes,
		DisableCompression:     true, // the limit is for what is read
		ForceAttemptHTTP2:      true,
	}
	if conf != nil {
		t.TLSClientConfig = conf.Clone()
	}
	if proxy != nil {
		t.Proxy = http.ProxyURL(proxy)
	}
	return t
}

// send sends a request and follows redirects that stay on its scheme, host and
// port, keep its method and lead to an allowed URL.
func (c *Client) send(req *http.Request, allow []string) (*http.Response, error) {
	var transport *http.Transport
	if c == nil {
		transport = newTransport(nil, nil)
		transport.DisableKeepAlives = true
	} else {
		transport = c.get()
	}
	home := origin(req.URL)
	client := http.Client{
		Transport: transport,
		CheckRedirect: func(next *http.Request, via []*http.Request) error {
			if origin(next.URL) != home || next.Method != http.MethodPost || len(via) > maxRedirects || !Allowed(allow, next.URL) {
				return http.ErrUseLastResponse
			}
			return nil
		},
	}
	return client.Do(req)
}
