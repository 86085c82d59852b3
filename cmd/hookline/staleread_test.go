package main

import "testing"

func TestStaleRead(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		want         int
	}{
		{"reads first", "#!/bin/sh\nINPUT=$(cat)\ngit status\n", 0},
		{"looks first", "#!/bin/sh\nset -e\nBRANCH=$(git branch --show-current)\nINPUT=$(cat)\n", 3},
		{"on one line", "date; cat >/dev/null", 1},
		{"on one line, well", "cat >/dev/null; date", 0},
		{"the clock in python", "import sys, time\nnow = time.time()\nevent = sys.stdin.read()\n", 2},
		{"a function is not run yet", "import sys\ndef branch():\n    return subprocess.run(['git'])\n\nevent = sys.stdin.read()\nbranch()\n", 0},
		{"a shell function", "branch() {\n  git branch\n}\nread -r line\n", 0},
		{"comments", "# git status\ncat\n", 0},
		{"node", "const fs = require('fs')\nconst t = Date.now()\nconst s = fs.readFileSync(0)\n", 2},
		{"no input at all", "echo hello\n", 0},
		{"empty", "", 0},
	} {
		if got, text := staleRead(tt.script); got != tt.want {
			t.Errorf("%s: line %d (%s), expected %d", tt.name, got, text, tt.want)
		}
	}
}
