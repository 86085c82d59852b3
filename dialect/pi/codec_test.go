package pi

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
)

// samples has an input for every event of the dialect, with every field set that
// the dialect carries.
func samples() []hook.Input {
	msg := func(text string) hook.Message {
		return hook.Message{Role: "assistant", Content: textContent(text)}
	}
	m := msg("hi")
	input := hook.RawJSON(`{"command":"ls","timeout":2000}`)
	return []hook.Input{
		&hook.PreToolUse{ToolName: "Bash", ToolInput: input, ToolUseID: "1"},
		&hook.PostToolUse{ToolName: "Edit", ToolInput: hook.RawJSON(`{"file_path":"f","old_string":"a","new_string":"b"}`), ToolUseID: "1", ToolResponse: textContent("ok")},
		&hook.PostToolUseFailure{ToolName: "Bash", ToolInput: input, ToolUseID: "1", Error: "bad", ToolResponse: textContent("bad")},
		&hook.ToolExecutionStart{ToolName: "Bash", ToolInput: input, ToolUseID: "1"},
		&hook.ToolExecutionUpdate{ToolName: "Bash", ToolInput: input, ToolUseID: "1", PartialResult: hook.RawJSON(`{"a":1}`)},
		&hook.ToolExecutionEnd{ToolName: "Bash", ToolUseID: "1", Result: hook.RawJSON(`{"a":1}`), IsError: true, DurationMS: 1.5},
		&hook.SessionStart{Source: "startup"},
		&hook.SessionEnd{Reason: "other"},
		&hook.SessionBeforeSwitch{Reason: "resume", TargetSession: "t"},
		&hook.SessionSwitch{Reason: "new", PreviousSession: "p"},
		&hook.SessionBeforeBranch{EntryID: "e"},
		&hook.SessionBranch{PreviousSession: "p"},
		&hook.PreCompact{Trigger: "auto", CustomInstructions: "c", Preparation: hook.RawJSON(`{"a":1}`), BranchEntries: []hook.JSON{hook.RawJSON(`{"id":"x"}`)}},
		&hook.Compacting{Preparation: hook.RawJSON(`{"a":1}`)},
		&hook.PostCompact{Trigger: "manual", CompactionEntry: hook.RawJSON(`{"summary":"s"}`), CompactSummary: "s", FromHook: true},
		&hook.SessionBeforeTree{Preparation: hook.TreePreparation{TargetID: "t", OldLeafID: "o", CommonAncestorID: "c", EntriesToSummarize: []hook.JSON{hook.RawJSON(`{}`)}, UserWantsSummary: true}},
		&hook.SessionTree{NewLeafID: "n", OldLeafID: "o", SummaryEntry: hook.RawJSON(`{}`), FromHook: true},
		&hook.Context{Messages: []hook.Message{m}},
		&hook.UserPromptSubmit{Prompt: "p", Images: []hook.JSON{hook.RawJSON(`{"type":"image"}`)}, SystemPrompt: "s"},
		&hook.AgentStart{}, &hook.AgentSettled{Aborted: true}, &hook.ProviderResponse{Status: 200, Headers: hook.RawJSON(`{"a":"b"}`)},
		&hook.DialogStart{Kind: "select", Title: "t"}, &hook.DialogEnd{Kind: "custom"}, &hook.SessionRenamed{Title: "t"},
		&hook.CompactFailed{Trigger: "auto", Aborted: true}, &hook.CompactFailed{Trigger: "manual", ErrorMessage: "e"},
		&hook.AgentEnd{Messages: []hook.Message{m}},
		&hook.TurnStart{TurnIndex: 3, Timestamp: 5},
		&hook.TurnEnd{TurnIndex: 3, Message: &m, ToolResults: []hook.Message{msg("r")}, Response: "hi", Outcome: "completed"},
		&hook.MessageStart{Message: &m},
		&hook.MessageUpdate{Message: &m, Delta: "d"},
		&hook.MessageEnd{Message: &m},
		&hook.AutoCompactionStart{Reason: "threshold"},
		&hook.AutoCompactionEnd{Result: hook.RawJSON(`{"summary":"s"}`), Aborted: true, WillRetry: true, ErrorMessage: "e"},
		&hook.AutoRetryStart{Attempt: 1, MaxAttempts: 3, DelayMS: 100, ErrorMessage: "e"},
		&hook.AutoRetryEnd{Success: true, Attempt: 2, FinalError: "f"},
		&hook.RuleTriggered{Rules: []hook.JSON{hook.RawJSON(`{"name":"r"}`)}},
		&hook.TodoReminder{Todos: []hook.JSON{hook.RawJSON(`{"id":1}`)}, Attempt: 1, MaxAttempts: 2},
		&hook.UserInput{Text: "t", Images: []hook.JSON{hook.RawJSON(`{"type":"image"}`)}, Source: "rpc"},
		&hook.UserBash{Command: "ls", ExcludeFromContext: true},
		&hook.ProviderRequest{Payload: hook.RawJSON(`{"model":"m"}`)},
		&hook.PostModelSwitch{ToModel: "a", FromModel: "b", Source: "picker"},
		&hook.ResourcesDiscover{Reason: "startup"},
	}
}

