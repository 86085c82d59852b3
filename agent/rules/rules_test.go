package rules_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/agent/rules"
)

const good = "---\ntrigger: 'console\\.log'\ndescription: no debug output\n---\nUse the logger.\n"

func TestParse(t *testing.T) {
	r, err := rules.Parse("dir/logger.md", []byte(good))
	if err != nil || r.Name != "logger" || r.Text != "Use the logger." || !r.Trigger.MatchString("a console.log(1)") || r.Trigger.MatchString("consolexlog") {
		t.Errorf("%+v, %v", r, err)
	}
	for text, want := range map[string]string{
		"no header":                              "needs a trigger",
		"---\ndescription: x\n---\nbody":         "needs a trigger",
		"---\ntrigger: '('\n---\nbody":           "x.md:2:10: trigger: error parsing regexp",
		"---\ntrigger: 'a*'\n---\nbody":          "matches everything",
		"---\ntrigger: a\n---\n  \n":             "the rule says nothing",
		"---\ntrigger: [a]\n---\nbody":           "trigger",
		"---\ntrigger: a\ntrigger: b\n---\nbody": "x.md:3",
	} {
		if _, err := rules.Parse("x.md", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestLoad(t *testing.T) {
	project, home := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(project, ".hookline", "rules", "logger.md"): good,
		filepath.Join(home, ".hookline", "rules", "logger.md"):    strings.Replace(good, "Use", "At home use", 1),
		filepath.Join(home, ".hookline", "rules", "broken.md"):    "body",
		filepath.Join(home, ".hookline", "rules", "notes.txt"):    "no rule",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := rules.Load(rules.Dirs(project, home)...)
	if err == nil || !strings.Contains(err.Error(), "broken.md") {
		t.Errorf("error %v", err)
	}
	if len(got) != 1 || got[0].Text != "Use the logger." {
		t.Errorf("%+v", got)
	}
	if got, err := rules.Load(rules.Dirs("", "")...); err != nil || got != nil {
		t.Errorf("%v, %v", got, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{good, "", "---\n---\n", "---\ntrigger: (a\n---\nb", "---\ntrigger: a\n---\n\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		r, err := rules.Parse("x.md", src)
		if err == nil && (r.Trigger == nil || r.Text == "") {
			t.Errorf("%+v", r)
		}
	})
}

func Example() {
	r, err := rules.Parse("logger.md", []byte(good))
	fmt.Println(r.Name, r.Trigger.MatchString("console.log(x)"), r.Text, err)
	// Output: logger true Use the logger. <nil>
}
