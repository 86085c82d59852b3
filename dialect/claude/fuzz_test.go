package claude_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
)

// FuzzSettings checks that reading never fails to answer, that diagnostics have a
// place in the file, and that what was read can be registered.
func FuzzSettings(f *testing.F) {
	for _, s := range []string{
		events(group(good)), `{"hooks":[]}`, events(`"PreToolUse":[` + good + `]`), `{"hooks":{"preTool":[]}}`, "// c\n{,}", `{"hooks":{"Stop":[{"hooks":[{"type":"prompt","prompt":"x","timeout":-1}]}]}}`,
		events(group(`{"type":"http","url":"https://e.com","headers":{"a":"b"}},{"type":"mcp_tool","server":"s","tool":"t","input":{"a":[1]}}`)),
		events(`"PreToolUse":[{"matcher":"(?=a)[","hooks":[{"type":"command","command":"x","if":"Bash(git *)","args":["${a"]}]}]`),
	} {
		f.Add([]byte(s), byte(claude.ScopeProject))
	}
	f.Fuzz(func(t *testing.T, data []byte, scope byte) {
		opts := claude.Options{Scope: claude.Scope(scope%8 + 1)}
		s, diags := claude.ParseSettings("s.json", data, opts)
		lines := strings.Count(string(data), "\n") + 1
		for _, d := range diags {
			if d.Message == "" || d.Line > lines || d.Line < 0 || d.Column < 0 {
				t.Fatalf("%+v", d)
			}
		}
		for _, e := range s.Entries {
			if !e.Event.Valid() || e.Place == "" || e.Broken == "" && e.Type == "" {
				t.Fatalf("%+v", e)
			}
		}
		regs, _ := s.Registrations(claude.Builder{ProjectDir: "/p", AgentID: "a"})
		reg := hook.NewRegistry()
		if _, err := reg.AddAll(regs); err != nil || len(regs) != len(s.Entries) {
			t.Fatalf("%d registrations of %d entries: %v", len(regs), len(s.Entries), err)
		}
	})
}

// FuzzFrontmatter is FuzzSettings for the header of a skill.
func FuzzFrontmatter(f *testing.F) {
	f.Add([]byte("---\nhooks:\n  Stop:\n    - hooks:\n        - {type: command, command: x, timeout: 1.5, once: true}\n---\n"))
	f.Add([]byte("---\nhooks: &a [*a]\n---\n"))
	f.Add([]byte("---\nhooks:\n  PreToolUse: {matcher: 7}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, diags := claude.ParseFrontmatter("skill.md", data, claude.Options{Scope: claude.ScopeSkill})
		for _, d := range diags {
			if d.Message == "" {
				t.Fatalf("%+v", d)
			}
		}
		for _, e := range s.Entries {
			if !e.Event.Valid() {
				t.Fatalf("%+v", e)
			}
		}
	})
}

// FuzzAnswer checks the laws of reading an answer: exit code 2 always refuses, an
// error comes without a result, strict mode never makes an answer weaker, and
// nothing becomes an allow that does not say so.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"decision":"block","reason":"r"}`, pre(`"permissionDecision":"allow"`), "text\n{\"decision\":\"block\"}", `{"decision":"deny","decision":"allow"}`,
		"\xef\xbb\xbf{\"continue\":false}", `{"async":true}` + "\n{}", `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedPermissions":[{}]}}}`,
		strings.Repeat(`{"a":`, 50), `{"terminalSequence":"\u001b]0;x\u0007"}`,
	} {
		f.Add([]byte(s), []byte("err"), 0, uint16(hook.EventPreToolUse), false)
		f.Add([]byte(s), []byte(""), 2, uint16(hook.EventPermissionRequest), true)
	}
	f.Fuzz(func(t *testing.T, stdout, stderr []byte, exit int, event uint16, cut bool) {
		all := hook.Events()
		in := all[int(event)%len(all)].Spec().New()
		ans := handler.Answer{ExitCode: exit % 256, Stdout: stdout, Stderr: stderr, StdoutTruncated: cut}
		loose, strict := decode(in, false, ans), decode(in, true, ans)
		for _, s := range []said{loose, strict} {
			if _, ok := errors.AsType[*hook.Failure](s.err); s.err != nil && !ok {
				t.Fatalf("error %T", s.err)
			}
			if s.err != nil && (s.res.Decision != none || len(s.res.Context) > 0) {
				t.Fatalf("a failure with an answer: %+v", s.res)
			}
			if s.res.Decision == allow && !strings.Contains(string(stdout), "allow") && !strings.Contains(string(stdout), "approve") && !strings.Contains(string(stdout), `\u`) {
				t.Fatalf("an allow out of nothing: %q", stdout)
			}
			for _, text := range append(s.res.Context, s.res.Reason, s.res.Notice) {
				if !utf8.ValidString(text) {
					t.Fatalf("invalid UTF-8: %q", text)
				}
			}
		}
		if strict.err == nil && (loose.err != nil || loose.res.Decision != strict.res.Decision) {
			t.Fatalf("strict mode reads %v, the other %v %v", strict.res.Decision, loose.res.Decision, loose.err)
		}
		if ans.ExitCode == 2 && in.Event() == hook.EventPreToolUse && strict.res.Decision != deny {
			t.Fatalf("exit 2: %v %v", strict.res.Decision, strict.err)
		}
	})
}

