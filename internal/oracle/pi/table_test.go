package pi

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/internal/oracle"
)

func TestDeclaredDifferencesAreInTheDocs(t *testing.T) {
	page, err := os.ReadFile("../../../docs/dialects/pi.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| declared difference | reason |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "<!-- declared ends -->")
	var want strings.Builder
	for _, d := range DeclaredDifferences {
		fmt.Fprintf(&want, "| %s | %s |\n", d.What, d.Reason)
	}
	missing := strings.Builder{}
	for _, m := range MissingMembers {
		fmt.Fprintf(&missing, "| `%s` | %s |\n", strings.Join(m.Names, "`, `"), m.Reason)
	}
	if !strings.Contains(string(page), "| what modules do not get | reason |\n|---|---|\n"+missing.String()+"<!-- declared ends -->") {
		t.Errorf("docs/dialects/pi.md has no table of what modules do not get:\n%s", &missing)
	}
	if strings.TrimSpace(table) != strings.TrimSpace(want.String()) {
		t.Errorf("docs/dialects/pi.md has\n%s\nit should have\n%s", table, &want)
	}
}

func TestCellsHaveNamesOfTheirOwnAndThoseOfCIAreThere(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Cells() {
		if seen[c.name] {
			t.Errorf("two cells are called %s", c.name)
		}
		seen[c.name] = true
	}
	if slices.ContainsFunc(few, func(name string) bool { return !seen[name] }) || len(few) != 12 {
		t.Errorf("the cells of CI are %v", few)
	}
}

func TestACallOfPisToolsBecomesOneOfOurs(t *testing.T) {
	c := Cell{turns: []oracle.Turn{
		call("edit", object{"path": "a", "edits": []object{{"oldText": "x", "newText": "y"}}}), call("bash", object{"command": "c", "timeout": 2}), call("greet", object{"path": "p"}),
	}}
	var got []string
	for _, turn := range c.play(true).Script.Turns {
		got = append(got, fmt.Sprint(turn.Blocks[0].Tool, turn.Blocks[0].Input))
	}
	want := []string{"Editmap[file_path:a new_string:y old_string:x]", "Bashmap[command:c timeout:2000]", "greetmap[path:p]"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOfARequestOnlyWhatModulesCausedIsCompared(t *testing.T) {
	msg := func(role, content string) oracle.Message { return oracle.Message{Role: role, Content: []byte(content)} }
	first := []oracle.Message{msg("user", `"our own words\nMARK-ASKED"`)}
	p := &oracle.Play{Dir: "/room", Requests: []oracle.Request{
		{System: []byte(`"You are.\nMARK-RULE"`), Messages: first},
		{Messages: append(first, msg("assistant", `[{"type":"tool_use","name":"Bash","input":{}}]`), msg("user", `[{"type":"tool_result","is_error":true,"content":[{"type":"text","text":"wording\nMARK in /room"}]}]`))},
	}}
	f := oracle.Facts{}
	if err := modelFacts(f, p); err != nil {
		t.Fatal(err)
	}
	for fact, want := range map[string]string{
		"model: request 0": "(0 of 0 as before)\nuser: MARK-ASKED", "model: system 0": "MARK-RULE",
		"model: request 1": "(1 of 1 as before)\nassistant calls bash\nresult error=true MARK in <ROOM>",
	} {
		if f[fact] != want {
			t.Errorf("%s is %q, want %q", fact, f[fact], want)
		}
	}
}
