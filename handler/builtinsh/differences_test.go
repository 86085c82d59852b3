//go:build unix

package builtinsh_test

import (
	"strings"
	"testing"
)

// TestKnownDifferences asserts what docs/builtin-shell.md says: in each of these the
// real shell does one thing and the built-in one another. A difference that is gone
// has to go from the document too.
func TestKnownDifferences(t *testing.T) {
	doc := read(t, "../../docs/builtin-shell.md")
	const bash = "#!/bin/bash\n"
	for _, d := range []struct {
		title, text   string
		code, ours    int
		stdout, print string
	}{
		{"Unset variables", "set -u\necho \"$undefined\"\necho on\n", 2, 1, "", ""},
		{"Unset variables", bash + "set -u\necho \"$undefined\"\n", 127, 1, "", ""},
		{"Redirections that fail", "cat < nowhere\necho $?\n", 0, 0, "2\n", "1\n"},
		{"cd to nowhere", "cd /nowhere\necho $?\n", 0, 0, "2\n", "1\n"},
		{"Numbers that are none", "x=abc\necho $((x))\n", 2, 0, "", "0\n"},
		{"Numbers that are none", bash + "x=1.5\necho $((x + 1))\necho on\n", 0, 0, "on\n", "1\non\n"},
		{"Large status of return", "f() { return 300; }\nf\necho $?\n", 0, 0, "300\n", "44\n"},
		{"Characters and bytes", "x=h\u00e9llo\necho ${#x}\n", 0, 0, "6\n", "5\n"},
		{"Missing commands and command -v", "command -v nonesuch-command\necho $?\n", 0, 0, "127\n", "1\n"},
		{"set -e in a subshell of a condition", "set -e\nif (false; echo in); then echo yes; fi\necho on\n", 0, 0, "in\nyes\non\n", "on\n"},
		{"Name of the script", "echo \"${0##*/}\"\n", 0, 0, "dash\n", "sh\n"},
	} {
		if !strings.Contains(doc, "\n- **"+d.title+".**") {
			t.Errorf("the document does not have %q", d.title)
		}
		want := realShell(t, d.text, nil)
		if want.code != d.code || want.stdout != d.stdout {
			t.Errorf("%s: the real shell: %d %q, want %d %q", d.title, want.code, want.stdout, d.code, d.stdout)
		}
		got := builtin(t, d.text, nil)
		if got.code != d.ours || got.stdout != d.print {
			t.Errorf("%s: the built-in shell: %d %q, want %d %q", d.title, got.code, got.stdout, d.ours, d.print)
		}
	}
}
