package claude_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/handler/command"
	"github.com/hookline-dev/hookline/handler/httpcall"
	"github.com/hookline-dev/hookline/handler/prompt"
	"github.com/hookline-dev/hookline/hook"
)

func parse(t testing.TB, opts claude.Options, text string) *claude.Settings {
	t.Helper()
	name := opts.Scope.String()
	if opts.Plugin != nil {
		name = opts.Plugin.Name
	}
	s, _ := claude.ParseSettings(name+".json", []byte(text), opts)
	return s
}

func names(regs []hook.Registration) string {
	var out []string
	for _, r := range regs {
		out = append(out, r.Name)
	}
	return strings.Join(out, " ")
}

func TestDeclaredOrder(t *testing.T) {
	named := func(name string) string {
		return events(group(`{"type":"command","command":"x","name":"` + name + `1"},{"type":"command","command":"y","name":"` + name + `2"}`))
	}
	plugin := func(name string) *claude.Settings {
		return parse(t, claude.Options{Scope: claude.ScopePlugin, Plugin: &claude.Plugin{Name: name}}, named(""))
	}
	set := claude.NewSet(
		plugin("b"), parse(t, claude.Options{Scope: claude.ScopeLocal}, named("l")), plugin("a"), parse(t, claude.Options{Scope: claude.ScopeUser}, named("u")),
		parse(t, claude.Options{Scope: claude.ScopeProject}, named("p")), parse(t, claude.Options{Scope: claude.ScopeManaged}, named("m")),
	)
	regs, diags := set.Registrations(claude.Builder{})
	if got := names(regs); got != "m1 m2 u1 u2 p1 p2 l1 l2 a: 1 a: 2 b: 1 b: 2" || len(diags) > 0 {
		t.Errorf("%s %q", got, diags)
	}
	if r := regs[8]; r.Scope != "plugin" || r.Dialect != "claude" || r.Source != "a.json:1" || r.Matcher.String() != "Bash" {
		t.Errorf("%+v", r)
	}
}

func TestSwitches(t *testing.T) {
	body := `"hooks":{` + group(good) + `}`
	for _, tt := range []struct {
		name                           string
		managed, user, project, plugin string
		runs                           string
		pluginForced                   bool
	}{
		{name: "none", runs: "managed user project plugin"},
		{name: "user disables all", user: `"disableAllHooks":true,`, runs: "managed"},
		{name: "user disables all but forced plugins", user: `"disableAllHooks":true,`, pluginForced: true, runs: "managed plugin"},
		{name: "project disables its own", project: `"disableAllHooks":true,`, runs: "managed user plugin"},
		{name: "plugin disables its own", plugin: `"disableAllHooks":true,`, runs: "managed user project"},
		{name: "managed disables all", managed: `"disableAllHooks":true,`, runs: ""},
		{name: "managed only", managed: `"allowManagedHooksOnly":true,`, runs: "managed"},
		{name: "managed only, as a project says", project: `"allowManagedHooksOnly":true,`, runs: "managed user project plugin"},
		{name: "managed only, unreadable", managed: `"allowManagedHooksOnly":"yes",`, runs: "managed"},
		{name: "plugins only", managed: `"strictPluginOnlyCustomization":true,`, runs: "managed plugin"},
	} {
		set := claude.NewSet(
			parse(t, claude.Options{Scope: claude.ScopeManaged}, "{"+tt.managed+body+"}"), parse(t, claude.Options{Scope: claude.ScopeUser}, "{"+tt.user+body+"}"),
			parse(t, claude.Options{Scope: claude.ScopeProject}, "{"+tt.project+body+"}"),
			parse(t, claude.Options{Scope: claude.ScopePlugin, Plugin: &claude.Plugin{Name: "p", Forced: tt.pluginForced}}, "{"+tt.plugin+body+"}"),
		)
		regs, _ := set.Registrations(claude.Builder{})
		var runs []string
		for _, r := range regs {
			if r.Inactive == "" {
				runs = append(runs, r.Scope)
			} else if !strings.Contains(r.Inactive, "is set in") {
				t.Errorf("%s: %s: %q", tt.name, r.Scope, r.Inactive)
			}
		}
		if got := strings.Join(runs, " "); got != tt.runs {
			t.Errorf("%s: %q run, want %q", tt.name, got, tt.runs)
		}
	}
}

