package all_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/all"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
)

// recorded are payloads of other makers' agents as they sent them, by dialect: what is
// looked at, and the canonical form of it. A text begins with =.
var recorded = []struct{ dialect, payload, event, tool, want string }{
	{
		"codex", `{"session_id":"s","turn_id":"t","transcript_path":null,"cwd":"/repo","hook_event_name":"PreToolUse","model":"m","permission_mode":"bypassPermissions","tool_name":"Bash","tool_input":{"command":"ls","n":12345678901234567890.0},"tool_use_id":"u"}`,
		"PreToolUse", "Bash", `"tool_input":{"command":"ls","n":12345678901234567890.0}`,
	},
	{
		"copilot", `{"sessionId":"s","timestamp":1795931393293,"cwd":"/repo","toolName":"bash","toolArgs":{"command":"ls","description":"d"}}`,
		"PreToolUse", "Bash", `"command":"ls"`,
	},
	{
		"copilot", `{"sessionId":"s","timestamp":1795931393536,"cwd":"/repo","toolName":"create","toolArgs":{"path":"/repo/b.txt","file_text":"x"}}`,
		"PreToolUse", "Write", `"tool_input":{"file_path":"/repo/b.txt","content":"x"}`,
	},
	{
		"copilot", `{"sessionId":"s","timestamp":1795931393369,"cwd":"/repo","toolName":"bash","toolArgs":{"command":"echo hi","description":"d"},"toolResult":{"resultType":"success","textResultForLlm":"hi\n"}}`,
		"PostToolUse", "Bash", `"stdout":"hi\n"`,
	},
	{
		"copilot", `{"hookName":"permissionRequest","sessionId":"s","timestamp":1795931393612,"cwd":"/repo","toolName":"edit","toolInput":{"file_path":"/repo/a.txt","diff":"d"},"permissionSuggestions":[]}`,
		"PermissionRequest", "Edit", `"file_path":"/repo/a.txt"`,
	},
	{
		"copilot", `{"sessionId":"s","timestamp":1795931393925,"cwd":"/repo","transcriptPath":"/t","stopReason":"end_turn","stop_hook_active":false}`,
		"Stop", "", `"transcript_path":"/t"`,
	},
	{
		"copilot", `{"sessionId":"s","timestamp":1795931392988,"cwd":"/repo","source":"new","initialPrompt":"p"}`,
		"SessionStart", "", `"source":"startup"`,
	},
	{
		"copilot", `{"hook_event_name":"PreToolUse","session_id":"s","timestamp":"2026-11-29T05:49:53.612Z","cwd":"/repo","tool_name":"Edit","tool_input":{"path":"/repo/a.txt","old_str":"one","new_str":"uno"}}`,
		"PreToolUse", "Edit", `"old_string":"one"`,
	},
	{
		"copilot", `{"hook_event_name":"PostToolUse","session_id":"s","timestamp":"2026-11-29T05:49:53.492Z","cwd":"/repo","tool_name":"Read","tool_input":{"path":"/repo/a.txt"},"tool_result":{"result_type":"success","text_result_for_llm":"one"}}`,
		"PostToolUse", "Read", `"file_path":"/repo/a.txt"`,
	},
	{
		"copilot", `{"hookEventName":"PreToolUse","sessionId":"s","timestamp":"2026-02-09T10:30:00.000Z","cwd":"/repo","transcript_path":"/t","tool_name":"create_file","tool_input":{"filePath":"/repo/a.txt","content":"x"},"tool_use_id":"u"}`,
		"PreToolUse", "Write", `"file_path":"/repo/a.txt"`,
	},
	{
		"shim", `{"event":"tool.execute.after","directory":"/repo","sessionID":"ses_1","callID":"c","tool":"bash","args":{"command":"ls","description":"d"},"output":"a\n"}`,
		"PostToolUse", "Bash", `"stdout":"a\n"`,
	},
	{
		"shim", `{"event":"session.idle","directory":"/repo","sessionID":"ses_1","active":true}`,
		"Stop", "", `"stop_hook_active":true`,
	},
	{
		"gemini", `{"session_id":"s","transcript_path":"/t","cwd":"/repo","hook_event_name":"BeforeTool","timestamp":"2026-11-28T00:00:00.000Z","tool_name":"run_shell_command","tool_input":{"command":"ls","description":"d"}}`,
		"PreToolUse", "Bash", `"command":"ls"`,
	},
	{
		"gemini", `{"session_id":"s","transcript_path":"/t","cwd":"/repo","hook_event_name":"BeforeTool","timestamp":"2026-11-28T00:00:00.000Z","tool_name":"mcp_a_b_c","tool_input":{},"mcp_context":{"server_name":"a_b","tool_name":"c"}}`,
		"PreToolUse", "mcp__a_b__c", `"tool_input":{}`,
	},
	{
		"gemini", `{"session_id":"s","transcript_path":"/t","cwd":"/repo","hook_event_name":"AfterTool","timestamp":"2026-11-28T00:00:00.000Z","tool_name":"replace","tool_input":{"file_path":"/a","old_string":"x","new_string":"y","allow_multiple":true},"tool_response":{"llmContent":"done","returnDisplay":""}}`,
		"PostToolUse", "Edit", `"replace_all":true`,
	},
	{
		"gemini", `{"session_id":"s","transcript_path":"/t","cwd":"/repo","hook_event_name":"AfterTool","timestamp":"2026-11-28T00:00:00.000Z","tool_name":"run_shell_command","tool_input":{"command":"x"},"tool_response":{"llmContent":"","returnDisplay":"","error":{"message":"not found"}}}`,
		"PostToolUseFailure", "Bash", `"error":"not found"`,
	},
	{
		"gemini", `{"session_id":"s","transcript_path":"/t","cwd":"/repo","hook_event_name":"AfterAgent","timestamp":"2026-11-28T00:00:00.000Z","prompt":"p","prompt_response":"done","stop_hook_active":true}`,
		"Stop", "", `"stop_hook_active":true,"last_assistant_message":"done"`,
	},
	{
		"qwen", `{"session_id":"s","transcript_path":"/t","cwd":"/repo","hook_event_name":"PreToolUse","timestamp":"2026-11-28T00:00:00.000Z","permission_mode":"yolo","tool_name":"run_shell_command","tool_input":{"command":"ls","description":"d","is_background":false},"tool_use_id":"toolu_1"}`,
		"PreToolUse", "Bash", `"permission_mode":"bypassPermissions"`,
	},
	{
		"cursor", `{"conversation_id":"s","generation_id":"g","transcript_path":"/t","cwd":"/repo","hook_event_name":"preToolUse","tool_name":"Write","tool_input":{"file_path":"/a","old_string":"x","new_string":"y"},"tool_use_id":"u"}`,
		"PreToolUse", "Edit", `"old_string":"x"`,
	},
	{
		"antigravity", `{"conversationId":"s","workspacePaths":["/repo"],"transcriptPath":"/t","artifactDirectoryPath":"/a","modelName":"m","stepIdx":3,"toolCall":{"name":"multi_replace_file_content","args":{"TargetFile":"/repo/a.txt","ReplacementChunks":[{"TargetContent":"x","ReplacementContent":"y"}]}}}`,
		"PreToolUse", "MultiEdit", `"tool_input":{"file_path":"/repo/a.txt","edits":[{"old_string":"x","new_string":"y"}]}`,
	},
	{
		"antigravity", `{"conversationId":"s","workspacePaths":["/repo"],"transcriptPath":"/t","stepIdx":3,"toolCall":{"name":"run_command","args":{"CommandLine":"ls","Cwd":"/repo"}},"error":"not found"}`,
		"PostToolUseFailure", "Bash", `"error":"not found"`,
	},
	{
		"antigravity", `{"conversationId":"s","workspacePaths":["/repo"],"transcriptPath":"/t","initialNumSteps":0}`,
		"UserPromptSubmit", "", `"cwd":"/repo"`,
	},
	{
		"antigravity", `{"conversationId":"s","workspacePaths":["/repo"],"transcriptPath":"/t","invocationNum":1,"initialNumSteps":7}`,
		"PostToolBatch", "", `"session_id":"s"`,
	},
	{
		"antigravity", `{"conversationId":"s","workspacePaths":["/repo"],"transcriptPath":"/t","executionNum":0,"terminationReason":"NO_TOOL_CALL","fullyIdle":true}`,
		"Stop", "", `"transcript_path":"/t"`,
	},
	{
		"goose", `{"event":"PreToolUse","session_id":"s","matcher_context":"github__search","tool_call_id":"c","tool_name":"github__search","tool_input":{"q":"x"},"working_dir":"/repo"}`,
		"PreToolUse", "mcp__github__search", `"tool_input":{"q":"x"}`,
	},
	{
		"openhands", `{"event_type":"PostToolUse","tool_name":"terminal","tool_input":{"command":"ls"},"tool_response":{"content":[{"type":"text","text":"a"}],"is_error":false},"message":null,"session_id":"s","working_dir":"/repo","metadata":{}}`,
		"PostToolUse", "Bash", `"stdout":"a"`,
	},
	{
		"openhands", `{"event_type":"Stop","tool_name":null,"tool_input":null,"tool_response":null,"message":null,"session_id":"s","working_dir":"/repo","metadata":{"reason":"done"}}`,
		"Stop", "", `"cwd":"/repo"`,
	},
	{
		"qwen", `{"session_id":"s","transcript_path":"/t","cwd":"/repo","hook_event_name":"Stop","timestamp":"2026-11-28T00:00:00.000Z","stop_hook_active":true,"last_assistant_message":"done"}`,
		"Stop", "", `"stop_hook_active":false`,
	},
}

