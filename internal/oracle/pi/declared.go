package pi

import "github.com/hookline-dev/hookline/internal/oracle"

// DeclaredDifferences are those that stay, one line each; docs/dialects/pi.md shows them.
// The names of cases begin with the version of pi.
var DeclaredDifferences = []oracle.Declared{
	{Cases: "*/tool_call/throw*, */tool_call/reject", Fact: "model: request 1", What: "what the model is told of a `tool_call` handler that throws or rejects names the hook and the place", Reason: "a guard that failed is told apart from one that decided"},
	{Cases: "*/command/throws", Fact: "person", What: "over rpc a command that throws is a failed request, and no notice", Reason: "whoever asked for it is told"},
	{Cases: "*/session/*", Fact: "event resources_discover#* after", What: "`resources_discover` comes before `session_start`", Reason: "what may run is approved before the session opens, and skills and recipes are there then"},
	{Cases: "*/session/*", Fact: "event tool_execution_start#* after", What: "`tool_execution_start` comes after `tool_call`", Reason: "it says that the tool runs, which guards have agreed to"},
	{Cases: "*/session/*bash, */session/abort, */session/text-and-two-calls, */session/write-edit-read, */session/unknown-tool, */session/missing-file", Fact: "event *essage*.durationMs, event turn_end*.durationMs", What: "messages of tools have no `durationMs`", Reason: "it is not kept with a message"},
	{Cases: "*/session/*", Fact: "event turn_end* .context.contextEntries begins", What: "no entries say with which model and level a session begins", Reason: "that is not kept in a session"},
	{Cases: "*/session/abort, */command/abort-in-handler", Fact: "event agent_end#0 .messages[3].*, event context#1 .messages[3].*, event context#2 *, event message_start#3 *, event message_end#3 *, event message_start#4 *, event message_end#4 *, event message_start#5 *, event message_end#5 *, event turn_start#1 .turnIndex, event turn_start#2 *, event turn_end#1 *, event turn_end#2 *, events, log, log turn_end#1", What: "an interrupted call is the end of the prompt; pi begins one more turn, whose answer is aborted", Reason: "nothing was said that could be kept"},
	{Cases: "*/session/model-error", Fact: "event message_start#1 *, event message_end#1 *, event agent_end#0 .messages[1].*, event turn_end#0 .context.*[1].*, event turn_end#0 .message.api, event turn_end#0 .message.durationMs, event turn_end#0 .message.errorMessage, event turn_end#0 .message.model, event turn_end#0 .message.provider, event turn_end#0 .message.thinkingLevel, event turn_end#0 .message.timestamp, event turn_end#0 .message.usage, events", What: "an answer that the model fails makes no message; that of `turn_end` is empty", Reason: "as above"},
	{Cases: "*/session/model-error, */agent_before_settle/model-error", Fact: "exit", What: "a prompt that the model fails ends with an error", Reason: "scripts look at the exit code"},
	{Cases: "*/api/registry-types", Fact: "log types#0 [4]", What: "all models are chat models", Reason: "the agent calls no others"},
	{Cases: "*/session/unknown-tool", Fact: "event tool_execution_*, events", What: "a call of a tool that is not there has no `tool_execution` events", Reason: "nothing ran"},
	{Cases: "*/session/*bash, */session/abort, */session/text-and-two-calls, */session/write-edit-read, */session/unknown-tool, */session/missing-file", Fact: "event *.content, event *.result", What: "the text of a built-in tool's result is that of the tool here: without the last line break, lines with their numbers, errors in other words", Reason: "the model was given these tools"},
	{Cases: "*/session/*bash, */session/abort, */session/text-and-two-calls, */session/write-edit-read, */session/unknown-tool, */session/missing-file", Fact: "event *.details, event *.structuredContent", What: "of built-in tools only an edit has `details`, with the whole path in its `patch` and not in messages; none has `structuredContent`", Reason: "as above"},
	{Cases: "*/tool_call/change, */tool_result/of-*, */turn_end/members, */api/projection, */context_with_system/order", Fact: "log result#0 [1], log text#0, log context#* [2][2], log context#* [3][2], log projection#0 [1][2], log whole#1 [1][2]", What: "so it is in `tool_result`, and where a module asks for messages", Reason: "as above"},
	{Cases: "1.6.0/api/all-tools, 0.73.1/api/all-tools", Fact: "log all#0 [0][2], log all#0 [1][2]", What: "tools have more parameters, and `edit` has one replacement", Reason: "as above"},
	{Cases: "*/tool_result/at-once", Fact: "log result#*", What: "of calls that run at once, results are told in the order of the calls", Reason: "it is the same each time"},
	{Cases: "*/session/fork, */session/new-session, */session/resume", Fact: "event resources_discover*", What: "`resources_discover` comes once, and with each reload", Reason: "a session changes no skills"},
	{Cases: "*/session/fork", Fact: "event session_before_fork*.position", What: "`session_before_fork` has the position `at`", Reason: "the entry is the one that the copy ends with"},
	{Cases: "*/input/of-commands", Fact: "log, log input*", What: "`input` is told of slash commands too", Reason: "what is typed is guarded, whatever it is"},
	{Cases: "*/input/of-commands", Fact: "model: *", What: "a slash command that is not there is an error", Reason: "a slip is not sent to the model"},
	{Cases: "1.6.0/input/to-command, 0.73.1/input/to-command", Fact: "log, log command#0, model: *, files", What: "a text that `input` makes a slash command runs it", Reason: "as where it is typed"},
	{Cases: "*/send/user-blocks", Fact: "log input#0", What: "`input` is not told of messages of modules", Reason: "nobody typed them"},
	{Cases: "*/session/change-model", Fact: "event model_select*.baseUrl", What: "in `model_select` a model has no `baseUrl`", Reason: "where models are asked is the agent's to know"},
	{Cases: "1.6.0/api/session-manager, 1.6.0/tool/session, */message_start/throw, */message_end/throw", Fact: "log, log next ran#4, log s#0 [8], model: request 1", What: "the system prompt is not a message", Reason: "it is made anew for each call; `ctx.getSystemPrompt()` has it"},
	{Cases: "0.73.1/api/exec*", Fact: "log r#0*", What: "with 0.73.1, `exec` does not say `truncated`, nor why a program could not start, and one that it ended has code 0", Reason: "it is as in 1.6.0"},
	{Cases: "*/command/navigate", Fact: "log before#0, log tree#0", What: "`session_before_tree` and `session_tree` leave out members that are undefined", Reason: "they read the same"},
	{Cases: "*/rpc/editor-text, */command/navigate*", Fact: "log get#0, log text#0, person", What: "over rpc `getEditorText` is what was set, and going to a prompt puts its text there", Reason: "the program that shows the editor can be asked"},
	{Cases: "*/rpc/custom, 0.73.1/example/handoff, 0.73.1/example/qna", Fact: "files, log, log r#0, model: request 1, person", What: "over rpc `ui.custom` rejects", Reason: "nothing is drawn there, and undefined reads as the answer of a person"},
	{Cases: "*/command/navigate-summary", Fact: "model: request 2", What: "a branch's summary stands in other words", Reason: "they are the agent's"},
	{Cases: "*/command/compact, */session_before_compact/own", Fact: "model: request 2", What: "a compaction that is asked for keeps nothing but the summary", Reason: "that is what is asked for"},
	{Cases: "*/resources_discover/skill", Fact: "model: system *", What: "skills stand in the description of the Skill tool", Reason: "the system prompt stays as it is when they change"},
	{Cases: "*/tool/hints", Fact: "model: system *", What: "so do `promptSnippet` and `promptGuidelines` in that of their tool", Reason: "as above"},
	{Cases: "*/send-user/plain", Fact: "model: request 1, model: request 2", What: "`sendUserMessage` without `deliverAs` while the model works steers it", Reason: "pi refuses it, and the message is lost"},
	{Cases: "*/send/pending", Fact: "log pending#0 [0]", What: "`hasPendingMessages` counts a message as soon as it is sent", Reason: "it waits from then on"},
	{Cases: "0.73.1/session/*, 0.73.1/session-reasons, 0.73.1/*/facts, 0.73.1/agent_settled/throw", Fact: "event agent_settled*, event before_agent_start*.messageType, event session_start*, log, log facts#0 [1], log facts#0 [6], log next ran#0, log start*", What: "0.73.1 has no `agent_settled`, `messageType` and `ctx.mode`, and tells of a session's start in other places", Reason: "it is as in 1.6.0"},
	{Cases: "0.73.1/tool/error-flag, 0.73.1/example/subagent", Fact: "model: request 1", What: "0.73.1 does not look at the `isError` of a tool's result", Reason: "it is as in 1.6.0"},
	{Cases: "0.73.1/session/*", Fact: "event *.rawStopReason, event *.durationMs, event *.thinkingLevel, event *.usage, events, event message_start*.responseId, event message_start*.stopReason, event turn_end* .context.*, event turn_end*.continue, event turn_end*.entries, event turn_end*.messageEntryId, event turn_end*.outcome, event turn_end*.toolResultEntryIds", What: "messages and `turn_end` of 0.73.1 have fewer members, and `message_start` no `usage` yet", Reason: "it is as in 1.6.0"},
	{Cases: "0.73.1/ui_prompt/told, 0.73.1/session_compact_failed/told, 0.73.1/session_info_changed/told", Fact: "log, log ui_prompt*, log failed*, log name*", What: "0.73.1 has no `ui_prompt_start` and `_end`, `session_compact_failed` and `session_info_changed`", Reason: "it is as in 1.6.0"},
	{Cases: ohMyPi + "api/exec", Fact: "log r#0 .truncated", What: "oh-my-pi's `exec` does not say `truncated`", Reason: "there is one result for both families"},
	{Cases: ohMyPi + "api/append-entry", Fact: "log read#0 [2]*", What: "oh-my-pi keeps an entry of its own when a tool starts", Reason: "it is about its own sessions"},
	{Cases: ohMyPi + "tool_call/change, " + ohMyPi + "tool_result/chain", Fact: "log result#0 [1], log result#0 [3]*, model: request 1", What: "in oh-my-pi the result of `bash` says how long it took", Reason: "the model was given this agent's tools"},
	{Cases: ohMyPi + "tool_result/append", Fact: "model: request 1", What: "oh-my-pi makes one text of the texts of a result", Reason: "the model reads the same"},
	{Cases: ohMyPi + "tool_call/one-of-two, " + ohMyPi + "tool_result/at-once", Fact: "model: request 1", What: "in oh-my-pi the model is given results as calls end, those of refused ones first", Reason: "results are in the order of the calls"},
	{Cases: ohMyPi + "tool/*", Fact: "model: system *, model: tools *", What: "oh-my-pi offers tools of modules through a tool of its own (`xd://`)", Reason: "the model is given them as they are"},
	{Cases: ohMyPi + "tool/session", Fact: "model: request 1", What: "in oh-my-pi an answer is kept after its calls", Reason: "a call is on record before it runs"},
	{Cases: ohMyPi + "tool/prepared, " + ohMyPi + "tool/terminate", Fact: "log, log p#0*, model: request*", What: "oh-my-pi knows no `prepareArguments` and no `terminate`", Reason: "it is as in pi"},
	{Cases: ohMyPi + "api/all-tools", Fact: "log all#0 *", What: "`parameters` in oh-my-pi's `getAllTools` are not a JSON schema", Reason: "it is as in pi"},
	{Cases: ohMyPi + "api/commands", Fact: "log c#0 [1]", What: "oh-my-pi has commands of its own among those of extensions", Reason: "there are none here"},
	{Cases: ohMyPi + "api/exec-timeout", Fact: "log r#0 [0]", What: "a program that oh-my-pi's `exec` ended has code 0", Reason: "there is one result for both families"},
	{Cases: ohMyPi + "api/facts", Fact: "log facts#0 [4]", What: "oh-my-pi's `session_start` has no reason", Reason: "it is as in pi"},
	{Cases: ohMyPi + "api/label, " + ohMyPi + "api/session-name", Fact: "log label#0, session", What: "with `-p` oh-my-pi keeps no label of an entry, and no name of a session", Reason: "they are kept with the session, as in pi"},
	{Cases: ohMyPi + "api/set-active-tools", Fact: "files, log now#0, model: tools 0, model: request 1", What: "what `setActiveTools` says while a session opens does not count in oh-my-pi", Reason: "a module that takes tools away means it"},
	{Cases: ohMyPi + "api/thinking-level", Fact: "log level#0, log now#0", What: "a model that does not think has no level in oh-my-pi", Reason: "it is `off`, as in pi"},
	{Cases: ohMyPi + "input/*", Fact: "log*, model: request*, model: tools *, files", What: "with `-p` oh-my-pi does not ask `input` handlers", Reason: "what is put is guarded, whoever puts it"},
	{Cases: ohMyPi + "resources_discover/skill", Fact: "log, log e#0*, model: system *", What: "with `-p` oh-my-pi does not ask `resources_discover` handlers", Reason: "skills that a module brings are there for scripts too"},
	{Cases: ohMyPi + "send-in-tool/triggerTurn--deliverAs-nextTurn", Fact: "model: request*, model: tools 3, session", What: "in oh-my-pi `triggerTurn` counts for a message for the next turn", Reason: "it waits for the person, as in pi"},
	{Cases: ohMyPi + "send-in-tool/*, " + ohMyPi + "send-user/*", Fact: "model: request 1", What: "in oh-my-pi a message that steers while a call is being decided takes the place of that call", Reason: "what is called runs, and the message follows"},
	{Cases: ohMyPi + "tool_result/explain-error", Fact: "model: request 1", What: "in oh-my-pi a command that fails is not a failed call", Reason: "the model was given this agent's tools"},
	{Cases: ohMyPi + "tool_result/of-read, " + ohMyPi + "tool_result/of-edit", Fact: "log result#0 [3]*, log diff#0, model: request 1", What: "in oh-my-pi `read` and `edit` have other parameters and `details`", Reason: "as above"},
	{Cases: ohMyPi + "tool_call/inputs", Fact: "log edit#0 *, model: request 2", What: "an edit of oh-my-pi has other parameters", Reason: "the model was given this agent's tools"},
	{Cases: ohMyPi + "agent_settled/throw", Fact: "log, log next ran#0", What: "oh-my-pi has no `agent_settled`", Reason: "it is as in pi"},
}

// ohMyPi is what the names of its cases begin with.
const ohMyPi = "17.3.5/oh-my-pi/"

// Absent are members and events of the newest pi that modules do not get here, and why.
type Absent struct {
	Names  []string
	Reason string
}

// MissingMembers are all of them; docs/dialects/pi.md shows them.
var MissingMembers = []Absent{
	{Names: []string{"ctx.modelRegistry.classify", "ctx.modelRegistry.generateImages"}, Reason: "there are no models for that"},
	{Names: []string{"ctx.modelRegistry.getProvider", "event provider_stream_event"}, Reason: "providers, and what they stream, are the agent's"},
	{Names: []string{"ctx.modelRegistry.registerVirtualModel", "ctx.modelRegistry.unregisterVirtualModel"}, Reason: "there are no virtual models"},
	{Names: []string{"event cache_warming_decision"}, Reason: "no cache is kept warm"},
	{Names: []string{"event mcp_servers_change"}, Reason: "modules register no servers"},
	{Names: []string{"event project_trust"}, Reason: "what a project may do is approved before any module runs"},
	{Names: []string{"event thinking_level_select"}, Reason: "who sets a level knows it"},
}
