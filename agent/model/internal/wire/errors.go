package wire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/model"
)

// maxMessage limits how much of a provider's error text is kept, in bytes.
const maxMessage = 2000

// Error turns whatever a call ended with into the error a Provider returns:
// the context's when the caller ended the call, else an *model.APIError.
func (cfg Config) Error(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("calling %s: %w", cfg.Provider, ctx.Err())
	}
	if apiErr, ok := errors.AsType[*model.APIError](err); ok {
		apiErr.Provider = cfg.Provider
		return apiErr
	}
	e := &model.APIError{Provider: cfg.Provider, Kind: model.KindBadResponse}
	cause := err
	if urlErr, ok := errors.AsType[*url.Error](err); ok {
		cause = urlErr.Err // without the URL, which may hold a secret
		e.Kind = model.KindNetwork
	}
	if errors.Is(err, bufio.ErrTooLong) {
		cause = errors.New("one event is longer than 32 MiB")
	}
	e.Message = tidy(cause.Error(), cfg.Secrets)
	if e.Message == cause.Error() {
		e.Err = cause
	}
	return e
}

// truncated is the error of a stream that stopped before its answer did.
func (cfg Config) truncated() error {
	return &model.APIError{
		Provider: cfg.Provider, Kind: model.KindTruncated,
		Message: "the stream ended before the model had finished",
	}
}

// StreamError reads the data of an error that arrived inside a stream.
func (cfg Config) StreamError(data []byte) error {
	e := parseError(data)
	e.Provider = cfg.Provider
	e.Kind = Classify(0, e.Type, e.Message)
	e.Message = tidy(e.Message, cfg.Secrets)
	e.Type = tidy(e.Type, cfg.Secrets)
	return e
}

// parseError reads the shapes that servers give their errors: {"error":
// {"message", "type", "code"}}, {"error": "text"}, {"message"}, {"detail"}, a
// list of one of these, or plain text. Only Type and Message are filled in.
func parseError(data []byte) *model.APIError {
	var v any
	lenient := []json.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
	if json.Unmarshal(data, &v, lenient...) != nil {
		return &model.APIError{Message: strings.TrimSpace(string(data))}
	}
	if list, ok := v.([]any); ok && len(list) > 0 {
		v = list[0]
	}
	e := &model.APIError{}
	obj, _ := v.(map[string]any)
	if inner, ok := obj["error"].(map[string]any); ok {
		obj = inner
	} else if s, ok := obj["error"].(string); ok {
		e.Message = s
	}
	for _, name := range []string{"message", "detail"} {
		if s, ok := obj[name].(string); ok && e.Message == "" {
			e.Message = s
		}
	}
	// A string code is more precise than the type; a number repeats the status.
	for _, name := range []string{"code", "type", "status"} {
		if s, ok := obj[name].(string); ok && e.Type == "" && s != "error" {
			e.Type = s
		}
	}
	if e.Message == "" {
		e.Message = strings.TrimSpace(string(data))
	}
	return e
}

var tooLongPhrases = []string{
	"prompt is too long", "context length", "context window", "context size",
	"maximum context", "too many tokens", "input token count", "input length and `max_tokens` exceed",
}

// Classify sorts an error. The provider's own word counts more than the HTTP
// status, which is 0 for an error inside a stream.
func Classify(status int, typ, message string) model.ErrorKind {
	lower := strings.ToLower(message)
	if status == 0 || status == 400 || status == 413 || status == 422 || status == 500 {
		for _, phrase := range tooLongPhrases {
			if strings.Contains(lower, phrase) {
				return model.KindContextTooLong
			}
		}
	}
	if strings.Contains(lower, "credit balance is too low") {
		return model.KindBilling
	}
	if kind, ok := kindOfType(strings.ToLower(typ)); ok {
		return kind
	}
	if status == 0 && typ == "invalid_request_error" {
		return model.KindInvalidRequest
	}
	return kindOfStatus(status)
}

func kindOfType(typ string) (model.ErrorKind, bool) {
	switch typ {
	case "context_length_exceeded", "request_too_large", "exceed_context_size_error":
		return model.KindContextTooLong, true
	case "insufficient_quota", "billing_error", "billing_hard_limit_reached":
		return model.KindBilling, true
	case "content_filter", "content_policy_violation":
		return model.KindRefusal, true
	case "overloaded_error", "overloaded", "unavailable":
		return model.KindOverloaded, true
	case "rate_limit_error", "rate_limit_exceeded", "resource_exhausted":
		return model.KindRateLimit, true
	case "authentication_error", "permission_error", "invalid_api_key", "unauthenticated", "permission_denied":
		return model.KindAuth, true
	case "not_found_error", "model_not_found", "not_found":
		return model.KindNotFound, true
	case "timeout_error", "deadline_exceeded":
		return model.KindTimeout, true
	case "api_error", "server_error", "internal_server_error", "internal":
		return model.KindServer, true
	}
	return "", false
}

func kindOfStatus(status int) model.ErrorKind {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return model.KindAuth
	case http.StatusPaymentRequired:
		return model.KindBilling
	case http.StatusNotFound:
		return model.KindNotFound
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return model.KindTimeout
	case http.StatusRequestEntityTooLarge:
		return model.KindContextTooLong
	case http.StatusTooManyRequests:
		return model.KindRateLimit
	case http.StatusServiceUnavailable, 529:
		return model.KindOverloaded
	}
	if status >= 400 && status < 500 {
		return model.KindInvalidRequest
	}
	return model.KindServer
}

// retryAfter reads how long a server asks to wait: milliseconds in
// Retry-After-Ms, seconds or a date in Retry-After. It is 0 when the server
// does not say, says it wrongly, or names a time that has passed, and a day at
// most.
func retryAfter(h http.Header, now time.Time) time.Duration {
	const day = 24 * time.Hour
	wait := 0.0
	value := strings.TrimSpace(h.Get("Retry-After"))
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil {
		wait = ms / 1000
	} else if s, err := strconv.ParseFloat(value, 64); err == nil {
		wait = s
	} else if date, err := http.ParseTime(value); err == nil {
		wait = date.Sub(now).Seconds()
	}
	if math.IsNaN(wait) || wait <= 0 {
		return 0
	}
	if wait >= day.Seconds() {
		return day
	}
	return time.Duration(wait * float64(time.Second))
}

// tidy takes secrets out of an error text and limits its length.
func tidy(s string, secrets []string) string {
	for _, secret := range secrets {
		if secret != "" {
			s = strings.ReplaceAll(s, secret, "[redacted]")
		}
	}
	if len(s) <= maxMessage {
		return s
	}
	cut := maxMessage
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// Invalid is the error of a request that can not be sent.
func (cfg Config) Invalid(err error) error {
	return &model.APIError{
		Provider: cfg.Provider, Kind: model.KindInvalidRequest,
		Message: tidy(err.Error(), cfg.Secrets), Err: err,
	}
}
