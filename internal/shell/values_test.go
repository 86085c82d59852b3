package shell_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/internal/shell"
)

func TestVariablesWithKnownValues(t *testing.T) {
	tests := []struct{ text, want string }{
		{`f=a; cat $f "$f.b" x$f`, "f=a\ncat|a|a.b|xa"},
		{`f=a && cat $f`, "f=a\ncat|a"},
		{`f="a b"; cat "$f"; cat $f`, "f=a b\ncat|a b\ncat|<?>"},
		{`f=*.go; cat $f`, "f=<?>.go\ncat|<?>.go"},
		{`for f in a b; do cat < $f; done`, "f=<?>\ncat <(r)a\ncat <(r)b"},
		{`for f in a b; do g=$f.x; cat $g; done`, "f=<?>\ng=a.x\ng=b.x\ncat|a.x\ncat|b.x"},
		{`for f in a b; do for g in c d; do x $f $g; done; done`, "f=<?>\ng=<?>\nx|a|c\nx|a|d\nx|b|c\nx|b|d"},
		{`for f in a; do :; done; for f in b; do cat $f; done`, "f=<?>\n:\nf=<?>\ncat|b"},
		{`f=a; (f=b; cat $f); cat $f`, "f=a\nf=b\ncat|b\ncat|<?>"},
		{`cat $f; f=a`, "cat|<?>\nf=a"},
		{`if x; then f=a; fi; cat $f`, "x\nf=a\ncat|<?>"},
		{`x || f=a; cat $f`, "x\nf=a\ncat|<?>"},
		{`f=a | x; cat $f`, "f=a\nx\ncat|<?>"},
		{`f=a & cat $f`, "f=a\ncat|<?>"},
		{`f=a cat $f`, "f=a cat|<?>"},
		{`f=a; f=b; cat $f`, "f=a\nf=b\ncat|b"},
		{`f=a; cat $f; f=b`, "f=a\ncat|<?>\nf=b"},
		{`while x; do cat $f; f=a; done`, "x\ncat|<?>\nf=a"},
		{`g() { f=b; }; f=a; g; cat $f`, "f=b\nf=a\ng\ncat|<?>"},
		{`f=a; read f < x; cat $f`, "f=a\nread|f <(r)x\ncat|<?>"},
		{`f=a; eval x; cat $f`, "f=a\neval|x =>\n  x\ncat|<?>"},
		{`f=a; printf -v f b; cat $f`, "f=a\nprintf|-v|f|b\ncat|<?>"},
		{`f=a; : $((f = 1)); cat $f`, "f=a\n:|<?>\nf=<?>\ncat|<?>\n? a value is read as arithmetic or as a test, which may run what it holds"},
		{`f=a; "read" f; cat $f`, "f=a\nread|f\ncat|<?>"},
		{`f=a; command read f; cat $f`, "f=a\ncommand|read|f =>\n  read|f\ncat|<?>"},
		{`f=a; \export f=b; cat $f`, "f=a\nexport|f=b\ncat|<?>"},
		{`declare -n g=f; f=a; g=b; cat $f`, "g=f declare|-n|g=f\nf=a\ng=b\ncat|<?>"},
		{`declare -i f; f=1+1; cat $f`, "f= declare|-i|f\nf=1+1\ncat|<?>"},
		{`f=a; . x; cat $f`, "f=a\n.|x\ncat|<?>"},
		{`f=a; $x f; cat $f`, "f=a\n<?>|f [the command's name is computed: $x]\ncat|<?>"},
		{"cat <<E; f=a\n$(cat $f)\nE", "cat <<()<?>\n\ncat|<?>\nf=a"},
		{`IFS=b; f=abc; cat $f`, "IFS=b\nf=abc\ncat|<?>"},
		{`IFS= read -r l; f=abc; cat $f`, "IFS= read|-r|l\nf=abc\ncat|abc"},
		{`RANDOM=1; cat $RANDOM`, "RANDOM=1\ncat|<?>"},
		{`select f in a; do cat $f; done`, "f=<?>\ncat|<?>"},
		{`for f; do cat $f; done`, "f=<?>\ncat|<?>"},
		{`f='~/x'; cat $f`, "f=~/x\ncat|<?>"},
		{`f=''; cat $f "$f"`, "f=\ncat|<?>|"},
		{`f=a; cat ${f} ${f:-b} ${f%b} ${#f}`, "f=a\ncat|a|<?>|<?>|<?>"},
		{`f=rm; $f x`, "f=rm\n<?>|x [the command's name is computed: $f]"},
		{`f=a; coproc x { :; }; cat $f`, "f=a\n:\ncat|<?>\n? the word after coproc may be a name or a command"},
	}
	for _, tt := range tests {
		if got := list(tt.text); got != tt.want {
			t.Errorf("%s:\n%s\nwant:\n%s", tt.text, got, tt.want)
		}
	}
}

