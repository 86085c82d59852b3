package main

import (
	"errors"

	"github.com/google/uuid"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
)

// sdkRetry tells that a failed model call is made again.
type sdkRetry struct {
	Type       string `json:"type"`
	Subtype    string `json:"subtype"`
	Attempt    int    `json:"attempt"`
	MaxRetries int    `json:"max_retries"`
	DelayMS    int64  `json:"retry_delay_ms"`
	Status     *int   `json:"error_status"` // HTTP, null when there was none
	Error      string `json:"error"`
	SessionID  string `json:"session_id"`
	UUID       string `json:"uuid"`
}

// sdkErrors are the kinds of errors that the SDK has a word for; others are unknown.
var sdkErrors = map[model.ErrorKind]string{
	model.KindRateLimit: "rate_limit", model.KindOverloaded: "overloaded", model.KindServer: "server_error",
}

func newSDKRetry(ev agent.Event) sdkRetry {
	r := retryOf(ev.Retry)
	out := sdkRetry{
		Type: "system", Subtype: "api_retry", Attempt: r.Attempt, MaxRetries: r.Max, DelayMS: r.DelayMS, Status: r.Status, Error: "unknown",
		SessionID: ev.Session, UUID: uuid.NewString(),
	}
	if api, ok := errors.AsType[*model.APIError](ev.Retry.Err); ok && sdkErrors[api.Kind] != "" {
		out.Error = sdkErrors[api.Kind]
	}
	return out
}

// sdkDenied tells that a tool call was refused without a question.
type sdkDenied struct {
	Type      string `json:"type"`
	Subtype   string `json:"subtype"`
	Tool      string `json:"tool_name"`
	ID        string `json:"tool_use_id"`
	AgentID   string `json:"agent_id,omitzero"`
	Basis     string `json:"decision_reason_type"`
	Message   string `json:"message"` // what the model is told
	SessionID string `json:"session_id"`
	UUID      string `json:"uuid"`
}

func newSDKDenied(ev agent.Event) sdkDenied {
	return sdkDenied{
		Type: "system", Subtype: "permission_denied", Tool: ev.Call.Name, ID: ev.Call.ID, AgentID: ev.AgentID, Basis: ev.Source, Message: ev.Text,
		SessionID: ev.Session, UUID: uuid.NewString(),
	}
}

// parentOf is the call that started the subagent in which something happens, nil for the
// main agent.
func parentOf(ev agent.Event) *string {
	if ev.ParentCall == "" {
		return nil
	}
	return &ev.ParentCall
}
