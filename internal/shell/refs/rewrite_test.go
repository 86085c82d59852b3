package refs

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRewrite(t *testing.T) {
	root := project(t, tree)
	o := options(root)
	files := []string{filepath.Join(root, "x.sh"), filepath.Join(root, "y.sh"), filepath.Join(root, "x.py"), filepath.Join(root, "a b/z.sh")}
	to := Below(files, root, "/m")
	for _, c := range []struct {
		command, want string
		ok            bool
	}{
		{"$CLAUDE_PROJECT_DIR/x.sh", "'/m/x.sh'", true},
		{`"${CLAUDE_PROJECT_DIR}"/x.sh --flag "$1"`, `'/m/x.sh' --flag "$1"`, true},
		{`"$CLAUDE_PROJECT_DIR/a b/z.sh" && ./y.sh`, "'/m/a b/z.sh' && '/m/y.sh'", true},
		{"python3 x.py x.sh", "python3 '/m/x.py' '/m/x.sh'", true},
		{"FOO=1 timeout 5 ./x.sh | tee out", "FOO=1 timeout 5 '/m/x.sh' | tee out", true},
		{"sh < x.sh", "sh < '/m/x.sh'", true},
		{"if ./x.sh; then echo $(./y.sh); fi", "if '/m/x.sh'; then echo $('/m/y.sh'); fi", true},
		{"echo nothing here", "echo nothing here", true},
		{"x.sh", "x.sh", true}, // of PATH
		{"sh -c './x.sh'", "", false},
		{"cd sub && ../x.sh", "", false},
		{"X=./x.sh; $X", "", false},
		{`./x\.sh`, "", false},
		{"echo 'unclosed", "", false},
	} {
		got, ok := Rewrite(c.command, o, to)
		if ok != c.ok || ok && got != c.want || !ok && got != c.command {
			t.Errorf("%q: %q, %t; want %q, %t", c.command, got, ok, c.want, c.ok)
		}
	}
	program, args, ok := RewriteExec("python3", []string{"${CLAUDE_PROJECT_DIR}/x.py", "-v"}, o, to)
	if !ok || program != "python3" || !slices.Equal(args, []string{"/m/x.py", "-v"}) {
		t.Errorf("%s %q %t", program, args, ok)
	}
	if program, _, ok = RewriteExec("./x.sh", nil, o, to); !ok || program != "/m/x.sh" {
		t.Errorf("%s %t", program, ok)
	}
	if _, args, ok = RewriteExec("sh", []string{"-c", "./x.sh"}, o, to); ok || args[1] != "./x.sh" {
		t.Errorf("%q %t", args, ok)
	}
}

// TestRewrittenCommandDoesTheSame runs commands before and after.
func TestRewrittenCommandDoesTheSame(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh here")
	}
	say := "#!/bin/sh\nprintf '%s|' \"$@\"\n"
	root := project(t, map[string]string{"x.sh*": say, "it's/y.sh*": say})
	other := filepath.Join(t.TempDir(), "it's other")
	if err := os.CopyFS(other, os.DirFS(root)); err != nil {
		t.Fatal(err)
	}
	to := Below([]string{filepath.Join(root, "x.sh"), filepath.Join(root, "it's/y.sh")}, root, other)
	run := func(text string) string {
		cmd := exec.Command(sh, "-c", text)
		cmd.Dir, cmd.Env = root, append(os.Environ(), "CLAUDE_PROJECT_DIR="+root)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%q: %v: %s", text, err, out)
		}
		return string(out)
	}
	for _, text := range []string{"./x.sh a 'b c'", `"$CLAUDE_PROJECT_DIR/it's/y.sh" "$HOME" é; ./x.sh`, "echo é && ./x.sh $(./x.sh q)"} {
		got, ok := Rewrite(text, options(root), to)
		if !ok || !strings.Contains(got, "other") {
			t.Errorf("%q became %q, %t", text, got, ok)
			continue
		}
		if a, b := run(text), run(got); a != b {
			t.Errorf("%q printed %q and then %q", text, a, b)
		}
	}
}

func FuzzRewrite(f *testing.F) {
	for _, s := range []string{"./x.sh a", "$CLAUDE_PROJECT_DIR/x.sh", "cat <<E\n./x.sh\nE", "é ./x.sh", "X=1 ./x.sh >o"} {
		f.Add(s)
	}
	root := project(f, tree)
	to := Below([]string{filepath.Join(root, "x.sh")}, root, "/mirror")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			t.Skip()
		}
		got, ok := Rewrite(text, options(root), to)
		if !ok && got != text {
			t.Fatalf("%q was not rewritten and became %q", text, got)
		}
		if again, ok2 := Rewrite(got, options(root), to); ok && ok2 && again != got {
			t.Fatalf("%q became %q and then %q", text, got, again)
		}
	})
}