func TestRecordedPayloadsAreReadAndWrittenAgain(t *testing.T) {
	for _, tt := range recorded {
		d := dialect.ByName(all.Dialects(), tt.dialect)
		in, notes, err := d.Codec().DecodeInput([]byte(tt.payload))
		if err != nil || len(notes) > 0 {
			t.Errorf("%s: %s: %v %q", tt.dialect, tt.payload, err, notes)
			continue
		}
		b, err := hook.MarshalInput(in)
		if err != nil {
			t.Fatal(err)
		}
		if in.Event().String() != tt.event || !strings.Contains(string(b), tt.want) || tt.tool != "" && in.Subject() != tt.tool {
			t.Errorf("%s: %s became %s", tt.dialect, tt.payload, b)
		}
		back, err := d.Codec().EncodeInput(&hook.Call{Input: in})
		if err != nil {
			t.Errorf("%s: %v", tt.dialect, err)
			continue
		}
		was, is := hook.RawJSON(tt.payload), hook.RawJSON(back)
		for _, key := range was.Keys() {
			w, _ := was.Get(key)
			if g, ok := is.Get(key); ok && w.Raw() != "null" && g != w && key != "timestamp" && key != "stop_hook_active" && tt.event != "PostToolUseFailure" {
				t.Errorf("%s: %s of %s became %s", tt.dialect, key, tt.payload, g.Raw())
			}
		}
		if r := dialect.Recognise(all.Dialects(), was); r == nil || r.Name() != tt.dialect {
			t.Errorf("%s is not recognised as %s's", tt.payload, tt.dialect)
		}
	}
}

