package pi

import (
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
)

const (
	piExtension  = "import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';\n"
	ompExtension = "import type { ExtensionAPI } from '@oh-my-pi/pi-coding-agent';\n"
	ompHook      = "import type { HookAPI } from '@oh-my-pi/pi-coding-agent/hooks';\n"
)

func TestInputChangedInPlace(t *testing.T) {
	for name, c := range map[string]struct{ head, handler, want string }{
		"pi":                                   {piExtension, `(e) => { e.input.command = "safe" }`, `{"command":"safe","timeout":2000}`},
		"an extension of oh-my-pi":             {ompExtension, `(e) => { e.input.command = "safe" }`, `{"command":"safe","timeout":2000}`},
		"a hook of oh-my-pi":                   {ompHook, `(e) => { e.input.command = "safe" }`, ``},
		"after an answer that says nothing":    {piExtension, `(e) => { e.input.timeout = 5; return { block: false } }`, `{"command":"ls","timeout":5000}`},
		"another object in its place":          {piExtension, `(e) => { e.input = { command: "other" } }`, ``},
		"a returned input":                     {piExtension, `(e) => ({ input: { command: "other" } })`, ``},
		"a returned input and a changed one":   {piExtension, `(e) => { e.input.command = "safe"; return { input: 1 } }`, `{"command":"safe","timeout":2000}`},
		"nothing changed":                      {piExtension, `(e) => { e.input.command += "" }`, ``},
		"changed, then thrown":                 {piExtension, `(e) => { e.input.command = "safe"; throw new Error("no") }`, ``},
		"a later handler sees what came of it": {piExtension, `(e) => { e.input.command = e.input.command === "safe" ? "twice" : "safe" }`, `{"command":"twice","timeout":2000}`},
	} {
		t.Run(name, func(t *testing.T) {
			modules := []string{c.head + module("tool_call", c.handler)}
			if strings.HasPrefix(name, "a later handler") {
				modules = append(modules, modules[0])
			}
			in := &hook.PreToolUse{ToolName: "Bash", ToolInput: hook.RawJSON(`{"command":"ls","timeout":2000}`)}
			out := fire(t, engine(t, hook.NewRegistry(), modules...), in)
			if out.InputChanged != (c.want != "") || c.want != "" && out.UpdatedInput.Raw() != c.want {
				t.Errorf("changed %v: %s", out.InputChanged, out.UpdatedInput.Raw())
			}
			if c.head == ompHook && (len(out.Runs[0].Notes) != 1 || !strings.Contains(out.Runs[0].Notes[0], "event.input")) {
				t.Errorf("notes %q", out.Runs[0].Notes)
			}
		})
	}
}

func TestEditIsAListOfReplacements(t *testing.T) {
	in := &hook.PreToolUse{ToolName: "Edit", ToolInput: hook.RawJSON(`{"file_path":"f","old_string":"a","new_string":"b"}`)}
	out := fire(t, engine(t, hook.NewRegistry(), piExtension+module("tool_call", `(e) => { e.input.edits[0].newText = e.input.path + "!" }`)), in)
	if want := `{"file_path":"f","old_string":"a","new_string":"f!"}`; out.UpdatedInput.Raw() != want {
		t.Errorf("got %s, want %s", out.UpdatedInput.Raw(), want)
	}
}

func TestToolResultIsWhatTheModelReads(t *testing.T) {
	note := piExtension + module("tool_result", `(e) => ({ content: [...e.content, { type: "text", text: "seen " + (e.details === undefined) }] })`)
	in := &hook.PostToolUse{
		ToolName: "Edit", ToolInput: hook.RawJSON(`{"file_path":"f"}`), ToolResponse: hook.RawJSON(`{"filePath":"f","oldString":"a"}`),
		Content: hook.RawJSON(`[{"type":"text","text":"Changed f."}]`),
	}
	out := fire(t, engine(t, hook.NewRegistry(), note, note), in)
	if want := `{"content":[{"type":"text","text":"Changed f."},{"type":"text","text":"seen true"},{"type":"text","text":"seen true"}]}`; out.UpdatedOutput.Raw() != want {
		t.Errorf("got %s", out.UpdatedOutput.Raw())
	}
}

func TestToolResultOfFailedCalls(t *testing.T) {
	mend := module("tool_result", `(e) => ({ content: [{ type: "text", text: "mended: " + e.content[0].text }], isError: !e.isError })`)
	failed := func() *hook.PostToolUseFailure {
		return &hook.PostToolUseFailure{
			ToolName: "Bash", ToolResponse: hook.RawJSON(`{"stdout":"","stderr":"boom"}`), Error: "Exit code 3\nboom",
			Content: hook.RawJSON(`[{"type":"text","text":"Exit code 3\nboom"}]`),
		}
	}
	out := fire(t, engine(t, hook.NewRegistry(), piExtension+mend), failed())
	if want := `{"stdout":"mended: Exit code 3\nboom","stderr":""}`; out.UpdatedOutput.Raw() != want || out.IsError != hook.No {
		t.Errorf("got %s, error %v", out.UpdatedOutput.Raw(), out.IsError)
	}
	out = fire(t, engine(t, hook.NewRegistry(), piExtension+mend), &hook.PostToolUse{ToolName: "Bash", ToolResponse: hook.RawJSON(`{"stdout":"fine","stderr":""}`)})
	if want := `{"stdout":"mended: fine","stderr":""}`; out.UpdatedOutput.Raw() != want || out.IsError != hook.Yes {
		t.Errorf("got %s, error %v", out.UpdatedOutput.Raw(), out.IsError)
	}
	if out = fire(t, engine(t, hook.NewRegistry(), ompHook+mend), failed()); !out.UpdatedOutput.IsZero() || out.IsError != hook.Unset {
		t.Errorf("a hook of oh-my-pi only observes: %s, error %v", out.UpdatedOutput.Raw(), out.IsError)
	}
}

