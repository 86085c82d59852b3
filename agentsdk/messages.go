package agentsdk

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
)

// The lines that a program reads are the SDK's message types, field by field; what is
// beyond them is ours.

// ids are at the end of every message: the session and the message itself.
type ids struct {
	SessionID string `json:"session_id"`
	UUID      string `json:"uuid"`
}

// initMessage is the first message of a session.
type initMessage struct {
	Type           string         `json:"type"`
	Subtype        string         `json:"subtype"`
	CWD            string         `json:"cwd"`
	SessionID      string         `json:"session_id"`
	Tools          []string       `json:"tools"`
	MCPServers     []serverStatus `json:"mcp_servers"`
	Model          string         `json:"model"`
	PermissionMode string         `json:"permissionMode"`
	SlashCommands  []string       `json:"slash_commands"`
	Agents         []string       `json:"agents"`
	Skills         []string       `json:"skills"`
	Plugins        []string       `json:"plugins"`
	APIKeySource   string         `json:"apiKeySource"`
	Version        string         `json:"claude_code_version"` // ours
	OutputStyle    string         `json:"output_style"`
	UUID           string         `json:"uuid"`
}

type serverStatus struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Error  string `json:"error,omitzero"`
	Tools  []any  `json:"tools,omitzero"`
}

// message is one of the assistant or the user.
type message struct {
	Type            string         `json:"type"`
	Message         map[string]any `json:"message"`
	ParentToolUseID *string        `json:"parent_tool_use_id"`
	AgentID         string         `json:"agent_id,omitzero"`
	ToolUseResult   hook.JSON      `json:"tool_use_result,omitzero"`
	ids
}

// partial is a piece of an answer as it arrives.
type partial struct {
	Type            string  `json:"type"`
	Event           any     `json:"event"`
	ParentToolUseID *string `json:"parent_tool_use_id"`
	ids
}

// informational is something for the person.
type informational struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
	Content string `json:"content"`
	Level   string `json:"level"` // info, notice, suggestion or warning
	ids
}

// compactBoundary tells that the conversation was compacted.
type compactBoundary struct {
	Type     string `json:"type"`
	Subtype  string `json:"subtype"`
	Metadata struct {
		Trigger string `json:"trigger"` // manual or auto
		Before  int64  `json:"pre_tokens"`
	} `json:"compact_metadata"`
	ids
}

// taskStarted tells that a subagent begins on a task.
type taskStarted struct {
	Type        string `json:"type"`
	Subtype     string `json:"subtype"`
	ID          string `json:"task_id"`
	Call        string `json:"tool_use_id,omitzero"`
	Description string `json:"description"`
	Kind        string `json:"subagent_type"`
	Background  bool   `json:"is_backgrounded"`
	TaskType    string `json:"task_type"` // local_agent
	Prompt      string `json:"prompt"`
	ids
}

// taskEnded tells what became of it.
type taskEnded struct {
	Type       string    `json:"type"`
	Subtype    string    `json:"subtype"`
	ID         string    `json:"task_id"`
	Call       string    `json:"tool_use_id,omitzero"`
	Status     string    `json:"status"` // completed, failed or stopped
	OutputFile string    `json:"output_file"`
	Summary    string    `json:"summary"`
	Usage      taskUsage `json:"usage"`
	ids
}

type taskUsage struct {
	Tokens   int64 `json:"total_tokens"`
	ToolUses int   `json:"tool_uses"`
	MS       int64 `json:"duration_ms"`
}

// retry tells that a failed model call is made again.
type retry struct {
	Type       string `json:"type"`
	Subtype    string `json:"subtype"`
	Attempt    int    `json:"attempt"`
	MaxRetries int    `json:"max_retries"`
	DelayMS    int64  `json:"retry_delay_ms"`
	Status     *int   `json:"error_status"` // HTTP, null when there was none
	Error      string `json:"error"`
	ids
}

// errorNames are the kinds of errors that the SDK has a word for; others are unknown.
var errorNames = map[model.ErrorKind]string{
	model.KindRateLimit: "rate_limit", model.KindOverloaded: "overloaded", model.KindServer: "server_error",
}

// denied tells that a tool call was refused without a question.
type denied struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
	Tool    string `json:"tool_name"`
	ID      string `json:"tool_use_id"`
	AgentID string `json:"agent_id,omitzero"`
	Basis   string `json:"decision_reason_type"`
	Message string `json:"message"` // what the model is told
	ids
}

// hookMessage is hook.Emission with what the SDK has in every message of its kind.
type hookMessage struct {
	Type      string     `json:"type"`
	Subtype   string     `json:"subtype"`
	HookID    string     `json:"hook_id"`
	HookName  string     `json:"hook_name"`
	HookEvent hook.Event `json:"hook_event"`
	*hookOutput
	ExitCode *int   `json:"exit_code,omitzero"`
	Outcome  string `json:"outcome,omitzero"` // success, error or cancelled
	ids
}