func TestDefaultTimes(t *testing.T) {
	for _, tt := range []struct {
		event, hook string
		want        time.Duration
	}{
		{"PreToolUse", good, 600 * time.Second},
		{"PreToolUse", `{"type":"http","url":"http://e.com"}`, 600 * time.Second},
		{"PreToolUse", `{"type":"mcp_tool","server":"s","tool":"t"}`, 600 * time.Second},
		{"PreToolUse", `{"type":"prompt","prompt":"p"}`, 30 * time.Second},
		{"PreToolUse", `{"type":"agent","prompt":"p"}`, 60 * time.Second},
		{"UserPromptSubmit", good, 30 * time.Second},
		{"UserPromptSubmit", `{"type":"agent","prompt":"p"}`, 30 * time.Second},
		{"PreModelSwitch", good, 30 * time.Second},
		{"PostModelSwitch", good, 30 * time.Second},
		{"MessageDisplay", good, 10 * time.Second},
		{"UserPromptSubmit", `{"type":"command","command":"x","timeout":300}`, 300 * time.Second},
	} {
		regs, _ := parse(t, claude.Options{Scope: claude.ScopeUser}, events(`"`+tt.event+`":[{"hooks":[`+tt.hook+`]}]`)).Registrations(claude.Builder{})
		if len(regs) != 1 || regs[0].Timeout != tt.want {
			t.Errorf("%s %s: %v, want %v", tt.event, tt.hook, regs[0].Timeout, tt.want)
		}
	}
	regs, _ := parse(t, claude.Options{Scope: claude.ScopeUser}, events(group(`{"type":"command","command":"a","async":true},{"type":"command","command":"b","async":true,"timeout":7},{"type":"command","command":"c","asyncRewake":true}`))).Registrations(claude.Builder{})
	for i, want := range []struct {
		mode hook.AsyncMode
		d    time.Duration
	}{{hook.AsyncYes, 0}, {hook.AsyncYes, 7 * time.Second}, {hook.AsyncRewake, 600 * time.Second}} {
		if regs[i].Async != want.mode || regs[i].AsyncTimeout != want.d {
			t.Errorf("async %d: %v %v", i, regs[i].Async, regs[i].AsyncTimeout)
		}
	}
}

// commands returns the handlers that a builder makes of commands.
func commands(t *testing.T, b claude.Builder, files ...*claude.Settings) (out []*command.Hook, diags string) {
	t.Helper()
	regs, list := claude.NewSet(files...).Registrations(b)
	for _, r := range regs {
		if h, ok := dialect.Innermost(r.Handler).(*command.Hook); ok {
			out = append(out, h)
		}
	}
	return out, fmt.Sprint(list)
}

func TestEnvironmentOfCommands(t *testing.T) {
	plugin := &claude.Plugin{Name: "p", Root: "/plugins/p", Data: "/data/p", Config: map[string]string{"api-url": "http://x"}}
	b := claude.Builder{
		ProjectDir: "/project", StartDir: "/start", Home: "/home/me", Entrypoint: "cli", Remote: true,
		EnvFile: func(call *hook.Call) string { return "/env/" + call.Input.Base().SessionID }, Traceparent: func(*hook.Call) string { return "00-1-2-01" },
	}
	text := `{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"x","env":{"MINE":"1"}}]}]}}`
	got, diags := commands(t, b, parse(t, claude.Options{Scope: claude.ScopePlugin, Plugin: plugin}, text))
	if len(got) != 1 {
		t.Fatal(diags)
	}
	env := func(in hook.Input) map[string]string {
		out := map[string]string{}
		for _, kv := range got[0].Env(&hook.Call{Hook: &hook.Info{}, Input: in}) {
			k, v, _ := strings.Cut(kv, "=")
			out[k] = v
		}
		return out
	}
	common := hook.Common{SessionID: "s1", Effort: &hook.Effort{Level: "high"}}
	e := env(&hook.SessionStart{Common: common})
	for k, want := range map[string]string{
		"CLAUDE_PROJECT_DIR": "/project", "CLAUDE_PLUGIN_ROOT": "/plugins/p", "CLAUDE_PLUGIN_DATA": "/data/p", "CLAUDE_PLUGIN_OPTION_API_URL": "http://x",
		"CLAUDE_ENV_FILE": "/env/s1", "CLAUDE_CODE_SESSION_ID": "s1", "CLAUDECODE": "1", "CLAUDE_CODE_CHILD_SESSION": "1",
		"CLAUDE_CODE_ENTRYPOINT": "cli", "CLAUDE_EFFORT": "high", "CLAUDE_CODE_REMOTE": "true", "TRACEPARENT": "00-1-2-01", "MINE": "1",
	} {
		if e[k] != want {
			t.Errorf("%s=%q, want %q", k, e[k], want)
		}
	}
	if e["CLAUDE_PID"] == "" {
		t.Error("no CLAUDE_PID")
	}
	if _, ok := env(&hook.PreToolUse{Common: common})["CLAUDE_ENV_FILE"]; ok {
		t.Error("CLAUDE_ENV_FILE on PreToolUse")
	}
	other, _ := commands(t, b, parse(t, claude.Options{Scope: claude.ScopeUser}, events(group(`{"type":"command","command":"x","env":{"CLAUDE_PROJECT_DIR":"/other"}}`))))
	if env := other[0].Env(&hook.Call{Input: bash()}); env[0] != "CLAUDE_PROJECT_DIR=/other" || !slices.Contains(env[1:], "CLAUDE_PROJECT_DIR=/project") {
		t.Errorf("what is set here does not come last: %q", env)
	}
	b.Commands.Base = []string{"PATH=/bin", "OTEL_SERVICE_NAME=x"}
	if without, _ := commands(t, b, parse(t, claude.Options{Scope: claude.ScopeUser}, events(group(good)))); slices.ContainsFunc(without[0].Base, func(kv string) bool { return strings.HasPrefix(kv, "OTEL_") }) {
		t.Errorf("inherits %q", without[0].Base)
	}
	if got[0].Origin == "" || !slices.Equal(got[0].Dirs[:3], []string{"/start", "/project", "/home/me"}) {
		t.Errorf("%+v", got[0])
	}
}