func TestEveryEventSurvivesARoundTrip(t *testing.T) {
	seen := map[string]bool{}
	for _, in := range samples() {
		name := nameOf(in.Event())
		seen[name] = true
		c, ok := newCodec(name, script.FamilyOMP, script.KindHook)
		if !ok {
			t.Errorf("%v has no name here", in.Event())
			continue
		}
		text, err := c.Encode(in)
		if err != nil {
			t.Errorf("%v: %v", in.Event(), err)
			continue
		}
		in.Base().Meta = nil // what the codec noted for later handlers
		back, err := decodeInput(text)
		if err != nil {
			t.Errorf("%v: %v in %s", in.Event(), err, text)
			continue
		}
		back.Base().CWD = in.Base().CWD
		if !reflect.DeepEqual(in, back) {
			t.Errorf("%v:\n out %+v\nback %+v\nwire %s", in.Event(), in, back, text)
		}
	}
	for _, row := range eventTable().rows {
		if !seen[row.name()] && !row.beside {
			t.Errorf("there is no sample of %s", row.name())
		}
	}
}

func TestEncodingAnInputOfAnotherEventIsAnError(t *testing.T) {
	for _, row := range eventTable().rows {
		c, _ := newCodec(row.name(), script.FamilyOMP, script.KindHook)
		var other hook.Input = &hook.Notification{}
		if _, err := c.Encode(other); err == nil {
			t.Errorf("%s took an input of %v", row.name(), other.Event())
		}
	}
}

func TestEveryEventOfTheDialectIsKnown(t *testing.T) {
	for _, name := range []string{
		"session_start", "session_shutdown", "session_before_switch", "session_switch", "session_before_branch", "session_branch",
		"session_before_fork", "session_fork", "session_before_compact", "session.compacting", "session_compact", "session_before_tree", "session_tree",
		"context", "before_agent_start", "agent_start", "agent_end", "agent_settled", "turn_start", "turn_end", "tool_call", "tool_result",
		"auto_compaction_start", "auto_compaction_end", "auto_retry_start", "auto_retry_end", "ttsr_triggered", "todo_reminder",
		"input", "user_bash", "model_select", "before_provider_request", "resources_discover", "message_start", "message_update",
		"after_provider_response", "session_compact_failed", "session_info_changed", "ui_prompt_start", "ui_prompt_end",
		"message_end", "tool_execution_start", "tool_execution_update", "tool_execution_end",
		"context_with_system", "agent_before_settle", "before_provider_headers",
	} {
		if len(eventsOf(name)) == 0 || !slices.Contains(Names(), name) {
			t.Errorf("%s is missing", name)
		}
	}
	if eventsOf("nope") != nil || nameOf(hook.EventNotification) != "" {
		t.Error("an event that is not there was found")
	}
}

