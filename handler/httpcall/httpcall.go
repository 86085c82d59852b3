package httpcall

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/handler/internal/text"
	"github.com/hookline-dev/hookline/hook"
)

// defaultLimit bounds a response, in bytes.
const defaultLimit = 1 << 20

// Hook is a hook that posts the event to a URL. Set its fields before its first
// use and none after it; it is then safe for concurrent use.
type Hook struct {
	// URL is an http or https URL. A user and password in it become the request's
	// basic authorisation.
	URL string
	// Headers are set on the request. $NAME and ${NAME} in a value stand for a
	// variable of the environment that is in EnvNames; for any other they stand for
	// nothing, and the record says so.
	Headers map[string]string
	// EnvNames are the variables that header values may use.
	EnvNames []string
	// LookupEnv finds a variable; nil is os.LookupEnv.
	LookupEnv func(name string) (string, bool)
	// Allow is the list of URL patterns that the hook may reach, see Allowed. Nil
	// sets no limit; an empty list blocks every URL.
	Allow []string
	// Client sends the request; nil is the zero Client.
	Client *Client
	// Limit bounds the response, in bytes; 0 is 1 MiB.
	Limit int64
	// Codec translates the input and the answer.
	Codec handler.Codec
	// Origin tells apart hooks that read the same and are not, such as those of
	// two plugins. It is part of the identity only.
	Origin string
}

var (
	_ hook.Handler    = (*Hook)(nil)
	_ hook.Identifier = (*Hook)(nil)
)

// Handle posts the event. A request that cannot be made or sent is a
// *hook.Failure of kind FailureLaunch, a response that is not an answer one of kind
// FailureAnswer, and another status than 2xx one of kind FailureError.
func (h *Hook) Handle(ctx context.Context, call *hook.Call) (hook.Result, error) {
	call.Report = &hook.Report{}
	if h.Codec == nil {
		return hook.Result{}, hook.Failf(hook.FailureLaunch, "the hook has no codec")
	}
	body, err := h.Codec.EncodeInput(call)
	if err != nil {
		return hook.Result{}, hook.Failf(hook.FailureError, "encode the input: %w", err)
	}
	r := &request{hook: h, call: call}
	req, err := r.build(ctx, body)
	if err != nil {
		return hook.Result{}, &hook.Failure{Kind: hook.FailureLaunch, Err: err}
	}
	resp, err := h.Client.send(req, h.Allow)
	if err != nil {
		return hook.Result{}, r.failure(ctx, hook.FailureLaunch, err)
	}
	defer resp.Body.Close()
	return r.answer(ctx, resp)
}

// Identity tells hooks apart; it reveals neither headers nor the URL.
func (h *Hook) Identity() string {
	parts := []string{h.Origin, h.URL}
	for _, name := range slices.Sorted(maps.Keys(h.Headers)) {
		parts = append(parts, name, h.Headers[name])
	}
	return text.Identity("http", parts...)
}

// request is one run.
type request struct {
	hook    *Hook
	call    *hook.Call
	where   string   // the target without what may be secret
	secrets []string // what must not be repeated
}

func (r *request) note(format string, args ...any) {
	r.call.Report.Notes = append(r.call.Report.Notes, fmt.Sprintf(format, args...))
}

// build makes the request. Its errors repeat no part of the URL that may be
// secret.
func (r *request) build(ctx context.Context, body []byte) (*http.Request, error) {
	target, err := parseTarget(r.hook.URL)
	if err != nil {
		return nil, err
	}
	r.where = origin(target)
	r.hide(target)
	if !Allowed(r.hook.Allow, target) {
		return nil, fmt.Errorf("post to %s: the URL is not in the list of allowed ones", r.where)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("post to %s: the request cannot be made", r.where)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "hookline")
	for _, name := range slices.Sorted(maps.Keys(r.hook.Headers)) {
		if err := r.setHeader(req, name, r.hook.Headers[name]); err != nil {
			return nil, fmt.Errorf("post to %s: %w", r.where, err)
		}
	}
	return req, nil
}

func (r *request) setHeader(req *http.Request, name, template string) error {
	value := r.expand(name, template)
	r.hideHeader(value)
	if !validHeaderName(name) {
		return fmt.Errorf("%q is not a name of a header", name)
	}
	if strings.ContainsFunc(value, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
		return fmt.Errorf("the value of header %s has control characters", name)
	}
	switch http.CanonicalHeaderKey(name) {
	case "Host":
		req.Host = value
	case "Content-Length", "Transfer-Encoding", "Connection", "Trailer", "Upgrade":
		r.note("header %s is not for a hook to set and was left out", name)
	default:
		req.Header.Set(name, value)
	}
	return nil
}

func validHeaderName(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return name != ""
}

// expand replaces the variables in a header's value. What it says of a variable
// is not repeated anywhere.
func (r *request) expand(header, template string) string {
	lookup := r.hook.LookupEnv
	if lookup == nil {
		lookup = os.LookupEnv
	}
	return expandVars(template, func(name string) string {
		if !slices.Contains(r.hook.EnvNames, name) {
			r.note("header %s: variable %s is not among the allowed ones and was left empty", header, name)
			return ""
		}
		value, ok := lookup(name)
		if !ok {
			r.note("header %s: variable %s is not set", header, name)
		}
		r.keepSecret(value, minSecret)
		return value
	})
}

// answer reads the response.
func (r *request) answer(ctx context.Context, resp *http.Response) (hook.Result, error) {
	r.note("HTTP %s", r.clean(resp.Status))
	limit := r.hook.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	tooLarge := int64(len(body)) > limit
	if tooLarge {
		body = body[:limit]
	}
	rep := r.call.Report
	rep.Stdout = r.clean(strings.ToValidUTF8(string(body), "\uFFFD"))
	rep.StdoutBytes, rep.Truncated = int64(len(body)), tooLarge
	if err != nil {
		return hook.Result{}, r.failure(ctx, hook.FailureError, fmt.Errorf("read the response: %w", err))
	}
	said := bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\uFEFF")))
	switch {
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return hook.Result{}, r.failure(ctx, hook.FailureError, fmt.Errorf("HTTP %s%s", resp.Status, r.describe(resp, said)))
	case tooLarge:
		return hook.Result{}, r.failure(ctx, hook.FailureAnswer, fmt.Errorf("the response is larger than %d bytes", limit))
	case len(said) == 0:
		return hook.Result{}, nil
	case said[0] != '{' || !jsontext.Value(said).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)):
		return hook.Result{}, r.failure(ctx, hook.FailureAnswer, fmt.Errorf("the response is not one JSON object: %q", r.quote(said)))
	}
	res, notes, err := r.hook.Codec.DecodeResult(r.call, handler.Answer{Stdout: body})
	rep.Notes = append(rep.Notes, notes...)
	return res, err
}

// describe describes a response that is not an answer.
func (r *request) describe(resp *http.Response, body []byte) string {
	var b strings.Builder
	if to, err := url.Parse(resp.Header.Get("Location")); err == nil && to.Host != "" && resp.StatusCode/100 == 3 {
		fmt.Fprintf(&b, "; it redirects to %s, which is not followed", origin(to))
	}
	if line := r.quote(body); line != "" {
		fmt.Fprintf(&b, ": %s", line)
	}
	return b.String()
}
