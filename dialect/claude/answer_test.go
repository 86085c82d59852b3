package claude_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
)

// said is what an answer came to.
type said struct {
	res   hook.Result
	notes string
	err   error
}

func (s said) kind() hook.FailureKind {
	if f, ok := errors.AsType[*hook.Failure](s.err); ok {
		return f.Kind
	}
	return ""
}

func decode(in hook.Input, strict bool, ans handler.Answer, opts ...claude.CodecOptions) said {
	opt := claude.CodecOptions{}
	if len(opts) > 0 {
		opt = opts[0]
	}
	res, notes, err := claude.NewCodec(opt).DecodeResult(&hook.Call{Input: in, Strict: strict}, ans)
	return said{res, strings.Join(notes, "\n"), err}
}

func bash() hook.Input {
	return &hook.PreToolUse{ToolName: "Bash", ToolInput: hook.RawJSON(`{"command":"ls"}`)}
}

func pre(specific string) string {
	return `{"hookSpecificOutput":{"hookEventName":"PreToolUse",` + specific + `}}`
}

const (
	none  = hook.DecisionNone
	allow = hook.DecisionAllow
	ask   = hook.DecisionAsk
	later = hook.DecisionDefer
	deny  = hook.DecisionDeny
)

// TestAnswers is what an answer to PreToolUse means, and to the others by name.
func TestAnswers(t *testing.T) {
	stop, prompt, post := &hook.Stop{}, &hook.UserPromptSubmit{}, &hook.PostToolUse{ToolResponse: hook.RawJSON(`{"stdout":"x"}`)}
	for _, tt := range []struct {
		name           string
		in             hook.Input
		exit           int
		stdout, stderr string
		decision       hook.Decision
		reason         string
		fails          hook.FailureKind
		note           string // a part of the notes
		strict         hook.FailureKind
	}{
		{name: "nothing"},
		{name: "an empty object", stdout: "{}\n"},
		{name: "only stderr", stderr: "debug"},
		{name: "text", stdout: "checked\n", note: "nobody sees it"},
		{name: "exit 2", exit: 2, stderr: "no\n", decision: deny, reason: "no"},
		{name: "exit 2 without a word", exit: 2, decision: deny},
		{name: "exit 2 with text on stdout", exit: 2, stdout: "no", decision: deny, note: "read from stderr"},
		{name: "exit 2 with an answer on stderr", exit: 2, stderr: `{"decision":"block"}`, decision: deny, reason: `{"decision":"block"}`, note: "belongs on stdout"},
		{name: "the input", stdout: `{"session_id":"s","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}`, note: "input in it", strict: hook.FailureAnswer},
		{name: "exit 2 beats an allow", exit: 2, stdout: pre(`"permissionDecision":"allow"`), stderr: "no", decision: deny, reason: "no", note: "exit 2 counts"},
		{name: "exit 2 with the reason in JSON", exit: 2, stdout: pre(`"permissionDecision":"deny","permissionDecisionReason":"r"`), stderr: "no", decision: deny, reason: "r"},
		{name: "exit 2 with invalid JSON", exit: 2, stdout: `{"a":}`, stderr: "no", decision: deny, reason: "no"},
		{name: "exit 1", exit: 1, stderr: "oops\nmore", fails: hook.FailureExit, strict: hook.FailureExit},
		{name: "exit 127", exit: 127, stderr: "sh: 1: node: not found", fails: hook.FailureLaunch, strict: hook.FailureLaunch},
		{name: "exit 1 with a JSON deny", exit: 1, stdout: pre(`"permissionDecision":"deny"`), decision: deny, note: "exit 1 is not read"},
		{name: "exit 1 with an empty object", exit: 1, stdout: "{}", strict: hook.FailureExit},
		{name: "exit 1 with a JSON allow", exit: 1, stdout: pre(`"permissionDecision":"allow"`), decision: allow, note: "exit 1 is not read", strict: hook.FailureExit},
		{name: "exit 1 with JSON that is none", exit: 1, stdout: `{"decision":}`, fails: hook.FailureExit, strict: hook.FailureExit},

		{name: "allow", stdout: pre(`"permissionDecision":"allow"`), decision: allow},
		{name: "ask", stdout: pre(`"permissionDecision":"ask","permissionDecisionReason":"sure?"`), decision: ask, reason: "sure?"},
		{name: "defer", stdout: pre(`"permissionDecision":"defer"`), decision: later},
		{name: "the old block", stdout: `{"decision":"block","reason":"r"}`, decision: deny, reason: "r", note: "deprecated"},
		{name: "the old approve", stdout: `{"decision":"approve"}`, decision: allow},
		{name: "a word that is none", stdout: pre(`"permissionDecision":"denied"`), fails: hook.FailureAnswer, strict: hook.FailureAnswer},
		{name: "a decision of the wrong kind", stdout: `{"decision":["deny"]}`, fails: hook.FailureAnswer, strict: hook.FailureAnswer},
		{name: "a decision of null", stdout: `{"decision":null}`, fails: hook.FailureAnswer, strict: hook.FailureAnswer},
		{name: "unknown key", stdout: `{"result":"block"}`, note: "unknown key result, no decision read", strict: hook.FailureAnswer},
		{name: "case variant", stdout: `{"Decision":"deny"}`, note: "unknown key Decision, no decision read (did you mean decision?)", strict: hook.FailureAnswer},
		{name: "case variant beside a deny", stdout: `{"decision":"deny","Decision":"allow","reason":"r"}`, decision: deny, reason: "r"},
		{name: "misspelt key", stdout: `{"systemMesage":"x"}`, note: "did you mean systemMessage?", strict: hook.FailureAnswer},
		{name: "duplicate keys", stdout: `{"decision":"deny","decision":"allow"}`, fails: hook.FailureAnswer, strict: hook.FailureAnswer},
		{name: "the decision in the wrong place", stdout: `{"permissionDecision":"deny"}`, decision: deny, note: "belongs into hookSpecificOutput"},
		{name: "an allow in the wrong place", stdout: `{"permissionDecision":"allow"}`, note: "belongs into hookSpecificOutput", strict: hook.FailureAnswer},
		{name: "no event name", stdout: `{"hookSpecificOutput":{"permissionDecision":"deny"}}`, decision: deny, note: "PreToolUse is taken to be meant"},
		{name: "the wrong event name", stdout: `{"hookSpecificOutput":{"hookEventName":"PostToolUse","permissionDecision":"allow"}}`, fails: hook.FailureAnswer, strict: hook.FailureAnswer},
		{name: "a refusal outlives a fault", stdout: `{"decision":"block","reason":42}`, decision: deny, note: "reason must be a string"},
		{name: "a refusal in the wrong place", stdout: pre(`"decision":"block","reason":"r"`), decision: deny, reason: "r", note: "it refuses all the same"},
		{name: "consent in the wrong place", stdout: pre(`"decision":"approve"`), note: "was not read", strict: hook.FailureAnswer},
		{name: "a decision object in the wrong place", stdout: pre(`"decision":{"behavior":"allow"}`), fails: hook.FailureAnswer, strict: hook.FailureAnswer},
		{name: "a contradiction", stdout: `{"decision":"approve","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}`, decision: deny, note: "contradicts itself"},
		{name: "updatedInput that is not an object", stdout: pre(`"updatedInput":"ls"`), fails: hook.FailureAnswer, strict: hook.FailureAnswer},

		{name: "BOM and CRLF", stdout: "\xef\xbb\xbf{\"decision\":\"block\",\r\n\"reason\":\"r\"}\r\n", decision: deny, reason: "r"},
		{name: "UTF-16", stdout: "\xff\xfe{\x00}\x00", fails: hook.FailureAnswer, strict: hook.FailureAnswer},
		{name: "invalid UTF-8", stdout: "{\"decision\":\"de\xffny\"}", fails: hook.FailureAnswer, strict: hook.FailureAnswer},
		{name: "an array", stdout: `["deny"]`, note: "nobody sees it", strict: hook.FailureAnswer},
		{name: "a string", stdout: `"deny"`, note: "nobody sees it", strict: hook.FailureAnswer},
		{name: "a banner before a deny", stdout: "Welcome!\n{\"decision\":\"block\"}", fails: hook.FailureAnswer, strict: hook.FailureAnswer},
		{name: "a banner before an allow", stdout: "Welcome!\n" + pre(`"permissionDecision":"allow"`), note: "not one JSON object", strict: hook.FailureAnswer},
		{name: "text after a deny", stdout: pre(`"permissionDecision":"deny"`) + "\nbye", fails: hook.FailureAnswer, strict: hook.FailureAnswer},
		{name: "two documents", stdout: "{}\n{\"decision\":\"block\"}", fails: hook.FailureAnswer, strict: hook.FailureAnswer},
		{name: "a fence", stdout: "```json\n{\"decision\":\"block\"}\n```", fails: hook.FailureAnswer, strict: hook.FailureAnswer},
		{name: "a log in lines", stdout: "{\"level\":\"info\"}\n{\"level\":\"warn\"}", note: "nobody sees it", strict: hook.FailureAnswer},
		{name: "a log in lines with an answer", stdout: "{\"level\":\"info\"}\n{\"decision\":\"block\"}", fails: hook.FailureAnswer, strict: hook.FailureAnswer},
		{name: "JSON that is none", stdout: `{"decision": block}`, fails: hook.FailureAnswer, strict: hook.FailureAnswer},
		{name: "half of JSON", stdout: `{"decision": "block"`, fails: hook.FailureAnswer, strict: hook.FailureAnswer},
		{name: "deep nesting", stdout: `{"a":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, fails: hook.FailureAnswer, strict: hook.FailureAnswer},

		{name: "prompt: text is context", in: prompt, stdout: "remember\r\nthis\n"},
		{name: "prompt: block", in: prompt, stdout: `{"decision":"block","reason":"r"}`, decision: deny, reason: "r"},
		{name: "prompt: text with an answer in it", in: prompt, stdout: `see {"decision":"approve"}`, note: "not one JSON object", strict: hook.FailureAnswer},
		{name: "session: text that quotes an answer", in: &hook.SessionStart{}, stdout: `a hook prints {"decision":"block"}`, note: "not one JSON object"},
		{name: "stop: approve is not an opinion", in: stop, stdout: `{"decision":"approve"}`},
		{name: "stop: continue true is nothing", in: stop, stdout: `{"continue":true}`},
		{name: "stop: exit 2", in: stop, exit: 2, stderr: "go on", decision: deny, reason: "go on"},
		{name: "post: block", in: post, stdout: `{"decision":"block","reason":"r"}`, decision: deny, reason: "r"},
		{name: "ask where it means nothing", in: stop, stdout: `{"decision":"ask"}`, note: "no effect"},
		{name: "compact has no specific output", in: &hook.PreCompact{}, stdout: `{"hookSpecificOutput":{"hookEventName":"PreCompact","additionalContext":"x"}}`, fails: hook.FailureAnswer, strict: hook.FailureAnswer},
		{name: "policy settings cannot be refused", in: &hook.ConfigChange{Source: "policy_settings"}, exit: 2, stderr: "no", note: "cannot stop"},
		{name: "nor by JSON", in: &hook.ConfigChange{Source: "policy_settings"}, stdout: `{"decision":"block"}`, note: "cannot be refused"},
		{name: "other settings can", in: &hook.ConfigChange{Source: "user_settings"}, exit: 2, stderr: "no", decision: deny, reason: "no"},
		{name: "request: exit 2 is not read", in: &hook.PermissionRequest{}, exit: 2, stderr: "no", note: "no effect", strict: hook.FailureAnswer},
		{name: "request: exit 2 beside a refusal", in: &hook.PermissionRequest{}, exit: 2, stdout: `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"m"}}}`, decision: deny, reason: "m", note: "no effect"},
		{name: "request: exit 2 beside consent", in: &hook.PermissionRequest{}, exit: 2, stdout: `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`, note: "contradicts the allow", strict: hook.FailureAnswer},
		{name: "request: top-level allow is not read", in: &hook.PermissionRequest{}, stdout: `{"decision":"approve"}`, note: "not read", strict: hook.FailureAnswer},
		{name: "request: a refusal in the wrong place", in: &hook.PermissionRequest{}, stdout: `{"decision":"block","reason":"r"}`, decision: deny, reason: "Permission to use this tool was refused by a hook", note: "the person this reason"},
		{name: "request: an input outside of the decision", in: &hook.PermissionRequest{}, stdout: `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","updatedInput":{"a":1}}}`, note: "belongs into decision"},
		{name: "request: the words of the wrong behavior", in: &hook.PermissionRequest{}, stdout: `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","updatedInput":{},"updatedPermissions":[]}}}`, decision: deny, note: "beside behavior allow only"},
		{name: "request: interrupt beside allow", in: &hook.PermissionRequest{}, stdout: `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","interrupt":true}}}`, decision: allow, note: "beside behavior deny only"},
		{name: "request: the form of a decision is told", in: &hook.PermissionRequest{}, stdout: `{"verdict":"deny"}`, note: `"decision":{"behavior":"deny"}`, strict: hook.FailureAnswer},
		{name: "stop: the form of a decision is told", in: stop, stdout: `{"verdict":"deny"}`, note: `{"decision":"block","reason":"..."}`, strict: hook.FailureAnswer},
		{name: "session: there is no decision", in: &hook.SessionEnd{}, stdout: `{"verdict":"deny"}`, note: "not at all on this event", strict: hook.FailureAnswer},
		{name: "a word far from all", stdout: `{"decision":"perhaps"}`, fails: hook.FailureAnswer, strict: hook.FailureAnswer},
		{name: "a key that is not a word", stdout: `{"\u001b[2J":1,"reason":"r"}`, note: `unknown key "\x1b[2J"`},
		{name: "stopReason alone", stdout: `{"stopReason":"s"}`, note: "only with continue false"},
		{name: "a reason alone", stdout: `{"reason":"r"}`, note: "without a decision"},
		{name: "watchPaths of the wrong kind", in: &hook.CwdChanged{}, stdout: `{"hookSpecificOutput":{"hookEventName":"CwdChanged","watchPaths":"x"}}`, fails: hook.FailureAnswer, strict: hook.FailureAnswer},
		{name: "an action that is none", in: &hook.Elicitation{}, stdout: `{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"maybe"}}`, fails: hook.FailureAnswer, strict: hook.FailureAnswer},
		{name: "specific output that is not an object", stdout: `{"hookSpecificOutput":[]}`, fails: hook.FailureAnswer, strict: hook.FailureAnswer},
		{name: "an event name that is not text", stdout: `{"hookSpecificOutput":{"hookEventName":7}}`, fails: hook.FailureAnswer, strict: hook.FailureAnswer},
		{name: "an event of the engine alone", in: &hook.SessionBeforeSwitch{}, exit: 2, stderr: "no", decision: deny, reason: "no"},
		{name: "an event of the engine alone, by JSON", in: &hook.UserBash{}, stdout: `{"hookSpecificOutput":{"hookEventName":"UserBash","permissionDecision":"deny"}}`, decision: deny},
		{name: "stop failure: output is ignored", in: &hook.StopFailure{}, stdout: `{"systemMessage":"x"}`, note: "no effect"},
		{name: "worktree: no path", in: &hook.WorktreeCreate{}, fails: hook.FailureAnswer, strict: hook.FailureAnswer},
		{name: "worktree: an answer without a path", in: &hook.WorktreeCreate{}, stdout: `{"systemMessage":"m"}`, fails: hook.FailureAnswer, strict: hook.FailureAnswer},
		{name: "worktree: any code fails", in: &hook.WorktreeCreate{}, exit: 1, stdout: "/x", stderr: "no space", decision: deny, reason: "exit 1: no space"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := tt.in
			if in == nil {
				in = bash()
			}
			ans := handler.Answer{ExitCode: tt.exit, Stdout: []byte(tt.stdout), Stderr: []byte(tt.stderr)}
			got := decode(in, false, ans)
			if got.res.Decision != tt.decision || got.res.Reason != tt.reason || got.kind() != tt.fails || !strings.Contains(got.notes, tt.note) {
				t.Errorf("decision %v %q, error %v, notes %q", got.res.Decision, got.res.Reason, got.err, got.notes)
			}
			strict := decode(in, true, ans)
			if strict.kind() != tt.strict {
				t.Errorf("strict: error %v, want kind %q", strict.err, tt.strict)
			}
			if tt.strict == "" && strict.res.Decision != tt.decision {
				t.Errorf("strict: decision %v", strict.res.Decision)
			}
		})
	}
}

