package claude_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/hook"
)

// good is a hook that loads.
const good = `{"type":"command","command":"true"}`

func events(body string) string { return `{"hooks":{` + body + `}}` }

func group(hooks string) string { return `"PreToolUse":[{"matcher":"Bash","hooks":[` + hooks + `]}]` }

// TestOneBadEntry has a bad entry beside a good one: the good one loads, and the
// bad one gives one located diagnostic and, as it might have been a guard, a
// broken entry.
func TestOneBadEntry(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		pointer    string
		at         string // what stands there
		message    string
		remedy     string
	}{
		{"no type", group(good + `,{"command":"x"}`), `/hooks/PreToolUse/0/hooks/1`, `{"command":"x"}`, "the hook has no type", `"type": "command"`},
		{"unknown type", group(good + `,{"type":"comand","command":"x"}`), `/hooks/PreToolUse/0/hooks/1/type`, `"comand"`, `unknown type "comand"`, "did you mean command?"},
		{"type of the wrong kind", group(good + `,{"type":7}`), `/hooks/PreToolUse/0/hooks/1/type`, `7}`, "type must be a string, not a number", "command"},
		{"no command", group(good + `,{"type":"command"}`), `/hooks/PreToolUse/0/hooks/1`, `{"type":"command"}]`, "needs command", ""},
		{"empty command", group(good + `,{"type":"command","command":" "}`), `/hooks/PreToolUse/0/hooks/1/command`, `" "`, "command is empty", ""},
		{"command of the wrong kind", group(good + `,{"type":"command","command":["x"]}`), `/hooks/PreToolUse/0/hooks/1/command`, `["x"]`, "command must be a string, not an array", ""},
		{"timeout 0", group(good + `,{"type":"command","command":"x","timeout":0}`), `/hooks/PreToolUse/0/hooks/1/timeout`, `0}`, "more than 0 seconds, not 0", ""},
		{"timeout -1", group(good + `,{"type":"command","command":"x","timeout":-1}`), `/hooks/PreToolUse/0/hooks/1/timeout`, `-1`, "not -1", ""},
		{"timeout as a string", group(good + `,{"type":"command","command":"x","timeout":"10"}`), `/hooks/PreToolUse/0/hooks/1/timeout`, `"10"`, "not a string", "10"},
		{"timeout of an age", group(good + `,{"type":"command","command":"x","timeout":1e300}`), `/hooks/PreToolUse/0/hooks/1/timeout`, `1e300`, "longer than a year", "seconds"},
		{"bad filter", group(good + `,{"type":"command","command":"x","if":"Bash("}`), `/hooks/PreToolUse/0/hooks/1/if`, `"Bash("`, "if: permission rule", "Bash(git push *)"},
		{"filter of two rules", group(good + `,{"type":"command","command":"x","if":"Bash(rm *)|Bash(mv *)"}`), `/hooks/PreToolUse/0/hooks/1/if`, `"Bash(rm`, "a second rule begins here", "a hook for each further one"},
		{"filter in the wrong case", group(good + `,{"type":"command","command":"x","if":"bash(rm *)"}`), `/hooks/PreToolUse/0/hooks/1/if`, `"bash(rm`, `no tool "bash"`, "did you mean Bash?"},
		{"duplicate key", group(good + `,{"type":"command","command":"x","command":"y"}`), `/hooks/PreToolUse/0/hooks/1/command`, `"y"`, `duplicate key "command"`, "remove"},
		{"a hook that is text", group(good + `,"x.sh"`), `/hooks/PreToolUse/0/hooks/1`, `"x.sh"`, "must be an object, not a string", `"command": "x.sh"`},
		{"http without a scheme", group(good + `,{"type":"http","url":"example.com"}`), `/hooks/PreToolUse/0/hooks/1/url`, `"example.com"`, "is not a web address", "https://"},
		{"header with a line break", group(good + `,{"type":"http","url":"https://e.com","headers":{"a":"b\r\nc"}}`), ``, ``, "header", ""},
		{"prompt without a prompt", group(good + `,{"type":"prompt"}`), `/hooks/PreToolUse/0/hooks/1`, `{"type":"prompt"}`, "needs prompt", ""},
		{"unknown shell", group(good + `,{"type":"command","command":"x","shell":"fish"}`), ``, ``, `unknown shell "fish"`, "bash"},
		{"unknown failure policy", group(good + `,{"type":"command","command":"x","onFailure":"explode"}`), ``, ``, `unknown onFailure`, "block"},
		{"async as a word", group(good + `,{"type":"command","command":"x","async":"yes"}`), ``, ``, "async must be true or false, not a string", ""},
		{"args as a string", group(good + `,{"type":"command","command":"x","args":"y"}`), ``, ``, "args must be an array of strings, not a string", ""},
		{"env that is dangerous", group(good + `,{"type":"command","command":"x","env":{"LD_PRELOAD":"y"}}`), ``, ``, "may not set LD_PRELOAD", "your own settings"},
		{"flat entry", `"PreToolUse":[{"hooks":[` + good + `]},` + good + `]`, `/hooks/PreToolUse/1`, `{"type":"command","command":"true"}]}`, "a hook stands where a group is expected", `{"hooks": [{"type":"command"`},
		{"object matcher", `"PreToolUse":[{"hooks":[` + good + `]},{"matcher":{"tools":["Bash"]},"hooks":[` + good + `]}]`, `/hooks/PreToolUse/1/matcher`, `{"tools"`, "matcher must be a string, not an object", `"Edit|Write"`},
		{"bad regular expression", `"PreToolUse":[{"hooks":[` + good + `]},{"matcher":"[","hooks":[` + good + `]}]`, `/hooks/PreToolUse/1/matcher`, `"["`, `matcher "["`, "repair"},
		{"group without hooks", `"PreToolUse":[{"hooks":[` + good + `]},{"matcher":"x"}]`, `/hooks/PreToolUse/1`, `{"matcher":"x"}`, "the group has no hooks", ""},
		{"hooks of a group as an object", `"PreToolUse":[{"hooks":[` + good + `]},{"hooks":` + good + `}]`, `/hooks/PreToolUse/1/hooks`, `{"type"`, "must be an array, not an object", "brackets"},
		{"group that is text", `"PreToolUse":[{"hooks":[` + good + `]},"Bash"]`, `/hooks/PreToolUse/1`, `"Bash"]`, "a group must be an object", ""},
		{"event that is an object", `"Stop":[{"hooks":[` + good + `]}],"PreToolUse":{"hooks":[` + good + `]}`, `/hooks/PreToolUse`, `{"hooks":`, "must be an array of groups, not an object", "brackets"},
		{"an event of another format", `"Stop":[{"hooks":[` + good + `]}],"BeforeTool":[{"hooks":[` + good + `]}]`, `/hooks/BeforeTool`, `"BeforeTool"`, `unknown event "BeforeTool"`, "did you mean PreToolUse?"},
		{"misspelt event", `"Stop":[{"hooks":[` + good + `]}],"preTooluse":[{"hooks":[` + good + `]}]`, `/hooks/preTooluse`, `"preTooluse"`, `unknown event "preTooluse"`, "did you mean PreToolUse?"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := events(tt.body)
			s, diags := claude.ParseSettings("s.json", []byte(src), claude.Options{Scope: claude.ScopeProject})
			var loaded, broken int
			for _, e := range s.Entries {
				if e.Broken == "" {
					loaded++
				} else if broken++; e.Event != hook.EventPreToolUse {
					t.Errorf("broken entry of %v", e.Event)
				}
			}
			var errs []diag.Diagnostic
			for _, d := range diags {
				if d.Severity == diag.Error {
					errs = append(errs, d)
				}
			}
			if loaded != 1 || broken != 1 || len(errs) != 1 {
				t.Fatalf("%d loaded, %d broken, diagnostics %q", loaded, broken, diags)
			}
			d := errs[0]
			if tt.pointer != "" && (d.Pointer != tt.pointer || d.Line != 1 || !strings.HasPrefix(src[d.Column-1:], tt.at)) {
				t.Errorf("%d:%d %s is %q, want %s, %s", d.Line, d.Column, d.Pointer, src[d.Column-1:], tt.pointer, tt.at)
			}
			if !strings.Contains(d.Message, tt.message) || !strings.Contains(d.Remedy, tt.remedy) || d.Line == 0 {
				t.Errorf("%s (%s)", d, d.Remedy)
			}
		})
	}
}