func TestVariablesInCommands(t *testing.T) {
	plugin := &claude.Plugin{Name: "p", Root: "/plugins/p", Config: map[string]string{"key": "v"}}
	s := parse(t, claude.Options{Scope: claude.ScopePlugin, Plugin: plugin}, events(group(
		`{"type":"command","command":"${CLAUDE_PLUGIN_ROOT}/x.sh"},`+
			`{"type":"command","command":"${CLAUDE_PLUGIN_ROOT}/x","args":["${user_config.key}"]},`+
			`{"type":"command","command":"& ${CLAUDE_PLUGIN_ROOT}/x.ps1 ${other} ${CLAUDE_PROJECT_DIR","shell":"powershell"}`)))
	got, _ := commands(t, claude.Builder{ProjectDir: "/project"}, s)
	if got[0].Command != "${CLAUDE_PLUGIN_ROOT}/x.sh" {
		t.Errorf("a value was put into a line for a shell: %q", got[0].Command)
	}
	if got[1].Vars["user_config.key"] != "v" || got[1].Vars["CLAUDE_PLUGIN_ROOT"] != "/plugins/p" {
		t.Errorf("%+v", got[1].Vars)
	}
	if want := "& ${env:CLAUDE_PLUGIN_ROOT}/x.ps1 ${other} ${CLAUDE_PROJECT_DIR"; got[2].Command != want {
		t.Errorf("%q, want %q", got[2].Command, want)
	}
	s = parse(t, claude.Options{Scope: claude.ScopePlugin, Plugin: plugin}, events(group(`{"type":"command","command":"x","args":["${user_config.none}"]}`)))
	regs, diags := s.Registrations(claude.Builder{})
	_, err := regs[0].Handler.Handle(t.Context(), &hook.Call{Input: bashCall("ls")})
	if f, ok := errors.AsType[*hook.Failure](err); !ok || f.Kind != hook.FailureLoad || len(diags) != 1 {
		t.Errorf("%v %q", err, diags)
	}
}

