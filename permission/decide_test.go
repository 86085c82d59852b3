package permission_test

import (
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
)

func obj(kv ...string) hook.JSON {
	m := map[string]string{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i]] = kv[i+1]
	}
	return hook.MustJSON(m)
}

func checker(t testing.TB, cfg permission.Config) *permission.Checker {
	t.Helper()
	c, err := permission.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestPrecedenceOverScopes(t *testing.T) {
	p := project(t)
	all := func(e ...[]permission.Entry) (out []permission.Entry) {
		for _, x := range e {
			out = append(out, x...)
		}
		return out
	}
	tests := []struct {
		name  string
		rules []permission.Entry
		want  string
		by    string
	}{
		{"user deny beats managed allow", all(entries(t, permission.Allow, permission.ScopeManaged, "Bash(x:*)"), entries(t, permission.Deny, permission.ScopeUser, "Bash(x:*)")), "deny", "deny rule Bash(x:*) (user, user.json): x y"},
		{"user ask beats managed allow", all(entries(t, permission.Allow, permission.ScopeManaged, "Bash(x:*)"), entries(t, permission.Ask, permission.ScopeUser, "Bash(x:*)")), "ask", "ask rule Bash(x:*) (user, user.json): x y"},
		{"project deny beats cli ask", all(entries(t, permission.Ask, permission.ScopeCLI, "Bash"), entries(t, permission.Deny, permission.ScopeProject, "Bash")), "deny", "deny rule Bash (project, project.json)"},
		{"the strongest scope is named", all(entries(t, permission.Allow, permission.ScopeUser, "Bash(x:*)"), entries(t, permission.Allow, permission.ScopeManaged, "Bash(x:*)")), "allow", "allow rule Bash(x:*) (managed, managed.json)"},
	}
	for _, tt := range tests {
		d := checker(t, permission.Config{Rules: tt.rules, ProjectDir: p}).Decide(permission.Request{Tool: "Bash", Input: obj("command", "x y"), Cwd: p})
		if d.Decision.String() != tt.want || d.Reason != tt.by || d.Entry == nil {
			t.Errorf("%s: %v, %q; want %s, %q", tt.name, d.Decision, d.Reason, tt.want, tt.by)
		}
	}
}

func TestHooksJoinRules(t *testing.T) {
	p := project(t)
	rules := entries(t, permission.Allow, permission.ScopeUser, "Bash(ok:*)")
	rules = append(rules, entries(t, permission.Ask, permission.ScopeUser, "Bash(maybe:*)")...)
	rules = append(rules, entries(t, permission.Deny, permission.ScopeUser, "Bash(bad:*)")...)
	c := checker(t, permission.Config{Rules: rules, ProjectDir: p})
	tests := []struct {
		command string
		hook    hook.Decision
		want    string
		basis   permission.Basis
	}{
		{"ok", hook.DecisionNone, "allow", permission.ByRule},
		{"ok", hook.DecisionAllow, "allow", permission.ByHook},
		{"ok", hook.DecisionAsk, "ask", permission.ByHook},
		{"ok", hook.DecisionDeny, "deny", permission.ByHook},
		{"ok", hook.DecisionDefer, "defer", permission.ByHook},
		{"other", hook.DecisionNone, "ask", permission.ByDefault},
		{"other", hook.DecisionAllow, "allow", permission.ByHook},
		{"maybe", hook.DecisionAllow, "ask", permission.ByRule},
		{"maybe", hook.DecisionDeny, "deny", permission.ByHook},
		{"bad", hook.DecisionAllow, "deny", permission.ByRule},
		{"bad", hook.DecisionAsk, "deny", permission.ByRule},
		{"bad", hook.DecisionDefer, "deny", permission.ByRule},
		{"bad", hook.DecisionDeny, "deny", permission.ByHook},
		{"$x y", hook.DecisionAllow, "ask", permission.ByRule}, // it may be bad
		{"tee .claude/settings.json", hook.DecisionAllow, "ask", permission.ByProtected},
	}
	for _, tt := range tests {
		d := c.Decide(permission.Request{Tool: "Bash", Input: obj("command", tt.command), Cwd: p, Hook: tt.hook, HookReason: "because", HookName: "guard"})
		if d.Decision.String() != tt.want || d.Basis != tt.basis {
			t.Errorf("%q with hook %v: %v by %s (%s), want %s by %s", tt.command, tt.hook, d.Decision, d.Basis, d.Reason, tt.want, tt.basis)
		}
		if d.Basis == permission.ByHook && !strings.Contains(d.Reason, "because") {
			t.Errorf("%q: the hook's reason is lost: %q", tt.command, d.Reason)
		}
	}
}

func TestRewrittenInput(t *testing.T) {
	p := project(t)
	rules := entries(t, permission.Allow, permission.ScopeUser, "Bash(ok:*)")
	rules = append(rules, entries(t, permission.Ask, permission.ScopeUser, "Bash(maybe:*)")...)
	rules = append(rules, entries(t, permission.Deny, permission.ScopeUser, "Bash(bad:*)")...)
	c := checker(t, permission.Config{Rules: rules, ProjectDir: p})
	for _, tt := range []struct{ original, final, want string }{
		{"ok", "ok 2", "allow"},
		{"other", "ok", "allow"}, // allow looks at what will run
		{"ok", "other", "ask"},   // what was allowed before a rewrite isn't after it
		{"bad", "ok", "deny"},    // a rewrite doesn't get past a deny rule
		{"ok", "bad", "deny"},
		{"maybe", "ok", "ask"},
		{"ok", "maybe", "ask"},
	} {
		req := permission.Request{Tool: "Bash", Input: obj("command", tt.final), OriginalInput: obj("command", tt.original), Cwd: p}
		if d := c.Decide(req); d.Decision.String() != tt.want {
			t.Errorf("%q rewritten to %q: %v (%s), want %s", tt.original, tt.final, d.Decision, d.Reason, tt.want)
		}
	}
}

func TestModes(t *testing.T) {
	p := project(t)
	rules := entries(t, permission.Allow, permission.ScopeUser, "Bash(ok:*)", "mcp__a__read", "Edit(./sub/**)", "WebFetch(domain:a.com)")
	rules = append(rules, entries(t, permission.Ask, permission.ScopeUser, "Bash(maybe:*)")...)
	rules = append(rules, entries(t, permission.Deny, permission.ScopeUser, "Bash(bad:*)", "Edit(./locked/**)")...)
	type want struct{ normal, edits, plan, dont, bypass string }
	tests := []struct {
		tool  string
		input hook.JSON
		want  want
	}{
		{"Bash", obj("command", "ls"), want{"allow", "allow", "allow", "allow", "allow"}},
		{"Bash", obj("command", "ok"), want{"allow", "allow", "ask", "allow", "allow"}},
		{"Bash", obj("command", "other"), want{"ask", "ask", "ask", "deny", "allow"}},
		{"Bash", obj("command", "maybe"), want{"ask", "ask", "ask", "deny", "ask"}},
		{"Bash", obj("command", "bad"), want{"deny", "deny", "deny", "deny", "deny"}},
		{"Bash", obj("command", "$x"), want{"ask", "ask", "ask", "deny", "ask"}},
		{"Bash", obj("command", "echo x >f; mkdir -p d/e; cp x d"), want{"ask", "allow", "ask", "deny", "allow"}},
		{"Bash", obj("command", "echo x >.git/hooks/x"), want{"ask", "ask", "ask", "deny", "allow"}},
		{"Bash", obj("command", "mv x .claude"), want{"ask", "ask", "ask", "deny", "allow"}},
		{"Bash", obj("command", "cp x ../y"), want{"ask", "ask", "ask", "deny", "allow"}},
		{"Read", obj("file_path", "src/a.go"), want{"allow", "allow", "allow", "allow", "allow"}},
		{"Read", obj("file_path", "../x"), want{"ask", "ask", "ask", "deny", "allow"}},
		{"Grep", obj("pattern", "x"), want{"allow", "allow", "allow", "allow", "allow"}},
		{"Glob", obj("pattern", "**/*.go"), want{"allow", "allow", "allow", "allow", "allow"}},
		{"Glob", obj("pattern", "../../**/id_rsa"), want{"ask", "ask", "ask", "deny", "allow"}},
		{"Edit", obj("file_path", "src/a.go"), want{"ask", "allow", "deny", "deny", "allow"}},
		{"Write", obj("file_path", "sub/new"), want{"allow", "allow", "deny", "allow", "allow"}},
		{"Write", obj("file_path", "../x"), want{"ask", "ask", "deny", "deny", "allow"}},
		{"Write", obj("file_path", "locked/x"), want{"deny", "deny", "deny", "deny", "deny"}},
		{"Write", obj("file_path", ".claude/settings.local.json"), want{"ask", "ask", "deny", "deny", "allow"}},
		{"Write", obj("content", "no path"), want{"ask", "ask", "deny", "deny", "ask"}},
		{"WebFetch", obj("url", "https://a.com/x"), want{"allow", "allow", "allow", "allow", "allow"}},
		{"WebFetch", obj("url", "https://b.com/x"), want{"ask", "ask", "ask", "deny", "allow"}},
		{"TodoWrite", obj(), want{"allow", "allow", "allow", "allow", "allow"}},
		{"Task", obj("subagent_type", "x"), want{"allow", "allow", "allow", "allow", "allow"}},
		{"Host", obj(), want{"allow", "allow", "allow", "allow", "allow"}},
		{"mcp__a__read", obj("q", "x"), want{"allow", "allow", "ask", "allow", "allow"}},
		{"mcp__a__read", obj("path", ".mcp.json"), want{"ask", "ask", "ask", "deny", "allow"}},
		{"mcp__a__write", obj("q", "x"), want{"ask", "ask", "ask", "deny", "allow"}},
		{"Unknown", hook.RawJSON("{not json"), want{"ask", "ask", "ask", "deny", "allow"}},
	}
	for _, tt := range tests {
		for mode, want := range map[permission.Mode]string{
			permission.ModeDefault: tt.want.normal, permission.ModeAcceptEdits: tt.want.edits, permission.ModePlan: tt.want.plan,
			permission.ModeDontAsk: tt.want.dont, permission.ModeBypass: tt.want.bypass,
		} {
			c := checker(t, permission.Config{Mode: mode, Rules: rules, ProjectDir: p, ReadOnlyTools: []string{"Host"}})
			if d := c.Decide(permission.Request{Tool: tt.tool, Input: tt.input, Cwd: p}); d.Decision.String() != want {
				t.Errorf("%s %s in mode %s: %v (%s: %s), want %s", tt.tool, tt.input.Raw(), mode, d.Decision, d.Basis, d.Reason, want)
			}
		}
	}
}

func TestProtectedNames(t *testing.T) {
	p := project(t)
	state := filepath.Join(filepath.Dir(p), "state")
	c := checker(t, permission.Config{
		Rules: entries(t, permission.Allow, permission.ScopeUser, "Write", "Bash", "mcp__x"), ProjectDir: p, Protected: []string{state},
		ProtectedNames: []string{".toy", ".claude", "toy.ini", ".config/toy"},
	})
	tests := []struct {
		path string
		want bool
	}{
		{".claude/settings.json", true},
		{".claude/settings.local.json", true},
		{".claude", true},
		{"sub/.claude/hooks/x.sh", true},
		{".claude/worktrees/a/x.go", false},
		{".hookline/x", true},
		{".kodelet/hooks/x", true},
		{".omp/x", true},
		{".pi/hooks/a.ts", true},
		{"a/.toy/hooks.ini", true},
		{"a/toy.ini", true},
		{".config/toy/x", true},
		{".config/other/x", false},
		{".mcp.json", true},
		{".git/hooks/pre-commit", true},
		{".git/config", true},
		{".GIT/Hooks/x", true},
		{".git./hooks/x", true},
		{".g\u200cit/hooks/x", true},
		{"git~1/hooks/x", true},
		{".bashrc", true},
		{"a/.zshenv", true},
		{".envrc", true},
		{state, true},
		{filepath.Join(state, "trust.json"), true},
		{state + "x", false},
		{".gitignore", false},
		{".github/workflows/x.yml", false},
		{"claude/x.go", runtime.GOOS != "windows"}, // a link to .claude, which doesn't exist
		{"src/a.go", false},
		{"settings.json", false},
		{".env", false},
	}
	for _, tt := range tests {
		for tool, input := range map[string]hook.JSON{
			"Write": obj("file_path", tt.path), "Bash": obj("command", "tee '"+filepath.ToSlash(tt.path)+"'"), "mcp__x__y": obj("deep", tt.path),
		} {
			d := c.Decide(permission.Request{Tool: tool, Input: input, Cwd: p})
			if got := d.Basis == permission.ByProtected; got != tt.want {
				t.Errorf("%s %q: protected %v (%v, %s), want %v", tool, tt.path, got, d.Decision, d.Reason, tt.want)
			}
		}
	}
}

func TestProjectInsideProtectedName(t *testing.T) {
	p := filepath.Join(project(t), ".claude", "worktrees-x", "w")
	c := checker(t, permission.Config{Rules: entries(t, permission.Allow, permission.ScopeUser, "Write", "Bash"), ProjectDir: p})
	for path, want := range map[string]bool{"x.go": false, ".claude/settings.json": true} {
		for tool, input := range map[string]hook.JSON{"Write": obj("file_path", filepath.Join(p, path)), "Bash": obj("command", "tee "+filepath.ToSlash(filepath.Join(p, path)))} {
			if d := c.Decide(permission.Request{Tool: tool, Input: input, Cwd: p}); (d.Basis == permission.ByProtected) != want {
				t.Errorf("%s of %s: %v (%s), protected %v wanted", tool, path, d.Decision, d.Reason, want)
			}
		}
	}
}

func TestApply(t *testing.T) {
	p := project(t)
	file := filepath.Join(p, "local.json")
	c := checker(t, permission.Config{ProjectDir: p, Store: &permission.FileStore{Local: file}, NoBypass: true})
	req := permission.Request{Tool: "Bash", Input: obj("command", "npm install"), Cwd: p}
	d := c.Decide(req)
	if d.Decision != hook.DecisionAsk || len(d.Suggestions) != 1 || d.Suggestions[0].Rules[0].RuleContent != "npm install *" {
		t.Fatalf("%v with suggestions %+v", d.Decision, d.Suggestions)
	}
	if want := `to allow it, add the allow rule "Bash(npm install *)"`; d.Hint() != want {
		t.Errorf("hint %q, want %q", d.Hint(), want)
	}
	if err := c.Apply(t.Context(), d.Suggestions...); err != nil {
		t.Fatal(err)
	}
	if d = c.Decide(req); d.Decision != hook.DecisionAllow || d.Entry.File != file || d.Entry.Scope != permission.ScopeLocal {
		t.Errorf("after always: %v by %v", d.Decision, d.Entry)
	}
	remove := d.Entry.Rule
	if err := c.Apply(t.Context(), hook.PermissionUpdate{
		Type: permission.RemoveRules, Behavior: "allow", Destination: permission.LocalSettings,
		Rules: []hook.PermissionRule{{ToolName: remove.Tool(), RuleContent: remove.Content()}},
	}); err != nil {
		t.Fatal(err)
	}
	if d := c.Decide(req); d.Decision != hook.DecisionAsk {
		t.Errorf("after removing: %v", d.Decision)
	}

	out := permission.Request{Tool: "Read", Input: obj("file_path", "../other/x"), Cwd: p}
	d = c.Decide(out)
	if d.Decision != hook.DecisionAsk || len(d.Suggestions) == 0 {
		t.Fatalf("outside: %v %+v", d.Decision, d.Suggestions)
	}
	if err := c.Apply(t.Context(), d.Suggestions...); err != nil {
		t.Fatal(err)
	}
	if d := c.Decide(out); d.Decision != hook.DecisionAllow {
		t.Errorf("after allowing to read there: %v (%s)", d.Decision, d.Reason)
	}
	write := permission.Request{Tool: "Write", Input: obj("file_path", "../other/x"), Cwd: p}
	if d := c.Decide(write); d.Decision != hook.DecisionAsk {
		t.Errorf("reading there lets it write: %v", d.Decision)
	}
	undo := d.Suggestions[0]
	undo.Type = permission.RemoveRules
	if err := c.Apply(t.Context(), undo); err != nil {
		t.Fatal(err)
	}
	if d := c.Decide(out); d.Decision != hook.DecisionAsk {
		t.Errorf("after taking that back: %v", d.Decision)
	}
	if err := c.SetMode(permission.ModeAcceptEdits); err != nil || c.Mode() != permission.ModeAcceptEdits {
		t.Errorf("SetMode: %v, mode %s", err, c.Mode())
	}
	if err := c.SetMode(permission.ModeBypass); !errors.Is(err, permission.ErrBypassDisabled) {
		t.Errorf("bypass where it is off: %v", err)
	}
}

func TestApplyIsAllOrNothingOnBadUpdates(t *testing.T) {
	c := checker(t, permission.Config{ProjectDir: project(t)})
	good := hook.PermissionUpdate{Type: permission.AddRules, Behavior: "allow", Rules: []hook.PermissionRule{{ToolName: "Bash"}}}
	for _, bad := range []hook.PermissionUpdate{
		{Type: "addRule"},
		{Type: permission.AddRules, Behavior: "yes", Rules: good.Rules},
		{Type: permission.AddRules, Behavior: "allow"},
		{Type: permission.AddRules, Behavior: "allow", Rules: []hook.PermissionRule{{ToolName: "Ba sh"}}},
		{Type: permission.SetMode, Mode: "yolo"},
		{Type: permission.SetMode},
		{Type: permission.AddDirectories, Directories: []string{"relative"}},
		{Type: permission.SetMode, Mode: "plan", Destination: "nowhere"},
	} {
		if err := c.Apply(t.Context(), good, bad); err == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
	if len(c.Rules()) != 0 {
		t.Errorf("a good update before a bad one was applied: %v", c.Rules())
	}
}

func TestReplaceRulesTouchesItsOwnScope(t *testing.T) {
	p := project(t)
	c := checker(t, permission.Config{ProjectDir: p, Rules: entries(t, permission.Allow, permission.ScopeUser, "Bash(a)")})
	update := func(typ string, rules ...string) {
		u := add("allow", rules...)
		u.Type, u.Destination = typ, permission.Session
		if err := c.Apply(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	update(permission.AddRules, "Bash(b)")
	update(permission.AddRules, "Bash(b)")
	update(permission.ReplaceRules, "Bash(c)")
	var got []string
	for _, e := range c.Rules() {
		got = append(got, e.String())
	}
	if s := strings.Join(got, "; "); s != "allow rule Bash(c) (session); allow rule Bash(a) (user, user.json)" {
		t.Error(s)
	}
}

// A further deny or ask rule, or a stricter hook, never loosens a decision.
func TestStricterNeverLoosens(t *testing.T) {
	p := project(t)
	commands := make([]string, len(commandTable))
	for i, c := range commandTable {
		commands[i] = c.command
	}
	pool := []string{"Bash(git:*)", "Bash(ls *)", "Bash(rm:*)", "Bash", "Bash(* x)", "Read(./src/**)", "Edit(./out/**)", "Bash(env:*)", "Bash(bash:*)", "Bash(npm run *)"}
	rank := map[hook.Decision]int{hook.DecisionAllow: 0, hook.DecisionAsk: 1, hook.DecisionDefer: 2, hook.DecisionDeny: 3}
	rapid.Check(t, func(rt *rapid.T) {
		var rules []permission.Entry
		for i, b := range []permission.Behavior{permission.Allow, permission.Ask, permission.Deny} {
			picked := rapid.SliceOfN(rapid.SampledFrom(pool), 0, 3-i).Draw(rt, string(b))
			rules = append(rules, entries(t, b, permission.ScopeUser, picked...)...)
		}
		mode := rapid.SampledFrom([]permission.Mode{"", permission.ModeAcceptEdits, permission.ModePlan, permission.ModeDontAsk, permission.ModeBypass}).Draw(rt, "mode")
		req := permission.Request{Tool: "Bash", Cwd: p, Input: command(rapid.SampledFrom(commands).Draw(rt, "command"))}
		req.Hook = rapid.SampledFrom([]hook.Decision{hook.DecisionNone, hook.DecisionAllow, hook.DecisionAsk, hook.DecisionDeny}).Draw(rt, "hook")
		before := checker(t, permission.Config{Mode: mode, Rules: rules, ProjectDir: p}).Decide(req)

		stricter := rapid.SampledFrom([]permission.Behavior{permission.Ask, permission.Deny}).Draw(rt, "added")
		more := append(entries(t, stricter, permission.ScopeProject, rapid.SampledFrom(pool).Draw(rt, "rule")), rules...)
		after := checker(t, permission.Config{Mode: mode, Rules: more, ProjectDir: p}).Decide(req)
		if rank[after.Decision] < rank[before.Decision] {
			rt.Fatalf("with a further %s rule %v became %v (%s)", stricter, before.Decision, after.Decision, after.Reason)
		}
		req.Hook = max(req.Hook, hook.DecisionAsk)
		if d := checker(t, permission.Config{Mode: mode, Rules: rules, ProjectDir: p}).Decide(req); rank[d.Decision] < rank[before.Decision] {
			rt.Fatalf("with hook %v %v became %v (%s)", req.Hook, before.Decision, d.Decision, d.Reason)
		}
	})
}

func TestDecideWhileRulesChange(t *testing.T) {
	p := project(t)
	c := checker(t, permission.Config{ProjectDir: p})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 50 {
			u := add("allow", "Bash(x)")
			u.Destination = permission.Session
			if err := c.Apply(t.Context(), u); err != nil {
				t.Error(err)
			}
			u.Type = permission.RemoveRules
			if err := c.Apply(t.Context(), u); err != nil {
				t.Error(err)
			}
		}
	}()
	for range 200 {
		if d := c.Decide(permission.Request{Tool: "Bash", Input: obj("command", "x"), Cwd: p}); d.Decision == hook.DecisionDeny {
			t.Fatal(d.Reason)
		}
	}
	<-done
}

// TestWhatTheSandboxWouldRefuseIsAskedAbout in every mode, and whatever allows the
// command.
func TestWhatTheSandboxWouldRefuseIsAskedAbout(t *testing.T) {
	p := project(t)
	for _, mode := range []permission.Mode{permission.ModeDefault, permission.ModeAcceptEdits, permission.ModeBypass} {
		c := checker(t, permission.Config{Mode: mode, Rules: entries(t, permission.Allow, permission.ScopeUser, "Bash"), ProjectDir: p})
		for input, want := range map[string]hook.Decision{
			`{"command":"true"}`: hook.DecisionAllow, `{"command":"true","sandbox":{}}`: hook.DecisionAllow, `{"command":"true","sandbox":{"write":[]}}`: hook.DecisionAllow,
			`{"command":"true","sandbox":{"write":["/x"]}}`: hook.DecisionAsk, `{"command":"true","sandbox":{"write":"/x"}}`: hook.DecisionAsk,
		} {
			d := c.Decide(permission.Request{Tool: "Bash", Input: hook.RawJSON([]byte(input)), Cwd: p, Hook: hook.DecisionAllow})
			if d.Decision != want || len(d.Suggestions) > 0 {
				t.Errorf("%s in mode %s is %v, not %v: %s, %v", input, mode, d.Decision, want, d.Reason, d.Suggestions)
			}
		}
	}
}
