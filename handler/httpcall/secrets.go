package httpcall

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/hookline-dev/hookline/handler/internal/text"
	"github.com/hookline-dev/hookline/hook"
)

const hidden = "[hidden]"

// Shorter texts are not hidden: they are in every text. Of what is secret only
// perhaps, such as a word of a URL, more is asked than of a password.
const (
	minSecret  = 4
	minPerhaps = 10
)

// keepSecret adds a text that must not be repeated, as it is and as it is encoded
// on its way.
func (r *request) keepSecret(s string, least int) {
	s = strings.TrimSpace(s)
	if len(s) < least {
		return
	}
	quoted := strconv.Quote(s)
	for _, v := range []string{s, url.QueryEscape(s), url.PathEscape(s), quoted[1 : len(quoted)-1]} {
		if !slices.Contains(r.secrets, v) {
			r.secrets = append(r.secrets, v)
		}
	}
	slices.SortStableFunc(r.secrets, func(a, b string) int { return len(b) - len(a) })
}

// hide takes what may be secret in a URL: user, password, and the words of path
// and query. Often to know a URL is the permission to use it.
func (r *request) hide(u *url.URL) {
	if u.User != nil {
		password, _ := u.User.Password()
		r.keepSecret(password, minSecret)
		r.keepSecret(u.User.Username(), minPerhaps)
		r.keepSecret(base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password)), minSecret)
	}
	r.keepSecret(u.RawQuery, minPerhaps)
	for _, values := range u.Query() {
		for _, v := range values {
			r.keepSecret(v, minPerhaps)
		}
	}
	for word := range strings.SplitSeq(u.Path, "/") {
		r.keepSecret(word, minPerhaps)
	}
}

// hideHeader takes the value of a header, and the words in it.
func (r *request) hideHeader(value string) {
	for word := range strings.FieldsSeq(value) {
		r.keepSecret(word, minPerhaps)
	}
}

// clean hides the secrets in a text.
func (r *request) clean(s string) string {
	for _, secret := range r.secrets {
		s = strings.ReplaceAll(s, secret, hidden)
	}
	return s
}

// quote returns the head of a text without secrets, on one line.
func (r *request) quote(b []byte) string { return text.Quote([]byte(r.clean(string(b)))) }

// failure makes an error that says where, what, and no secret. That the context
// ended stays recognisable.
func (r *request) failure(ctx context.Context, kind hook.FailureKind, err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err // the URL is named without its secrets
	}
	what := r.clean(err.Error())
	switch cause := context.Cause(ctx); {
	case cause == nil:
		return hook.Failf(kind, "post to %s: %s", r.where, what)
	case errors.Is(cause, hook.ErrTimeout), errors.Is(cause, context.DeadlineExceeded):
		return hook.Failf(hook.FailureTimeout, "post to %s: %w", r.where, cause)
	default:
		return fmt.Errorf("post to %s: %w", r.where, cause)
	}
}