// TestInputSurvivesEveryOtherDialect takes what a host sent to hooks of each other dialect
// and back: a member may get lost on the way, and is never another one.
func TestInputSurvivesEveryOtherDialect(t *testing.T) {
	for _, tt := range recorded {
		in, _, err := dialect.ByName(all.Dialects(), tt.dialect).Codec().DecodeInput([]byte(tt.payload))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range all.Dialects() {
			name := d.EventName(in.Event())
			if name == "" || name == "worker" || d.EventsOf(name)[0] != in.Event() && len(d.EventsOf(name)) == 1 {
				continue
			}
			b, err := d.Codec().EncodeInput(&hook.Call{Input: in})
			if err != nil {
				t.Errorf("%s to %s: %v", tt.dialect, d.Name(), err)
				continue
			}
			decode := d.Codec().DecodeInput
			if c, ok := d.Codec().(dialect.EventCodec); ok { // of a host that says for which event it asks
				decode = func(b []byte) (hook.Input, []string, error) { return c.DecodeEvent(name, b) }
			}
			back, _, err := decode(b)
			if err != nil {
				continue // a dialect of modules and workers has no foreign host
			}
			sameButForLosses(t, tt.dialect+" to "+d.Name(), in, back)
		}
	}
}

func sameButForLosses(t *testing.T, way string, in, back hook.Input) {
	a, err1 := hook.MarshalInput(in)
	b, err2 := hook.MarshalInput(back)
	if err1 != nil || err2 != nil || in.Event() != back.Event() {
		t.Errorf("%s: %s became %s", way, a, b)
		return
	}
	was, is := hook.RawJSON(a), hook.RawJSON(b)
	for _, key := range was.Keys() {
		w, _ := was.Get(key)
		g, _ := is.Get(key)
		if replaceAll, _ := g.Get("replace_all"); key == "tool_input" && !w.Has("replace_all") && replaceAll.Raw() == "false" {
			g.Delete("replace_all") // Claude Code's hooks see what holds where the model said nothing
		}
		lost := g.IsZero() || slices.Contains([]string{`""`, "null", "false"}, g.Raw())
		if key == "tool_response" || key == "tool_input" && slices.Contains([]string{"Edit", "MultiEdit", "Write"}, in.Subject()) && strings.Contains(g.Raw(), "*** Begin Patch") {
			continue // its form differs, or it is a patch until it is split
		}
		if key == "tool_name" && g.Raw() == `"apply_patch"` || key == "tool_name" && strings.HasPrefix(in.Subject(), "mcp__") {
			continue // where the server ends is not said
		}
		if !sameJSON(w, g) && (!lost || key == "tool_input") && key != "invoked_by" {
			t.Errorf("%s: %s %s became %s", way, key, w.Raw(), g.Raw())
		}
	}
}

