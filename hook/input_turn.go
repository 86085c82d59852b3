package hook

// UserInput is the input of the event: the user typed something, before commands are looked for.
type UserInput struct {
	Common
	Text   string `json:"text" doc:"what was typed"`
	Images []JSON `json:"images,omitempty" doc:"attached images"`
	Source string `json:"source,omitzero" doc:"interactive, rpc or extension"`
}

// Event returns EventUserInput.
func (in *UserInput) Event() Event { return EventUserInput }

func (in *UserInput) cells() cells { return cells{prompt: &in.Text} }

// UserPromptSubmit is the input of the event: a prompt is submitted, before the model sees it.
type UserPromptSubmit struct {
	Common
	Prompt       string `json:"prompt" doc:"the prompt"`
	TypedPrompt  string `json:"typed_prompt,omitzero" doc:"what the person typed, where the prompt is what a command came to"`
	Images       []JSON `json:"images,omitempty" doc:"attached images"`
	SessionTitle string `json:"session_title,omitzero" doc:"title of the session"`
	SystemPrompt string `json:"system_prompt,omitzero" doc:"the system prompt of the call"`
}

// Event returns EventUserPromptSubmit.
func (in *UserPromptSubmit) Event() Event { return EventUserPromptSubmit }

func (in *UserPromptSubmit) cells() cells { return cells{prompt: &in.Prompt} }

// UserPromptExpansion is the input of the event: a slash command or MCP prompt is expanded.
type UserPromptExpansion struct {
	Common
	ExpansionType string `json:"expansion_type" doc:"slash_command or mcp_prompt"`
	CommandName   string `json:"command_name" doc:"name of the command"`
	CommandArgs   string `json:"command_args" doc:"its arguments"`
	CommandSource string `json:"command_source,omitzero" doc:"where the command comes from: projectSettings, userSettings or plugin"`
	Prompt        string `json:"prompt" doc:"what the person typed"`
}

// Event returns EventUserPromptExpansion.
func (in *UserPromptExpansion) Event() Event { return EventUserPromptExpansion }

// Subject returns the CommandName.
func (in *UserPromptExpansion) Subject() string { return in.CommandName }

// UserBash is the input of the event: the user runs a shell command.
type UserBash struct {
	Common
	Command            string `json:"command" doc:"the command"`
	ExcludeFromContext bool   `json:"exclude_from_context,omitzero" doc:"whether the model will not see it"`
}

// Event returns EventUserBash.
func (in *UserBash) Event() Event { return EventUserBash }

// AgentStart is the input of the event: the agent starts on a prompt.
type AgentStart struct {
	Common
}

// Event returns EventAgentStart.
func (in *AgentStart) Event() Event { return EventAgentStart }

// AgentEnd is the input of the event: the agent is done with a prompt.
type AgentEnd struct {
	Common
	Messages []Message `json:"messages" doc:"messages of this prompt"`
	Outcome  string    `json:"outcome,omitzero" doc:"completed, aborted or error"`
}

// Event returns EventAgentEnd.
func (in *AgentEnd) Event() Event { return EventAgentEnd }

// AgentSettled is the input of the event: the agent is done with a prompt, and with what
// hooks made of its end.
type AgentSettled struct {
	Common
	Aborted bool `json:"aborted" doc:"whether it was interrupted"`
}

// Event returns EventAgentSettled.
func (in *AgentSettled) Event() Event { return EventAgentSettled }

// TurnStart is the input of the event: a turn begins.
type TurnStart struct {
	Common
	TurnIndex int   `json:"turn_index" doc:"index of the turn, from 0"`
	Timestamp int64 `json:"timestamp,omitzero" doc:"milliseconds since 1970"`
}

// Event returns EventTurnStart.
func (in *TurnStart) Event() Event { return EventTurnStart }

// TurnEnd is the input of the event: a turn is over.
type TurnEnd struct {
	Common
	TurnIndex   int       `json:"turn_index" doc:"index of the turn, from 0"`
	Message     *Message  `json:"message,omitzero" doc:"the assistant's message"`
	ToolResults []Message `json:"tool_results,omitempty" doc:"results of the turn's tool calls"`
	Response    string    `json:"response,omitzero" doc:"text of the assistant's message"`
	StopReason  string    `json:"stop_reason,omitzero" doc:"why the model stopped"`
	Outcome     string    `json:"outcome,omitzero" doc:"completed, aborted or error: whether the model answered to the end"`
	// MessageEntry and ResultsEntry are where the session keeps them.
	MessageEntry string `json:"message_entry,omitzero" doc:"entry of the assistant's message in the session"`
	ResultsEntry string `json:"results_entry,omitzero" doc:"entry of the results"`
}