// TestExitTwoByEvent is what exit code 2 does on each event.
func TestExitTwoByEvent(t *testing.T) {
	denies := "PreToolUse UserPromptSubmit UserPromptExpansion Stop SubagentStop TeammateIdle PostToolUse PostToolUseFailure PostToolBatch " +
		"TaskCreated TaskCompleted ConfigChange PreCompact PreModelSwitch Elicitation ElicitationResult WorktreeCreate"
	shows := "SessionStart Setup Notification SubagentStart SessionEnd CwdChanged FileChanged PostCompact DirectoryAdded PermissionDenied WorktreeRemove PostModelSwitch"
	ignored := "PermissionRequest StopFailure InstructionsLoaded MessageDisplay"
	seen := 0
	for names, want := range map[string]string{denies: "denies", shows: "shows", ignored: "ignored"} {
		for name := range strings.FieldsSeq(names) {
			seen++
			ev, ok := hook.ParseEvent(name)
			if !ok {
				t.Fatal(name)
			}
			got := decode(ev.Spec().New(), false, handler.Answer{ExitCode: 2, Stderr: []byte("because\n")})
			what := "ignored"
			switch {
			case got.res.Decision == deny && got.res.Reason == "because":
				what = "denies"
			case got.res.Notice == "because":
				what = "shows"
			}
			if what != want || got.err != nil {
				t.Errorf("%s: exit 2 %s (%+v, %v), want %s", name, what, got.res, got.err, want)
			}
			if want == "denies" && !ev.Spec().CanBlock() {
				t.Errorf("%s: the engine's table does not let it be refused", name)
			}
		}
	}
	if seen != len(claude.Events()) {
		t.Errorf("%d events of %d", seen, len(claude.Events()))
	}
}

