package main

import "github.com/hookline-dev/hookline/hook"

// eventTurns is what the model says in TestEveryEventOfTheTable.
const eventTurns = `
turns:
  - when: {system: "You are a subagent|You review", last_user: "look around"}
    text: "I looked around."
    repeat: 9
  - when: {last_user: "^everything$"}
    error: {status: 529, retry_after: 0.001}
  - when: {last_user: "^everything$"}
    text: "I would use console.log for that."
  - when: {last_user: "Use the logger"}
    text: "I use the logger."
    tool_calls:
      - {name: Bash, id: call-1, input: {command: "echo one; cd sub"}}
      - {name: Read, id: call-2, input: {file_path: missing.txt}}
      - {name: Bash, id: call-3, input: {command: "touch made"}}
      - {name: TodoWrite, id: call-4, input: {todos: [{content: "write it", status: pending, activeForm: "writing it"}]}}
  - when: {last_user: "Use the logger"}
    text: "It is done."
  - when: {last_user: "list of todos"}
    text: "It stays open."
  - when: {last_user: "^fail$"}
    error: {status: 401, message: "no such key"}
  - when: {last_user: "^helpers$"}
    tool_calls: [{name: Agent, input: {prompt: "look around", subagent_type: reviewer}}, {name: Agent, input: {prompt: "look around", isolation: worktree}}]
  - when: {last_user: "^helpers$"}
    tool_calls: [{name: TaskCreate, input: {subject: "the roof", description: "mend it"}}, {name: TaskUpdate, input: {taskId: "1", status: completed}}]
  - when: {last_user: "^helpers$"}
    tool_calls: [{name: Agent, input: {prompt: "look around", name: jo, run_in_background: true}}]
  - when: {last_user: "^helpers$"}
    text: "I wait for jo."
  - when: {last_user: "^server$"}
    tool_calls: [{name: mcp__asker__ask, input: {}}]
  - when: {last_user: "^plan$"}
    tool_calls: [{name: Write, id: call-5, input: {file_path: planned.txt, content: "x"}}]
  - when: {last_user: "^long$"}
    error: {status: 400, type: invalid_request_error, message: "prompt is too long: 300000 tokens > 200000 maximum"}
  - text: "Very well."
    repeat: -1
`