// sameJSON compares values without the order of members.
func sameJSON(a, b hook.JSON) bool {
	if len(a.Keys()) == 0 || len(a.Keys()) != len(b.Keys()) {
		return a == b
	}
	return !slices.ContainsFunc(a.Keys(), func(key string) bool {
		v, _ := a.Get(key)
		w, ok := b.Get(key)
		return !ok || v != w
	})
}

// TestRefusalOfAForeignHostIsNeverLost puts what goes wrong to the codecs of hosts: a
// question, a decision put off and the end of the run are refusals where nothing better
// is said, and what is read of that is one.
func TestRefusalOfAForeignHostIsNeverLost(t *testing.T) {
	for _, d := range all.Dialects() {
		if _, ok := d.(dialect.Hosted); !ok {
			continue
		}
		for _, out := range []hook.Outcome{
			{Decision: hook.DecisionDeny},
			{Decision: hook.DecisionDeny, Reason: "no", UpdatedInput: hook.RawJSON(`{"command":"x"}`), Context: []string{"c"}},
			{Decision: hook.DecisionDefer, Reason: "later"},
			{Halt: true, StopReason: "spent"},
			{Halt: true},
			{Decision: hook.DecisionAsk, Reason: "sure?", UpdatedInput: hook.RawJSON(`{"command":"x"}`)},
		} {
			out.Event = hook.EventPreToolUse
			in := &hook.PreToolUse{ToolName: "Bash", ToolInput: hook.RawJSON(`{"command":"ls"}`)}
			a, _, err := d.Codec().EncodeOutcome(in, &out)
			if err != nil {
				t.Fatal(err)
			}
			r, _, err := d.Codec().DecodeResult(&hook.Call{Input: in}, a)
			stricter := r.Decision == hook.DecisionDeny || r.Continue == hook.No || r.Decision == out.Decision
			if err != nil || !stricter || a.ExitCode != 0 {
				t.Errorf("%s: %+v became %s, which is %+v, %v", d.Name(), out, a.Stdout, r, err)
			}
		}
		for _, garbage := range []string{`{"decision":`, `[`, "{}{}", `{"hookSpecificOutput":7}`, `{"permission":"perhaps","decision":"perhaps","permissionDecision":"perhaps"}`} {
			if d.Name() == "kodelet" && hook.RawJSON(garbage).Valid() {
				continue // where members that nobody knows mean nothing
			}
			in := &hook.PreToolUse{ToolName: "Bash", ToolInput: hook.RawJSON(`{"command":"ls"}`)}
			if r, _, err := d.Codec().DecodeResult(&hook.Call{Input: in, Strict: true}, handler.Answer{Stdout: []byte(garbage)}); err == nil && (r.Decision == hook.DecisionAllow || garbage != "[") {
				t.Errorf("%s: %s is %+v", d.Name(), garbage, r)
			}
		}
	}
}
