package procrun

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/handler/internal/codectest"
	"github.com/hookline-dev/hookline/handler/process"
)

func TestMissingCommand(t *testing.T) {
	for stderr, want := range map[string]string{
		"sh: 1: node: not found\n":                                               "node",
		"/bin/sh: 1: ./a b/x.sh: not found":                                      "./a b/x.sh",
		"sh: node: not found":                                                    "node",
		"bash: line 1: node: command not found\n":                                "node",
		"zsh:1: command not found: node\n":                                       "node",
		"/usr/bin/env: ‘node’: No such file or directory\n":                      "node",
		"env: node: No such file or directory":                                   "node",
		"sh: 1: ./x: Permission denied":                                          "./x",
		"bash: line 1: /tmp: Is a directory":                                     "/tmp",
		"bash: line 1: ./x: cannot execute: required file not found":             "./x",
		"bash: ./x: /usr/bin/nodeX: bad interpreter: No such file or directory":  "/usr/bin/nodeX",
		"warming up\nsh: 1: node: not found\nsh: 2: deno: not found\ngood bye\n": "deno",
		"nothing of the kind\n":                                                  "",
		"":                                                                       "",
		": not found":                                                            "",
		"\xff\xfe: not found\r\n":                                                "",
		strings.Repeat("x", 100) + ": not found" + strings.Repeat("\n", 1000) + "and then this": strings.Repeat("x", 100),
	} {
		if got := missingCommand(stderr); got != want {
			t.Errorf("missingCommand(%.60q) = %q, want %q", stderr, got, want)
		}
	}
}

func TestSyntaxErrors(t *testing.T) {
	for stderr, want := range map[string]bool{
		"sh: 1: Syntax error: Unterminated quoted string\n":                      true,
		"bash: -c: line 1: syntax error near unexpected token `('\n":             true,
		"bash: -c: line 2: unexpected EOF while looking for matching `\"'\n":     true,
		"rm -rf is not allowed here\n":                                           false,
		"the command has a syntax error, so it was refused\n":                    false,
		"Blocked: write to .env (contains secrets). Use the template instead.\n": false,
	} {
		if got := syntaxError(stderr); got != want {
			t.Errorf("syntaxError(%q) = %v, want %v", stderr, got, want)
		}
	}
}

