package permission_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
)

// What deciding about ordinary commands costs, under a few dozen rules.
func BenchmarkDecide(b *testing.B) {
	p := ordinary(b)
	var rules []permission.Entry
	for i := range 30 {
		rules = append(rules, entries(b, permission.Allow, permission.ScopeProject, fmt.Sprintf("Bash(tool%d run:*)", i))...)
	}
	rules = append(rules, entries(b, permission.Allow, permission.ScopeUser, "Bash(go test:*)", "Edit(./docs/**)")...)
	rules = append(rules, entries(b, permission.Deny, permission.ScopeUser, "Bash(rm -rf:*)", "Bash(curl:*)", "Read(./.env)", "Read(./secrets/**)")...)
	c := checker(b, permission.Config{Rules: rules, ProjectDir: p, Home: filepath.Dir(p)})
	for name, text := range map[string]string{
		"ls": "ls", "cat": "cat main.go", "git-status": "git status", "git-diff-there": "cd internal && git diff --stat", "pattern": "cat docs/*.md", "pipe": "cat main.go | grep -n func | head -20",
		"loop": "for f in docs/*.md; do echo \"$f\"; cat \"$f\"; done", "rule": "go test ./... 2>&1 | tail -20", "search": "grep -rn TODO internal", "unknown": "npm install", "edit": "",
	} {
		req := permission.Request{Tool: "Bash", Input: command(text), Cwd: p}
		if name == "edit" {
			req = permission.Request{Tool: "Edit", Input: obj("file_path", filepath.Join(p, "docs", "a.md")), Cwd: p}
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.Decide(req)
			}
		})
	}
}

// Commands that are made to be dear end, and are not refused.
func TestDearCommandsEnd(t *testing.T) {
	p := ordinary(t)
	crowd := filepath.Join(p, "crowd")
	if err := os.MkdirAll(crowd, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		if err := os.WriteFile(filepath.Join(crowd, fmt.Sprintf("f%04d", i)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := ordinaryChecker(t, p, "Read(**/.env)", "Read(./secrets/**)", "Bash(rm:*)")
	loop := func(depth int, body string) string {
		var b strings.Builder
		for i := range depth {
			fmt.Fprintf(&b, "for v%d in a b c d e f g h; do ", i)
		}
		return b.String() + body + strings.Repeat("; done", depth)
	}
	var chain strings.Builder
	chain.WriteString("v0=xxxxxxxxxxxxxxxx")
	for i := range 40 {
		fmt.Fprintf(&chain, "; v%d=%s", i+1, strings.Repeat(fmt.Sprintf("$v%d", i), 50))
	}
	for name, text := range map[string]string{
		"patterns of one":        "cat " + strings.Repeat("crowd/* ", 1333),
		"patterns of patterns":   "cat " + strings.Repeat("*/", 60) + "*",
		"stars":                  "cat crowd/" + strings.Repeat("*f*0", 300),
		"searches of one":        "grep -rR x " + strings.Repeat("crowd ", 1333),
		"find and xargs":         strings.Repeat("find crowd | xargs cat;", 333),
		"loops":                  loop(8, "cat $v0 $v1 $v2 $v3 $v4 $v5 $v6 $v7"),
		"values of values":       chain.String() + "; cat $v40",
		"values, often":          "f=" + strings.Repeat("x", 1333) + ";" + strings.Repeat("cat $f $f $f;", 1333),
		"assignments":            strings.Repeat("f=a;", 2000) + "cat $f",
		"assignments of others":  strings.Repeat("a=b;c=d;e=$a;", 1666) + "cat $e",
		"here-documents":         "f=a\n" + strings.Repeat("cat <<E\n$f\nE\n", 1666),
		"changes of directory":   strings.Repeat("cd a; cd b;", 200) + "ls",
		"links upwards":          strings.Repeat("cd ..;", 300) + "ls " + strings.Repeat("../", 1000),
		"git":                    strings.Repeat("git status;", 1333),
		"git there":              strings.Repeat("git -C internal status;", 1000),
		"tops":                   strings.Repeat("ls $(git rev-parse --show-toplevel)/docs;", 666),
		"substitutions":          strings.Repeat("echo $(", 1000) + strings.Repeat(")", 1000),
		"shells":                 strings.Repeat("bash -c ", 1666) + "ls",
		"sed":                    "sed '" + strings.Repeat("s/a[b]/c/g;", 2666) + "' main.go",
		"awk":                    "awk '" + strings.Repeat("{if (1||2) x = 1}", 2000) + "' main.go",
		"runners":                strings.Repeat("parallel ", 1000) + "ls",
		"runners of text":        strings.Repeat("parallel 'taskset \"chrt x;y\"' ", 300),
		"aliases":                strings.Repeat("alias a='alias b=\"alias c=x\"';", 600),
		"settings":               "git " + strings.Repeat("-c alias.a='git -c alias.b=c b' ", 400) + "a",
		"words":                  "ls " + strings.Repeat("x ", 6000),
		"pipes":                  "ls" + strings.Repeat(" | sort", 1000),
		"words before a command": strings.Repeat("A=1 ", 2000) + "ls",
	} {
		d := c.Decide(permission.Request{Tool: "Bash", Input: command(text), Cwd: p})
		if d.Decision == hook.DecisionDeny {
			t.Errorf("%s is refused: %s", name, d.Reason)
		}
	}
}