type hookOutput struct {
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	Output string `json:"output"`
}

// Result is the last message of a prompt.
type Result struct {
	Type       string                `json:"type"`
	Subtype    string                `json:"subtype"`
	IsError    bool                  `json:"is_error"`
	DurationMS int64                 `json:"duration_ms"`
	APIMS      int64                 `json:"duration_api_ms"` // spent on model calls, those of subagents too
	NumTurns   int                   `json:"num_turns"`
	Result     *string               `json:"result,omitzero"` // nil where the subtype is that of an error
	StopReason *string               `json:"stop_reason"`     // the model's, or tool_deferred; null when it was not asked
	Deferred   *call                 `json:"deferred_tool_use,omitzero"`
	Denials    []denial              `json:"permission_denials"`
	Structured jsontext.Value        `json:"structured_output,omitzero"`
	Errors     []string              `json:"errors,omitzero"` // of an error: why
	End        string                `json:"end"`             // how the run ended, and why
	Reason     string                `json:"reason,omitzero"`
	SessionID  string                `json:"session_id"`
	CostUSD    float64               `json:"total_cost_usd"` // of models whose price is known
	Usage      tokens                `json:"usage"`
	ModelUsage map[string]modelUsage `json:"modelUsage"`
	UUID       string                `json:"uuid"`

	text string // what Result is if there is one
}

// call is the tool call at which the run was deferred.
type call struct {
	ID    string    `json:"id"`
	Name  string    `json:"name"`
	Input hook.JSON `json:"input"`
}

// denial is a tool call that was refused.
type denial struct {
	Tool  string    `json:"tool_name"`
	ID    string    `json:"tool_use_id"`
	Input hook.JSON `json:"tool_input"`
}

// modelUsage is what the calls of one model have used in the session.
type modelUsage struct {
	InputTokens   int64   `json:"inputTokens"`
	OutputTokens  int64   `json:"outputTokens"`
	CacheRead     int64   `json:"cacheReadInputTokens"`
	CacheCreation int64   `json:"cacheCreationInputTokens"`
	WebSearches   int     `json:"webSearchRequests"`
	CostUSD       float64 `json:"costUSD"`
	Window        int64   `json:"contextWindow"`   // 0 is not known
	MaxOutput     int64   `json:"maxOutputTokens"` // 0 is not known
	CostBasis     string  `json:"costBasis"`       // list or unknown
}

// tokens is a usage in the words of the model's API.
type tokens struct {
	model.Usage
	CacheRead     int64            `json:"cache_read_input_tokens"`
	CacheCreation int64            `json:"cache_creation_input_tokens"`
	Lifetimes     cacheLifetimes   `json:"cache_creation"`
	Details       map[string]int64 `json:"output_tokens_details"`
	Tools         serverTools      `json:"server_tool_use"`
	Iterations    []any            `json:"iterations"`
	Tier          string           `json:"service_tier"`
	Speed         string           `json:"speed"`
	Geo           string           `json:"inference_geo"`
	Credit        any              `json:"fallback_credit"`
}

// deltaTokens are those of tokens that the end of a stream says.
type deltaTokens struct {
	Input         int64            `json:"input_tokens"`
	Output        int64            `json:"output_tokens"`
	CacheRead     int64            `json:"cache_read_input_tokens"`
	CacheCreation int64            `json:"cache_creation_input_tokens"`
	Details       map[string]int64 `json:"output_tokens_details"`
	Tools         serverTools      `json:"server_tool_use"`
	Iterations    []any            `json:"iterations"`
	Credit        any              `json:"fallback_credit"`
}

type cacheLifetimes struct {
	Hour    int64 `json:"ephemeral_1h_input_tokens"`
	Minutes int64 `json:"ephemeral_5m_input_tokens"`
}

type serverTools struct {
	Searches int `json:"web_search_requests"`
	Fetches  int `json:"web_fetch_requests"`
}

func deltaTokensOf(u model.Usage) deltaTokens {
	t := tokensOf(u)
	return deltaTokens{u.InputTokens, u.OutputTokens, t.CacheRead, t.CacheCreation, t.Details, t.Tools, t.Iterations, t.Credit}
}

func tokensOf(u model.Usage) tokens {
	return tokens{
		Usage: u, CacheRead: u.CacheReadTokens, CacheCreation: u.CacheWriteTokens, Lifetimes: cacheLifetimes{Minutes: u.CacheWriteTokens},
		Details: map[string]int64{"thinking_tokens": u.ThinkingTokens}, Iterations: []any{}, Tier: "standard", Speed: "standard",
	}
}