func TestMissingScript(t *testing.T) {
	dir := t.TempDir()
	there, gone := filepath.Join(dir, "there.py"), filepath.Join(dir, "gone.py")
	if err := os.WriteFile(there, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	python := func(file string) string {
		return "python3: can't open file '" + file + "': [Errno 2] No such file or directory\n"
	}
	for _, tt := range []struct{ name, text, stderr, want string }{
		{"python", "python3 " + gone, python(gone), gone},
		{"a relative name", "python3 gone.py --flag", "loading\n" + python(gone), gone},
		{"a variable", `python3 "$ROOT/gone.py"`, python(gone), gone},
		{"dash", "sh gone.sh", "sh: 0: cannot open gone.sh: No such file\n", filepath.Join(dir, "gone.sh")},
		{"perl", "perl gone.pl", `Can't open perl script "gone.pl": No such file or directory`, filepath.Join(dir, "gone.pl")},
		{"it is there", "python3 there.py", python(there), ""},
		{"another file", "python3 there.py", "guard: cannot open gone.py: refused\n", ""},
		{"another line", "python3 gone.py", "guard: cannot open x\ngone.py\n", ""},
		{"prose", "python3 gone.py", "you can't open gone.py here\n", ""},
		{"a private copy", "python3 /copies/there.py", python(there), ""},
		{"gone, and no copy", "python3 /copies/gone.py", python(gone), gone},
	} {
		r := run{Job: Job{
			Text: tt.text, Copies: "/copies", Original: dir,
			Spec: process.Spec{Dir: dir, Env: []string{"ROOT=" + dir}},
		}}
		if got := r.missingScript(tt.stderr); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	exec := run{Job: Job{Text: "python3", Spec: process.Spec{Dir: dir, Path: "/usr/bin/python3", Args: []string{gone}}}}
	if got := exec.missingScript(python(gone)); got != gone {
		t.Errorf("the exec form: %q", got)
	}
}

func FuzzFirstLine(f *testing.F) {
	for _, s := range []string{"", "\n", "a", "a\r\nb", "\uFEFF\n\n {\"async\":true}\n", "\r\n\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		line, end, complete := firstLine(b)
		if end > len(b) || len(line) > end || slices.Contains(line, '\n') || complete && b[end-1] != '\n' {
			t.Errorf("firstLine(%q) = %q, %d, %v", b, line, end, complete)
		}
		// Whatever the pieces, the same is found.
		whole := announcement{codec: codectest.Codec{}, made: func() {}}
		whole.take(b)
		pieces := announcement{codec: codectest.Codec{}, made: func() {}}
		for i := range b {
			pieces.take(b[i : i+1])
		}
		if whole.end > len(b) || whole.timeout != 0 && pieces.timeout != whole.timeout {
			t.Errorf("%q: the rest begins at %d, timeouts %v and %v", b, whole.end, whole.timeout, pieces.timeout)
		}
	})
}

func TestAnnouncement(t *testing.T) {
	long := strings.Repeat(" ", maxAnnouncement)
	for _, tt := range []struct {
		chunks []string
		made   bool
		rest   string
	}{
		{[]string{"{\"async\":true}\nrest"}, true, "rest"},
		{[]string{"{\"as", "ync\":true}", "\nrest"}, true, "\nrest"},
		{[]string{"\uFEFF", "\n", "\r\n{\"async\":true}\r\n", "x"}, true, "x"},
		{[]string{"{\"a\":{}", ",\"async\":true}\nx"}, true, "x"},
		{[]string{"hello\n{\"async\":true}\n"}, false, ""},
		{[]string{"{\"async\":false}\n", "{\"async\":true}\n"}, false, ""},
		{[]string{"{" + long, long, "\"async\":true}\n"}, false, ""},
		{[]string{}, false, ""},
	} {
		made := 0
		a := announcement{codec: codectest.Codec{}, made: func() { made++ }}
		for _, c := range tt.chunks {
			a.take([]byte(c))
		}
		all := strings.Join(tt.chunks, "")
		if made > 1 || made == 1 != tt.made || tt.made && all[a.end:] != tt.rest || len(a.head) > 3*maxAnnouncement {
			t.Errorf("%.80q: made %d times, the rest begins at %d", tt.chunks, made, a.end)
		}
	}
}

func TestSplitHint(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a b c"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		text, name string
		want       bool
	}{
		{"./a b c --flag", "./a", true},
		{"./a b d", "./a", false},
		{"$ROOT/x.sh", "/tmp/my", true},
		{"x.sh", "/tmp/my", false},
		{"node x.js", "node", false},
	} {
		r := run{Job: Job{Text: tt.text, Spec: process.Spec{Dir: dir, Env: []string{"ROOT=/tmp/my dir"}}}}
		if got := r.splitHint(tt.name); (got != "") != tt.want {
			t.Errorf("splitHint(%q) in %q = %q", tt.name, tt.text, got)
		}
	}
}

func TestEnvironment(t *testing.T) {
	var e Environment
	base := []string{"A=1", "B=2", "A=3", "junk", "=x"}
	got := e.With(base, []string{"B=4", "C=5", "C=6", "junk", ""})
	if want := []string{"A=3", "B=4", "C=6"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := e.With(nil, nil); !slices.Equal(got, []string{"A=3", "B=2"}) {
		t.Errorf("a run changed the base: %q", got)
	}
	if Lookup([]string{"X=1", "PATH=a=b", "PATH=c"}, "PATH") != "c" || Lookup(nil, "PATH") != "" {
		t.Error("Lookup")
	}
	t.Setenv("CANARY_TOKEN", "planted")
	t.Setenv("HARMLESS", "x")
	var own Environment
	env := own.With(nil, nil)
	if Lookup(env, "CANARY_TOKEN") != "" || Lookup(env, "HARMLESS") != "x" {
		t.Error("the default environment is not the filtered one")
	}
	if own := own.With(nil, []string{"CANARY_TOKEN=given"}); Lookup(own, "CANARY_TOKEN") != "given" {
		t.Error("what is set on purpose was dropped")
	}
}
