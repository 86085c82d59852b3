package pi

import "github.com/hookline-dev/hookline/internal/oracle"

// DeclaredDifferences are those that stay, one line each; docs/dialects/pi.md shows them.
// The names of cases begin with the version of pi.
var DeclaredDifferences = []oracle.Declared{
	{Cases: "*/tool_call/throw*, */tool_call/reject", Fact: "model: request *", What: "what the model is told of a `tool_call` handler that throws or rejects names the hook and the place", Reason: "a guard that failed is told apart from one that decided"},
	{Cases: "*/command/throws", Fact: "person", What: "over rpc a command that throws is a failed request, and no notice", Reason: "whoever asked for it is told"},
	{Cases: "*/session/*", Fact: "events", What: "the order of events: `resources_discover` before `session_start`, the person's message before `agent_start`, `tool_execution_start` after `tool_call`", Reason: "skills are there when a session opens; the start of a tool says that it runs, which guards have agreed to"},
	{Cases: "*/session/*", Fact: "event *.timestamp, event *.api, event *.provider, event *.durationMs, event *.rawStopReason, event *.thinkingLevel, event *.usage, event *.errorMessage", What: "messages in events lack `timestamp`, `api`, `provider`, `durationMs`, `rawStopReason`, `thinkingLevel` and `errorMessage`; `usage` has no prices", Reason: "entries of the session have the time; the rest is not kept with a message"},
	{Cases: "*/session/*", Fact: "event message_start*", What: "the `message_start` of an answer has nothing but its role and an empty text", Reason: "the rest is known at its end"},
	{Cases: "*/session/*", Fact: "event turn_end*.context, event turn_end*.continue, event turn_end*.entries, event turn_end*.messageEntryId, event turn_end*.outcome, event turn_end*.toolResultEntryIds", What: "`turn_end` has the message and the results", Reason: "what else it has there is about pi's own loop"},
	{Cases: "*/session/abort, */session/model-error, */command/abort-in-handler", Fact: "event *, log, exit", What: "a turn that is aborted or fails makes no message, no `turn_end` and no further turn; a prompt that the model fails ends with an error", Reason: "nothing was said that could be kept, and scripts look at the exit code"},
	{Cases: "*/session/unknown-tool", Fact: "event tool_execution_*", What: "a call of a tool that is not there has no `tool_execution` events", Reason: "nothing ran"},
	{Cases: "*/session/*", Fact: "event *.content, event *.details, event *.result, event *.structuredContent", What: "the text of a built-in tool's result is that of the tool here: without the last line break, lines with their numbers, errors in other words; `details` only of an edit, no `structuredContent`", Reason: "the model was given these tools"},
	{Cases: "*/tool_call/change, */tool_result/of-*", Fact: "log", What: "so it is in `tool_result`", Reason: "as above"},
	{Cases: "*/api/all-tools", Fact: "log", What: "tools have more parameters, and `edit` has one replacement", Reason: "as above"},
	{Cases: "*/session/fork, */session/new-session, */session/resume", Fact: "event resources_discover*", What: "`resources_discover` comes once, and with each reload", Reason: "a session changes no skills"},
	{Cases: "*/session/fork, */command/fork", Fact: "event session_shutdown*, log", What: "a fork ends no session", Reason: "it goes on in a copy"},
	{Cases: "*/session/fork, */session_before_fork/*", Fact: "event session_before_fork*, log", What: "`session_before_fork` does not say the position", Reason: "the entry is the one that the copy ends with"},
	{Cases: "*/session/resume, */input/*, */send/user-blocks", Fact: "event input*, log, model: *, files", What: "`input` is told of slash commands too, a text that it makes a command runs it, and one that is not there is an error; it is not told of messages of modules", Reason: "what is typed is guarded, whatever it is, and a slip is not sent to the model"},
	{Cases: "*/session/change-model, */api/model", Fact: "event model_select*, log", What: "a model has `id`, `name`, `provider` and `contextWindow`", Reason: "the rest is not known for every provider"},
	{Cases: "*/session/*, */api/session-manager, */tool/session, */message_start/throw, */message_end/throw", Fact: "event agent_end*, log, model: request 1", What: "the system prompt is no message", Reason: "it is made anew for each call; `ctx.getSystemPrompt()` has it"},
	{Cases: "*/api/exec*", Fact: "log", What: "`exec` does not say `truncated`, nor why a program could not start, and one that it ended has code 0", Reason: "the output is whole up to 64 MiB; `killed` says it"},
	{Cases: "*/api/facts", Fact: "log", What: "`ctx.mode` is `print` with JSON output too, and the agent is not idle while a session opens", Reason: "nobody can be asked in both; the opening holds the agent"},
	{Cases: "*/command/navigate", Fact: "log", What: "`session_before_tree` and `session_tree` leave out members that are undefined", Reason: "they read the same"},
	{Cases: "*/rpc/editor-text, */command/navigate*", Fact: "log, person", What: "over rpc `getEditorText` is what was set, and going to a prompt puts its text there", Reason: "the program that shows the editor can be asked"},
	{Cases: "*/command/navigate-summary", Fact: "model: request 2", What: "a branch's summary stands in other words", Reason: "they are the agent's"},
	{Cases: "*/command/compact, */session_before_compact/*", Fact: "model: request *, log", What: "a compaction that is asked for keeps nothing but the summary; its preparation lacks `settings` and an undefined `previousSummary`", Reason: "that is what is asked for"},
	{Cases: "*/command/reload", Fact: "log", What: "`ctx.reload` loads modules whose files changed, and ends no session", Reason: "a guard that is the same keeps what it knows"},
	{Cases: "*/example/custom-provider-gitlab-duo", Fact: "person", What: "a module that imports `pi-ai/compat` does not load", Reason: "providers written in a module cannot stream here"},
	{Cases: "*/example/provider-payload, */provider_response/*", Fact: "person, log", What: "there is no `after_provider_response`", Reason: "the headers of providers are not passed on"},
	{Cases: "*/provider_request/keys", Fact: "log", What: "the payload of `before_provider_request` has no `max_tokens` and `stream`", Reason: "it is the same for all providers"},
	{Cases: "*/resources_discover/skill", Fact: "model: system *", What: "skills stand in the description of the Skill tool", Reason: "the system prompt stays as it is when they change"},
	{Cases: "*/tool/hints", Fact: "model: system *", What: "so do `promptSnippet` and `promptGuidelines` in that of their tool", Reason: "as above"},
	{Cases: "*/tool/progress", Fact: "log", What: "a tool's progress has no `details`", Reason: "it is a text for the person"},
	{Cases: "*/send-user/plain", Fact: "model: request *", What: "`sendUserMessage` without `deliverAs` while the model works steers it", Reason: "pi refuses it, and the message is lost"},
	{Cases: "*/send/pending", Fact: "log", What: "`hasPendingMessages` counts a message as soon as it is sent", Reason: "it waits from then on"},
}