// Event returns EventTurnEnd.
func (in *TurnEnd) Event() Event { return EventTurnEnd }

// Context is the input of the event: the model is about to be called.
type Context struct {
	Common
	Messages []Message `json:"messages" doc:"messages of this call"`
	// SystemPrompt is that of this call. It is long, and most hooks are about the messages:
	// only the payloads of those that ask for it have it.
	SystemPrompt string `json:"-"`
}

// Event returns EventContext.
func (in *Context) Event() Event { return EventContext }

func (in *Context) cells() cells { return cells{messages: &in.Messages} }

// ProviderRequest is the input of the event: the provider's request is about to be sent.
type ProviderRequest struct {
	Common
	Payload  JSON   `json:"payload" doc:"body of the request"`
	Provider string `json:"provider,omitzero" doc:"name of the provider"`
}

// Event returns EventProviderRequest.
func (in *ProviderRequest) Event() Event { return EventProviderRequest }

func (in *ProviderRequest) cells() cells { return cells{input: &in.Payload} }

// ProviderResponse is the input of the event: the provider has begun to answer.
type ProviderResponse struct {
	Common
	Status   int    `json:"status" doc:"status of the HTTP answer"`
	Headers  JSON   `json:"headers" doc:"its headers, by their names in small letters, without cookies"`
	Provider string `json:"provider,omitzero" doc:"name of the provider"`
}

// Event returns EventProviderResponse.
func (in *ProviderResponse) Event() Event { return EventProviderResponse }

// MessageStart is the input of the event: a message begins.
type MessageStart struct {
	Common
	Message *Message `json:"message,omitzero" doc:"the message so far"`
}

// Event returns EventMessageStart.
func (in *MessageStart) Event() Event { return EventMessageStart }

// MessageUpdate is the input of the event: a message grows.
type MessageUpdate struct {
	Common
	Message *Message `json:"message,omitzero" doc:"the message so far"`
	Delta   string   `json:"delta,omitzero" doc:"text that was added"`
}

// Event returns EventMessageUpdate.
func (in *MessageUpdate) Event() Event { return EventMessageUpdate }

// MessageEnd is the input of the event: a message is complete.
type MessageEnd struct {
	Common
	Message *Message `json:"message,omitzero" doc:"the message"`
}

// Event returns EventMessageEnd.
func (in *MessageEnd) Event() Event { return EventMessageEnd }

// MessageDisplay is the input of the event: text of the assistant is about to be shown.
type MessageDisplay struct {
	Common
	TurnID    string `json:"turn_id" doc:"id of the turn"`
	MessageID string `json:"message_id" doc:"id of the message"`
	Index     int    `json:"index" doc:"index of the chunk"`
	Final     bool   `json:"final" doc:"whether this is the last chunk"`
	Delta     string `json:"delta" doc:"the text"`
}

// Event returns EventMessageDisplay.
func (in *MessageDisplay) Event() Event { return EventMessageDisplay }

// Stop is the input of the event: the agent is about to stop.
type Stop struct {
	Common
	StopHookActive       bool      `json:"stop_hook_active" doc:"whether the agent goes on because of a stop hook"`
	LastAssistantMessage string    `json:"last_assistant_message,omitzero" doc:"text of the last message"`
	Messages             []Message `json:"messages,omitempty" doc:"messages of the session"`
	BackgroundTasks      []JSON    `json:"background_tasks,omitempty" doc:"tasks that still run"`
	SessionCrons         []JSON    `json:"session_crons,omitempty" doc:"scheduled prompts"`
}

// Event returns EventStop.
func (in *Stop) Event() Event { return EventStop }

// StopFailure is the input of the event: a turn ended with an API error.
type StopFailure struct {
	Common
	Error                string `json:"error" doc:"kind of the error, such as rate_limit"`
	ErrorDetails         string `json:"error_details,omitzero" doc:"what the API said"`
	LastAssistantMessage string `json:"last_assistant_message,omitzero" doc:"text of the last message"`
}

// Event returns EventStopFailure.
func (in *StopFailure) Event() Event { return EventStopFailure }

// Subject returns the Error.
func (in *StopFailure) Subject() string { return in.Error }

