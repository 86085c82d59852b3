package cursor

import (
	"strings"

	"github.com/hookline-dev/hookline/dialect/internal/foreign"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
)

// inside is a member of the host's that is a member of the tool's input.
func inside(key, member string) vocab.Field {
	return vocab.Field{
		Canonical: "tool_input", Dialect: key,
		In: func(v hook.JSON) (out hook.JSON) {
			_ = out.Set(member, v) // an object of our own
			return out
		},
		Out: func(v hook.JSON) hook.JSON {
			m, _ := v.Get(member)
			return m
		},
	}
}

// always is the name of the tool that an event is about.
func always(tool string) vocab.Field {
	return vocab.Field{
		Canonical: "tool_name", Dialect: "hook_event_name",
		In:  func(hook.JSON) hook.JSON { return hook.MustJSON(tool) },
		Out: func(hook.JSON) hook.JSON { return hook.JSON{} },
	}
}

// mcpName is the name of an MCP server's tool, of which the host does not tell the server.
var mcpName = vocab.Field{
	Canonical: "tool_name", Dialect: "tool_name",
	In: func(v hook.JSON) hook.JSON {
		s, _ := v.AsString()
		return hook.MustJSON("MCP:" + strings.TrimPrefix(s, "MCP:"))
	},
	Out: func(v hook.JSON) hook.JSON {
		s, _ := v.AsString()
		return hook.MustJSON(bare(s))
	},
}

// forTool makes of an event one that is for a tool's calls only; what its matcher is
// tested against is what of says.
func forTool(is func(tool string) bool, of func(tool string, input hook.JSON) string) func(hook.Input) []string {
	return func(in hook.Input) []string {
		tool, input := "", hook.JSON{}
		switch in := in.(type) {
		case *hook.PreToolUse:
			tool, input = in.ToolName, in.ToolInput
		case *hook.PostToolUse:
			tool, input = in.ToolName, in.ToolInput
		}
		if !is(tool) {
			return nil
		}
		return []string{of(tool, input)}
	}
}

func named(names ...string) func(string) bool {
	return func(tool string) bool { return strings.Contains(" "+strings.Join(names, " ")+" ", " "+tool+" ") }
}

func ofMCP(tool string) bool {
	return strings.HasPrefix(tool, "mcp__") || strings.HasPrefix(tool, "MCP:")
}

func commandOf(_ string, input hook.JSON) string { return input.String("command") }

func nameOf(tool string, _ hook.JSON) string {
	return bare(names.DialectName(tool))
}

// bare is the name of a tool without its server.
func bare(name string) string {
	if i := strings.LastIndex(name, "__"); i >= 0 {
		return name[i+2:]
	}
	return strings.TrimPrefix(name, "MCP:")
}

// tools is the vocabulary, in which a change of a file is known by its members.
type tools struct{ vocab.Vocabulary }

// In reads a tool's name and input.
func (t tools) In(name string, input hook.JSON) (string, hook.JSON) {
	switch {
	case name == "Write" && input.Has("old_string"):
		return "Edit", input
	case name == "Write" && input.Has("edits"):
		return "MultiEdit", input
	}
	return t.Vocabulary.In(name, input)
}

