package claude

import (
	"fmt"
	"strings"
	"testing"
)

// TestPastPrompts tells what a person typed from what else has the role of the user.
func TestPastPrompts(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{`{"type":"user","message":{"content":"go on"}}`, "go on"},
		{`{"type":"user","message":{"content":[{"type":"text","text":"look at this"},{"type":"image"}]}}`, "look at this"},
		{`{"type":"user","message":{"content":"<command-message>fix</command-message>\n<command-name>/fix</command-name>\n<command-args>the bug</command-args>"}}`, "/fix the bug"},
		{`{"type":"user","message":{"content":"<command-name>/clear</command-name>"}}`, ""},
		{`{"type":"user","message":{"content":"<local-command-stdout>x</local-command-stdout>"}}`, ""},
		{`{"type":"user","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}`, ""},
		{`{"type":"user","isMeta":true,"message":{"content":"Stop hook feedback"}}`, ""},
		{`{"type":"user","isCompactSummary":true,"message":{"content":"so far"}}`, ""},
		{`{"type":"user","isSidechain":true,"message":{"content":"for a subagent"}}`, ""},
		{`{"type":"user","forkedFrom":{"sessionId":"s"},"message":{"content":"counted there"}}`, ""},
	} {
		past, err := Dialect{}.Archives()[0].Reader("/s.jsonl").Next([]byte(c.line))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(past) > 0 {
			got = fmt.Sprint(past[0].Input)
		}
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.line, got, c.want)
		}
	}
}

// TestPastFates tells calls that ran, with and without a person, from those that did not,
// and those about which a person was asked.
func TestPastFates(t *testing.T) {
	for _, c := range []struct{ result, want string }{
		{`"toolUseResult":{"stdout":""}`, "PostToolUse 2"},
		{`"permissionDecision":{"decision":"accept","source":"config","reasonType":"rule"}`, "PostToolUse 2"},
		{`"permissionDecision":{"decision":"accept","source":"user_permanent"}`, "PermissionRequest 0, PostToolUse 3"},
		{`"permissionDecision":{"decision":"reject","source":"user_reject"}`, "PermissionRequest 0, none 1"},
		{`"permissionDecision":{"decision":"reject","source":"config","reasonCode":"workingDir"}`, "PermissionRequest 0, none 1"},
		{`"permissionDecision":{"decision":"reject","source":"hook","reasonCode":"hook:PreToolUse"},"toolDenialKind":"user-rejected"`, "none 1"},
		{`"permissionDecision":{"decision":"reject","source":"config","reasonCode":"rule:userSettings"}`, "none 1"},
		{`"toolUseResult":"User rejected tool use"`, "none 1"},
	} {
		s := Dialect{}.Archives()[0].Reader("/s.jsonl")
		if _, err := s.Next([]byte(`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}}`)); err != nil {
			t.Fatal(err)
		}
		past, err := s.Next([]byte(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":""}]},` + c.result + `}`))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range past {
			name := "none"
			if p.Input != nil {
				name = p.Input.Event().String()
			}
			got = append(got, fmt.Sprint(name, " ", p.Fate))
		}
		if g := strings.Join(got, ", "); g != c.want {
			t.Errorf("%s: got %s, want %s", c.result, g, c.want)
		}
	}
}