func decodeAnswer(t *testing.T, name string, family script.Family, kind script.Kind, in hook.Input, answer string) (hook.Result, []string) {
	t.Helper()
	c, ok := newCodec(name, family, kind)
	if !ok {
		t.Fatalf("no codec for %s", name)
	}
	res, notes, err := c.DecodeResult(&hook.Call{Input: in}, handler.Answer{Stdout: []byte(answer)})
	if err != nil {
		t.Fatal(err)
	}
	return res, notes
}

func TestAnswersOfHostEvents(t *testing.T) {
	res, _ := decodeAnswer(t, "input", script.FamilyPi, script.KindExtension, &hook.UserInput{Text: "a"}, `{"action":"transform","text":"b"}`)
	if res.UpdatedPrompt == nil || *res.UpdatedPrompt != "b" {
		t.Errorf("transform: %+v", res)
	}
	for _, answer := range []string{`{"action":"handled"}`, `{"handled":true}`} {
		if res, _ = decodeAnswer(t, "input", script.FamilyPi, script.KindExtension, &hook.UserInput{}, answer); res.Host == nil || !res.Host.Handled {
			t.Errorf("%s: %+v", answer, res)
		}
	}
	res, _ = decodeAnswer(t, "user_bash", script.FamilyPi, script.KindExtension, &hook.UserBash{}, `{"result":{"output":"x"}}`)
	if res.UpdatedOutput.Raw() != `"x"` || !res.Host.Handled {
		t.Errorf("user_bash: %+v", res)
	}
	res, _ = decodeAnswer(t, "before_provider_request", script.FamilyPi, script.KindExtension, &hook.ProviderRequest{}, `{"model":"m"}`)
	if res.UpdatedInput.Raw() != `{"model":"m"}` {
		t.Errorf("before_provider_request: %+v", res)
	}
	res, _ = decodeAnswer(t, "session.compacting", script.FamilyOMP, script.KindHook, &hook.Compacting{}, `{"context":["a"],"prompt":"p","preserveData":{"k":1}}`)
	if c := res.Compacting; c == nil || c.Prompt != "p" || len(c.Context) != 1 || c.PreserveData.Raw() != `{"k":1}` {
		t.Errorf("session.compacting: %+v", res.Compacting)
	}
	res, _ = decodeAnswer(t, "session_before_branch", script.FamilyOMP, script.KindHook, &hook.SessionBeforeBranch{}, `{"skipConversationRestore":true}`)
	if !res.SkipConversationRestore || res.Cancel {
		t.Errorf("session_before_branch: %+v", res)
	}
	res, _ = decodeAnswer(t, "session_before_tree", script.FamilyOMP, script.KindHook, &hook.SessionBeforeTree{}, `{"summary":{"summary":"s","details":[1]}}`)
	if res.Summary == nil || res.Summary.Summary != "s" || res.Summary.Details.Raw() != "[1]" {
		t.Errorf("session_before_tree: %+v", res.Summary)
	}
}

func TestAnswersWithoutEffectAreNoted(t *testing.T) {
	for answer, want := range map[string]string{
		`{"systemPromptAppend":"x"}`: `unknown key "systemPromptAppend" means nothing`,
		`"text"`:                     "the handler returned no object: it means nothing",
	} {
		if _, notes := decodeAnswer(t, "before_agent_start", script.FamilyOMP, script.KindHook, &hook.UserPromptSubmit{}, answer); len(notes) == 0 || notes[0] != want {
			t.Errorf("%s: notes %q", answer, notes)
		}
	}
	if _, notes := decodeAnswer(t, "agent_start", script.FamilyOMP, script.KindHook, &hook.AgentStart{}, `{"a":1}`); len(notes) != 1 {
		t.Errorf("notes %q", notes)
	}
	if _, notes := decodeAnswer(t, "tool_call", script.FamilyOMP, script.KindHook, &hook.PreToolUse{}, `{"block":false}`); len(notes) != 0 {
		t.Errorf("notes %q", notes)
	}
}

