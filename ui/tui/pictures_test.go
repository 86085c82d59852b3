package tui

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/hook"
)

var update = flag.Bool("update", false, "draw the screens of docs/chat.md anew")

// picture compares the screen with the one of that name in docs/chat.md.
func picture(t *testing.T, name, screen string) {
	t.Helper()
	page := filepath.Join("..", "..", "docs", "chat.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin := "<!-- screen: " + name + " -->\n```text\n"
	head, rest, found := strings.Cut(string(text), begin)
	old, tail, ended := strings.Cut(rest, "```\n")
	if !found || !ended {
		t.Fatalf("%s has no screen %q", page, name)
	}
	if screen = strings.TrimRight(screen, "\n") + "\n"; screen == old {
		return
	}
	if !*update {
		t.Fatalf("the screen %q of %s is another one now (go test ./ui/tui -run Pictures -update draws it):\n%s", name, page, screen)
	}
	if err := os.WriteFile(page, []byte(head+begin+screen+"```\n"+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}

// from says where a hook comes from.
func from(scope string) hook.Option {
	return func(r *hook.Registration) error { r.Scope = scope; return nil }
}

const pictured = `
turns:
  - text: "I look at the test first."
    tool_calls: [{name: Read, input: {file_path: sum_test.go}}]
  - tool_calls: [{name: Bash, input: {command: "rm -rf build"}}]
  - text: "A hook keeps the directory. The fault is in *sum.go*:\n\n- it **adds** the last number twice\n- the test is right"
  - tool_calls: [{name: Edit, input: {file_path: sum.go, old_string: "for i := 0; i <= len(n); i++ {", new_string: "for i := range n {"}}]
  - text: "Done."
`

// TestPictures makes the screens of docs/chat.md: a conversation with hooks, what is asked,
// completions and lists.
func TestPictures(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths look different")
	}
	c := newChat(t, setup{turns: pictured, width: 76, height: 22, named: "adder", hooks: func(r *hook.Registry) {
		hook.On(r, func(_ context.Context, in *hook.PreToolUse) (hook.Result, error) {
			if in.ToolName == "Bash" {
				return hook.Deny("build is kept for the release"), nil
			}
			return hook.Result{}, nil
		}, hook.Name("guard.sh"), from("project"))
		hook.On(r, func(context.Context, *hook.PostToolUse) (hook.Result, error) { return hook.Result{}, nil }, hook.Name("fmt.ts"), from("user"))
		hook.On(r, func(context.Context, *hook.TurnStart) (hook.Result, error) { return hook.Result{}, nil }, hook.Name("turns.py"), from("user"))
	}, settings: func(s *Session) {
		registered := s.Hooks
		s.Hooks = func() []ListedHook {
			return append(registered(), ListedHook{Info: &hook.Info{Event: hook.EventStop, Name: "tests.py", Scope: "project"}, Mark: "not approved", Why: "untrusted"})
		}
	}})
	for name, text := range map[string]string{"sum.go": "package adder\n\nfor i := 0; i <= len(n); i++ {\n", "sum_test.go": "package adder\n"} {
		if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.wait("default · scripted")
	c.send("Why does the test fail?" + enter)
	c.wait("the test is right", "hooks 6 (1 blocked, 0 failed)")
	c.idle()
	picture(t, "conversation", c.g.text())

	c.send("/tree" + enter)
	c.wait("The session\n")
	picture(t, "tree", c.bottom(9))
	c.send(strings.Repeat(up, 5) + enter)
	c.wait("Give it a label")
	picture(t, "move", c.bottom(9))
	c.send(escape)
	c.until("no list", func(s string) bool { return !strings.Contains(s, "Give it a label") })

	c.send("Mend @sum")
	c.wait("▸ @sum.go", "> Mend @sum\n")
	picture(t, "completion", c.bottom(7))

	c.send("\t" + enter)
	c.ready("Allow Edit?")
	picture(t, "permission", strings.ReplaceAll(c.bottom(15), c.dir, "/home/ann/adder"))
	c.send("1")
	c.wait("Done.", "hooks 10 (1 blocked, 0 failed)")
	c.idle()

	c.send("/hooks" + enter)
	c.wait("in the order in which they run")
	picture(t, "hooks", regexp.MustCompile(`p95 [0-9.]+\S+`).ReplaceAllString(c.bottom(7), "p95 3ms"))
	c.send("4")
	c.wait("not approved: untrusted\n> 1. What it did last")
	c.send(escape)
	c.until("the list", func(s string) bool { return !strings.Contains(s, "What it did last") })
	c.send(escape)
	c.until("no list", func(s string) bool { return !strings.Contains(s, "in the order in which") })
}