func TestPlainTextIsContextOnFourEventsAndInstructsACompaction(t *testing.T) {
	for _, ev := range claude.Events() {
		if ev == hook.EventWorktreeCreate {
			continue
		}
		got := decode(ev.Spec().New(), false, handler.Answer{Stdout: []byte("text\n")})
		want := ev == hook.EventUserPromptSubmit || ev == hook.EventUserPromptExpansion || ev == hook.EventSessionStart || ev == hook.EventPostModelSwitch
		if is := len(got.res.Context) == 1 && got.res.Context[0] == "text"; is != want || got.err != nil {
			t.Errorf("%v: context %q, %v", ev, got.res.Context, got.err)
		}
		if c := got.res.Compacting; ev == hook.EventPreCompact {
			if c == nil || !slices.Equal(c.Context, []string{"text"}) {
				t.Errorf("PreCompact: %+v", c)
			}
		} else if !want && !strings.Contains(got.notes, "nobody sees it") {
			t.Errorf("%v: notes %q", ev, got.notes)
		}
	}
	got := decode(&hook.WorktreeCreate{}, false, handler.Answer{Stdout: []byte("making it\n/tmp/w t\r\n\n")})
	if got.res.Host == nil || got.res.Host.WorktreePath != "/tmp/w t" {
		t.Errorf("worktree: %+v %v", got.res.Host, got.err)
	}
}