// eventPayloads says, for each event, what one of its payloads holds beside the
// common fields, in regular expressions.
var eventPayloads = map[hook.Event][]string{
	hook.EventSessionStart:        {`"source":"startup"`},
	hook.EventSessionEnd:          {`"reason":"prompt_input_exit"`},
	hook.EventSetup:               {`"trigger":"init"`},
	hook.EventUserInput:           {`"(text|prompt|input)":"everything"`},
	hook.EventUserPromptSubmit:    {`"prompt":"everything"`},
	hook.EventUserPromptExpansion: {`"command_name":"greet"`, `"command_args":"who=you"`, `"prompt":"/greet who=you`},
	hook.EventUserBash:            {`"command":"echo by hand"`},
	hook.EventAgentStart:          {},
	hook.EventAgentSettled:        {`"aborted":false`},
	hook.EventAgentEnd:            {`"messages":\[\{.*"everything"`},
	hook.EventTurnStart:           {`"turn_index":0`, `"timestamp":\d+`},
	hook.EventTurnEnd:             {`"turn_index":0`, `"tool_results":\[\{`, `I use the logger`},
	hook.EventContext:             {`"messages":\[\{.*"everything"`},
	hook.EventProviderResponse:    {`"status":200`},
	hook.EventProviderRequest:     {`"payload":\{.*"everything"`},
	hook.EventMessageStart:        {`"role":"user".*|"content":.*everything`},
	hook.EventMessageUpdate:       {`"delta":"I use the logger\."`},
	hook.EventMessageEnd:          {`"role":"assistant"`, `I use the logger`},
	hook.EventMessageDisplay:      {`"delta":"I use the logger\."`, `"final":true`},
	hook.EventPreToolUse:          {`"tool_name":"Bash"`, `"tool_input":\{"command":"touch made"\}`, `"tool_use_id":"call-3"`},
	hook.EventPermissionRequest:   {`"tool_name":"Bash"`, `"tool_input":\{"command":"touch made"\}`, `"permission_suggestions":\[\{`},
	hook.EventPermissionDenied:    {`"tool_use_id":"call-5"`, `"reason":"the mode is plan`},
	hook.EventToolExecutionStart:  {`"tool_use_id":"call-1"`, `"tool_name":"Bash"`},
	hook.EventToolExecutionUpdate: {`"tool_use_id":"call-1"`, `"partial_result":`},
	hook.EventToolExecutionEnd:    {`"tool_use_id":"call-1"`, `"result":`, `"duration_ms":\d`},
	hook.EventPostToolUse:         {`"tool_use_id":"call-1"`, `"tool_response":\{.*"stdout":"one`, `"duration_ms":\d`},
	hook.EventPostToolUseFailure:  {`"tool_use_id":"call-2"`, `"error":".*missing.txt`},
	hook.EventPostToolBatch:       {`"tool_calls":\[\{.*call-1.*call-4`},
	hook.EventNotification:        {`"notification_type":"permission_prompt"`, `"message":".*Bash`},
	hook.EventStop:                {`"stop_hook_active":false`, `"last_assistant_message":"It stays open\."`},
	hook.EventStopFailure:         {`"error":"authentication`, `"last_assistant_message":".*no such key`},
	hook.EventSubagentStart:       {`"agent_type":"reviewer"`, `"agent_id":".`},
	hook.EventSubagentStop:        {`"agent_type":"reviewer"`, `"last_assistant_message":"I looked around\."`, `"agent_transcript_path":".+jsonl"`},
	hook.EventTeammateIdle:        {`"teammate_name":"jo"`, `"team_name":"session-`},
	hook.EventTaskCreated:         {`"task_subject":"the roof"`, `"task_description":"mend it"`, `"task_id":"1"`},
	hook.EventTaskCompleted:       {`"task_subject":"the roof"`, `"task_id":"1"`},
	hook.EventPreCompact:          {`"trigger":"manual"`, `"custom_instructions":"in French"`},
	hook.EventCompacting:          {`"preparation":\{`},
	hook.EventCompactFailed:       {`"trigger":"manual"`, `"aborted":false`, `"error_message":"there is nothing to compact"`},
	hook.EventDialogStart:         {`"kind":"confirm"`, `"title":"Sure\?"`},
	hook.EventDialogEnd:           {`"kind":"confirm"`, `"title":"Sure\?"`},
	hook.EventSessionRenamed:      {`"title":"a new name"`},
	hook.EventPostCompact:         {`"trigger":"manual"`, `"compact_summary":"Very well\."`},
	hook.EventAutoCompactionStart: {`"reason":"overflow"`},
	hook.EventAutoCompactionEnd:   {`"will_retry":true`, `"result":\{.*"firstKeptEntryId":".`},
	hook.EventAutoRetryStart:      {`"attempt":1`, `"delay_ms":1\b`, `"error_message":".*overloaded`},
	hook.EventAutoRetryEnd:        {`"attempt":1`, `"success":true`},
	hook.EventRuleTriggered:       {`"rules":\[\{.*"content":"Use the logger\.`, `"trigger":"console`},
	hook.EventTodoReminder:        {`"attempt":1`, `"todos":\[\{.*"write it"`},
	hook.EventSessionBeforeSwitch: {`"reason":"new"`},
	hook.EventSessionSwitch:       {`"reason":"new"`, `"previous_session":".+jsonl"`},
	hook.EventSessionBeforeBranch: {`"entry_id":".`},
	hook.EventSessionBranch:       {`"previous_session":".+jsonl"`},
	hook.EventSessionBeforeTree:   {`"targetId":".`, `"oldLeafId":".`, `"userWantsSummary":true`, `"entriesToSummarize":\[\{`},
	hook.EventSessionTree:         {`"new_leaf_id":".`, `"old_leaf_id":".`, `"summary_entry":\{`},
	hook.EventPreModelSwitch:      {`"from_model":"script"`, `"to_model":"script"`, `"requested_model":"script:.+turns.yaml"`, `"source":"sdk"`},
	hook.EventPostModelSwitch:     {`"from_model":"script"`, `"to_model":"script"`, `"requested_model":"script:.+turns.yaml"`, `"source":"sdk"`},
	hook.EventInstructionsLoaded:  {`"file_path":".*AGENTS.md"`, `"load_reason":"session_start"`, `"memory_type":"Project"`},
	hook.EventResourcesDiscover:   {`"reason":"startup"`},
	hook.EventConfigChange:        {`"source":"user_settings"`, `"file_path":".*settings.json"`},
	hook.EventCwdChanged:          {`"old_cwd":".*project"`, `"new_cwd":".*sub"`},
	hook.EventDirectoryAdded:      {`"source":`, `"(path|directory|dir)":".*other"`},
	hook.EventFileChanged:         {`"file_path":".*watched.txt"`, `"event":"add"`},
	hook.EventWorktreeCreate:      {`"name":".`},
	hook.EventWorktreeRemove:      {`"worktree_path":".*wt`},
	hook.EventToolOffered:         {`"tool_name":"mcp__asker__ask"`, `"tool":\{.*"name":"ask"`, `"mcp_server":\{"name":"asker"`},
	hook.EventElicitation:         {`"mcp_server_name":"asker"`, `"message":"Which colour\?"`, `"requested_schema":\{`},
	hook.EventElicitationResult:   {`"mcp_server_name":"asker"`, `"action":"cancel"`},
}