// variablePieces are what the texts of TestRealVariables are made of.
var variablePieces = []string{
	"f=a", "f=b", "g=$f", "g=x$f", `g="$f $g"`, "f=$g", "f=", "f='a b'", "f+=c", "f=a g=b", "f=a cat", "export f=a", "export f", "f=${g:-a}", "f=$((1))", "read f <<< c",
	"for f in a b; do %s; done", "for g in $f c; do %s; done", `for f in "$g" d; do %s; done`, "if true; then %s; fi", "( %s )", "{ %s; }", "while true; do %s; break; done",
	"h() { %s; }; h", "h() { %s; }", "h", "true && %s", "false || %s", "%s | cat", "%s & wait", "f=b | cat", "f=b & wait", "true && f=b", "false && f=b", "false || g=b",
	`probe "$f"`, "probe $f", `probe "$g"`, "probe $g", `probe "$f" $g`, "probe x$f", `probe "${f}y"`, "f=c && probe $f", "f=c probe $f", "cat <<E\n$(probe $f)\nE", "cat <<E; f=e\n$(probe $f)\nE",
	`: "$(probe "$f")"`, ": ${f:=e}", ": ${g=e}", "case a in a) %s;; esac", `f=$g"$f"`, "for f in a b; do probe $f; f=z; done",
}

// rarePieces may set any variable, so that little is known where they are.
var rarePieces = []string{"unset f", "IFS=a", "printf -v f d", "let f=1", "readonly g=r", "eval 'f=z'", "trap 'probe $f' EXIT", "local f=q", "declare g=d", "declare -n f=g", "declare -i f"}

func variableText(r *rand.Rand, depth int) string {
	var parts []string
	for range 1 + r.IntN(4) {
		p := variablePieces[r.IntN(len(variablePieces))]
		if r.IntN(60) == 0 {
			p = rarePieces[r.IntN(len(rarePieces))]
		}
		if strings.Contains(p, "%s") {
			inner := `probe "$f" "$g"`
			if depth > 0 {
				inner = variableText(r, depth-1)
			}
			p = strings.Replace(p, "%s", "\n"+inner+"\n", 1)
		}
		parts = append(parts, p)
	}
	return strings.Join(parts, "\n")
}

// What a command is really given is among what is listed for it: values that are put
// in place of variables are theirs.
func TestRealVariables(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("bash is needed")
	}
	dir := t.TempDir()
	probe := filepath.Join(dir, "probe")
	if err := os.WriteFile(probe, []byte("#!/bin/sh\n{ printf '<%s>' \"$@\"; echo; } >>\"$LOG\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(19, 23))
	deadline := time.Now().Add(3 * time.Second)
	compared, substituted := 0, 0
	for n := 0; n < 30000 && time.Now().Before(deadline); n++ {
		text := variableText(r, 2)
		for id := 0; strings.Contains(text, "probe "); id++ {
			text = strings.Replace(text, "probe ", fmt.Sprintf("probe_ n%d ", id), 1)
		}
		text = strings.ReplaceAll(text, "probe_ ", "probe ")
		listed, computed := map[string][]string{}, map[string]bool{}
		s := shell.Analyze(text)
		for i := range s.Commands {
			s.Commands[i].All(func(c *shell.Command) bool {
				if c.Name() != "probe" {
					return true
				}
				id, line := "<"+c.Args[1].Text+">", ""
				for _, w := range c.Args[1:] {
					computed[id] = computed[id] || !w.Literal
					line += "<" + w.Text + ">"
				}
				listed[id] = append(listed[id], line)
				return true
			})
		}
		known := len(listed) > len(computed)
		for _, c := range computed {
			known = known || !c
		}
		if !s.Parsed || !known {
			continue
		}
		substituted++
		log := filepath.Join(dir, "log")
		_ = os.Remove(log)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		cmd := exec.CommandContext(ctx, bash, "-c", text)
		cmd.Dir, cmd.WaitDelay = dir, time.Second
		cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "LOG=" + log, "f=ENV", "g=ENV"}
		_ = cmd.Run() // many of the texts make no sense
		cancel()
		b, _ := os.ReadFile(log)
		for line := range strings.SplitSeq(strings.TrimSpace(string(b)), "\n") {
			id, _, _ := strings.Cut(line, ">")
			if id += ">"; line == "" || computed[id] {
				continue
			}
			if compared++; !slices.Contains(listed[id], line) {
				t.Errorf("bash ran probe %s, which is not among %q:\n%s", line, listed[id], text)
			}
		}
	}
	if substituted == 0 || compared == 0 {
		t.Errorf("%d texts, %d commands: nothing was compared", substituted, compared)
	}
	t.Logf("%d texts with %d commands were compared", substituted, compared)
}
