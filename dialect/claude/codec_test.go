package claude_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/hook/hooktest"
)

// TestConformance runs the rules that every dialect keeps over every event.
func TestConformance(t *testing.T) {
	c := claude.NewCodec(claude.CodecOptions{})
	hooktest.TestCodec(t, hooktest.Codec{
		Events:      hook.Events(),
		EncodeInput: func(in hook.Input) ([]byte, error) { return c.EncodeInput(&hook.Call{Input: in}) },
		DecodeInput: func(data []byte) (hook.Input, error) {
			in, notes, err := c.DecodeInput(data)
			if len(notes) > 0 {
				t.Errorf("its own input is remarked upon: %q", notes)
			}
			return in, err
		},
		EncodeOutcome: func(in hook.Input, out *hook.Outcome) (stdout, stderr []byte, exit int, err error) {
			if out.Decision == hook.DecisionDeny && in.Event().Spec().Honours&hook.FieldFollowUps != 0 {
				out.KeepGoing = true // as the engine sets it
			}
			ans, _, err := c.EncodeOutcome(in, out)
			return ans.Stdout, ans.Stderr, ans.ExitCode, err
		},
		DecodeResult: func(in hook.Input, stdout, stderr []byte, exit int) (hook.Result, error) {
			res, _, err := c.DecodeResult(&hook.Call{Input: in}, handler.Answer{Stdout: stdout, Stderr: stderr, ExitCode: exit})
			return res, err
		},
		Input: carried,
	})
}

// TestCompactionsInput has null for instructions that nobody gave, and the server of a
// call last.
func TestCompactionsInput(t *testing.T) {
	for want, in := range map[string]hook.Input{
		`{"session_id":"s","transcript_path":"","cwd":"","hook_event_name":"PreCompact","trigger":"manual","custom_instructions":null}`: &hook.PreCompact{
			Common: hook.Common{SessionID: "s", PermissionMode: "default"}, Trigger: "manual", Preparation: hook.RawJSON("{}"), BranchEntries: []hook.JSON{hook.RawJSON("{}")},
		},
		`{"session_id":"s","transcript_path":"","cwd":"","hook_event_name":"PostCompact","trigger":"auto","compact_summary":"short"}`: &hook.PostCompact{
			Common: hook.Common{SessionID: "s", PermissionMode: "default"}, Trigger: "auto", CompactSummary: "short", CompactionEntry: hook.RawJSON("{}"), FromHook: true,
		},
		`{"session_id":"s","transcript_path":"","cwd":"","hook_event_name":"PreToolUse","tool_name":"mcp__a__b","tool_input":{},"tool_use_id":"u","mcp_server":{"name":"a"}}`: &hook.PreToolUse{
			Common: hook.Common{SessionID: "s", MCPServer: &hook.MCPServer{Name: "a"}}, ToolName: "mcp__a__b", ToolInput: hook.RawJSON("{}"), ToolUseID: "u",
		},
	} {
		got, err := claude.NewCodec(claude.CodecOptions{}).EncodeInput(&hook.Call{Input: in})
		if err != nil || strings.TrimSpace(string(got)) != want {
			t.Errorf("%s %v\nwant %s", got, err, want)
		}
	}
}

// carried returns an input with every field set that hooks of the dialect get.
func carried(ev hook.Event) hook.Input {
	in := filled(ev)
	if !slices.Contains(claude.Events(), ev) {
		return in
	}
	base := in.Base()
	base.InvokedBy, base.RecipeName = "", ""
	if slices.Contains(withoutMode, ev) {
		base.PermissionMode = ""
	}
	switch in := in.(type) {
	case *hook.SessionStart:
		in.Model, in.PreviousSession = "", ""
	case *hook.SessionEnd:
		in.TargetSession = ""
	case *hook.Notification:
		in.Title = ""
	case *hook.PreCompact:
		in.Preparation, in.BranchEntries = hook.JSON{}, nil
	case *hook.PostCompact:
		in.CompactionEntry, in.FromHook = hook.JSON{}, false
	case *hook.UserPromptSubmit:
		in.SystemPrompt, in.TypedPrompt = "", ""
	case *hook.Stop:
		in.Messages = nil
	case *hook.SubagentStop:
		in.Messages = nil
	case *hook.PostToolUseFailure:
		in.ToolResponse = hook.JSON{}
	}
	return in
}

