package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

const (
	fetchTimeout = 30 * time.Second
	fetchMax     = 5 << 20
	fetchText    = 100_000
	maxRedirects = 5
)

const webFetchSchema = `{"type":"object","properties":{
"url":{"type":"string","description":"An http or https address."},
"prompt":{"type":"string","description":"What to find out from the page."}
},"required":["url"],"additionalProperties":false}`

type webFetchInput struct {
	URL    string `json:"url"`
	Prompt string `json:"prompt"`
}

type webFetchResponse struct {
	Bytes      int    `json:"bytes"`
	Code       int    `json:"code"`
	CodeText   string `json:"codeText"`
	Result     string `json:"result"`
	DurationMs int64  `json:"durationMs"`
	URL        string `json:"url"`
}

func (s *Set) webFetch() Tool {
	return defineReader("WebFetch", "Gets a web page as text. A redirect to another host is reported and not followed: fetch the new "+
		"address if it is the right one.", webFetchSchema, s.runWebFetch)
}

// fetchClient returns a client that refuses link-local addresses, where cloud
// machines keep their credentials.
func fetchClient() *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		host, _, _ := net.SplitHostPort(address)
		if isLinkLocal(host) {
			return fmt.Errorf("%s is a link-local address, which is not fetched", host)
		}
		return nil
	}}
	return &http.Client{Transport: &http.Transport{
		DialContext: dialer.DialContext, Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true,
		DisableKeepAlives: true, TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 256 << 10,
	}}
}

func isLinkLocal(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLinkLocalUnicast()
}

// otherHost is the error of a redirect that is not followed.
type otherHost struct{ to *url.URL }

func (e *otherHost) Error() string { return "redirect to " + e.to.Host }

func (s *Set) runWebFetch(ctx context.Context, in webFetchInput, _ Input) (Result, error) {
	u, err := fetchURL(in.URL)
	if err != nil {
		return Result{}, err
	}
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	resp := webFetchResponse{URL: u.String()}
	page, err := s.fetch(ctx, u, &resp)
	if redirect, ok := errors.AsType[*otherHost](err); ok {
		page = fmt.Sprintf("%s redirects to another host: %s\nFetch that address if it is the right one.", u, redirect.to)
	} else if err != nil {
		return Result{}, fmt.Errorf("fetching %s: %w", u, plainError(err))
	} else if resp.Code >= 400 {
		return Result{}, fmt.Errorf("fetching %s: %d %s\n%s", u, resp.Code, resp.CodeText, clip(page, 2000))
	} else if s.cfg.Summarize != nil && in.Prompt != "" {
		if page, err = s.cfg.Summarize(ctx, in.Prompt, page); err != nil {
			return Result{}, fmt.Errorf("summarizing %s: %w", u, err)
		}
	}
	resp.Result, resp.DurationMs = page, time.Since(start).Milliseconds()
	return result(page, resp)
}

func fetchURL(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%q is not a valid address", text)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("%q is not an http or https address", text)
	case u.User != nil:
		return nil, errors.New("the address must not hold a user name or password")
	case isLinkLocal(u.Hostname()): // a proxy would hide it from the dialer
		return nil, fmt.Errorf("%s is a link-local address, which is not fetched", u.Hostname())
	}
	return u, nil
}

// fetch gets a page as text, and notes in resp how that went.
func (s *Set) fetch(ctx context.Context, u *url.URL, resp *webFetchResponse) (string, error) {
	client := *s.cfg.HTTPClient
	client.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return errors.New("too many redirects")
		}
		if !sameHost(req.URL, via[0].URL) {
			return &otherHost{req.URL}
		}
		return nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("User-Agent", "hookline")
	req.Header.Set("Accept", "text/html, text/markdown, text/plain, application/json;q=0.9, */*;q=0.5")
	r, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	data, err := io.ReadAll(io.LimitReader(r.Body, fetchMax+1))
	if err != nil {
		return "", err
	}
	resp.Code, resp.CodeText, resp.Bytes = r.StatusCode, http.StatusText(r.StatusCode), len(data)
	resp.URL = r.Request.URL.String()
	cut := ""
	if len(data) > fetchMax {
		data, cut = data[:fetchMax], fmt.Sprintf("\n\n(only the first %d MiB of the page)", fetchMax>>20)
	}
	page, err := pageText(data, r.Header.Get("Content-Type"), r.Request.URL)
	if err != nil {
		return "", err
	}
	if len(page) > fetchText {
		page, cut = clip(page, fetchText), fmt.Sprintf("\n\n(only the first %d of %d bytes of text)", fetchText, len(page))
	}
	return page + cut, nil
}

// sameHost ignores "www." and a change from http to https.
func sameHost(a, b *url.URL) bool {
	trim := func(u *url.URL) string { return strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.") }
	samePort := a.Port() == b.Port() || a.Scheme != b.Scheme && a.Port() == "" && b.Port() == ""
	return trim(a) == trim(b) && samePort && (a.Scheme == b.Scheme || a.Scheme == "https")
}

// pageText turns a page into text, if it is something that has one.
func pageText(data []byte, contentType string, base *url.URL) (string, error) {
	if contentType == "" {
		contentType = http.DetectContentType(data)
	}
	mt, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		mt, _, _ = strings.Cut(contentType, ";")
	}
	isHTML := mt == "text/html" || mt == "application/xhtml+xml"
	if !isHTML && !strings.HasPrefix(mt, "text/") && !textual(mt) {
		return "", fmt.Errorf("it is %s, which has no text", mt)
	}
	text := toUTF8(data, params["charset"])
	if isHTML {
		return htmlText(strings.NewReader(text), base)
	}
	return text, nil
}

// toUTF8 reads the one other encoding that is still common on the web; what is
// not valid UTF-8 otherwise shows as U+FFFD.
func toUTF8(data []byte, charset string) string {
	switch strings.ToLower(charset) {
	case "iso-8859-1", "latin1", "windows-1252", "us-ascii":
		runes := make([]rune, len(data))
		for i, c := range data {
			runes[i] = rune(c)
		}
		return string(runes)
	}
	return decode(data)
}

func textual(mt string) bool {
	switch mt {
	case "application/json", "application/xml", "application/yaml", "application/javascript",
		"application/x-yaml", "application/toml", "application/x-sh":
		return true
	}
	return strings.HasSuffix(mt, "+json") || strings.HasSuffix(mt, "+xml")
}

// plainError leaves out the address, which the caller names.
func plainError(err error) error {
	if urlErr, ok := errors.AsType[*url.Error](err); ok {
		return urlErr.Err
	}
	return err
}