// lostGuards is what stands in for a lost file: every event where a failure can refuse.
const lostGuards = "UserPromptSubmit UserPromptExpansion PreToolUse PermissionRequest TaskCreated TaskCompleted PreCompact PreModelSwitch ConfigChange WorktreeCreate Elicitation ElicitationResult"

func brokenNames(s *claude.Settings) string {
	var names []string
	for _, e := range s.Entries {
		if e.Broken != "" {
			names = append(names, e.Event.String())
		}
	}
	return strings.Join(names, " ")
}

// TestWholeFilesThatAreLost: whatever a lost text named, it may have guarded anything.
func TestWholeFilesThatAreLost(t *testing.T) {
	for _, tt := range []struct{ name, src, broken, message string }{
		{"not JSON", `{"hooks": {"PreToolUse": [`, lostGuards, "not valid JSON"},
		{"cut in a name", `{"hooks":{"PreTo`, lostGuards, "not valid JSON"},
		{"hooks as an array", `{"hooks": [{"event": "PreToolUse"}, {"event": "Stop"}]}`, lostGuards, "hooks must be an object"},
		{"hooks as an empty array", `{"hooks": []}`, lostGuards, "hooks must be an object"},
		{"an array", `[{"event":"PermissionRequest"}]`, lostGuards, "must hold an object"},
		{"no guard is named", `{"hooks": "Notification"}`, lostGuards, "hooks must be an object"},
		{"events at the top", `{"PreToolUse": [], "Notification": []}`, "PreToolUse", "stands at the top"},
		{"invalid UTF-8", "{\"hooks\": {\"Stop\": \"\xff\"}}", lostGuards, "invalid UTF-8"},
		{"misspelt hooks", `{"hoks": {"Stop": []}}`, lostGuards, "unknown key"},
		{"empty", "", lostGuards, "empty"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, diags := claude.ParseSettings("s.json", []byte(tt.src), claude.Options{Scope: claude.ScopeProject})
			if got := brokenNames(s); got != tt.broken {
				t.Errorf("broken: %s, want %s", got, tt.broken)
			}
			if !diag.HasErrors(diags) || !strings.Contains(fmt.Sprint(diags), tt.message) || diags[0].Path != "s.json" {
				t.Errorf("diagnostics %q", diags)
			}
		})
	}
	s, diags := claude.ParseSettings("s.json", []byte(events(group(good))), claude.Options{MaxSize: 20})
	if brokenNames(s) != lostGuards || !diag.HasErrors(diags) {
		t.Errorf("too large a file: %+v %q", s.Entries, diags)
	}
}