// MissingMembers are the members and events of the newest pi that modules do not get here;
// docs/dialects/pi.md lists them.
var MissingMembers = []string{
	"ctx.modelRegistry.classify", "ctx.modelRegistry.findOfType", "ctx.modelRegistry.generateImages", "ctx.modelRegistry.getAvailableOfType", "ctx.modelRegistry.getModelOfType", "ctx.modelRegistry.getModelsOfType",
	"ctx.modelRegistry.getProvider", "ctx.modelRegistry.getProviderAuth", "ctx.modelRegistry.getProviderAuthStatus", "ctx.modelRegistry.getRegisteredNativeProvider", "ctx.modelRegistry.getRegisteredProviderConfig", "ctx.modelRegistry.getRegisteredProviderIds",
	"ctx.modelRegistry.registerVirtualModel", "ctx.modelRegistry.stream", "ctx.modelRegistry.streamSimple", "ctx.modelRegistry.unregisterVirtualModel", "ctx.sessionManager.buildContextEntries", "ctx.sessionManager.buildSessionProjection",
	"event after_provider_response", "event agent_before_settle", "event before_provider_headers", "event cache_warming_decision", "event context_with_system", "event mcp_servers_change", "event project_trust",
	"event provider_stream_event", "event session_compact_failed", "event session_info_changed", "event thinking_level_select", "event ui_prompt_end", "event ui_prompt_start",
}