func TestEncodeOutcome(t *testing.T) {
	sys := "sys"
	for name, c := range map[string]struct {
		in   hook.Input
		out  hook.Outcome
		want string
	}{
		"nothing": {&hook.PreToolUse{}, hook.Outcome{}, `null`},
		"deny":    {&hook.PreToolUse{}, hook.Outcome{Decision: hook.DecisionDeny, Reason: "r"}, `{"block":true,"reason":"r"}`},
		"ask":     {&hook.PreToolUse{}, hook.Outcome{Decision: hook.DecisionAsk, Reason: "r"}, `{"block":true,"reason":"a person would have to be asked: r"}`},
		"halt":    {&hook.PreToolUse{}, hook.Outcome{Halt: true, StopReason: "s"}, `{"block":true,"reason":"s"}`},
		"allow":   {&hook.PreToolUse{}, hook.Outcome{Decision: hook.DecisionAllow}, `null`},
		"output":  {&hook.PostToolUse{}, hook.Outcome{UpdatedOutput: hook.RawJSON(`"x"`)}, `{"content":[{"type":"text","text":"x"}]}`},
		"feedback": {
			&hook.PostToolUse{ToolName: "Bash", ToolResponse: hook.RawJSON(`{"stdout":"out","stderr":""}`)},
			hook.Outcome{Decision: hook.DecisionDeny, Reason: "lint failed", Context: []string{"also this"}},
			`{"content":[{"type":"text","text":"out"},{"type":"text","text":"lint failed"},{"type":"text","text":"also this"}]}`,
		},
		"context": {
			&hook.UserPromptSubmit{},
			hook.Outcome{Context: []string{"branch main"}},
			`{"message":{"customType":"hooks","content":[{"type":"text","text":"branch main"}],"display":false}}`,
		},
		"message and context": {
			&hook.UserPromptSubmit{},
			hook.Outcome{Context: []string{"b"}, Inject: []hook.CustomMessage{{CustomType: "x", Content: hook.MustJSON("a"), Display: true}, {CustomType: "y", Content: hook.MustJSON("c")}}},
			`{"message":{"customType":"x","content":[{"type":"text","text":"a"},{"type":"text","text":"c"},{"type":"text","text":"b"}],"display":true}}`,
		},
		"cancel":       {&hook.SessionBeforeSwitch{}, hook.Outcome{Cancel: true}, `{"cancel":true}`},
		"messages":     {&hook.Context{}, hook.Outcome{Messages: []hook.Message{hook.UserMessage("a")}}, `{"messages":[{"role":"user","content":"a"}]}`},
		"systemPrompt": {&hook.UserPromptSubmit{}, hook.Outcome{Host: &hook.HostEffects{SystemPrompt: &sys}}, `{"systemPrompt":"sys"}`},
		"input":        {&hook.UserInput{}, hook.Outcome{}, `{"action":"continue"}`},
		"request":      {&hook.ProviderRequest{}, hook.Outcome{InputChanged: true, UpdatedInput: hook.RawJSON(`{"model":"n"}`)}, `{"model":"n","stream":true}`},
		"observed":     {&hook.AgentStart{}, hook.Outcome{}, `null`},
	} {
		got, _, err := foreignCodec{}.EncodeOutcome(c.in, &c.out)
		if err != nil || string(got.Stdout) != c.want+"\n" {
			t.Errorf("%s: got %s, %v", name, got.Stdout, err)
		}
	}
	if _, _, err := (foreignCodec{}).EncodeOutcome(&hook.Notification{}, &hook.Outcome{}); err == nil {
		t.Error("an event the dialect has not was answered")
	}
}