func TestEverythingThatAnEntryMayHave(t *testing.T) {
	s, diags := claude.ParseSettings("s.json", []byte(`{
  // a person's file
  "permissions": {"allow": ["Bash(ls)"]},
  "description": "d",
  "hooks": {
    "PreToolUse": [{"matcher": "Bash|Edit", "hooks": [
      {"type": "command", "command": "c", "args": ["a", ""], "if": "Bash(git push *)", "timeout": 1.5, "statusMessage": "s", "onFailure": "block",
       "name": "n", "include_subagents": false, "guard": true, "env": {"K": "V"}, "shell": "bash", "futureKey": {"x": [1]}},
      {"type": "http", "url": "https://example.com/h", "headers": {"Authorization": "Bearer $TOKEN"}, "allowedEnvVars": ["TOKEN"]},
      {"type": "mcp_tool", "server": "s", "tool": "t", "input": {"a": "${tool_input.command}", "n": 9007199254740993}},
      {"type": "prompt", "prompt": "ok? $ARGUMENTS", "model": "m", "continueOnBlock": true},
      {"type": "agent", "prompt": "look", "model": "m"},
      {"type": "command", "command": "c", "asyncRewake": true, "rewakeMessage": "m", "rewakeSummary": "r"},
      {"type": "command", "command": "c", "args": []},
    ]}],
    "Stop": [{"hooks": [{"type": "command", "command": "s", "async": true}]}],
  },
}`), claude.Options{Scope: claude.ScopeUser})
	for _, d := range diags {
		if d.Severity != diag.Info {
			t.Errorf("%s: %s", d.Severity, d)
		}
	}
	if len(s.Entries) != 8 || s.Description != "d" {
		t.Fatalf("%d entries", len(s.Entries))
	}
	c, h, m, p, a, r, x := s.Entries[0], s.Entries[1], s.Entries[2], s.Entries[3], s.Entries[4], s.Entries[5], s.Entries[6]
	if c.Command != "c" || len(c.Args) != 2 || c.If != "Bash(git push *)" || c.Timeout != 1500*time.Millisecond || c.StatusMessage != "s" ||
		c.OnFailure != hook.FailClosed || c.Name != "n" || c.IncludeSubagents || !c.Guard || c.Env["K"] != "V" || c.Shell != "bash" ||
		c.Matcher != "Bash|Edit" || c.Line != 7 || c.Column != 7 || c.Place != "PreToolUse[0].hooks[0]" || c.Pointer != "/hooks/PreToolUse/0/hooks/0" {
		t.Errorf("command: %+v", c)
	}
	if h.URL != "https://example.com/h" || h.Headers["Authorization"] != "Bearer $TOKEN" || h.AllowedEnvVars[0] != "TOKEN" || !h.IncludeSubagents {
		t.Errorf("http: %+v", h)
	}
	if m.Server != "s" || m.Tool != "t" || m.Input.Raw() != `{"a":"${tool_input.command}","n":9007199254740993}` {
		t.Errorf("mcp_tool: %+v", m)
	}
	if p.Prompt != "ok? $ARGUMENTS" || p.Model != "m" || !p.ContinueOnBlock || a.Prompt != "look" {
		t.Errorf("prompt: %+v, agent: %+v", p, a)
	}
	if !r.AsyncRewake || r.RewakeMessage != "m" || r.RewakeSummary != "r" || x.Args == nil || !s.Entries[7].Async {
		t.Errorf("rewake: %+v, exec form: %+v", r, x)
	}
}