// withoutMode are the events of which the real program's hooks are not told the permission
// mode.
var withoutMode = []hook.Event{
	hook.EventSessionStart, hook.EventSessionEnd, hook.EventSetup, hook.EventMessageDisplay, hook.EventSubagentStart, hook.EventStopFailure, hook.EventCwdChanged, hook.EventFileChanged,
	hook.EventInstructionsLoaded, hook.EventPreCompact, hook.EventPostCompact, hook.EventPreModelSwitch, hook.EventPostModelSwitch, hook.EventTaskCreated,
	hook.EventTaskCompleted, hook.EventWorktreeCreate, hook.EventWorktreeRemove, hook.EventDirectoryAdded, hook.EventNotification, hook.EventElicitation,
	hook.EventElicitationResult,
}

// filled returns an input with every field set.
func filled(ev hook.Event) hook.Input {
	in := ev.Spec().New()
	fill(reflect.ValueOf(in).Elem())
	return in
}

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("text of " + v.Type().Name() + " <&>\u2028")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(9007199254740993)
	case reflect.Float64:
		v.SetFloat(1.5)
	case reflect.Pointer:
		if v.Type().Elem() != reflect.TypeFor[hook.Metadata]() {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem())
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fill(v.Index(0))
			fill(v.Index(1))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[hook.JSON]() {
			v.Set(reflect.ValueOf(hook.RawJSON(`{"z":9007199254740993, "a":"\ud800<"}`)))
			return
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i))
			}
		}
	}
}

// TestInputKeys holds the exact names that hooks read.
func TestInputKeys(t *testing.T) {
	for ev, keys := range map[hook.Event]string{
		hook.EventSessionStart:        "source agent_type session_title seconds_since_last_response context_tokens",
		hook.EventSetup:               "trigger",
		hook.EventSessionEnd:          "reason",
		hook.EventUserPromptSubmit:    "prompt session_title",
		hook.EventUserPromptExpansion: "expansion_type command_name command_args command_source prompt",
		hook.EventPreToolUse:          "tool_name tool_input tool_use_id mcp_server",
		hook.EventPermissionRequest:   "tool_name tool_input permission_suggestions",
		hook.EventPermissionDenied:    "tool_name tool_input tool_use_id reason",
		hook.EventPostToolUse:         "tool_name tool_input tool_response tool_use_id duration_ms original_tool_input",
		hook.EventPostToolUseFailure:  "tool_name tool_input tool_use_id error is_interrupt duration_ms",
		hook.EventPostToolBatch:       "tool_calls",
		hook.EventStop:                "stop_hook_active last_assistant_message background_tasks session_crons",
		hook.EventSubagentStop:        "stop_hook_active agent_id agent_type agent_transcript_path last_assistant_message",
		hook.EventSubagentStart:       "agent_id agent_type",
		hook.EventStopFailure:         "error error_details last_assistant_message",
		hook.EventNotification:        "message notification_type",
		hook.EventMessageDisplay:      "turn_id message_id index final delta",
		hook.EventTaskCreated:         "task_id task_subject task_description teammate_name team_name",
		hook.EventTaskCompleted:       "task_id task_subject task_description teammate_name team_name",
		hook.EventTeammateIdle:        "teammate_name team_name",
		hook.EventInstructionsLoaded:  "file_path memory_type load_reason globs trigger_file_path parent_file_path",
		hook.EventConfigChange:        "source file_path",
		hook.EventCwdChanged:          "old_cwd new_cwd",
		hook.EventDirectoryAdded:      "directory source",
		hook.EventFileChanged:         "file_path event",
		hook.EventWorktreeCreate:      "name",
		hook.EventWorktreeRemove:      "worktree_path",
		hook.EventPreCompact:          "trigger custom_instructions",
		hook.EventPostCompact:         "trigger compact_summary",
		hook.EventPreModelSwitch:      "from_model to_model requested_model source context_tokens",
		hook.EventPostModelSwitch:     "from_model to_model requested_model source context_tokens",
		hook.EventElicitation:         "mcp_server_name message mode url elicitation_id requested_schema",
		hook.EventElicitationResult:   "mcp_server_name action content mode elicitation_id",
	} {
		b, err := claude.NewCodec(claude.CodecOptions{}).EncodeInput(&hook.Call{Input: filled(ev)})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(b), "\n") != 1 || b[len(b)-1] != '\n' {
			t.Errorf("%v: the input is not one line: %q", ev, b)
		}
		obj := hook.RawJSON(b)
		common := "session_id transcript_path cwd hook_event_name permission_mode agent_id agent_type prompt_id effort scratchpad_dir"
		for key := range strings.FieldsSeq(common + " " + keys) {
			without := key == "permission_mode" && slices.Contains(withoutMode, ev)
			if obj.Has(key) == without {
				t.Errorf("%v: %s is there: %v", ev, key, !without)
			}
		}
	}
	if len(claude.Events()) != 33 {
		t.Errorf("the dialect has %d events", len(claude.Events()))
	}
}