func TestUniversalFields(t *testing.T) {
	got := decode(bash(), false, handler.Answer{Stdout: []byte(`{"continue":false,"stopReason":"done","suppressOutput":true,"systemMessage":"hi",
		"terminalSequence":"\u001b]0;title\u0007\u0007","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`)})
	r := got.res
	if r.Continue != hook.No || r.StopReason != "done" || !r.SuppressOutput || r.Notice != "hi" || r.Decision != none ||
		r.Host == nil || r.Host.TerminalSequence != "\x1b]0;title\a\a" || !strings.Contains(got.notes, "continue false counts") {
		t.Errorf("%+v %q %v", r, got.notes, got.err)
	}
	for _, bad := range []string{"\x1b]52;c;AAAA\a", "\x1b[2J", "\x1b]0;a\x1b]0;b\a", "text", "\x1b]8;;http://x\a", "\x1b]0;a\u009bx\a", "\x1b]0;a"} {
		j := hook.MustJSON(map[string]string{"terminalSequence": bad})
		if got := decode(bash(), false, handler.Answer{Stdout: []byte(j.Raw())}); got.res.Host != nil || !strings.Contains(got.notes, "not taken") {
			t.Errorf("%q was taken: %+v", bad, got.res.Host)
		}
	}
}

func TestSystemMessageGoesWhereItIsTold(t *testing.T) {
	ans := handler.Answer{Stdout: []byte(`{"systemMessage":"m"}`)}
	if r := decode(bash(), false, ans, claude.CodecOptions{SystemMessage: claude.ToBoth}).res; r.SystemMessage != "m" || r.Notice != "" || r.Context != nil {
		t.Errorf("both: %+v", r)
	}
	if r := decode(bash(), false, ans).res; r.SystemMessage != "" || r.Notice != "m" || r.Context != nil {
		t.Errorf("person: %+v", r)
	}
	if r := decode(bash(), false, ans, claude.CodecOptions{SystemMessage: claude.ToModel}).res; r.SystemMessage != "" || r.Notice != "" || len(r.Context) != 1 {
		t.Errorf("model: %+v", r)
	}
	for _, m := range []claude.MessageTo{claude.ToBoth, claude.ToPerson, claude.ToModel} {
		if back, err := claude.ParseMessageTo(m.String()); err != nil || back != m {
			t.Errorf("%v became %v, %v", m, back, err)
		}
	}
	if _, err := claude.ParseMessageTo("nobody"); err == nil {
		t.Error("nobody was accepted")
	}
}