func TestLimitsOfHTTPHooks(t *testing.T) {
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Authorization")+"|"+r.Header.Get("X-Other"))
		fmt.Fprint(w, `{"decision":"block","reason":"over http"}`)
	}))
	defer server.Close()
	t.Setenv("HOOK_TOKEN", "secret")
	t.Setenv("HOOK_OTHER", "other")
	entry := events(group(`{"type":"http","url":"` + server.URL + `/h","headers":{"Authorization":"Bearer $HOOK_TOKEN","X-Other":"$HOOK_OTHER"},"allowedEnvVars":["HOOK_TOKEN","HOOK_OTHER"]}`))
	for _, tt := range []struct {
		name, user string
		denied     bool
	}{
		{"no list", `{}`, true},
		{"a list that lets it through", `{"allowedHttpHookUrls":["` + server.URL + `/*"],"httpHookAllowedEnvVars":["HOOK_TOKEN"]}`, true},
		{"an empty list", `{"allowedHttpHookUrls":[]}`, false},
		{"another list", `{"allowedHttpHookUrls":["https://example.com/*"]}`, false},
		{"a list that cannot be read", `{"allowedHttpHookUrls":true}`, false},
	} {
		got = nil
		p := newProject(t).settings(claude.ScopeUser, tt.user).settings(claude.ScopeProject, entry)
		client := &httpcall.Client{}
		p.b.HTTP.Client = client
		out, ran := p.call("ls")
		client.Close()
		if ran == tt.denied || (len(got) > 0) != tt.denied {
			t.Errorf("%s: ran %v, requests %q: %s", tt.name, ran, got, allNotes(out))
		}
		if strings.Contains(tt.user, "HOOK_TOKEN") && (len(got) != 1 || got[0] != "Bearer secret|") {
			t.Errorf("%s: headers %q", tt.name, got)
		}
	}
	// A project may narrow the person's list for its own hooks and not widen it,
	// and has no say over hooks of the person.
	user := parse(t, claude.Options{Scope: claude.ScopeUser}, `{"allowedHttpHookUrls":["https://a.com/*"]}`)
	for list, may := range map[string]bool{`["*"]`: true, `[]`: false} {
		project := parse(t, claude.Options{Scope: claude.ScopeProject}, `{"allowedHttpHookUrls":`+list+`}`)
		set := claude.NewSet(user, project)
		for _, tt := range []struct {
			of   *claude.Settings
			url  string
			want bool
		}{{project, "https://b.com/x", false}, {project, "https://a.com/x", may}, {user, "https://a.com/x", true}, {user, "https://b.com/x", false}} {
			if ok := set.URLAllowed(tt.of, tt.url); ok != tt.want {
				t.Errorf("with %s in the project: %s of %v is let through: %v", list, tt.url, tt.of.Scope, ok)
			}
		}
	}
}

type model string

func (m model) Complete(context.Context, prompt.Request) (string, error) { return string(m), nil }

func TestPromptHooks(t *testing.T) {
	entry := events(group(`{"type":"prompt","prompt":"fine?"}`))
	p := newProject(t).settings(claude.ScopeUser, entry)
	if out, ran := p.call("ls"); !ran || out.Runs[0].Status != hook.StatusFailed {
		t.Errorf("without a model: ran %v, %v", ran, out.Runs[0].Status)
	}
	p = newProject(t).settings(claude.ScopeUser, entry)
	p.b.Model = model(`{"ok":false,"reason":"not fine"}`)
	if out, ran := p.call("ls"); ran || out.Reason != "not fine" {
		t.Errorf("ran %v, %q", ran, out.Reason)
	}
	asking := `{"hooks":{"%v":[{"hooks":[{"type":"prompt","prompt":"fine?"%s}]}]}}`
	for _, in := range []hook.Input{&hook.PostToolUse{ToolName: "Edit"}, &hook.PreToolUse{ToolName: "Edit"}, &hook.UserPromptSubmit{}, &hook.Stop{}} {
		for _, extra := range []string{"", `,"continueOnBlock":true`} {
			p := newProject(t).settings(claude.ScopeUser, fmt.Sprintf(asking, in.Event(), extra))
			p.b.Model = model(`{"ok":false,"reason":"not fine"}`)
			halts := extra == "" && in.Event() != hook.EventStop
			if out := p.fire(in); out.Halt != halts || out.Reason != "not fine" {
				t.Errorf("%v %q: halt %v, reason %q", in.Event(), extra, out.Halt, out.Reason)
			}
		}
	}
}

func TestAgentHooksBelongToTheirAgent(t *testing.T) {
	src := []byte("---\nname: reviewer\nhooks:\n  Stop:\n    - hooks:\n        - {type: command, command: 'exit 2'}\n---\n")
	s, _ := claude.ParseFrontmatter("reviewer.md", src, claude.Options{Scope: claude.ScopeAgent})
	if regs, _ := s.Registrations(claude.Builder{}); len(regs) != 0 {
		t.Errorf("%d registrations without the agent", len(regs))
	}
	regs, _ := s.Registrations(claude.Builder{AgentID: "a1"})
	if len(regs) != 1 || regs[0].AgentID != "a1" || regs[0].Event != hook.EventSubagentStop {
		t.Errorf("%+v", regs)
	}
}

func TestGuardSeesTheFinalInput(t *testing.T) {
	p := newProject(t).settings(claude.ScopeUser, `{"hooks":{"PreToolUse":[{"hooks":[
		{"type":"command","name":"guard","guard":true,"command":"grep -q evil && exit 2; exit 0"},
		{"type":"command","name":"rewriter","command":"cat >/dev/null; echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"updatedInput\":{\"command\":\"evil\"}}}'"}]}]}}`)
	if out, ran := p.call("good"); ran {
		t.Errorf("the rewritten call went on: %s", allNotes(out))
	}
}

