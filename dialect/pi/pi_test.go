package pi

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sharedCache saves every test from compiling the runtime anew.
var sharedCache = script.NewCache("")

// engine loads modules, given as source texts, and returns an engine with all
// their handlers.
func engine(t testing.TB, reg *hook.Registry, sources ...string) *hook.Engine {
	t.Helper()
	g := NewGroups(reg)
	for n, src := range sources {
		path := filepath.Join(t.TempDir(), fmt.Sprintf("m%d.ts", n))
		if err := os.WriteFile(path, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		m, err := script.Load(context.Background(), path, script.Options{Cache: sharedCache, Grants: script.Grants{CPUSlice: time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		})
		regs, remarks := Registrations(m, g)
		if len(remarks) > 0 {
			t.Fatalf("remarks: %v", remarks)
		}
		if _, err := reg.AddAll(regs); err != nil {
			t.Fatal(err)
		}
	}
	e := hook.New(reg)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func fire(t *testing.T, e *hook.Engine, in hook.Input) *hook.Outcome {
	t.Helper()
	out, err := e.Fire(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return &out
}

func module(event, handler string) string {
	return fmt.Sprintf("export default (pi) => { pi.on(%q, %s) }", event, handler)
}

func bash(command string) *hook.PreToolUse {
	return &hook.PreToolUse{ToolName: "Bash", ToolInput: hook.MustJSON(map[string]string{"command": command}), ToolUseID: "t1"}
}

func TestToolCallRules(t *testing.T) {
	pass := module("tool_call", `() => ({ block: false, reason: "unused" })`)
	block := module("tool_call", `(e) => ({ block: true, reason: e.toolName + ":" + e.input.command + ":" + e.toolCallId + ":" + e.type })`)
	for name, c := range map[string]struct {
		modules  []string
		decision hook.Decision
		reason   string
		ran      int
	}{
		"silent":           {[]string{module("tool_call", `async () => {}`)}, hook.DecisionNone, "", 1},
		"blocked":          {[]string{pass, block}, hook.DecisionDeny, "bash:ls:t1:tool_call", 2},
		"first block ends": {[]string{block, module("tool_call", `() => ({ block: true, reason: "second" })`)}, hook.DecisionDeny, "bash:ls:t1:tool_call", 1},
		"default reason":   {[]string{module("tool_call", `() => ({ block: 1 })`)}, hook.DecisionDeny, "Tool execution was blocked by a hook", 1},
		"throws":           {[]string{module("tool_call", `() => { throw new Error("oops") }`)}, hook.DecisionDeny, "oops", 1},
		"throws text":      {[]string{module("tool_call", `async () => { throw "oops" }`)}, hook.DecisionDeny, "oops", 1},
		"spins":            {[]string{module("tool_call", `() => { while (true) {} }`)}, hook.DecisionDeny, "time budget", 1},
		"no object":        {[]string{module("tool_call", `() => true`)}, hook.DecisionNone, "", 1},
		"polluted":         {[]string{module("tool_call", `() => { Object.prototype.block = true; return { reason: "x" } }`)}, hook.DecisionNone, "", 1},
		"input is its own": {[]string{module("tool_call", `(e) => { e.input.command = "rm" }`), module("tool_call", `(e) => ({ block: e.input.command !== "ls" })`)}, hook.DecisionNone, "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			out := fire(t, engine(t, hook.NewRegistry(), c.modules...), bash("ls"))
			if out.Decision != c.decision || !strings.Contains(out.Reason, c.reason) || c.reason == "" && out.Reason != "" {
				t.Errorf("decision %v, reason %q", out.Decision, out.Reason)
			}
			ran := 0
			for _, r := range out.Runs {
				if r.Status != hook.StatusSkipped {
					ran++
				}
			}
			if ran != c.ran || out.InputChanged {
				t.Errorf("%d handlers ran, input changed: %v", ran, out.InputChanged)
			}
		})
	}
}

func TestErrorsOtherThanInToolCallAreNoticed(t *testing.T) {
	e := engine(t, hook.NewRegistry(), module("agent_start", `() => { throw new Error("oops") }`), module("agent_start", `() => {}`))
	out := fire(t, e, &hook.AgentStart{})
	if out.Blocked() || len(out.Runs) != 2 || out.Runs[0].Status != hook.StatusFailed || out.Runs[1].Status != hook.StatusRan {
		t.Errorf("outcome %+v", out)
	}
	if js, ok := errors.AsType[*script.Error](out.Runs[0].Err); !ok || js.Message != "oops" || js.Position.Line != 1 {
		t.Errorf("error %v", out.Runs[0].Err)
	}
}

func TestContextChains(t *testing.T) {
	e := engine(t, hook.NewRegistry(),
		module("context", `(e) => ({ messages: e.messages.filter((m) => !(m.role === "custom" && m.customType === "debug-only")) })`),
		module("context", `(e) => { e.messages.push({ role: "user", content: "n=" + e.messages.length }) }`),
		module("context", `(e) => { e.messages[0].content = "edited" }`),
		module("context", `() => {}`))
	in := &hook.Context{}
	if err := hook.RawJSON(`[{"role":"user","content":"hi","timestamp":1},{"role":"custom","customType":"debug-only","content":"x"}]`).Decode(&in.Messages); err != nil {
		t.Fatal(err)
	}
	out := fire(t, e, in)
	want := `[{"role":"user","content":"edited","timestamp":1},{"role":"user","content":"n=1"}]`
	if got := hook.MustJSON(out.Messages).Raw(); got != want {
		t.Errorf("got %s", got)
	}
}

func TestFirstMessageIsKept(t *testing.T) {
	e := engine(t, hook.NewRegistry(),
		module("before_agent_start", `(e) => ({ message: { customType: "a", content: "for " + e.prompt, display: false, details: { n: 1 } } })`),
		module("before_agent_start", `() => ({ message: { customType: "b", content: "second" } })`))
	out := fire(t, e, &hook.UserPromptSubmit{Prompt: "go"})
	if got := hook.MustJSON(out.Inject).Raw(); got != `[{"customType":"a","content":"for go","display":false,"details":{"n":1}}]` || len(out.Runs) != 2 {
		t.Errorf("got %s after %d runs", got, len(out.Runs))
	}
}

func TestExtensionsMayChangeTheSystemPrompt(t *testing.T) {
	head := "import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';\n"
	e := engine(t, hook.NewRegistry(),
		head+module("before_agent_start", `(e) => ({ systemPrompt: e.systemPrompt + " one", message: { customType: "a", content: "first" } })`),
		head+module("before_agent_start", `(e) => ({ systemPrompt: e.systemPrompt + " two", message: { customType: "b", content: "second" } })`))
	out := fire(t, e, &hook.UserPromptSubmit{Prompt: "go", SystemPrompt: "base"})
	if out.Host == nil || out.Host.SystemPrompt == nil || *out.Host.SystemPrompt != "base one two" {
		t.Errorf("host effects %+v", out.Host)
	}
	if got := hook.MustJSON(out.Inject).Raw(); got != `[{"customType":"a","content":"first","display":true},{"customType":"b","content":"second","display":true}]` {
		t.Errorf("inject %s", got)
	}
}

// In extensions of oh-my-pi a system prompt is a list of texts.
func TestASystemPromptHasPartsInOhMyPi(t *testing.T) {
	head := "import type { ExtensionAPI } from '@oh-my-pi/pi-coding-agent';\n"
	e := engine(t, hook.NewRegistry(),
		head+module("before_agent_start", `(e, ctx) => ({ systemPrompt: [...e.systemPrompt, "one", ...ctx.getSystemPrompt()] })`),
		head+module("before_agent_start", `(e) => ({ systemPrompt: [...e.systemPrompt, "two"] })`))
	out := fire(t, e, &hook.UserPromptSubmit{Prompt: "go", SystemPrompt: "base"})
	if out.Host == nil || out.Host.SystemPrompt == nil || *out.Host.SystemPrompt != "base\n\none\n\n\n\ntwo" {
		t.Errorf("host effects %+v", out.Host)
	}
}

func TestToolResult(t *testing.T) {
	redact := module("tool_result", `(e) => {
		if (e.toolName !== "read" || e.isError) return;
		return { content: e.content.map((c) => c.type === "text" ? { ...c, text: c.text.replaceAll(/KEY=\S+/g, "KEY=[x]") } : c) };
	}`)
	for name, c := range map[string]struct{ response, want string }{
		"text":       {`"KEY=1 a"`, `"KEY=[x] a"`},
		"structured": {`{"type":"text","file":{"filePath":"f","content":"KEY=1","numLines":1}}`, `{"type":"text","file":{"filePath":"f","content":"KEY=[x]","numLines":1}}`},
		"blocks":     {`[{"type":"text","text":"KEY=1"}]`, `[{"type":"text","text":"KEY=[x]"}]`},
		"content":    {`{"content":[{"type":"text","text":"KEY=1"}],"details":{"a":1}}`, `{"content":[{"type":"text","text":"KEY=[x]"}],"details":{"a":1}}`},
	} {
		t.Run(name, func(t *testing.T) {
			out := fire(t, engine(t, hook.NewRegistry(), redact), &hook.PostToolUse{ToolName: "Read", ToolInput: hook.RawJSON(`{"file_path":"f"}`), ToolResponse: hook.RawJSON(c.response)})
			if out.UpdatedOutput.Raw() != c.want {
				t.Errorf("got %s", out.UpdatedOutput.Raw())
			}
		})
	}
}

func TestToolResultSeesTheOriginalOrTheChain(t *testing.T) {
	add := module("tool_result", `(e) => ({ content: [{ type: "text", text: e.content[0].text + "+" }] })`)
	for head, want := range map[string]string{
		"": `"out+"`, "import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';\n": `"out++"`,
	} {
		out := fire(t, engine(t, hook.NewRegistry(), head+add, head+add), &hook.PostToolUse{ToolName: "X", ToolResponse: hook.RawJSON(`"out"`)})
		if out.UpdatedOutput.Raw() != want {
			t.Errorf("%q: got %s", head, out.UpdatedOutput.Raw())
		}
	}
}

func TestFailedToolIsObserved(t *testing.T) {
	src := module("tool_result", `(e) => ({ content: [{ type: "text", text: "fixed " + e.isError + e.content[0].text }], isError: false })`)
	in := func() *hook.PostToolUseFailure { return &hook.PostToolUseFailure{ToolName: "Bash", Error: "exit 1"} }
	if out := fire(t, engine(t, hook.NewRegistry(), src), in()); !out.UpdatedOutput.IsZero() || out.IsError != hook.Unset {
		t.Errorf("a hook changed a failure: %+v", out)
	}
	ext := "import type { ExtensionAPI } from '@oh-my-pi/pi-coding-agent';\n" + src
	if out := fire(t, engine(t, hook.NewRegistry(), ext), in()); out.UpdatedOutput.Raw() != `"fixed trueexit 1"` || out.IsError != hook.No {
		t.Errorf("an extension did not: %s, %v", out.UpdatedOutput.Raw(), out.IsError)
	}
}

func TestCancelEndsAtOnceAndLastAnswerWins(t *testing.T) {
	e := engine(t, hook.NewRegistry(),
		module("session_before_compact", `() => ({ compaction: { summary: "one", firstKeptEntryId: "a", tokensBefore: 5 } })`),
		module("session_before_compact", `(e) => ({ compaction: { summary: "two " + e.preparation.tokensBefore + e.signal.aborted, firstKeptEntryId: "b", tokensBefore: 6 } })`))
	out := fire(t, e, &hook.PreCompact{Trigger: "manual", Preparation: hook.RawJSON(`{"tokensBefore":9}`)})
	if out.Blocked() || out.Compaction == nil || out.Compaction.Summary != "two 9false" || out.Compaction.TokensBefore != 6 {
		t.Errorf("compaction %+v", out.Compaction)
	}
	e = engine(t, hook.NewRegistry(),
		module("session_before_switch", `(e) => ({ cancel: e.reason === "new" })`),
		module("session_before_switch", `() => { throw new Error("never asked") }`))
	out = fire(t, e, &hook.SessionBeforeSwitch{Reason: "new"})
	if !out.Cancel || len(out.Runs) != 2 || out.Runs[1].Status != hook.StatusSkipped {
		t.Errorf("cancel %v, runs %+v", out.Cancel, out.Runs)
	}
	out = fire(t, e, &hook.SessionBeforeSwitch{Reason: "resume"})
	if out.Cancel || out.Runs[1].Status != hook.StatusFailed {
		t.Errorf("an error cancelled: %+v", out.Runs)
	}
}

func TestOneOutcomeWithGoCallbacks(t *testing.T) {
	reg := hook.NewRegistry()
	var order []string
	hook.On(reg, func(_ context.Context, in *hook.PreToolUse) (hook.Result, error) {
		order = append(order, "go")
		if in.ToolInput.String("command") != "curl x" {
			return hook.None(), nil
		}
		res := hook.Allow()
		res.UpdatedInput = hook.RawJSON(`{"command":"curl -s x"}`)
		return res, nil
	})
	hook.On(reg, func(context.Context, *hook.PreToolUse) (hook.Result, error) {
		order = append(order, "audit")
		return hook.None(), nil
	}, hook.Observe())
	e := engine(t, reg, module("tool_call", `(e) => ({ block: e.input.command === "curl -s x", reason: "no network" })`))
	out := fire(t, e, bash("curl x"))
	if out.Decision != hook.DecisionDeny || out.Reason != "no network" || !out.InputChanged || strings.Join(order, ",") != "go,audit" {
		t.Errorf("outcome %v %q, changed %v, order %v", out.Decision, out.Reason, out.InputChanged, order)
	}
	if out = fire(t, e, bash("ls")); out.Decision != hook.DecisionNone {
		t.Errorf("decision %v", out.Decision)
	}
}

func TestUnknownEventsAreRemarked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.ts")
	if err := os.WriteFile(path, []byte(module("no_such_event", "() => {}")), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := script.Load(context.Background(), path, script.Options{})
	if err != nil {
		t.Fatal(err)
	}
	regs, remarks := Registrations(m, NewGroups(hook.NewRegistry()))
	if len(regs) != 0 || len(remarks) != 1 || !strings.Contains(remarks[0], `"no_such_event"`) {
		t.Errorf("registrations %v, remarks %v", regs, remarks)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

func BenchmarkToolCallThroughTheEngine(b *testing.B) {
	e := engine(b, hook.NewRegistry(), module("tool_call", `async (e) => { if (e.toolName === "bash" && e.input.command.includes("rm -rf")) return { block: true } }`))
	in := bash("ls -l")
	for b.Loop() {
		out, err := e.Fire(context.Background(), in)
		if err != nil || out.Blocked() {
			b.Fatal(out, err)
		}
	}
}

// What the first module has dealt with is not shown to the others.
func TestHandledEndsTheEvent(t *testing.T) {
	head := "import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';\n"
	other := head + "export default (pi) => { const f = () => { throw new Error(\"it ran\") }; pi.on(\"input\", f); pi.on(\"user_bash\", f) }"
	e := engine(t, hook.NewRegistry(), head+`export default (pi) => {
		pi.on("input", (e) => ({ action: e.text === "mine" ? "handled" : "continue" }));
		pi.on("user_bash", () => ({ result: { output: "mine", exitCode: 0, cancelled: false, truncated: false } }));
	}`, other)
	for _, c := range []struct {
		in    hook.Input
		shown int
	}{{&hook.UserInput{Text: "mine"}, 0}, {&hook.UserInput{Text: "yours"}, 1}, {&hook.UserBash{Command: "ls"}, 0}} {
		if out := fire(t, e, c.in); len(out.Notices) != c.shown {
			t.Errorf("%+v: notices %v", c.in, out.Notices)
		}
	}
}

func TestResultChangedInPlaceCountsForPi(t *testing.T) {
	change := module("tool_result", `(e) => { e.content[0].text += "!" }`)
	for head, want := range map[string]string{"import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';\n": `"done!"`, "": ""} {
		out := fire(t, engine(t, hook.NewRegistry(), head+change), &hook.PostToolUse{ToolName: "Bash", ToolInput: hook.RawJSON(`{}`), ToolResponse: hook.MustJSON("done")})
		if got := out.UpdatedOutput.Raw(); got != want {
			t.Errorf("%q: output %s, want %s", head, got, want)
		}
	}
}

func TestRendererOfEntriesLoads(t *testing.T) {
	e := engine(t, hook.NewRegistry(), `export default (pi) => { pi.registerEntryRenderer("card", () => undefined); pi.on("tool_call", () => ({ block: true, reason: "no" })) }`)
	if out := fire(t, e, bash("ls")); out.Reason != "no" {
		t.Errorf("outcome %+v", out)
	}
}