// FuzzInput checks that an input that was read is read again the same.
func FuzzInput(f *testing.F) {
	for _, ev := range claude.Events() {
		b, err := hook.MarshalInput(filled(ev))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"event":"Stop","stop_hook_active":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := claude.NewCodec(claude.CodecOptions{})
		in, _, err := c.DecodeInput(data)
		if err != nil {
			if e, ok := errors.AsType[*claude.InputError](err); !ok || e.Line < 1 || e.Column < 1 {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		b, err := c.EncodeInput(&hook.Call{Input: in})
		if err != nil {
			return // text that is not UTF-8 in a place that takes none
		}
		again, _, err := c.DecodeInput(b)
		if err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		if b2, err := c.EncodeInput(&hook.Call{Input: again}); err != nil || string(b2) != string(b) {
			t.Fatalf("%s became %s (%v)", b, b2, err)
		}
	})
}

// FuzzMatcher checks that lists are exact and that nothing takes long.
func FuzzMatcher(f *testing.F) {
	for _, s := range []string{"", "*", "Bash", "Edit|Write", "mcp__.*", "^(?!a)b", "[", "(a+)+$", `\p{L}`, "a,b c", "(?i)x", "(?=a{1,1000}){1,1000}"} {
		f.Add(s, "Bash", uint16(hook.EventPreToolUse))
	}
	f.Fuzz(func(t *testing.T, pattern, subject string, event uint16) {
		all := hook.Events()
		ev := all[int(event)%len(all)]
		m, err := claude.ParseMatcher(ev, pattern)
		if err != nil {
			if m != nil {
				t.Fatal("an error with a matcher")
			}
			return
		}
		first := m.Match(subject)
		if again := m.Match(subject); again != first && first != hook.MatchUncertain && again != hook.MatchUncertain {
			t.Fatalf("%q on %q: %v, then %v", pattern, subject, first, again)
		}
		if (pattern == "" || pattern == "*") && first != hook.MatchYes {
			t.Fatalf("%q on %q: %v", pattern, subject, first)
		}
		claude.LintMatcher(ev, pattern)
	})
}

// TestNoiseIsSearchedWithinBounds has text made to make the search slow.
func TestNoiseIsSearchedWithinBounds(t *testing.T) {
	var deep strings.Builder
	for i := range 20_000 {
		deep.WriteString(`{"`)
		deep.WriteString(string(rune('a' + i%26)))
		deep.WriteString(`":`)
	}
	for name, text := range map[string]string{
		"unclosed":  "x" + deep.String(),
		"brackets":  "x" + strings.Repeat(`{"`, 100_000),
		"numbers":   "x" + string(binary.BigEndian.AppendUint64(nil, 1)) + strings.Repeat(`{"a":1`, 50_000),
		"one large": "x " + `{"a":"` + strings.Repeat("y", 1<<20) + `"}`,
	} {
		got := decode(bash(), true, handler.Answer{Stdout: []byte(text)})
		if loose := decode(bash(), false, handler.Answer{Stdout: []byte(text)}); loose.res.Decision != none {
			t.Errorf("%s: %+v", name, loose.res)
		}
		t.Logf("%s: %v", name, got.err)
	}
}
