package permission

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func FuzzParseGitIndex(f *testing.F) {
	entry := make([]byte, 62)
	entry[26] = 0xe0 // a submodule
	seed := append([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x01"), append(entry, "a\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)...)
	f.Add(seed, false)
	four := append([]byte(nil), seed...)
	four[7] = 4
	f.Add(append(four[:74], "\x00a\x00"...), false)
	f.Add([]byte("DIRC"), true)
	f.Fuzz(func(t *testing.T, data []byte, long bool) {
		hash := 20
		if long {
			hash = 32
		}
		links, err := parseGitIndex(data, hash)
		if err != nil && links != nil {
			t.Fatal("paths with an error")
		}
		for _, l := range links {
			if l == "" {
				t.Fatal("a submodule without a path")
			}
		}
	})
}

// FuzzPrograms looks for scripts that are let through although they hold what the
// package must never let through.
func FuzzPrograms(f *testing.F) {
	for _, seed := range []string{"1,5p", "s/a/b/gp", "/a[/]b/d", "s#[^#]#x#", "{p;p}", "$!N;s/\\n/ /", "y/ab/ba/", "{print $1}", "NR>1{print}", "{print > \"x\"}", "BEGIN{system(\"x\")}", "a||b{print a||b}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		sedPrints(text)
		if awkPrints(text) && awkActs.MatchString(text) {
			t.Fatalf("%q", text)
		}
	})
}

// programPieces are what the programs of TestProgramsOnlyPrint are made of.
var programPieces = map[string][]string{
	"sed": {
		"1", "2,", "$", "/x/", "/[/]/", "/a\\/b/", "\\,x,", "!", "{", "}", ";", "\n", " ", "p", "d", "=", "q", "n", "N", "h", "G", "s/x/y/", "s/x/y/g", "s#x#/#2p", "s/[/]/y/", "s/[^]/]/y/w out/", "s,x,y,w out",
		"s/x/touch pwned/e", "s/x/touch pwned/", "e", "e touch pwned", "w out", "W out", "r secret", "R secret", "y/xy/yx/", "a\\", "atext", "i\\\n", "ctext", "#n", "# ; w out", "b", "t", ":a", "M", "I", "g", "w", "/", "[", "]", "\\", "&", "l", "z", "F", "v", "0~2", "+1", "~2", ",",
	},
	"awk": {
		"{", "}", "BEGIN", "END", "print", "printf", "print $0", "print \"x\"", "\"out\"", "> \"out\"", ">", ">>", "|", "||", "\"touch pwned\"", "| \"touch pwned\"", "system(", "system(\"touch pwned\")", ")", "(", "\"cat secret\" | getline", "getline < \"secret\"", "getline", "<", "1",
		";", "\n", " ", "/", "/x/", "\"", "x", "=", "NR", "NR>1", "NR>1 {print}", "{print}", "$1", ",", "ARGV[1]=\"secret\"", "ARGC=3", "if (1)", "while (0)", "f = \"system\"", "@f(\"x\")", "@include \"secret\"", "!", "~", "&&", "\\\n", "#", "# \n", "close(\"out\")", "-", "ENVIRON[\"A\"]", "function f(a) { print a }", "f(1)",
	},
}

// Programs that run unasked are run for real: nothing is written, nothing is run, and no
// file is read but their input.
func TestProgramsOnlyPrint(t *testing.T) {
	for name, prints := range map[string]func(string) bool{"sed": sedPrints, "awk": awkPrints} {
		bin, err := exec.LookPath(name)
		if err != nil {
			t.Logf("%s is not installed", name)
			continue
		}
		// What is refused runs in a place of its own: it may outlive its run.
		dir, other := t.TempDir(), t.TempDir()
		for file, text := range map[string]string{"in": "x touch pwned\nx y\na/b\n", "secret": "SECRET\n"} {
			for _, d := range []string{dir, other} {
				if err := os.WriteFile(filepath.Join(d, file), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		r := rand.New(rand.NewPCG(29, 31))
		run := func(dir, program string) string {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			cmd := exec.CommandContext(ctx, bin, program, "in")
			cmd.Dir, cmd.WaitDelay = dir, 100*time.Millisecond
			out, _ := cmd.Output() // many of them make no sense
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			what := ""
			for _, e := range entries {
				if e.Name() != "in" && e.Name() != "secret" {
					_ = os.Remove(filepath.Join(dir, e.Name()))
					what = "it made the file " + e.Name()
				}
			}
			if what != "" {
				return what
			}
			if bytes.Contains(out, []byte("SECRET")) {
				return "it read another file"
			}
			return ""
		}
		deadline := time.Now().Add(1500 * time.Millisecond)
		allowed := 0
		for n := 0; n < 20_000 && time.Now().Before(deadline); n++ {
			var b strings.Builder
			for range 1 + r.IntN(7) {
				b.WriteString(programPieces[name][r.IntN(len(programPieces[name]))])
			}
			if program := b.String(); prints(program) {
				allowed++
				if what := run(dir, program); what != "" {
					t.Errorf("%s %q runs unasked, and %s", name, program, what)
				}
			}
		}
		if allowed == 0 {
			t.Errorf("%s: no program was let through", name)
		}
		// The test sees harm where it is done.
		for _, program := range map[string][]string{"sed": {"w out", "r secret"}, "awk": {"BEGIN{system(\"touch pwned\")}", "{print > \"out\"}", "BEGIN{getline x < \"secret\"; print x}"}}[name] {
			if prints(program) || run(other, program) == "" {
				t.Errorf("%s %q runs unasked, or does no harm", name, program)
			}
		}
	}
}