func TestContinueTrueOnStop(t *testing.T) {
	ans := handler.Answer{Stdout: []byte(`{"continue":true}`)}
	on := claude.CodecOptions{StopOnContinueTrue: true}
	if r := decode(&hook.Stop{}, false, ans, on).res; r.Continue != hook.Yes {
		t.Errorf("with the option: %+v", r)
	}
	if got := decode(&hook.Stop{}, false, ans); got.res.Continue != hook.Unset || !strings.Contains(got.notes, "claude.stopOnContinueTrue") {
		t.Errorf("without it: %+v, notes %q", got.res, got.notes)
	}
	if r := decode(bash(), false, ans, on).res; r.Continue != hook.Unset {
		t.Errorf("on another event: %+v", r)
	}
}

func TestContextKeepsAnAgentGoingThatWouldStop(t *testing.T) {
	for _, tt := range []struct {
		in    hook.Input
		event string
		more  string
		want  hook.Tri
	}{
		{&hook.Stop{}, "Stop", "", hook.Yes},
		{&hook.SubagentStop{}, "SubagentStop", "", hook.Yes},
		{&hook.Stop{}, "Stop", `"continue":false,`, hook.No},
		{&hook.UserPromptSubmit{}, "UserPromptSubmit", "", hook.Unset},
	} {
		out := `{` + tt.more + `"hookSpecificOutput":{"hookEventName":"` + tt.event + `","additionalContext":"look there"}}`
		if r := decode(tt.in, false, handler.Answer{Stdout: []byte(out)}, claude.CodecOptions{}).res; r.Continue != tt.want || r.Context[0] != "look there" {
			t.Errorf("%s: %+v", out, r)
		}
	}
}

