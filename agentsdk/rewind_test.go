package agentsdk_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/hook"
)

// request makes a request and returns the answer's response.
func (p *program) request(request string) hook.JSON {
	p.t.Helper()
	p.say(`{"type":"control_request","request_id":"r","request":` + request + `}`)
	response, _ := p.until(`"request_id":"r"`).Get("response")
	return response
}

// Files go back to what they held at a message, and forth again; a link that was put in
// place of one is not followed.
func TestFilesGoBack(t *testing.T) {
	p := start(t, `turns:
  - tool_calls: [{name: Write, input: {file_path: a, content: "one\n"}}]
  - text: done
  - tool_calls:
      - {name: Edit, input: {file_path: a, old_string: one, new_string: two}}
      - {name: Edit, input: {file_path: a, old_string: two, new_string: three}}
      - {name: Write, input: {file_path: b, content: "new\n"}}
  - text: done
`, beginning)
	p.request(`{"subtype":"set_permission_mode","mode":"acceptEdits"}`)
	message := func(prompt string) string {
		p.prompt(prompt)
		line := p.until(`"text":"` + prompt)
		p.until(result)
		return line.String("uuid")
	}
	first, second := message("first"), message("second")
	project, err := filepath.EvalSymlinks(p.project)
	if err != nil {
		t.Fatal(err)
	}
	a, b := filepath.Join(project, "a"), filepath.Join(project, "b")
	holds := func(path, want string) {
		t.Helper()
		if got, _ := os.ReadFile(path); string(got) != want {
			t.Errorf("%s holds %q, not %q", path, got, want)
		}
	}
	rewind := func(id, more, want string) {
		t.Helper()
		if got := p.request(`{"subtype":"rewind_files","user_message_id":"` + id + `"` + more + `}`).Raw(); !strings.Contains(got, want) {
			t.Errorf("it answers %s, not %s", got, want)
		}
	}
	both := `"canRewind":true,"filesChanged":["` + a + `","` + b + `"],"insertions":1,"deletions":2}`
	rewind(second, `,"dry_run":true`, both)
	holds(a, "three\n")
	rewind(second, "", both)
	holds(a, "one\n")
	rewind(second, "", `"canRewind":true,"insertions":0`)
	rewind(first, "", `"filesChanged":["`+a+`"],"insertions":0,"deletions":1}`)
	if p.exists("a") || p.exists("b") {
		t.Error("the files are there")
	}
	rewind(second, "", `"insertions":1,"deletions":0`) // as it was then
	holds(a, "one\n")
	rewind("nothing", "", `"canRewind":false,"error":"taking files back: entry \"nothing\"`)

	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(a); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, a); err != nil {
		t.Fatal(err)
	}
	rewind(first, "", `"skippedLinks":1`)
	holds(other, "other")
	if err := p.end(); err != nil {
		t.Error(err)
	}
}