func TestDecodeInputPointsAtFaults(t *testing.T) {
	for _, tt := range []struct{ name, data, want string }{
		{"empty", "", "1:1: there is none"},
		{"array", "[]", "1:1: it must be a JSON object"},
		{"unknown event", "{\n \"hook_event_name\": \"PreToolUsage\"}", "2:2: /hook_event_name: unknown event \"PreToolUsage\" (did you mean PreToolUse?)"},
		{"no event", `{"tool_name":"Bash"}`, "1:1: hook_event_name is missing"},
		{"wrong type", "{\"hook_event_name\":\"PreToolUse\",\n  \"tool_name\": 7}", "2:16: /tool_name: it must be a string"},
		{"nested wrong type", "{\"hook_event_name\":\"PreToolUse\",\n  \"effort\": {\"level\": []}}", "2:23: /effort/level: it must be a string"},
		{"duplicate", "{\"hook_event_name\":\"PreToolUse\",\n\"cwd\":\"a\", \"cwd\":\"b\"}", "2:12: /cwd: duplicate key \"cwd\""},
		{"cut", "{\"hook_event_name\":\"PreToolUse\",", "1:33: "},
		{"two", `{"hook_event_name":"Stop"} {}`, "1:27: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := claude.NewCodec(claude.CodecOptions{}).DecodeInput([]byte(tt.data))
			if err == nil || !strings.HasPrefix(err.Error(), "hook input: "+tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

func TestDecodeInputTakesForeignHosts(t *testing.T) {
	in, notes, err := claude.NewCodec(claude.CodecOptions{}).DecodeInput([]byte(
		"\xef\xbb\xbf{\"event\":\"PreToolUse\",\"session_id\":\"s\",\"cwd\":\"/p\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\",\"id\":9007199254740993,\"id\":1},\"crush_version\":3}"))
	if err != nil {
		t.Fatal(err)
	}
	pre, ok := in.(*hook.PreToolUse)
	if !ok || pre.ToolInput.Raw() != `{"command":"ls","id":9007199254740993,"id":1}` {
		t.Errorf("%+v", in)
	}
	if got := strings.Join(notes, "\n"); !strings.Contains(got, "event for hook_event_name") || !strings.Contains(got, "crush_version") {
		t.Errorf("notes %q", notes)
	}
	file, _, err := claude.NewCodec(claude.CodecOptions{}).DecodeInput([]byte(`{"hook_event_name":"FileChanged","event":"add","file_path":"/a"}`))
	if err != nil || file.(*hook.FileChanged).Change != "add" {
		t.Errorf("%+v %v", file, err)
	}
}

func TestDecodeAsync(t *testing.T) {
	c := claude.NewCodec(claude.CodecOptions{})
	for _, tt := range []struct {
		line    string
		timeout time.Duration
		ok      bool
	}{
		{`{"async":true}`, 0, true},
		{"\xef\xbb\xbf {\"async\":true,\"asyncTimeout\":1.5}\r\n", 1500 * time.Millisecond, true},
		{`{"asyncTimeout":30,"async":true,"note":"x"}`, 30 * time.Second, true},
		{`{"async":true,"asyncTimeout":-3}`, 0, true},
		{`{"async":true,"asyncTimeout":"3"}`, 0, true},
		{`{"async":true,"asyncTimeout":1e300}`, 1<<63 - 1, true},
		{`{"async":false}`, 0, false},
		{`{"async":"true"}`, 0, false},
		{`{"Async":true}`, 0, false},
		{`{"async":true,"async":false}`, 0, false},
		{`{"async":true`, 0, false},
		{`async`, 0, false},
		{``, 0, false},
	} {
		if timeout, ok := c.DecodeAsync([]byte(tt.line)); timeout != tt.timeout || ok != tt.ok {
			t.Errorf("DecodeAsync(%q) = %v, %v; want %v, %v", tt.line, timeout, ok, tt.timeout, tt.ok)
		}
	}
}

// TestInputMembersAreThoseOfTheRealProgram holds what hooks read, member by member: what
// Claude Code sends in the same place.
func TestInputMembersAreThoseOfTheRealProgram(t *testing.T) {
	common := hook.Common{
		SessionID: "s", TranscriptPath: "/t", CWD: "/p", PermissionMode: "default", PromptID: "p", InvokedBy: "main", RecipeName: "r",
		Effort: &hook.Effort{Level: "medium"},
	}
	const before = `{"session_id":"s","transcript_path":"/t","cwd":"/p","prompt_id":"p",`
	const mode = before + `"permission_mode":"default","effort":{"level":"medium"},`
	const effort = before + `"effort":{"level":"medium"},`
	call := hook.RawJSON(`{"command":"x"}`)
	edit := func(tool, input string) hook.Input {
		return &hook.PreToolUse{Common: common, ToolName: tool, ToolInput: hook.RawJSON(input), ToolUseID: "u"}
	}
	const pre = mode + `"hook_event_name":"PreToolUse","tool_name":`
	for _, tt := range []struct {
		in   hook.Input
		want string
	}{
		{&hook.SessionStart{Common: common, Source: "startup"}, effort + `"hook_event_name":"SessionStart","source":"startup"}`},
		{
			&hook.SessionStart{Common: common, Source: "resume", ContextTokens: 15},
			effort + `"hook_event_name":"SessionStart","source":"resume","seconds_since_last_response":0,"context_tokens":15,"prompt_cache_likely_expired":false,"estimated_cache_write_usd":0}`,
		},
		{
			&hook.PostToolBatch{Common: common, ToolCalls: []hook.JSON{
				hook.RawJSON(`{"tool_name":"Edit","tool_input":{"new_string":"b","old_string":"a","file_path":"/f"}}`),
				hook.RawJSON(`{"tool_name":"Write","tool_input":{"content":"c","file_path":"/f"}}`), hook.RawJSON(`{"tool_name":"Read","tool_input":{"limit":1,"file_path":"/f"}}`),
			}},
			mode + `"hook_event_name":"PostToolBatch","tool_calls":[{"tool_name":"Edit","tool_input":{"replace_all":false,"file_path":"/f","old_string":"a","new_string":"b"}},` +
				`{"tool_name":"Write","tool_input":{"file_path":"/f","content":"c"}},{"tool_name":"Read","tool_input":{"limit":1,"file_path":"/f"}}]}`,
		},
		{&hook.UserPromptSubmit{Common: common, Prompt: "go", SystemPrompt: "all of it"}, mode + `"hook_event_name":"UserPromptSubmit","prompt":"go"}`},
		{&hook.UserPromptSubmit{Common: common, Prompt: "what it came to", TypedPrompt: "/go x"}, mode + `"hook_event_name":"UserPromptSubmit","prompt":"/go x"}`},
		{
			&hook.PostToolUseFailure{Common: common, ToolName: "Bash", ToolInput: call, ToolUseID: "u", Error: "e", ToolResponse: hook.RawJSON(`{"stdout":""}`), DurationMS: 7},
			mode + `"hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"x"},"tool_use_id":"u","error":"e","is_interrupt":false,"duration_ms":7}`,
		},
		{
			&hook.Stop{Common: common, LastAssistantMessage: "done", Messages: []hook.Message{hook.UserMessage("hi")}},
			mode + `"hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"done","background_tasks":[],"session_crons":[]}`,
		},
		{
			&hook.SubagentStop{Common: common, LastAssistantMessage: "done", AgentTranscriptPath: "/a", Messages: []hook.Message{hook.UserMessage("hi")}},
			strings.Replace(mode, `"effort"`, `"agent_type":"","effort"`, 1) + `"hook_event_name":"SubagentStop","stop_hook_active":false,"agent_transcript_path":"/a","last_assistant_message":"done","background_tasks":[],"session_crons":[]}`,
		},
		{&hook.InstructionsLoaded{Common: common, FilePath: "/p/f"}, effort + `"hook_event_name":"InstructionsLoaded","file_path":"/p/f","memory_type":"","load_reason":""}`},
		{edit("Write", `{"content":"c","file_path":"/f"}`), pre + `"Write","tool_input":{"file_path":"/f","content":"c"},"tool_use_id":"u"}`},
		{edit("Edit", `{"x":1,"new_string":"b","old_string":"a","file_path":"/f"}`), pre + `"Edit","tool_input":{"file_path":"/f","old_string":"a","new_string":"b","replace_all":false,"x":1},"tool_use_id":"u"}`},
		{edit("Edit", `{"file_path":"/f","replace_all":true}`), pre + `"Edit","tool_input":{"file_path":"/f","replace_all":true},"tool_use_id":"u"}`},
		{edit("Write", `{"content":"\u003e", "content":2}`), pre + `"Write","tool_input":{"content":"\u003e","content":2},"tool_use_id":"u"}`},
		{edit("mcp__a__b", `{"content":"c","file_path":"/f"}`), pre + `"mcp__a__b","tool_input":{"content":"c","file_path":"/f"},"tool_use_id":"u"}`},
		{edit("Edit", `"no object"`), pre + `"Edit","tool_input":"no object","tool_use_id":"u"}`},
		{&hook.MessageDisplay{Common: common, TurnID: "t", MessageID: "m", Final: true, Delta: "d"}, effort + `"hook_event_name":"MessageDisplay","turn_id":"t","message_id":"m","index":0,"final":true,"delta":"d"}`},
	} {
		got, err := claude.NewCodec(claude.CodecOptions{}).EncodeInput(&hook.Call{Input: tt.in})
		if err != nil || string(got) != tt.want+"\n" {
			t.Errorf("%v %v\ngot  %swant %s", tt.in.Event(), err, got, tt.want)
		}
	}
}

func TestResultsOfServersAreTheirContent(t *testing.T) {
	for response, want := range map[string]string{
		`{"content":[{"type":"text","text":"a"}]}`:                             `[{"type":"text","text":"a"}]`,
		`{"content":[{"type":"text","text":"a"}],"structuredContent":{"n":1}}`: `"{\"n\":1}"`,
		`"text"`:          `"text"`,
		`{"content":"x"}`: `{"content":"x"}`,
	} {
		for _, name := range []string{"mcp__s__t", "Other"} {
			in := &hook.PostToolUse{ToolName: name, ToolResponse: hook.RawJSON(response)}
			out, err := (&claude.Codec{}).EncodeInput(&hook.Call{Input: in})
			if err != nil {
				t.Fatal(err)
			}
			expected := want
			if name == "Other" {
				expected = response
			}
			if got, _ := hook.RawJSON(out).Get("tool_response"); got.Raw() != expected {
				t.Errorf("%s %s: %s, want %s", name, response, got.Raw(), expected)
			}
		}
	}
}

// TestModelAtTerminal holds that SessionStart names the model to a person at a terminal who
// begins, and after a compaction.
func TestModelAtTerminal(t *testing.T) {
	for _, tc := range []struct {
		terminal bool
		source   string
		want     bool
	}{{true, "startup", true}, {true, "compact", true}, {true, "clear", false}, {true, "resume", false}, {false, "startup", false}, {false, "compact", true}} {
		got, err := claude.NewCodec(claude.CodecOptions{Terminal: tc.terminal}).EncodeInput(&hook.Call{Input: &hook.SessionStart{Source: tc.source, Model: "m"}})
		if err != nil || strings.Contains(string(got), `"model":"m"`) != tc.want {
			t.Errorf("%+v: %s %v", tc, got, err)
		}
	}
}
