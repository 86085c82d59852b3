package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

// example is what a new guard refuses, and events of it: one in plain words, one in other
// words, and one that it has nothing against. The zero example refuses nothing.
type example struct {
	field, refuses         string
	plain, spelt, harmless hookTest
}

const (
	deletes = `(^|[^\w.-])rm\b[^;&|\n]*[^\w]-([A-Za-z]*[rR]|-r)`
	secrets = `\.[eE][nN][vV]\b`
)

// exampleOf is the example for an event and a matcher.
func exampleOf(ev hook.Event, matcher string) example {
	prompt := func(s string) hookTest { return hookTest{Prompt: s} }
	command := func(s string) hookTest { return hookTest{Tool: "Bash", Input: map[string]any{"command": s}} }
	if ev == hook.EventUserPromptSubmit {
		return example{"prompt", deletes, prompt("please rm -rf everything"), prompt(`please /bin/r\m  "-f" -r it`), prompt("hello")}
	}
	m, err := hook.ParseMatcher(matcher)
	if err != nil || ev != hook.EventPreToolUse && ev != hook.EventPermissionRequest {
		return example{} // what is not a matcher, the dialect refuses
	}
	file := func(tool, path, content string) hookTest {
		return hookTest{Tool: tool, Input: map[string]any{"file_path": path, "content": content}}
	}
	if m.Match("Bash") == hook.MatchYes {
		e := example{"command", deletes, command("rm -rf /"), command(`/bin/r\m  "-f" -r build`), command("ls")}
		if m.Match("Write") == hook.MatchYes {
			e.harmless = file("Write", "notes.txt", "never rm -rf /")
		}
		return e
	}
	for _, tool := range []string{"Write", "Edit", "Read"} {
		if m.Match(tool) == hook.MatchYes {
			return example{"file_path", secrets, file(tool, ".env", ""), file(tool, "src/../.ENV", ""), file(tool, "notes.txt", "see .env")}
		}
	}
	return example{}
}

// dropped is what a shell drops of a word; $1 stays. The templates have it too.
var dropped = lazyregexp.New(`\\\n|["']|\\(.)`)

// exampleFrom refuses what an event of a test file did, in however many blanks and quotes.
func exampleFrom(ev hook.Event, t hookTest) example {
	e := exampleOf(ev, "")
	if e.refuses == "" {
		return e
	}
	value := t.Prompt
	with := func(s string) hookTest { u := t; u.Prompt = s; return u }
	if e.field != "prompt" {
		for _, e.field = range []string{"command", "file_path", ""} {
			if value, _ = t.Input[e.field].(string); value != "" {
				break
			}
		}
		with = func(s string) hookTest { u := t; u.Input = map[string]any{e.field: s}; return u }
	}
	var words []string
	for _, w := range strings.Fields(dropped.Get().ReplaceAllString(value, "$1")) {
		words = append(words, regexp.QuoteMeta(w))
	}
	if words == nil {
		return example{} // none of the fields that the templates look at
	}
	e.refuses, e.plain, e.spelt, e.harmless = strings.Join(words, `\s+`), t, with(strings.ReplaceAll(value, " ", `  ""`)), with("something else")
	return e
}

// caseAt reads a case: FILE:LINE, as test prints it, or the first one of a file.
func (a *app) caseAt(place string) (hookTest, error) {
	file, at := place, 0
	if i := strings.LastIndexByte(place, ':'); i > 0 {
		if n, err := strconv.Atoi(place[i+1:]); err == nil {
			file, at = place[:i], n
		}
	}
	tests, err := a.readTests(a.inDir(file))
	if err != nil {
		return hookTest{}, usagef("--from: %w", err)
	}
	for _, t := range tests {
		if at == 0 || t.line == at {
			return t, nil
		}
	}
	return hookTest{}, usagef("--from: no case begins at line %d of %s", at, file)
}

// hookTestFor is the text of a test file for a new hook.
func hookTestFor(p hookPlan, guards bool) (string, error) {
	var tests []hookTest
	add := func(t hookTest, about string, expect expectation) {
		t.Name, t.Event, t.Only, t.Expect = p.Name+" "+about, p.Event.String(), []string{p.Name}, expect
		tests = append(tests, t)
	}
	none := expectation{Decision: "none", Ran: []string{p.Name}}
	if guards {
		deny := expectation{Decision: "deny", Reason: "not allowed"}
		add(p.example.plain, "blocks", deny)
		add(p.example.spelt, "blocks other spellings", deny)
		add(p.example.harmless, "lets the rest through", none)
	} else {
		subject, known := subjectOf(p.NewHook)
		if p.from.Event != "" {
			subject, known = p.from, p.Matcher == ""
		}
		if !known {
			none.Ran = nil // whether it runs is for the matcher to say
		}
		add(subject, "has no objection", none)
	}
	list, err := testList(tests)
	return "# Run with: hookline test\ntests:\n" + list, err
}

// subjectOf is an event that a hook's matcher matches, as far as the matcher is a list of
// names.
func subjectOf(p dialect.NewHook) (t hookTest, known bool) {
	name := regexp.MustCompile(`^\w*`).FindString(p.Matcher)
	rest := strings.TrimPrefix(p.Matcher, name)
	switch field := p.Event.Spec().Subject; {
	case p.Matcher == "":
		return t, true
	case rest != "" && rest[0] != '|' && rest[0] != ',' || strings.Contains(field, " "):
		return t, false
	case field == "tool_name":
		t.Tool = name
	case field != "":
		t.Set = map[string]any{field: name}
	}
	return t, true
}

// testList is a list of cases as it stands below the key tests.
func testList(tests []hookTest) (string, error) {
	list, err := yaml.Dump(tests)
	if err != nil {
		return "", fmt.Errorf("write the cases of a test file: %w", err)
	}
	var b strings.Builder
	for l := range strings.Lines(string(list)) {
		b.WriteString("  " + l)
	}
	return b.String(), nil
}