// AutoRetryStart is the input of the event: a failed model call is about to be tried again.
type AutoRetryStart struct {
	Common
	Attempt      int    `json:"attempt" doc:"number of the attempt, from 1"`
	MaxAttempts  int    `json:"max_attempts" doc:"how many there will be"`
	DelayMS      int64  `json:"delay_ms" doc:"how long is waited, in milliseconds"`
	ErrorMessage string `json:"error_message" doc:"why the call failed"`
}

// Event returns EventAutoRetryStart.
func (in *AutoRetryStart) Event() Event { return EventAutoRetryStart }

// AutoRetryEnd is the input of the event: retrying is over.
type AutoRetryEnd struct {
	Common
	Success    bool   `json:"success" doc:"whether the call went through"`
	Attempt    int    `json:"attempt" doc:"number of the last attempt"`
	FinalError string `json:"final_error,omitzero" doc:"why it failed in the end"`
}

// Event returns EventAutoRetryEnd.
func (in *AutoRetryEnd) Event() Event { return EventAutoRetryEnd }

// RuleTriggered is the input of the event: rules interrupted the model's stream.
type RuleTriggered struct {
	Common
	Rules []JSON `json:"rules" doc:"the rules that matched"`
}

// Event returns EventRuleTriggered.
func (in *RuleTriggered) Event() Event { return EventRuleTriggered }

// TodoReminder is the input of the event: the agent wants to stop with open todos.
type TodoReminder struct {
	Common
	Todos       []JSON `json:"todos" doc:"the open todos"`
	Attempt     int    `json:"attempt" doc:"number of the reminder, from 1"`
	MaxAttempts int    `json:"max_attempts,omitzero" doc:"how many there will be"`
}

// Event returns EventTodoReminder.
func (in *TodoReminder) Event() Event { return EventTodoReminder }

// PreModelSwitch is the input of the event: the model is about to change.
type PreModelSwitch struct {
	Common
	FromModel              string  `json:"from_model" doc:"model now"`
	FromRequested          string  `json:"-"` // the name that the model now was asked for by, "" for the configured one
	ToModel                string  `json:"to_model" doc:"model to change to"`
	RequestedModel         string  `json:"requested_model,omitzero" doc:"as it was asked for"`
	Source                 string  `json:"source,omitzero" doc:"command, picker or sdk"`
	ContextTokens          int64   `json:"context_tokens" doc:"size of the context"`
	PromptCacheWarm        bool    `json:"prompt_cache_warm" doc:"whether the provider's prompt cache is warm"`
	CacheTTL               string  `json:"cache_ttl,omitzero" doc:"how long the cache lives"`
	EstimatedCacheWriteUSD float64 `json:"estimated_cache_write_usd" doc:"what writing the cache anew would cost, in US dollars"`
	Pricing                string  `json:"pricing,omitzero" doc:"catalog when the price of the model is known"`
}

// Event returns EventPreModelSwitch.
func (in *PreModelSwitch) Event() Event { return EventPreModelSwitch }

// Subject returns the ToModel.
func (in *PreModelSwitch) Subject() string { return in.ToModel }

// PostModelSwitch is the input of the event: the model changed.
type PostModelSwitch struct {
	Common
	FromModel              string  `json:"from_model" doc:"model before"`
	FromRequested          string  `json:"-"` // the name that the model before was asked for by, "" for the configured one
	ToModel                string  `json:"to_model" doc:"model now"`
	RequestedModel         string  `json:"requested_model,omitzero" doc:"as it was asked for"`
	Source                 string  `json:"source,omitzero" doc:"command, picker, sdk, auto or resume"`
	ContextTokens          int64   `json:"context_tokens" doc:"size of the context"`
	PromptCacheWarm        bool    `json:"prompt_cache_warm" doc:"whether the provider's prompt cache is warm"`
	CacheTTL               string  `json:"cache_ttl,omitzero" doc:"how long the cache lives"`
	EstimatedCacheWriteUSD float64 `json:"estimated_cache_write_usd" doc:"what writing the cache anew would cost, in US dollars"`
	Pricing                string  `json:"pricing,omitzero" doc:"catalog when the price of the model is known"`
}

// Event returns EventPostModelSwitch.
func (in *PostModelSwitch) Event() Event { return EventPostModelSwitch }

// Subject returns the ToModel.
func (in *PostModelSwitch) Subject() string { return in.ToModel }
