//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// hostile is a name that would take over a terminal: it sets the clipboard and the
// title, moves the cursor, rings, turns text around and hides it.
const hostile = "x\x1b]52;c;ZXZpbA==\x07\x1b]0;owned\x07\x1b[2J\x1b[1A\u009b31m\u202egnp\u200b\r\b\x00y"

// TestNoCommandPassesControlSequencesOn walks the commands over a project whose
// names, texts and answers are hostile.
func TestNoCommandPassesControlSequencesOn(t *testing.T) {
	home, project := t.TempDir(), filepath.Join(t.TempDir(), "p\u202ex")
	fileName := strings.NewReplacer("\x00", "", "/", "").Replace(hostile)
	quoted := strings.NewReplacer("\x1b", `\u001b`, "\x07", `\u0007`, "\r", `\r`, "\b", `\b`, "\x00", `\u0000`).Replace(hostile)
	write := func(dir, name, text string, mode os.FileMode) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	esc := `$(printf '\033]52;c;ZXZpbA==\007\033[2J\302\23331m\342\200\256')`
	write(project, ".claude/settings.json", `{"hooks":{
		"PreToolUse":[{"matcher":"`+quoted+`|*","hooks":[{"name":"`+quoted+`","type":"command","command":"echo \"`+esc+`\" >&2; exit 2"}]}],
		"Stop":[{"hooks":[{"name":"fails","type":"command","command":"echo \"`+esc+`\" >&2; exit 1"}]}],
		"`+quoted+`":[], "SessionStart":[{"hooks":[{"type":"command","command":"echo \"`+esc+`\""}]}]}}`, 0o644)
	write(project, ".hookline/hooks/"+fileName, "#!/bin/sh\necho \""+esc+"\"\n", 0o755)
	write(project, ".hookline/modules/"+fileName+".ts", "throw new Error("+"`\x1b]0;owned\x07`"+")", 0o644)
	write(project, ".hookline/recipes/"+fileName+".md", "---\ndescription: \""+`\e]0;owned\a`+"\"\n---\n"+hostile, 0o644)
	write(project, ".hookline/skills/"+fileName+"/SKILL.md", "---\nname: x\ndescription: \""+`\e]0;owned\a`+"\"\n---\n"+hostile, 0o644)
	write(project, ".hookline/plugins/a@"+fileName+"/hooks/h", "#!/bin/sh\n", 0o755)
	write(project, ".hookline/config.json", `{"`+quoted+`":1}`, 0o644)
	write(project, ".hookline/bad.hooktest.yaml", "tests:\n  - name: \""+`\e]0;owned\a`+"\"\n    event: PreToolUse\n    expect: {decision: allow}\n", 0o644)

	commands := [][]string{
		{"list", "--all"},
		{"list", "--all", "--json"},
		{"explain", "PreToolUse"},
		{"status"},
		{"trust"},
		{"trust", "--yes"},
		{"list", "--all"},
		{"fire", "PreToolUse"},
		{"fire", "PreToolUse", "--profile"},
		{"fire", "Stop"},
		{"fire", "SessionStart"},
		{"fire", "PreToolUse", "--dry-run"},
		{"fire", hostile},
		{"fire", "PreToolUse", "--tool", hostile},
		{"fire", "PreToolUse", "--input", hostile},
		{"fire", "Stop", "--set", hostile + "=1"},
		{"show", strings.ReplaceAll(hostile, "\x00", "")},
		{"show", "fails"},
		{"validate"},
		{"doctor"},
		{"test"},
		{"bench", "Stop", "-n", "1"},
		{"log"},
		{"log", "--json"},
		{"plugin", "list", "--json"},
		{"explain", "PreToolUse", "--json"},
		{"fire", "PreToolUse", "--json"},
		{"log", "--slow"},
		{"log", "--verify"},
		{"plugin", "list"},
		{"plugin", "verify"},
		{"plugin", "show", hostile},
		{"plugin", "add", hostile},
		{"recipe", "list", "--all"},
		{"recipe", "show", strings.ReplaceAll(hostile, "\x00", "")},
		{"skill", "list", "--all"},
		{"skill", "show", hostile},
		{"new", hostile},
		{"disable", hostile},
		{"untrust", hostile},
		{"schema", hostile},
		{hostile},
		{"list", "--" + hostile},
		{"-C", hostile, "list"},
	}
	for _, args := range commands {
		var out, errOut bytes.Buffer
		s := &streams{in: strings.NewReader(""), out: &out, err: &errOut, getenv: func(k string) string {
			return map[string]string{"HOME": home, "PATH": os.Getenv("PATH")}[k]
		}}
		full := args
		if args[0] != "-C" {
			full = append([]string{"-C", project}, args...)
		}
		run(full, s)
		for name, text := range map[string]string{"stdout": out.String(), "stderr": errOut.String()} {
			if i := strings.IndexFunc(text, takesOver); i >= 0 {
				t.Errorf("%q: %s has %q in %q", args, name, []rune(text[i:])[0], text[max(0, i-60):min(len(text), i+60)])
			}
		}
	}
}

// takesOver reports whether a character could do more to a terminal than show
// itself.
func takesOver(r rune) bool {
	switch r {
	case '\n', '\t':
		return false
	case '\u200b', '\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069':
		return true
	}
	return unicode.IsControl(r)
}
