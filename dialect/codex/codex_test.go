package codex_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hookline-dev/hookline/config"
	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/codex"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/hook/hooktest"
	"github.com/hookline-dev/hookline/trust"
)

var codec = codex.Dialect().Codec()

func Example() {
	in, _, err := codex.Dialect().Codec().DecodeInput([]byte(`{"hook_event_name":"PreToolUse","turn_id":"t","tool_name":"apply_patch",
		"cwd":"/repo","tool_input":{"command":"*** Begin Patch\n*** Delete File: a.go\n*** End Patch"}}`))
	fmt.Println(err)
	for _, call := range codex.Dialect().Codec().(dialect.Splitter).Split(in) {
		pre := call.(*hook.PreToolUse)
		fmt.Println(pre.ToolName, pre.ToolInput.String("file_path"))
	}
	// Output:
	// <nil>
	// Write /repo/a.go
}

// schemas are Codex's own, by the event, in the directory that the environment names.
func schemas(t *testing.T) map[string]*jsonschema.Resolved {
	dir := os.Getenv("HOOKLINE_FIXTURES")
	if dir == "" {
		t.Skip("HOOKLINE_FIXTURES names no directory with hosts/codex/schema")
	}
	out := map[string]*jsonschema.Resolved{}
	for _, name := range []string{"PreToolUse", "PermissionRequest", "PostToolUse", "PreCompact", "SessionStart", "Stop", "SubagentStart", "SubagentStop"} {
		var file strings.Builder
		for i, r := range name {
			if r >= 'A' && r <= 'Z' && i > 0 {
				file.WriteByte('-')
			}
			file.WriteString(strings.ToLower(string(r)))
		}
		data, err := os.ReadFile(filepath.Join(dir, "hosts", "codex", "schema", file.String()+".command.output.schema.json"))
		if err != nil {
			t.Fatal(err)
		}
		var s jsonschema.Schema
		if err := json.Unmarshal(data, &s); err != nil {
			t.Fatal(err)
		}
		if out[name], err = s.Resolve(nil); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestEveryAnswerIsOneThatCodexTakes puts every part of an answer beside every other: one
// member too many, and Codex goes on as if there had been no answer.
func TestEveryAnswerIsOneThatCodexTakes(t *testing.T) {
	all := schemas(t)
	n := 0
	for name, schema := range all {
		ev := codex.Dialect().EventsOf(name)[0]
		for _, p := range hook.AnswerParts() {
			for _, q := range hook.AnswerParts() {
				text := p.Example
				if p.Field != q.Field {
					text = strings.TrimSuffix(p.Example, "}") + "," + strings.TrimPrefix(q.Example, "{")
				}
				var r hook.Result
				if json.Unmarshal([]byte(text), &r) != nil || ev.Spec().Honours&(p.Field|q.Field) != p.Field|q.Field && (!p.Everywhere() || !q.Everywhere()) {
					continue
				}
				in, err := hook.UnmarshalInput(ev, []byte(`{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":"x"}`))
				if err != nil {
					t.Fatal(err)
				}
				out := hook.Outcome{
					Event: ev, Decision: r.Decision, Reason: r.Reason, Halt: r.Continue == hook.No, StopReason: r.StopReason, Context: r.Context,
					SuppressOutput: r.SuppressOutput, Interrupt: r.Interrupt, UpdatedInput: r.UpdatedInput, UpdatedOutput: r.UpdatedOutput, FollowUps: r.FollowUps,
					KeepGoing: r.Continue == hook.Yes || r.Decision == hook.DecisionDeny && ev.Spec().KeepsGoing(), PermissionUpdates: r.PermissionUpdates,
				}
				if r.Notice != "" {
					out.Notices = []string{r.Notice}
				}
				a, _, err := codec.EncodeOutcome(in, &out)
				var v any
				if err == nil {
					err = json.Unmarshal(a.Stdout, &v)
				}
				if err == nil {
					err = schema.Validate(v)
				}
				if err != nil || a.ExitCode != 0 {
					t.Errorf("%s, %s: %s: %v", name, text, a.Stdout, err)
				}
				n++
			}
		}
	}
	if n < 200 {
		t.Errorf("only %d answers were tried", n)
	}
}

// TestRecordedPayloads reads what Codex sent, and gives it to hooks of the dialect as it
// was.
func TestRecordedPayloads(t *testing.T) {
	payloads := []string{
		`{"session_id":"s","transcript_path":null,"cwd":"/repo","hook_event_name":"SessionStart","model":"gpt-5","permission_mode":"default","source":"startup"}`,
		`{"session_id":"s","transcript_path":null,"cwd":"/repo","hook_event_name":"PostToolUse","model":"gpt-5","permission_mode":"default","turn_id":"t","agent_id":"a","agent_type":"explore","tool_name":"Bash","tool_use_id":"u","tool_input":{"command":"echo ok","n":12345678901234567890},"tool_response":"ok\n"}`,
		`{"session_id":"s","transcript_path":null,"cwd":"/repo","hook_event_name":"SubagentStop","model":"gpt-5","permission_mode":"default","turn_id":"t","agent_id":"a","agent_type":"explore","agent_transcript_path":null,"stop_hook_active":false,"last_assistant_message":null}`,
	}
	if dir := os.Getenv("HOOKLINE_FIXTURES"); dir != "" {
		data, err := os.ReadFile(filepath.Join(dir, "hosts", "codex", "inputs.json"))
		var more []json.RawMessage
		if err := cmp.Or(err, json.Unmarshal(data, &more)); err != nil {
			t.Fatal(err)
		}
		for _, p := range more {
			payloads = append(payloads, string(p))
		}
	}
	for _, p := range payloads {
		in, notes, err := codec.DecodeInput([]byte(p))
		if err != nil || len(notes) > 0 {
			t.Errorf("%s: %v %q", p, err, notes)
			continue
		}
		back, err := codec.EncodeInput(&hook.Call{Input: in})
		if err != nil {
			t.Error(err)
		}
		want, got := hook.RawJSON(p), hook.RawJSON(back)
		for _, key := range want.Keys() {
			w, _ := want.Get(key)
			g, ok := got.Get(key)
			if w.Raw() != "null" && g != w && (ok || key != "model") {
				t.Errorf("%s became %s in %s", w.Raw(), g.Raw(), back)
			}
		}
		if d := dialect.Recognise([]dialect.Dialect{codex.Dialect()}, want); d == nil {
			t.Errorf("%s is not recognised", p)
		}
	}
}

func TestCodecKeepsTheRules(t *testing.T) {
	events := []hook.Event{hook.EventSessionStart, hook.EventUserPromptSubmit, hook.EventPreToolUse, hook.EventPostToolUse}
	hooktest.TestCodec(t, hooktest.Codec{
		Events:      events,
		EncodeInput: func(in hook.Input) ([]byte, error) { return codec.EncodeInput(&hook.Call{Input: in}) },
		DecodeInput: func(data []byte) (hook.Input, error) { in, _, err := codec.DecodeInput(data); return in, err },
		EncodeOutcome: func(in hook.Input, out *hook.Outcome) ([]byte, []byte, int, error) {
			out.KeepGoing = in.Event().Spec().KeepsGoing() && out.Decision == hook.DecisionDeny
			a, _, err := codec.EncodeOutcome(in, out)
			return a.Stdout, a.Stderr, a.ExitCode, err
		},
		DecodeResult: func(in hook.Input, stdout, stderr []byte, exit int) (hook.Result, error) {
			r, _, err := codec.DecodeResult(&hook.Call{Input: in}, handler.Answer{Stdout: stdout, Stderr: stderr, ExitCode: exit})
			return r, err
		},
		Input: func(ev hook.Event) hook.Input {
			in, err := hook.UnmarshalInput(ev, []byte(`{"session_id":"s","cwd":"/w","prompt_id":"t","source":"startup","prompt":"p","tool_name":"Bash","tool_input":{"command":"ls"},
				"tool_use_id":"u","tool_response":{"stdout":"x","stderr":"","interrupted":false,"isImage":false},"last_assistant_message":"m","stop_hook_active":true}`))
			if err != nil {
				t.Fatal(err)
			}
			if pre, ok := in.(*hook.SessionStart); ok {
				pre.PromptID = ""
			}
			return in
		},
	})
}

func TestAnswersOfHooks(t *testing.T) {
	pre := &hook.PreToolUse{ToolName: "Bash", ToolInput: hook.RawJSON(`{"command":"ls"}`)}
	write := &hook.PreToolUse{ToolName: "Write", ToolInput: hook.RawJSON(`{"file_path":"/a","content":"x\n"}`)}
	specific := func(members string) string {
		return `{"hookSpecificOutput":{"hookEventName":"PreToolUse",` + members + `}}`
	}
	for _, tt := range []struct {
		name           string
		in             hook.Input
		stdout, stderr string
		exit           int
		want           hook.Result
		fails          string
	}{
		{name: "a deny", in: pre, stdout: specific(`"permissionDecision":"deny","permissionDecisionReason":"no"`), want: hook.Deny("no")},
		{name: "an unknown member voids an answer", in: pre, stdout: specific(`"permissionDecision":"allow","updatedInput":{"command":"x"},"more":1`), fails: "unknown key"},
		{name: "but not a refusal", in: pre, stdout: specific(`"permissionDecision":"deny","permissionDecisionReason":"no","more":1`), want: hook.Deny("no")},
		{name: "there is no question", in: pre, stdout: specific(`"permissionDecision":"ask"`), fails: "allow or deny"},
		{name: "exit code 2", in: pre, exit: 2, stderr: "no\n", want: hook.Deny("no")},
		{name: "exit code 1", in: pre, exit: 1, stderr: "boom", fails: "exit code 1: boom"},
		{name: "a deny that is cut off", in: pre, stdout: `{"decision":"block","rea`, fails: "not one JSON object"},
		{name: "a deny behind noise", in: pre, stdout: "checking\n" + `{"decision":"block","reason":"no"}`, fails: "not one JSON object"},
		{name: "two decisions", in: pre, stdout: `{"decision":"block","decision":null}`, fails: "duplicate key"},
		{name: "another event's", in: pre, stdout: `{"hookSpecificOutput":{"hookEventName":"Stop"}}`, fails: "the event is PreToolUse"},
		{name: "a command that is none", in: pre, stdout: specific(`"permissionDecision":"allow","updatedInput":{"cmd":"x"}`), fails: "string command"},
		{
			name: "a patch is the input of a write", in: write, stdout: specific(`"permissionDecision":"allow","updatedInput":{"command":"*** Begin Patch\n*** Add File: /b\n+y\n*** End Patch"}`),
			want: hook.Result{Decision: hook.DecisionAllow, UpdatedInput: hook.RawJSON(`{"file_path":"/b","content":"y\n"}`)},
		},
		{name: "a patch of another kind", in: write, stdout: specific(`"permissionDecision":"allow","updatedInput":{"command":"*** Update File: /b\n-y"}`), fails: "the patch is a Edit"},
		{name: "a stop that is not to be", in: &hook.Stop{}, stdout: `{"decision":"block","reason":"run the tests"}`, want: hook.Deny("run the tests")},
		{name: "text is context where a session starts", in: &hook.SessionStart{}, stdout: "hello", want: hook.Result{Context: []string{"hello"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := codec.DecodeResult(&hook.Call{Input: tt.in}, handler.Answer{Stdout: []byte(tt.stdout), Stderr: []byte(tt.stderr), ExitCode: tt.exit})
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("%+v, %v", got, err)
				}
				return
			}
			if err != nil || fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", tt.want) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

const patch = `*** Begin Patch
*** Update File: a.go
@@ func main
 one
-two
+three
*** Add File: dir/b.txt
+hello
*** Update File: c.go
*** Move to: d.go
@@
-x
+y
*** Delete File: e.go
*** End Patch`

func TestPatchIsACallForEachFile(t *testing.T) {
	in := &hook.PreToolUse{Common: hook.Common{CWD: "/repo"}, ToolName: "apply_patch", ToolInput: hook.MustJSON(map[string]string{"command": patch})}
	split := codec.(dialect.Splitter)
	calls := split.Split(in)
	var got []string
	for _, c := range calls {
		pre := c.(*hook.PreToolUse)
		got = append(got, pre.ToolName+" "+filepath.ToSlash(pre.ToolInput.String("file_path")))
	}
	want := []string{"Edit /repo/a.go", "Write /repo/dir/b.txt", "Edit /repo/c.go", "Edit /repo/d.go", "Write /repo/e.go"}
	if !slices.Equal(got, want) {
		t.Fatalf("%q", got)
	}
	if pre := calls[0].(*hook.PreToolUse); pre.ToolInput.String("old_string") != "one\ntwo" || pre.ToolInput.String("new_string") != "one\nthree" {
		t.Errorf("%s", pre.ToolInput.Raw())
	}
	if same, err := split.Join(in, calls); err != nil || same.String("command") != patch {
		t.Errorf("what nobody touched changed: %v\n%s", err, same.String("command"))
	}
	calls[1].(*hook.PreToolUse).ToolInput.SetString("content", "[redacted]\n")
	calls[0].(*hook.PreToolUse).ToolInput.SetString("new_string", "one\nfour")
	joined, err := split.Join(in, calls)
	wantPatch := strings.NewReplacer("+hello", "+[redacted]", " one\n-two\n+three", "-one\n-two\n+one\n+four").Replace(patch)
	if err != nil || joined.String("command") != wantPatch {
		t.Errorf("%v\n%s", err, joined.String("command"))
	}
	calls[3].(*hook.PreToolUse).ToolInput.SetString("new_string", "z")
	if _, err := split.Join(in, calls); err == nil {
		t.Error("a file that moves was changed too")
	}
	if _, err := split.Join(in, calls[:2]); err == nil {
		t.Error("a call is missing")
	}
}

// TestPatchThatIsOddHidesNoFile: what the host may still take is seen.
func TestPatchThatIsOddHidesNoFile(t *testing.T) {
	for _, text := range []string{
		"<<'EOF'\n*** Begin Patch\n*** Add File: secret\n+x\n*** End Patch\nEOF", "*** Add File: secret", "  *** Begin Patch  \r\n  *** Delete File: secret\r\n*** End Patch\r\n",
		"*** Begin Patch\n*** Environment ID: x\n*** Update File: a\n*** Move to: secret\n", "*** Update File: secret\n+no anchor\n*** Update File: secret\n@@\n",
	} {
		in := &hook.PreToolUse{ToolName: "apply_patch", ToolInput: hook.MustJSON(map[string]string{"command": text})}
		if !slices.ContainsFunc(codec.(dialect.Splitter).Split(in), func(c hook.Input) bool {
			return c.(*hook.PreToolUse).ToolInput.String("file_path") == "secret"
		}) {
			t.Errorf("%q hides its file", text)
		}
	}
}

func FuzzDecodeInput(f *testing.F) {
	f.Add([]byte(`{"hook_event_name":"PreToolUse","tool_name":"apply_patch","tool_input":{"command":"*** Add File: a\n+b"}}`))
	f.Add([]byte(`{"hook_event_name":7}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		in, _, err := codec.DecodeInput(data)
		if err != nil {
			return
		}
		split := codec.(dialect.Splitter)
		if calls := split.Split(in); calls != nil {
			_, _ = split.Join(in, calls)
		}
		if _, err := codec.EncodeInput(&hook.Call{Input: in}); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzDecodeResult(f *testing.F) {
	f.Add([]byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"*** Add File: a"}}}`), 0)
	f.Fuzz(func(t *testing.T, stdout []byte, exit int) {
		in := &hook.PreToolUse{ToolName: "Write", ToolInput: hook.RawJSON(`{"file_path":"a","content":"b"}`)}
		r, _, err := codec.DecodeResult(&hook.Call{Input: in}, handler.Answer{Stdout: stdout, ExitCode: exit})
		if err == nil && r.Decision == hook.DecisionAllow && exit == 2 {
			t.Fatalf("%q with exit code 2 was read as an allow", stdout)
		}
	})
}

// TestARefusalTakesTheResultsPlace holds what Codex 0.171.0 does: its model reads the reason
// of a PostToolUse hook's block in place of the output.
func TestARefusalTakesTheResultsPlace(t *testing.T) {
	in := &hook.PostToolUse{ToolName: "Bash", ToolInput: hook.RawJSON(`{"command":"env"}`), ToolResponse: hook.MustJSON("secret")}
	out := &hook.Outcome{Event: hook.EventPostToolUse, UpdatedOutput: hook.RawJSON(`{"stdout":"hidden","stderr":""}`)}
	a, notes, err := codex.Dialect().Codec().EncodeOutcome(in, out)
	if got := strings.TrimSpace(string(a.Stdout)); err != nil || len(notes) > 0 || got != `{"decision":"block","reason":"hidden"}` {
		t.Errorf("it became %s, %q, %v", got, notes, err)
	}
}

// TestHooksOfTheSettingsAreRead reads those of config.toml as those of hooks.json. Settings
// that cannot be read are guards that fail.
func TestHooksOfTheSettingsAreRead(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, ".codex", "config.toml")
	find := func(text string) ([]dialect.Found, []diag.Diagnostic) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return codex.Dialect().Finder(&dialect.Kit{
			Dirs: dialect.Dirs{Home: home}, Config: &config.Config{Dialects: []string{codex.Name}}, Gate: trust.NewGate(trust.GateOptions{}),
			Last: func() []dialect.Found { return nil }, HeldFile: func(string) bool { return false },
		}).Find(t.Context())
	}
	settings := "model = \"m\"\n[hooks.state.\"/x:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:00\"\n[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = %s\ntimeout = 7\n"
	found, diags := find(fmt.Sprintf(settings, `"./guard"`))
	if len(found) != 1 || len(diags) > 0 {
		t.Fatalf("%+v %v", found, diags)
	}
	if f := found[0]; f.Command != "./guard" || f.Matcher != "Bash" || f.Registration.Timeout != 7*time.Second || f.Source != path {
		t.Errorf("%+v", f)
	}
	if found, diags = find("model = \"m\"\n"); len(found)+len(diags) > 0 {
		t.Errorf("there are no hooks: %v %v", found, diags)
	}
	for _, broken := range []string{"[[hooks.PreToolUse]", fmt.Sprintf(settings, "7")} {
		found, diags := find(broken)
		if len(diags) == 0 || !slices.ContainsFunc(found, func(f dialect.Found) bool {
			return f.Event == hook.EventPreToolUse && f.Status == dialect.Broken
		}) {
			t.Errorf("%q: %v %v", broken, found, diags)
		}
	}
}

func TestWhatCodexDidNotApproveIsTold(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "hooks.json")
	entry := `[{"hooks":[{"type":"command","command":"./own"},{"type":"command","command":"client` + dialect.BridgeMark + `"}]}]`
	put := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(path, `{"hooks":{"Stop":`+entry+`,"PreToolUse":`+entry+`,"SessionStart":`+entry+`}}`)
	row := codex.Dialect().(dialect.Hosted).Hosts()[0]
	getenv := func(name string) string { return map[string]string{"CODEX_HOME": home}[name] }
	for _, tt := range []struct{ settings, want string }{
		{"", "PreToolUse SessionStart Stop"},
		{"[hooks.state.'%s:pre_tool_use:0:1']\ntrusted_hash='sha256:1'\n[hooks.state.'%[1]s:stop:0:0']\ntrusted_hash='sha256:2'\n" +
			"[hooks.state.'%[1]s:session_start:0:1']\ntrusted_hash='sha256:3'\nenabled=false\n", "SessionStart Stop"},
	} {
		if tt.settings != "" {
			put(filepath.Join(home, "config.toml"), fmt.Sprintf(tt.settings, path))
		}
		got, err := row.Unapproved(dialect.Dirs{}, getenv, path)
		if err != nil || strings.Join(got, " ") != tt.want {
			t.Errorf("%q: %v, %v", tt.settings, got, err)
		}
	}
	put(filepath.Join(home, "config.toml"), "[hooks")
	if _, err := row.Unapproved(dialect.Dirs{}, getenv, path); err == nil {
		t.Error("settings that cannot be read say nothing")
	}
}