func FuzzDecodeInput(f *testing.F) {
	for _, in := range samples() {
		c, _ := newCodec(nameOf(in.Event()), script.FamilyOMP, script.KindHook)
		text, err := c.Encode(in)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"type":"tool_result","content":7,"isError":true}`))
	f.Add([]byte(`{"type":"tool_call","type":"context"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := decodeInput(data)
		if err != nil {
			return
		}
		c, ok := newCodec(nameOf(in.Event()), script.FamilyPi, script.KindExtension)
		if !ok {
			t.Fatalf("%v was decoded and has no codec", in.Event())
		}
		if _, err := c.Encode(in); err != nil {
			t.Fatalf("%v was decoded and cannot be encoded: %v", in.Event(), err)
		}
	})
}

func FuzzDecodeResult(f *testing.F) {
	for _, s := range []string{`{"block":true}`, `{"content":[{"type":"text"}]}`, `[1]`, `{"messages":3}`, `{"message":{"content":{}}}`, `"`, `{"a":1`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, in := range samples() {
			c, _ := newCodec(nameOf(in.Event()), script.FamilyOMP, script.KindExtension)
			res, _, err := c.DecodeResult(&hook.Call{Input: in}, handler.Answer{Stdout: data})
			if err == nil && res.Decision == hook.DecisionAllow {
				t.Fatal("the dialect has no allow")
			}
		}
	})
}

func TestTimeoutOfACommandIsRoundedUpToSeconds(t *testing.T) {
	if _, in := tools.Out("Bash", hook.RawJSON(`{"timeout":1001}`)); in.Raw() != `{"timeout":2}` {
		t.Errorf("1001 ms became %s", in.Raw())
	}
	if _, in := tools.In("bash", hook.RawJSON(`{"timeout":0.0001}`)); in.Raw() != `{"timeout":1}` {
		t.Errorf("0.0001 s became %s", in.Raw())
	}
}

