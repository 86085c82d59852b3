package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/config"
	"github.com/hookline-dev/hookline/diag"
)

func write(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, config.FileName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestLevelsAddUpAndAProjectRelaxesNothing(t *testing.T) {
	managed := write(t, `{"hooks":{"disabled":["m"],"onFailure":{"guard":"closed"}},"command":{"shell":"bash"}}`)
	user := write(t, `{ // comments are fine
		"strict": false, "command": {"shell": "sh"}, "hooks": {"disabled": ["u"], "prewarm": {"py-*": 1},},
	}`)
	project := write(t, `{"strict":true,"hooks":{"disabled":["u2","p"],"onFailure":{"guard":"open","other":"closed"}},"command":{"shell":"builtin"},"audit":{"level":"off"}}`)
	c, diags := config.Load(managed, user, project)
	if !c.Strict || c.Command.Shell != "bash" || c.OnFailure["guard"] != "closed" || c.OnFailure["other"] != "closed" || c.Audit.Level != "" || c.Prewarm["py-*"] != 1 {
		t.Errorf("%+v", c)
	}
	var refused []string
	for _, d := range diags {
		if d.Severity != diag.Warning {
			t.Errorf("%v", d)
		}
		refused = append(refused, d.Pointer)
	}
	if got := strings.Join(refused, " "); got != "/audit /command /hooks/onFailure" {
		t.Errorf("refused %s", got)
	}
	for _, tt := range []struct {
		name  string
		level config.Level
		want  bool
	}{
		{"m", config.Managed, true},
		{"u", config.Managed, false},
		{"u", config.User, true},
		{"p", config.User, false},
		{"p", config.Project, true},
		{"u", config.Project, true},
		{"x", config.Project, false},
	} {
		if why, got := c.Disabled(tt.name, tt.level); got != tt.want || got && !strings.Contains(why, config.FileName) {
			t.Errorf("%s at %v: %v (%s)", tt.name, tt.level, got, why)
		}
	}
}

func TestAProjectOnlyTightensTheSandbox(t *testing.T) {
	for _, tt := range []struct{ managed, user, project, want, refused string }{
		{"", "", "", "", ""},
		{"", "", `"on"`, "on", ""},
		{"", `"off"`, `"required"`, "required", ""},
		{"", `"on"`, `"off"`, "on", "/sandbox/mode"},
		{`"required"`, `"off"`, `"on"`, "required", "/sandbox/mode"},
		{`"off"`, `"on"`, "", "off", ""},
	} {
		file := func(mode string) string {
			if mode == "" {
				return write(t, "{}")
			}
			return write(t, `{"sandbox":{"mode":`+mode+`}}`)
		}
		c, diags := config.Load(file(tt.managed), file(tt.user), file(tt.project))
		refused := ""
		for _, d := range diags {
			refused += d.Pointer
		}
		if c.Sandbox.Mode != tt.want || refused != tt.refused {
			t.Errorf("%+v: %q, refused %q", tt, c.Sandbox.Mode, refused)
		}
	}
	c, diags := config.Load("", write(t, `{"sandbox":{"write":["/a"]}}`), write(t, `{"sandbox":{"write":["/b"],"noTCP":true}}`))
	if len(c.Sandbox.Write) != 1 || !c.Sandbox.NoTCP || len(diags) != 1 || diags[0].Pointer != "/sandbox/write" {
		t.Errorf("%+v, %v", c.Sandbox, diags)
	}
}

func TestOffTurnsItsLevelAndThoseBelowOff(t *testing.T) {
	user := write(t, `{"hooks":{"off":true}}`)
	c, _ := config.Load("", user, "")
	for level, want := range map[config.Level]bool{config.Managed: false, config.User: true, config.Project: true} {
		if _, got := c.Disabled("any", level); got != want {
			t.Errorf("off in the user's file, a hook of %v: %v", level, got)
		}
	}
	c, _ = config.Load("", "", user)
	if _, got := c.Disabled("any", config.User); got {
		t.Error("off in a project's file turned a hook of the person off")
	}
}

func TestAPersonSwitchesHooksOfOneProjectOff(t *testing.T) {
	project := t.TempDir()
	own := `{"hooks":{"disabledIn":{"` + project + `/.":["p"]}}}`
	c, diags := config.Load("", write(t, own), write(t, strings.Replace(own, `"p"`, `"q"`, 1)))
	for _, tt := range []struct {
		dir, name string
		want      bool
	}{{project, "p", true}, {project, "q", false}, {filepath.Dir(project), "p", false}} {
		if why, got := c.DisabledIn(tt.dir, tt.name); got != tt.want || got && !strings.Contains(why, config.FileName) {
			t.Errorf("%s in %s: %v (%s)", tt.name, tt.dir, got, why)
		}
	}
	if len(diags) != 1 || diags[0].Pointer != "/hooks/disabledIn" {
		t.Errorf("a project's file: %v", diags)
	}
}

func TestMistakesAreLocated(t *testing.T) {
	tests := []struct{ text, want string }{
		{`{"strct":true}`, `c:1:2: unknown key "strct"`},
		{"{\n  \"strict\": \"yes\"\n}", `c:2:13: true or false expected, not a string`},
		{`{"hooks":{"disabled":["a",1]}}`, `c:1:27: an array of strings expected`},
		{`{"strict":true,"strict":false}`, `c:1:25: the key "strict" is there twice`},
		{`{"claude":{"systemMessage":"all"}}`, `c:1:28: unknown word "all"`},
		{`[]`, `c:1:1: a configuration file holds an object`},
		{`{"hooks":{"prewarm":{"a":-1}}}`, `c:1:26: a whole number from 0 expected`},
		{`{`, `c:1:2: `},
	}
	for _, tt := range tests {
		_, diags := config.Parse("c", []byte(tt.text))
		if len(diags) != 1 || !strings.HasPrefix(diags[0].String(), tt.want) {
			t.Errorf("%s: %v", tt.text, diags)
		}
	}
}

func TestFilesThatCannotBeReadTurnStrictModeOn(t *testing.T) {
	user := write(t, `{"strict":true}`)
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, config.FileName), 0o700); err != nil {
		t.Fatal(err)
	}
	c, diags := config.Load("", user, dir)
	if !c.Strict || len(diags) != 2 || !strings.Contains(diags[0].Message, "not a regular file") {
		t.Errorf("strict %v, %v", c.Strict, diags)
	}
	// It may have asked for strict mode: until somebody mends it, that is on.
	for _, dirs := range [][3]string{{dir}, {"", dir}, {"", "", dir}, {"", write(t, `{"strict": true,}}`)}} {
		if c, diags := config.Load(dirs[0], dirs[1], dirs[2]); !c.Strict || len(diags) != 2 || !strings.Contains(diags[1].Message, "strict mode is on") {
			t.Errorf("%q: strict %v, %v", dirs, c.Strict, diags)
		}
	}
	if c, diags := config.Load("", t.TempDir(), ""); c.Strict || len(diags) != 0 {
		t.Errorf("no files: %+v %v", c, diags)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"strict":true,"hooks":{"disabled":["a"],"prewarm":{"x":1}}}`))
	f.Add([]byte("{\"modules\": {\"paths\": [1]}, // x\n}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, diags := config.Parse("c", data)
		if file == nil && len(diags) == 0 {
			t.Fatal("no file and no reason")
		}
	})
}

func TestOnFailureTakesTheWordsOfSettingsToo(t *testing.T) {
	c, diags := config.Load("", write(t, `{"hooks":{"onFailure":{"a":"block","b":"continue","c":"ask","d":"closed"}}}`), "")
	if len(diags) != 0 || c.OnFailure["a"] != "closed" || c.OnFailure["b"] != "open" || c.OnFailure["c"] != "ask" || c.OnFailure["d"] != "closed" {
		t.Errorf("%v, %v", c.OnFailure, diags)
	}
	// A project may tighten only, in whatever words.
	if c, diags := config.Load("", "", write(t, `{"hooks":{"onFailure":{"a":"continue","b":"block"}}}`)); len(diags) != 1 || c.OnFailure["a"] != "" || c.OnFailure["b"] != "closed" {
		t.Errorf("%v, %v", c.OnFailure, diags)
	}
}