func TestRemarks(t *testing.T) {
	for _, tt := range []struct {
		name, body, want string
		scope            claude.Scope
	}{
		{"milliseconds", group(`{"type":"command","command":"x","timeout":30000}`), "30000 seconds is 8h20m0s", 0},
		{"a matcher where there is nothing to match", `"Stop":[{"matcher":"Bash","hooks":[` + good + `]}]`, "nothing that a matcher", 0},
		{"a rule in the matcher", `"PreToolUse":[{"matcher":"Bash(git *)","hooks":[` + good + `]}]`, "is a permission rule", 0},
		{"a filter on the wrong event", `"Stop":[{"hooks":[{"type":"command","command":"x","if":"Bash"}]}]`, "if works on tool events only", 0},
		{"once in settings", group(`{"type":"command","command":"x","once":true}`), "once has an effect in the frontmatter", 0},
		{"a key of another type", group(`{"type":"command","command":"x","url":"http://x"}`), "url has no effect on hooks of type command", 0},
		{"a misspelt key", group(`{"type":"command","command":"x","timeot":5}`), `unknown key "timeot"`, 0},
		{"folklore", group(`{"type":"command","command":"echo $CLAUDE_TOOL_INPUT"}`), "there is no variable CLAUDE_TOOL_INPUT", 0},
		{"folklore of a file", group(`{"type":"command","command":"echo $TOOL_INPUT_file_path"}`), "there is no variable TOOL_INPUT", 0},
		{"many loggers", group(`{"type":"command","command":"x","async":true},{"type":"command","command":"y","async":true}`), "an async hook decides nothing", 0},
		{"a plugin's variable", group(`{"type":"command","command":"${CLAUDE_PLUGIN_ROOT}/x"}`), "no value outside of a plugin", 0},
		{"onFailure of TeammateIdle", `"TeammateIdle":[{"hooks":[{"type":"command","command":"x","onFailure":"block"}]}]`, "onFailure has no effect here", 0},
		{"onFailure of Stop", `"Stop":[{"hooks":[{"type":"command","command":"x","onFailure":"block"}]}]`, "onFailure has no effect here", 0},
		{"relaxing in a project", group(`{"type":"command","command":"x","onFailure":"continue"}`), "does not relax strict mode", claude.ScopeProject},
		{"an event of our own", `"TurnEnd":[{"hooks":[` + good + `]}]`, "other hosts of the file do not know it", 0},
		{"a prompt hook too many", `"SessionStart":[{"hooks":[{"type":"prompt","prompt":"x"}]}]`, "SessionStart takes no prompt hooks", 0},
	} {
		scope := tt.scope
		if scope == 0 {
			scope = claude.ScopeUser
		}
		_, diags := claude.ParseSettings("s.json", []byte(events(tt.body)), claude.Options{Scope: scope})
		if got := fmt.Sprint(diags); len(diags) != 1 || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}

// TestModulesOfClaudeCode are not left out in silence.
func TestModulesOfClaudeCode(t *testing.T) {
	s, diags := claude.ParseSettings("hooks.json", []byte(`{"modules":["./guard.ts"],"hooks":{"Stop":[{"hooks":[`+good+`]}]}}`), claude.Options{})
	if len(s.Entries) != 1 || len(diags) != 1 || diags[0].Severity != diag.Warning || diags[0].Position() != "hooks.json:1:12" || !strings.Contains(diags[0].Message, "do not run") {
		t.Errorf("%+v %q", s.Entries, diags)
	}
}

func TestDuplicateEventsBothLoad(t *testing.T) {
	s, diags := claude.ParseSettings("s.json", []byte(events(group(good)+","+group(`{"type":"command","command":"second"}`))), claude.Options{})
	if len(s.Entries) != 2 || !diag.HasErrors(diags) || s.Entries[1].Place != "PreToolUse[1].hooks[0]" {
		t.Errorf("%+v %q", s.Entries, diags)
	}
}

// TestTenThousandEntriesLoadInASecond has them on one line. They take a third of a
// second on a machine with nothing else to do; the bound is for machines that have.
func TestTenThousandEntriesLoadInASecond(t *testing.T) {
	var entries []string
	for i := range 10_000 {
		entries = append(entries, fmt.Sprintf(`{"matcher":"Tool%d.*","hooks":[{"type":"command","command":"${CLAUDE_PROJECT_DIR}/hook-%d.sh","timeout":10,"if":"Bash(git push %d)"}]}`, i, i, i))
	}
	start := time.Now()
	s, diags := claude.ParseSettings("s.json", []byte(events(`"PreToolUse":[`+strings.Join(entries, ",")+`]`)), claude.Options{})
	read := time.Since(start)
	regs, more := s.Registrations(claude.Builder{ProjectDir: "/project"})
	if len(regs) != 10_000 || len(diags)+len(more) != 0 {
		t.Fatalf("%d registrations, diagnostics %q %q", len(regs), diags, more)
	}
	took := time.Since(start)
	t.Logf("read in %v, registered in %v", read, took-read)
	if took > time.Minute {
		t.Errorf("it took %v", took)
	}
}

// TestFilesOfNothingButFaults bounds what a file can make us keep and say.
func TestFilesOfNothingButFaults(t *testing.T) {
	s, diags := claude.ParseSettings("s.json", []byte(events(`"PreToolUse":[{"matcher":"Bash","hooks":[`+strings.Repeat(`{},`, 20_000)+`{}]}]`)), claude.Options{})
	if len(s.Entries) != 100 || len(diags) != 1001 || !strings.Contains(diags[1000].Message, "19001 more faults") {
		t.Errorf("%d entries, %d diagnostics, the last %q", len(s.Entries), len(diags), diags[len(diags)-1])
	}
	if first, last := s.Entries[0], s.Entries[99]; first.Matcher != "Bash" || last.Matcher != "" {
		t.Errorf("matchers %q and %q", first.Matcher, last.Matcher)
	}
}

func TestReadSettings(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	if _, _, err := claude.ReadSettings(path, claude.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, _, err := claude.ReadSettings(dir, claude.Options{}); err == nil {
		t.Error("a directory was read")
	}
	if err := os.WriteFile(path, []byte("\xef\xbb\xbf"+events(group(good))), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, diags, err := claude.ReadSettings(path, claude.Options{}); err != nil || len(s.Entries) != 1 || len(diags) != 0 {
		t.Errorf("%+v %q %v", s, diags, err)
	}
	if _, _, err := claude.ReadSettings(path, claude.Options{MaxSize: 10}); err == nil {
		t.Error("a file over the limit was read")
	}
}

func TestInlineHooksOfAManifest(t *testing.T) {
	opts := claude.Options{Scope: claude.ScopePlugin, Plugin: &claude.Plugin{Name: "p"}}
	for src, n := range map[string]int{
		`{"name":"p","hooks":{` + group(good) + `}}`:           1,
		`{"name":"p","hooks":{"hooks":{` + group(good) + `}}}`: 1,
		`{"name":"p","hooks":"./hooks.json"}`:                  0,
		`{"name":"p","hooks":["./a.json","./b.json"]}`:         0,
		`{"name":"p"}`: 0,
	} {
		if s, diags := claude.ParseInlineHooks("plugin.json", []byte(src), opts); len(s.Entries) != n || len(diags) != 0 {
			t.Errorf("%s: %+v %q", src, s.Entries, diags)
		}
	}
	if _, diags := claude.ParseInlineHooks("plugin.json", []byte(`{"hooks":[{}]}`), opts); !diag.HasErrors(diags) {
		t.Error("an array of objects was accepted")
	}
}

func TestFrontmatterHooks(t *testing.T) {
	src := []byte("---\nname: reviewer\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: ./check.sh\n          timeout: 5\n          once: true\n  Stop:\n    - hooks:\n        - {type: command, command: ./done.sh}\n        - {type: command, command: ./bad.sh, timeout: 0}\n---\nBody\n")
	s, diags := claude.ParseFrontmatter("reviewer.md", src, claude.Options{Scope: claude.ScopeAgent})
	if len(s.Entries) != 3 || s.AgentName != "reviewer" || len(diags) != 1 {
		t.Fatalf("%+v %q", s.Entries, diags)
	}
	if e := s.Entries[0]; e.Event != hook.EventPreToolUse || !e.Once || e.Timeout != 5*time.Second || e.Line != 7 {
		t.Errorf("%+v", e)
	}
	if s.Entries[1].Event != hook.EventSubagentStop {
		t.Errorf("Stop became %v", s.Entries[1].Event)
	}
	if d := diags[0]; d.Line != 14 || d.Pointer != "/hooks/Stop/0/hooks/1/timeout" {
		t.Errorf("%s %s", d, d.Pointer)
	}
	if s, _ := claude.ParseFrontmatter("skill.md", src, claude.Options{Scope: claude.ScopeSkill}); s.Entries[1].Event != hook.EventStop {
		t.Errorf("in a skill Stop became %v", s.Entries[1].Event)
	}
	s, diags = claude.ParseFrontmatter("a.md", src, claude.Options{Scope: claude.ScopeAgent, Plugin: &claude.Plugin{Name: "p"}})
	if len(s.Entries) != 0 || len(diags) != 1 || diags[0].Severity != diag.Warning {
		t.Errorf("in a plugin's agent: %+v %q", s.Entries, diags)
	}
	s, diags = claude.ParseFrontmatter("a.md", []byte("---\nhooks: [PreToolUse\n---\n"), claude.Options{Scope: claude.ScopeSkill})
	if brokenNames(s) != lostGuards || !diag.HasErrors(diags) {
		t.Errorf("a broken header: %s %q", brokenNames(s), diags)
	}
	s, diags = claude.ParseFrontmatter("a.md", []byte("---\ndescription: use it: always\n---\n"), claude.Options{Scope: claude.ScopeSkill})
	if brokenNames(s) != "" || !diag.HasErrors(diags) {
		t.Errorf("a broken header without hooks: %s %q", brokenNames(s), diags)
	}
	if s, diags := claude.ParseFrontmatter("a.md", []byte("no header\n"), claude.Options{Scope: claude.ScopeSkill}); len(s.Entries)+len(diags) != 0 {
		t.Errorf("no header: %+v %q", s, diags)
	}
}

// TestSchemaAgreesWithReading holds the schema against what reading accepts.
func TestSchemaAgreesWithReading(t *testing.T) {
	var schema jsonschema.Schema
	if err := schema.UnmarshalJSON(claude.Schema()); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range []string{
		`{}`, `{"$schema":"https://example.com/s.json"}`, `{"permissions":{"allow":[]}}`, events(""), events(group(good)),
		events(group(`{"type":"command","command":"c","args":["a"],"timeout":1.5,"env":{"K":"V"}}`)),
		events(group(`{"type":"http","url":"https://e.com","headers":{"a":"b"},"allowedEnvVars":["A"]}`)),
		events(group(`{"type":"mcp_tool","server":"s","tool":"t","input":{}}`)), events(group(`{"type":"prompt","prompt":"p"}`)),
		`{"disableAllHooks":true,"allowedHttpHookUrls":[]}`,
		// and what neither accepts
		`[]`, `{"hooks":[]}`, events(`"PreTool":[]`), events(`"PreToolUse":{}`), events(`"PreToolUse":[` + good + `]`),
		events(`"PreToolUse":[{"matcher":{},"hooks":[]}]`), events(group(`{"command":"c"}`)), events(group(`{"type":"comand","command":"c"}`)),
		events(group(`{"type":"command"}`)), events(group(`{"type":"command","command":""}`)), events(group(`{"type":"command","command":"c","timeout":0}`)),
		events(group(`{"type":"command","command":"c","timeout":"10"}`)), events(group(`{"type":"command","command":"c","shell":"fish"}`)),
		events(group(`{"type":"http"}`)), events(group(`{"type":"mcp_tool","server":"s"}`)), events(group(`{"type":"agent"}`)),
		events(group(`"x"`)), `{"disableAllHooks":"yes"}`, `{"allowedHttpHookUrls":"x"}`,
	} {
		var v any
		if err := json.Unmarshal([]byte(src), &v); err != nil {
			t.Fatal(err)
		}
		_, diags := claude.ParseSettings("s.json", []byte(src), claude.Options{Scope: claude.ScopeUser})
		if schemaErr := resolved.Validate(v); (schemaErr != nil) != diag.HasErrors(diags) {
			t.Errorf("%s:\nschema:  %v\nreading: %q", src, schemaErr, diags)
		}
	}
}

// TestLostGroupsKeepTheirPolicy: what stands in for a group that could not be read
// fails as the strictest of its hooks would have.
func TestLostGroupsKeepTheirPolicy(t *testing.T) {
	const hooks = `"hooks":[{"type":"command","command":"a","onFailure":"ask"},{"type":"command","command":"b","onFailure":"block","guard":true},{"type":"command","command":"c"}]`
	for name, text := range map[string]string{
		"a matcher that is none":        `{"hooks":{"PreToolUse":[{"matcher":"Bash(",` + hooks + `}]}}`,
		"a matcher of the wrong kind":   `{"hooks":{"PreToolUse":[{"matcher":{},` + hooks + `}]}}`,
		"an event that is nearly spelt": `{"hooks":{"PreTooluse":[{"matcher":"Bash",` + hooks + `}]}}`,
	} {
		s, _ := claude.ParseSettings("s.json", []byte(text), claude.Options{Scope: claude.ScopeUser})
		if len(s.Entries) != 1 || s.Entries[0].Broken == "" || s.Entries[0].OnFailure != hook.FailClosed || !s.Entries[0].Guard {
			t.Errorf("%s: %+v", name, s.Entries)
		}
	}
}