func events() []foreign.Event {
	deny, allow, ask := foreign.Word{Text: "deny", Decision: hook.DecisionDeny}, foreign.Word{Text: "allow", Decision: hook.DecisionAllow}, foreign.Word{Text: "ask", Decision: hook.DecisionAsk}
	verdict := foreign.Member{Path: "permission", Means: foreign.Decides, Words: []foreign.Word{deny, allow}}
	asks := verdict
	asks.Words = []foreign.Word{deny, allow, ask}
	why := []foreign.Member{{Path: "user_message", Means: foreign.Reason}, {Path: "agent_message", Means: foreign.OtherReason, ReadOnly: true}}
	context := foreign.Member{Path: "additional_context", Means: foreign.AddsContext}
	follow := []foreign.Member{{Path: "followup_message", Means: foreign.FollowUp}}
	single := append([]foreign.Member{asks}, why...)
	plain := append(foreign.ReadOnly([]foreign.Member{asks}), append([]foreign.Member{verdict}, why...)...)
	twice := "preToolUse fires for the same call"
	after := "postToolUse fires for the same call"
	input := vocab.Field{Canonical: "tool_input", Dialect: "tool_input", In: foreign.Unpacked, Out: foreign.Packed}
	result := func(key string) vocab.Field {
		return vocab.Field{Canonical: "tool_response", Dialect: key, In: foreign.Unpacked, Out: foreign.Packed}
	}
	call := append(foreign.Fields("tool_name", "tool_use_id"), vocab.Field{Canonical: "tool_input", Dialect: "tool_input", In: foreign.Unpacked})
	failed := func(p hook.JSON) bool { return p.String("status") == "error" }
	return []foreign.Event{
		{Name: "sessionStart", Event: hook.EventSessionStart, Answer: []foreign.Member{context, {Path: "env"}}, Fields: foreign.Fields("source", ">is_background_agent", ">composer_mode")},
		{Name: "sessionEnd", Event: hook.EventSessionEnd, Fields: foreign.Fields("reason", ">duration_ms", ">final_status")},
		{
			Name: "beforeSubmitPrompt", Event: hook.EventUserPromptSubmit, Fields: foreign.Fields("prompt", ">attachments"),
			Answer: append([]foreign.Member{{Path: "continue", Means: foreign.GoesOn}}, why...),
		},
		{Name: "preToolUse", Event: hook.EventPreToolUse, Fields: call, Answer: append(plain, foreign.Member{Path: "updated_input", Means: foreign.NewInput})},
		{
			Name: "beforeShellExecution", Event: hook.EventPreToolUse, Fields: append(foreign.Fields(">sandbox"), inside("command", "command"), always("Shell")),
			Answer: single, OnRequest: twice, Matches: forTool(named("Bash"), commandOf),
		},
		{
			Name: "beforeMCPExecution", Event: hook.EventPreToolUse, Fields: append(foreign.Fields(">url", ">command"), mcpName, input),
			Answer: single, OnRequest: twice, Matches: forTool(ofMCP, nameOf),
		},
		{
			Name: "beforeReadFile", Event: hook.EventPreToolUse, Fields: append(foreign.Fields(">content", ">attachments"), inside("file_path", "file_path"), always("Read")),
			Answer: plain, OnRequest: twice, Matches: forTool(named("Read"), nameOf),
		},
		{
			Name: "postToolUse", Event: hook.EventPostToolUse, Fields: append(call, result("tool_output"), vocab.Field{Canonical: "duration_ms", Dialect: "duration"}),
			Answer: []foreign.Member{context, {Path: "updated_mcp_tool_output", Means: foreign.NewOutput, ReadOnly: true}},
		},
		{Name: "postToolUseFailure", Event: hook.EventPostToolUseFailure, Fields: append(call, foreign.Fields("error>error_message", "duration_ms>duration", "is_interrupt", ">failure_type")...), Answer: []foreign.Member{context}},
		{
			Name: "afterShellExecution", Event: hook.EventPostToolUse, OnRequest: after, Matches: forTool(named("Bash"), commandOf),
			Fields: append(foreign.Fields("duration_ms>duration", ">sandbox"), inside("command", "command"), always("Shell"), vocab.Field{Canonical: "tool_response", Dialect: "output", Out: printed}),
		},
		{
			Name: "afterMCPExecution", Event: hook.EventPostToolUse, OnRequest: after, Matches: forTool(ofMCP, nameOf),
			Fields: append(foreign.Fields("duration_ms>duration"), mcpName, input, result("result_json")),
		},
		{
			Name: "afterFileEdit", Event: hook.EventPostToolUse, OnRequest: after, Matches: forTool(named("Write", "Edit", "MultiEdit"), nameOf),
			Fields: append(foreign.Fields(">edits"), inside("file_path", "file_path"), always("Write")),
		},
		{Name: "subagentStart", Event: hook.EventSubagentStart, Fields: foreign.Fields("agent_id>subagent_id", "agent_type>subagent_type", ">task")},
		{Name: "subagentStop", Event: hook.EventSubagentStop, Answer: follow, Fields: foreign.Fields("agent_id>subagent_id", "agent_type>subagent_type", ">status", ">task", ">loop_count", "last_assistant_message>summary")},
		{Name: "preCompact", Event: hook.EventPreCompact, Fields: foreign.Fields("trigger", ">context_usage_percent"), Answer: []foreign.Member{{Path: "user_message", Means: foreign.Notice}}},
		{Name: "stop", Event: hook.EventStopFailure, When: failed, Fields: foreign.Fields("error>status", ">loop_count")},
		{Name: "stop", Event: hook.EventStop, Answer: follow, Fields: foreign.Fields(">status", ">loop_count")},
	}
}

// printed is what a command printed.
func printed(response hook.JSON) hook.JSON { return foreign.Text("Bash", response) }