func TestLabels(t *testing.T) {
	for entry, want := range map[string]string{
		`{"type":"command","command":"a\n\tb\u001b[2J","args":["c"]}`:             `a b\x1b[2J c`,
		`{"type":"command","command":"x","name":"n"}`:                             "n",
		`{"type":"command","command":"x","name":"n\u200b"}`:                       `n\u{200B}`,
		`{"type":"command","command":"x","name":"\u001b[31mn\nm  o"}`:             `\x1b[31mn\nm  o`,
		`{"type":"http","url":"https://me:secret@e.com/h"}`:                       "https://e.com/h",
		`{"type":"mcp_tool","server":"s","tool":"t"}`:                             "s/t",
		`{"type":"prompt","prompt":"p"}`:                                          "p",
		`{"type":"command","command":"` + strings.Repeat("x", 99) + `/guard.py"}`: strings.Repeat("x", 20) + "..." + strings.Repeat("x", 28) + "/guard.py",
	} {
		s := parse(t, claude.Options{Scope: claude.ScopeUser}, events(group(entry)))
		if got := s.Entries[0].Label(); got != want {
			t.Errorf("%s: %q, want %q", entry, got, want)
		}
	}
}

func TestBrokenGuardThatAskedToBlock(t *testing.T) {
	p := newProject(t).settings(claude.ScopeProject, events(group(`{"type":"command","command":"x","timeout":0,"onFailure":"block"}`)))
	if out, ran := p.call("ls"); ran {
		t.Errorf("the call went on: %s", allNotes(out))
	}
}

func TestCallThatCannotBeTold(t *testing.T) {
	fails := hook.HandlerFunc(func(_ context.Context, call *hook.Call) (hook.Result, error) {
		err := &claude.EncodeError{Event: call.Input.Event(), Err: errors.New("no way")}
		return hook.Result{}, hook.Failf(hook.FailureError, "encode: %w", err)
	})
	regs, _ := parse(t, claude.Options{Scope: claude.ScopeUser}, events(group(good)+`,"PostToolUse":[{"hooks":[`+good+`]}]`)).Registrations(claude.Builder{})
	for _, r := range regs {
		claude.Replace(r.Handler, fails)
	}
	if res, err := regs[0].Handler.Handle(t.Context(), &hook.Call{Input: bash()}); err != nil || res.Decision != deny {
		t.Errorf("%+v %v", res, err)
	}
	if res, err := regs[1].Handler.Handle(t.Context(), &hook.Call{Input: &hook.PostToolUse{}}); err == nil || res.Decision != none {
		t.Errorf("after the tool: %+v %v", res, err)
	}
	b2, err := claude.NewCodec(claude.CodecOptions{}).EncodeInput(&hook.Call{Input: &hook.PreToolUse{ToolName: "X"}})
	if err != nil || !strings.Contains(string(b2), `"tool_input":{}`) {
		t.Errorf("%s %v", b2, err)
	}
}

func TestInterruptedCallsAreNotHeardOf(t *testing.T) {
	for interrupted, want := range map[bool]string{false: "hint", true: ""} {
		out := newProject(t).hooks("PostToolUseFailure", `echo hint >&2; exit 2`).fire(&hook.PostToolUseFailure{ToolName: "Bash", IsInterrupt: interrupted})
		if out.Reason != want {
			t.Errorf("interrupted %v: %q", interrupted, out.Reason)
		}
	}
}

func TestPermissionDeniedIsTheAgentsOwn(t *testing.T) {
	s := parse(t, claude.Options{Scope: claude.ScopeUser}, `{"hooks":{"PermissionDenied":[{"hooks":[{"type":"command","command":"a"},{"type":"command","command":"b","if":"Bash(ls *)"}]}]}}`)
	regs, _ := s.Registrations(claude.Builder{})
	call := hook.RawJSON(`{"command":"rm x"}`)
	for told, want := range map[bool][]hook.Matched{false: {hook.MatchYes, hook.MatchNo}, true: {hook.MatchNo, hook.MatchNo}} {
		for i, r := range regs {
			if got, why := r.Condition(&hook.PermissionDenied{ToolName: "Bash", ToolInput: call, Explicit: told}); got != want[i] {
				t.Errorf("told %v, hook %d: %v, %s", told, i, got, why)
			}
		}
	}
}
