package subagent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/agent/subagent"
)

func TestFaultsAreLocated(t *testing.T) {
	for text, want := range map[string]string{
		"no header":                                                  "needs a header",
		"---\ndescription: x\n---\nbody":                             "no name of one word",
		"---\nname: a b\ndescription: x\n---\nbody":                  "no name of one word",
		"---\nname: a\n---\nbody":                                    "no description",
		"---\nname: a\ndescription: x\n---\n":                        "no prompt",
		"---\nname: a\ndescription: [x]\n---\nbody":                  "x.md:3",
		"---\nname: a\ndescription: x\ntools: {}\n---\nb":            "tools",
		"---\nname: a\ndescription: x\nisolation: container\n---\nb": "no isolation \"container\"",
	} {
		if _, err := subagent.Parse("x.md", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	d, err := subagent.Parse("x.md", []byte("---\nname: a\ndescription: x\ntools: []\n---\nbody"))
	if err != nil || d.Tools == nil || len(d.Tools) != 0 {
		t.Errorf("no tools at all: %#v, %v", d.Tools, err)
	}
}

func TestIsolation(t *testing.T) {
	for text, want := range map[string]string{"isolation: worktree\n": subagent.Worktree, "isolation: \"\"\n": "", "": ""} {
		if d, err := subagent.Parse("x.md", []byte("---\nname: a\ndescription: x\n"+text+"---\nbody")); err != nil || d.Isolation != want {
			t.Errorf("%q: %q, %v", text, d.Isolation, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "---\nname: a\ndescription: x\ntools: Read, Grep\nhooks: {Stop: [1]}\n---\nbody", "---\nname: [\n---\n", "\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		d, err := subagent.Parse("x.md", src)
		if err == nil && (d.Name == "" || d.Description == "" || d.Prompt == "") {
			t.Errorf("%+v", d)
		}
	})
}

func Example() {
	d, err := subagent.Parse("reviewer.md", []byte("---\nname: reviewer\ndescription: Reviews changes.\ntools: Read, Grep\n---\nYou review.\n"))
	fmt.Println(d.Name, d.Tools, d.Prompt, err)
	// Output: reviewer [Read Grep] You review. <nil>
}
