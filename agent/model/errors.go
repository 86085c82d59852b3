package model

import (
	"fmt"
	"strings"
	"time"
)

// ErrorKind sorts a provider's errors by what a caller can do about them.
type ErrorKind string

// The error kinds.
const (
	KindRateLimit      ErrorKind = "rate_limit"
	KindOverloaded     ErrorKind = "overloaded"
	KindAuth           ErrorKind = "authentication_failed"
	KindBilling        ErrorKind = "billing_error"
	KindInvalidRequest ErrorKind = "invalid_request"
	KindContextTooLong ErrorKind = "context_too_long"
	KindNotFound       ErrorKind = "model_not_found"
	KindRefusal        ErrorKind = "refusal"
	KindServer         ErrorKind = "server_error"
	// KindNetwork: no answer came at all, or the connection broke.
	KindNetwork ErrorKind = "network_error"
	// KindTimeout: the provider was silent for too long.
	KindTimeout ErrorKind = "timeout"
	// KindTruncated: the stream ended before the answer did.
	KindTruncated ErrorKind = "truncated"
	// KindBadResponse: the answer could not be understood.
	KindBadResponse ErrorKind = "bad_response"
)

// APIError is what a provider answered instead of a message, or what kept its
// answer from arriving. Its text never holds an API key.
type APIError struct {
	Kind ErrorKind
	// Provider names who was asked, such as "anthropic".
	Provider string
	// Status is the HTTP status, 0 when there was none.
	Status int
	// Type is the provider's own word for the error.
	Type string
	// RetryAfter is how long the provider asks to wait, 0 when it does not say.
	RetryAfter time.Duration
	// RequestID is the provider's name for the call, for its support.
	RequestID string
	Message   string
	// Body is what the server sent in place of an answer, with no more than Message
	// leaves of it.
	Body string
	// Retry overrides what the kind says about sending the request again, when
	// the provider was explicit about it.
	Retry *bool

	Err error // the cause, if there is one
}

// Apology is what is said in the place of the model's answer.
func (e *APIError) Apology() string {
	text := "API Error: " + e.Message
	switch {
	case e.Status == 0:
	case e.Kind == KindRateLimit:
		text = fmt.Sprintf("API Error: Request rejected (%d) · %s", e.Status, e.Message)
	default:
		text = fmt.Sprintf("API Error: %d %s", e.Status, e.Message)
	}
	if e.Kind == KindAuth {
		text = "Failed to authenticate. " + text
	}
	return text
}

// Error describes the error in one line.
func (e *APIError) Error() string {
	var b strings.Builder
	if e.Provider != "" {
		b.WriteString(e.Provider + ": ")
	}
	b.WriteString(e.Kind.phrase())
	if e.Status != 0 {
		fmt.Fprintf(&b, " (HTTP %d", e.Status)
		if e.Type != "" {
			b.WriteString(" " + e.Type)
		}
		b.WriteString(")")
	} else if e.Type != "" {
		b.WriteString(" (" + e.Type + ")")
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *APIError) Unwrap() error { return e.Err }

// Retryable reports whether the same request may succeed when it is sent again
// later.
func (e *APIError) Retryable() bool {
	if e.Retry != nil {
		return *e.Retry
	}
	switch e.Kind {
	case KindRateLimit, KindOverloaded, KindServer, KindNetwork, KindTimeout, KindTruncated:
		return true
	}
	return false
}

func (k ErrorKind) phrase() string {
	switch k {
	case KindRateLimit:
		return "rate limit reached"
	case KindOverloaded:
		return "the model is overloaded"
	case KindAuth:
		return "authentication failed"
	case KindBilling:
		return "billing problem"
	case KindInvalidRequest:
		return "invalid request"
	case KindContextTooLong:
		return "the conversation is too long for the model"
	case KindNotFound:
		return "model not found"
	case KindRefusal:
		return "the request was refused"
	case KindServer:
		return "server error"
	case KindNetwork:
		return "connection failed"
	case KindTimeout:
		return "no answer in time"
	case KindTruncated:
		return "the answer was cut off"
	case KindBadResponse:
		return "the answer could not be understood"
	}
	return string(k)
}