func TestSpecificOutputs(t *testing.T) {
	text := "p"
	for _, tt := range []struct {
		in     hook.Input
		fields string
		check  func(r hook.Result) bool
	}{
		{bash(), `"updatedInput":{"command":"\ud800","id":9007199254740993},"additionalContext":"c"`, func(r hook.Result) bool {
			return r.UpdatedInput.Raw() == `{"command":"\ud800","id":9007199254740993}` && !r.InputPatch && r.Context[0] == "c" && r.Decision == none
		}},
		{&hook.PermissionRequest{}, `"decision":{"behavior":"allow","updatedInput":{"a":1},"updatedPermissions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"ls"}],"behavior":"allow","destination":"session"},{"type":"setMode","mode":"plan","destination":"session"}]}`, func(r hook.Result) bool {
			return r.Decision == allow && r.UpdatedInput.Raw() == `{"a":1}` && len(r.PermissionUpdates) == 2 && r.PermissionUpdates[0].Rules[0].RuleContent == "ls"
		}},
		{&hook.PermissionRequest{}, `"decision":{"behavior":"deny","message":"m","interrupt":true}`, func(r hook.Result) bool {
			return r.Decision == deny && r.Reason == "m" && r.Interrupt
		}},
		{&hook.PostToolUse{ToolResponse: hook.RawJSON(`"a"`)}, `"updatedToolOutput":"b","updatedMCPToolOutput":"c","classifierContext":"k"`, func(r hook.Result) bool {
			return r.UpdatedOutput.Raw() == `"b"` && r.Host.ClassifierContext == "k"
		}},
		{&hook.PostToolUse{ToolResponse: hook.RawJSON(`"a"`)}, `"updatedMCPToolOutput":"c"`, func(r hook.Result) bool { return r.UpdatedOutput.Raw() == `"c"` }},
		{&hook.PostToolUse{ToolName: "mcp__a__b", ToolResponse: hook.RawJSON(`{"content":[]}`)}, `"updatedMCPToolOutput":[{"type":"text","text":"b"}]`, func(r hook.Result) bool {
			return r.UpdatedOutput.Raw() == `[{"type":"text","text":"b"}]`
		}},
		{&hook.PostToolUse{ToolName: "mcp__a__b", ToolResponse: hook.RawJSON(`{"content":[]}`)}, `"updatedToolOutput":"b"`, func(r hook.Result) bool { return r.UpdatedOutput.Raw() == `"b"` }},
		{&hook.UserPromptSubmit{}, `"additionalContext":"c","sessionTitle":"t","suppressOriginalPrompt":true,"updatedPrompt":"p"`, func(r hook.Result) bool {
			return r.Context[0] == "c" && r.Host.SessionTitle == "t" && r.Host.SuppressOriginalPrompt && *r.UpdatedPrompt == text
		}},
		{&hook.SessionStart{}, `"initialUserMessage":"i","watchPaths":["/a"],"reloadSkills":true`, func(r hook.Result) bool {
			return r.Host.InitialUserMessage == "i" && r.Host.WatchPaths[0] == "/a" && r.Host.ReloadSkills
		}},
		{&hook.PermissionDenied{}, `"retry":true`, func(r hook.Result) bool { return r.Host.Retry }},
		{&hook.MessageDisplay{}, `"displayContent":""`, func(r hook.Result) bool { return r.Host.DisplayContent != nil && *r.Host.DisplayContent == "" }},
		{&hook.WorktreeCreate{}, `"worktreePath":"/w"`, func(r hook.Result) bool { return r.Host.WorktreePath == "/w" }},
		{&hook.Elicitation{}, `"action":"accept","content":{"x":1}`, func(r hook.Result) bool {
			return r.Host.ElicitationAction == "accept" && r.Host.ElicitationContent.Raw() == `{"x":1}`
		}},
		{&hook.PreModelSwitch{}, `"permissionDecision":"deny","permissionDecisionReason":"r"`, func(r hook.Result) bool { return r.Decision == deny && r.Reason == "r" }},
		{&hook.PostToolUse{}, `"updatedInput":{"a":1}`, func(r hook.Result) bool { return r.UpdatedInput.Raw() == `{"a":1}` }}, // the engine says that it is ignored
	} {
		name := tt.in.Event().String()
		got := decode(tt.in, false, handler.Answer{Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"` + name + `",` + tt.fields + `}}`)})
		if got.err != nil || !tt.check(got.res) {
			t.Errorf("%s {%s}: %+v %v", name, tt.fields, got.res, got.err)
		}
	}
	for tool, bad := range map[string]string{"Bash": `"b"`, "mcp__a__b": `7`, "mcp__a__c": `null`} { // nor is the original what it wants the model to read
		in := &hook.PostToolUse{ToolName: tool, ToolResponse: hook.RawJSON(`{"a":1}`)}
		got := decode(in, false, handler.Answer{Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":` + bad + `}}`)})
		if got.kind() != hook.FailureAnswer {
			t.Errorf("%s of %s was read as %+v", bad, tool, got.res)
		}
	}
	for _, bad := range []string{
		`"decision":"allow"`, `"decision":{"behavior":"maybe"}`, `"decision":{}`, `"decision":{"behavior":"allow","updatedPermissions":[{"type":"addRules"}]}`,
		`"decision":{"behavior":"allow","updatedPermissions":[{"type":"setMode","destination":"session"}]}`, `"decision":{"behavior":"allow","updatedPermissions":{}}`,
		`"decision":{"behavior":"allow","interrupt":"yes"}`,
	} {
		got := decode(&hook.PermissionRequest{}, false, handler.Answer{Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"PermissionRequest",` + bad + `}}`)})
		if got.kind() != hook.FailureAnswer {
			t.Errorf("%s was read as %+v", bad, got.res)
		}
	}
}

func TestTruncatedOutputIsNotTheTruth(t *testing.T) {
	cut := handler.Answer{Stdout: []byte(pre(`"permissionDecision":"allow"`)), StdoutTruncated: true}
	if got := decode(bash(), false, cut); got.kind() != hook.FailureAnswer {
		t.Errorf("%+v %v", got.res, got.err)
	}
	cut.ExitCode = 2
	if got := decode(bash(), false, cut); got.res.Decision != deny {
		t.Errorf("exit 2: %+v %v", got.res, got.err)
	}
	text := handler.Answer{Stdout: []byte("very long"), StdoutTruncated: true}
	if got := decode(&hook.SessionStart{}, false, text); got.err != nil || len(got.res.Context) != 1 {
		t.Errorf("text: %+v %v", got.res, got.err)
	}
	if got := decode(&hook.SessionStart{}, true, text); got.kind() != hook.FailureAnswer {
		t.Errorf("text, strict: %+v %v", got.res, got.err)
	}
	if got := decode(&hook.SessionStart{}, false, handler.Answer{Stdout: []byte(" \n"), StdoutTruncated: true}); got.err != nil {
		t.Errorf("blanks: %v", got.err)
	}
}

func TestDeathBySignalIsNoConsent(t *testing.T) {
	for _, ans := range []handler.Answer{
		{ExitCode: -1, Signal: "SIGKILL", Stdout: []byte(pre(`"permissionDecision":"allow"`))},
		{ExitCode: -1},
		{ExitCode: 0, Signal: "SIGSEGV"},
	} {
		if got := decode(bash(), false, ans); got.kind() != hook.FailureSignal {
			t.Errorf("%+v: %+v %v", ans, got.res, got.err)
		}
	}
	got := decode(bash(), false, handler.Answer{ExitCode: -1, Signal: "SIGTERM", Stdout: []byte(`{"decision":"block","reason":"r"}`)})
	if got.res.Decision != deny || got.err != nil {
		t.Errorf("a refusal before it: %+v %v", got.res, got.err)
	}
}

func TestTextForTheModelIsBounded(t *testing.T) {
	long := strings.Repeat("ä", 10_001)
	var stored []string
	opts := claude.CodecOptions{SystemMessage: claude.ToBoth, Overflow: func(s string) (string, error) {
		stored = append(stored, s)
		return "/tmp/overflow.txt", nil
	}}
	ans := handler.Answer{Stdout: []byte(`{"decision":"block","reason":"` + long + `","systemMessage":"` + long[:20_000] + `","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"` + long + `"}}`)}
	got := decode(&hook.PostToolUse{}, false, ans, opts)
	if len(stored) != 2 || stored[0] != long || got.res.SystemMessage != long[:20_000] {
		t.Errorf("stored %d texts; the message has %d bytes", len(stored), len(got.res.SystemMessage))
	}
	for _, s := range []string{got.res.Reason, got.res.Context[0]} {
		if n := strings.Count(s, "ä"); n != 2000 || !strings.Contains(s, "10001 characters in all; the whole text is in /tmp/overflow.txt") {
			t.Errorf("%d characters: %q", n, s[len(s)-80:])
		}
	}
	if !strings.Contains(got.res.Notice, "10001 characters") || !strings.Contains(got.notes, "/tmp/overflow.txt") {
		t.Errorf("notice %q, notes %q", got.res.Notice, got.notes)
	}
	opts.Overflow = func(string) (string, error) { return "", errors.New("disk full") }
	got = decode(&hook.PostToolUse{}, false, ans, opts)
	if n := strings.Count(got.res.Context[0], "ä"); n != 10_000 || !strings.Contains(got.notes, "disk full") {
		t.Errorf("%d characters, notes %q", n, got.notes)
	}
}

func TestHTTPBodies(t *testing.T) {
	c := claude.NewCodec(claude.CodecOptions{}).ForHTTP()
	for body, kind := range map[string]hook.FailureKind{"": "", "{}": "", "OK": hook.FailureAnswer, `{"decision":"block"}`: ""} {
		res, _, err := c.DecodeResult(&hook.Call{Input: bash()}, handler.Answer{Stdout: []byte(body)})
		if (said{err: err}).kind() != kind || (res.Decision == deny) != strings.Contains(body, "block") {
			t.Errorf("%q: %+v %v", body, res, err)
		}
	}
}
