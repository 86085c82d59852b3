package permission

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// gitPieces are what the settings of TestGitConfigIsReadAsGitDoes are made of.
var gitPieces = []string{
	"[core]", "[CORE]", "[diff \"x\"]", "[diff \"a ] b\"]", "[diff \"a\\\"b\"]", "[diff.Y]", "[ core ]", "[core]fsmonitor=1", "[filter \"\"]", "[include]", "[a-b]",
	"fsmonitor", "FSMonitor", "external", "command", "x-y", "k9", "=", " = ", "==", "./evil", "\"./evil\"", "\"a;b\"", "a;b", "a#b", "\"a\\\"b\"", "a\\\\b", "\\n", "\\t",
	"\n", "\n", "\n\t", "\r\n", "\\\n", " \\\n ", "; note", "# note", ";", "#", "\"", "\\", "[", "]", " ", "\t", "true", "x y", "\uFEFF", "é", "[core \"s\"] key = v",
}

// What git reads in a file of settings is found too, or the file is refused.
func TestGitConfigIsReadAsGitDoes(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "config")
	r := rand.New(rand.NewPCG(7, 11))
	deadline, read := time.Now().Add(8*time.Second), 0
	for n := 0; n < 400 && time.Now().Before(deadline); n++ {
		var b strings.Builder
		for range 1 + r.IntN(3) {
			b.WriteString(gitPieces[r.IntN(11)])
			for range 1 + r.IntN(9) {
				b.WriteString(gitPieces[r.IntN(len(gitPieces))])
			}
			b.WriteString("\n")
		}
		text := b.String()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "git", "config", "--no-includes", "-z", "--list", "-f", file)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			continue // git refuses it, and does nothing
		}
		ours, err := parseGitConfig(text)
		if err != nil {
			continue
		}
		var names []string
		for _, s := range ours {
			names = append(names, strings.ToLower(s.name())+"="+s.value)
		}
		for entry := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			if entry == "" {
				continue
			}
			read++
			name, value, _ := strings.Cut(entry, "\n")
			name = strings.Replace(name, "..", ".", 1) // [filter ""]
			// Blanks count for nothing in what is asked of a value.
			same := func(s string) bool {
				got, v, _ := strings.Cut(s, "=")
				return got == strings.ToLower(name) && strings.Join(strings.Fields(v), "") == strings.Join(strings.Fields(value), "")
			}
			if !slices.ContainsFunc(names, same) {
				t.Errorf("git reads %q in %q, which gave %q", entry, text, names)
			}
		}
	}
	if read == 0 {
		t.Error("nothing was compared")
	}
}

func FuzzParseGitConfig(f *testing.F) {
	for _, s := range []string{"[core]\n\tfsmonitor = ./evil\n", "[diff \"x]\"]\n\ttextconv = \"a;b\" ; c\n", "[core] a=b\\\nc\n", "[", "[core]\n=\n", "\uFEFF[a.b]\nc"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseGitConfig(text)
		for _, s := range got {
			if err != nil || s.section == "" || s.key == "" || s.key != strings.ToLower(s.key) {
				t.Errorf("%+v, %v", s, err)
			}
		}
	})
}