// Pictures have one shape in all events, and a prompt says whose it is.
func TestPromptsOfThePersonHavePictures(t *testing.T) {
	picture := []hook.JSON{hook.RawJSON(`{"type":"base64","media_type":"image/png","data":"AA=="}`)}
	for name, in := range map[string]hook.Input{
		"before_agent_start": &hook.UserPromptSubmit{Prompt: "p", Images: picture}, "input": &hook.UserInput{Text: "p", Images: picture},
	} {
		c, _ := newCodec(name, script.FamilyPi, script.KindExtension)
		raw, err := c.Encode(in)
		if err != nil {
			t.Fatal(err)
		}
		got := hook.RawJSON(raw)
		images, _ := got.Get("images")
		if want := `[{"type":"image","data":"AA==","mimeType":"image/png"}]`; !sameJSON(images.Raw(), want) {
			t.Errorf("%s has the images %s, want %s", name, images.Raw(), want)
		}
		if of := got.String("messageType"); (of == "user") != (name == "before_agent_start") {
			t.Errorf("%s has messageType %q", name, of)
		}
	}
	in := &hook.UserInput{Text: "p"}
	decodeAnswer(t, "input", script.FamilyPi, script.KindExtension, in, `{"action":"continue","images":[{"type":"image","data":"AA==","mimeType":"image/png"}]}`)
	if len(in.Images) != 1 || in.Images[0].String("media_type") != "image/png" {
		t.Errorf("the picture of an answer is %v", in.Images)
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

func TestHeadersAreAddedToTheRequest(t *testing.T) {
	in := &hook.ProviderRequest{Payload: hook.RawJSON(`{"model":"m"}`)}
	res, notes := decodeAnswer(t, "before_provider_headers", script.FamilyPi, script.KindExtension, in, `{"`+script.InPlace+`headers":{"a":"b","c":null}}`)
	if res.UpdatedInput.Raw() != `{"model":"m","headers":{"a":"b"}}` || len(notes) > 0 {
		t.Errorf("%s, %q", res.UpdatedInput.Raw(), notes)
	}
	in.Payload = res.UpdatedInput // what makes another payload of it neither sees them nor loses them
	c, _ := newCodec("before_provider_request", script.FamilyPi, script.KindExtension)
	if got, err := c.Encode(in); err != nil || string(got) != `{"type":"before_provider_request","payload":{"model":"m","stream":true}}` {
		t.Errorf("%s, %v", got, err)
	}
	if res, _ = decodeAnswer(t, "before_provider_request", script.FamilyPi, script.KindExtension, in, `{"model":"n","stream":true}`); res.UpdatedInput.Raw() != `{"model":"n","headers":{"a":"b"}}` {
		t.Error(res.UpdatedInput.Raw())
	}
}

// Whoever watches tools end sees what tool_result has, and not what the tool returned.
func TestEndOfAToolIsToldAsItsResult(t *testing.T) {
	in := &hook.ToolExecutionEnd{
		ToolName: "Edit", ToolInput: hook.RawJSON("{}"), ToolUseID: "1", Content: hook.RawJSON(`[{"type":"text","text":"changed"}]`),
		Result: hook.RawJSON(`{"filePath":"/a","structuredPatch":[{"oldStart":1,"oldLines":2,"newStart":1,"newLines":2,"lines":[" x","-a","+b"]}]}`),
	}
	c, _ := newCodec("tool_execution_end", script.FamilyPi, script.KindExtension)
	got, err := c.Encode(in)
	result, _ := hook.RawJSON(got).Get("result")
	if want := `{"content":[{"type":"text","text":"changed"}],"details":{"diff":" 1 x\n-2 a\n+2 b","firstChangedLine":2,"patch":"--- /a\n+++ /a\n@@ -1,2 +1,2 @@\n x\n-a\n+b\n"}}`; err != nil || !sameJSON(result.Raw(), want) {
		t.Errorf("%s, %v", got, err)
	}
	in.ToolName, in.Result, in.IsError = "Bash", hook.RawJSON(`"x"`), true
	got, err = c.Encode(in)
	result, _ = hook.RawJSON(got).Get("result")
	if want := `{"content":[{"type":"text","text":"changed"}],"isError":true}`; err != nil || !sameJSON(result.Raw(), want) {
		t.Errorf("%s, %v", got, err)
	}
}

// What a program reads of a result goes when its content is replaced: it would tell what the
// content no longer does.
func TestStructuredContentGoesWithItsContent(t *testing.T) {
	const text, other = `[{"type":"text","text":"a"}]`, `[{"type":"text","text":"b"}]`
	for answer, want := range map[string]string{
		`{"content":` + other + `}`:                             `{"content":` + other + `}`,
		`{"content":` + other + `,"structuredContent":{"n":2}}`: `{"content":` + other + `,"structuredContent":{"n":2}}`,
		`{"structuredContent":{"n":2}}`:                         `{"content":` + text + `,"structuredContent":{"n":2}}`,
		`{"details":{"d":1}}`:                                   `{"content":` + text + `,"structuredContent":{"n":1},"details":{"d":1}}`,
		`{"content":` + other + `,"details":{"d":1}}`:           `{"content":` + other + `,"details":{"d":1}}`,
	} {
		in := &hook.PostToolUse{ToolName: "mcp__a__b", ToolResponse: hook.RawJSON(`{"content":` + text + `,"structuredContent":{"n":1}}`)}
		if res, _ := decodeAnswer(t, "tool_result", script.FamilyPi, script.KindExtension, in, answer); !sameJSON(res.UpdatedOutput.Raw(), want) {
			t.Errorf("%s: got %s, want %s", answer, res.UpdatedOutput.Raw(), want)
		}
	}
}