func TestACompactionStartsNoSession(t *testing.T) {
	e := engine(t, hook.NewRegistry(), module("session_start", `() => {}`))
	for source, want := range map[string]int{"startup": 1, "clear": 1, "resume": 1, "compact": 0} {
		if out := fire(t, e, &hook.SessionStart{Source: source}); len(out.Runs) != want {
			t.Errorf("%s: %d handlers ran", source, len(out.Runs))
		}
	}
}

// What pi's modules restore their state from is told when the session becomes another one.
func TestAForkStartsASession(t *testing.T) {
	both := piExtension + `export default (pi) => { for (const on of ["session_start", "session_shutdown"]) pi.on(on, () => {}); }`
	if out := fire(t, engine(t, hook.NewRegistry(), both), &hook.SessionBranch{}); len(out.Runs) != 2 || !strings.Contains(out.Runs[0].Hook.Name, "session_shutdown") {
		t.Errorf("the end of a session does not come first: %v", out.Runs)
	}
	said := `(e, ctx) => ({ block: true, reason: JSON.stringify(e) })`
	for head, want := range map[string]int{piExtension: 1, ompExtension: 0} {
		if out := fire(t, engine(t, hook.NewRegistry(), head+module("session_start", said)), &hook.SessionBranch{PreviousSession: "a.jsonl"}); len(out.Runs) != want {
			t.Errorf("%d handlers ran, want %d", len(out.Runs), want)
		}
	}
	for in, want := range map[hook.Input]string{
		&hook.SessionBranch{PreviousSession: "a.jsonl"}:                                                                     `{"type":"session_start","previousSessionFile":"a.jsonl","reason":"fork"}`,
		&hook.SessionBeforeBranch{EntryID: "e"}:                                                                             `{"type":"session_before_fork","entryId":"e","position":"at"}`,
		&hook.SessionStart{Source: "clear", PreviousSession: "a.jsonl"}:                                                     `{"type":"session_start","previousSessionFile":"a.jsonl","reason":"new"}`,
		&hook.SessionEnd{Reason: "new", TargetSession: "b.jsonl"}:                                                           `{"type":"session_shutdown","reason":"new","targetSessionFile":"b.jsonl"}`,
		&hook.SessionEnd{Reason: "other"}:                                                                                   `{"type":"session_shutdown","reason":"quit"}`,
		&hook.PostModelSwitch{FromModel: "f", FromRequested: "q/f", ToModel: "m", RequestedModel: "p/m", Source: "command"}: `{"type":"model_select","model":{"id":"m","name":"m","provider":"p"},"previousModel":{"id":"f","name":"f","provider":"q"},"source":"set"}`,
	} {
		name := map[hook.Event]string{hook.EventSessionEnd: "session_shutdown", hook.EventPostModelSwitch: "model_select", hook.EventSessionBeforeBranch: "session_before_fork"}[in.Event()]
		c, _ := newCodec(orElse(name, "session_start"), script.FamilyPi, script.KindExtension)
		if got, err := c.Encode(in); err != nil || !sameMembers(t, hook.RawJSON(got), hook.RawJSON(want)) {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
}

func TestEditHasItsDiff(t *testing.T) {
	note := piExtension + module("tool_result", `(e) => ({ content: [{ type: "text", text: e.details.firstChangedLine + "\n" + e.details.diff + "\n" + e.details.patch }] })`)
	out := fire(t, engine(t, hook.NewRegistry(), note), &hook.PostToolUse{
		ToolName: "Edit", ToolResponse: hook.RawJSON(`{"filePath":"f","structuredPatch":[{"oldStart":4,"oldLines":3,"newStart":4,"newLines":4,"lines":[" a","-b","+c","+d"," e"]},{"oldStart":20,"oldLines":1,"newStart":21,"newLines":0,"lines":["-"]}]}`),
		Content: hook.RawJSON(`[{"type":"text","text":"Changed f."}]`),
	})
	content, _ := out.UpdatedOutput.Get("content")
	if got, _ := plainText(content); got != "5\n 4 a\n-5 b\n+5 c\n+6 d\n 7 e\n...\n-20 \n--- f\n+++ f\n@@ -4,3 +4,4 @@\n a\n-b\n+c\n+d\n e\n@@ -20,1 +21,0 @@\n-\n" {
		t.Errorf("got %q", got)
	}
}

func TestUserBash(t *testing.T) {
	for handler, want := range map[string]string{
		`() => ({ result: { output: "out\n", exitCode: 0, cancelled: false, truncated: false } })`: `"out\n"`,
		`() => ({ result: { output: "out\n", exitCode: 3 } })`:                                     `"out\nCommand exited with code 3"`,
		`() => ({ result: { output: "", exitCode: 3 } })`:                                          `"Command exited with code 3"`,
	} {
		out := fire(t, engine(t, hook.NewRegistry(), piExtension+module("user_bash", handler)), &hook.UserBash{Command: "ls"})
		if out.UpdatedOutput.Raw() != want || out.Host == nil || !out.Host.Handled {
			t.Errorf("%s: got %s", handler, out.UpdatedOutput.Raw())
		}
	}
	// What would run the command elsewhere must not be passed by.
	out := fire(t, engine(t, hook.NewRegistry(), piExtension+module("user_bash", `() => ({ operations: { exec() {} } })`)), &hook.UserBash{Command: "ls"})
	if !out.Blocked() || !strings.Contains(out.Reason, "operations") {
		t.Errorf("outcome %+v", out)
	}
}
