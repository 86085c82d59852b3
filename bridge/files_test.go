package bridge_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
)

// TestAFlatFileHasAVersion since hosts read nothing of one that has none.
func TestAFlatFileHasAVersion(t *testing.T) {
	in, _ := newInstaller(t)
	for _, name := range []string{"cursor", "copilot"} {
		h, _ := dialect.HostByName(in.Dialects, name)
		c, err := in.Install(t.Context(), h, "user", nil)
		if err != nil {
			t.Fatal(err)
		}
		list, ok, err := dialect.ByName(in.Dialects, name).(dialect.Files).CheckFile(c.Path)
		if err != nil || !ok || len(list) > 0 || !strings.Contains(read(t, c.Path), `"version": 1`) {
			t.Errorf("%s: %v %v %v: %s", name, ok, err, list, read(t, c.Path))
		}
		if p, err := in.Places(h); err != nil || len(p) != 1 || len(p[0].Problems) > 0 {
			t.Errorf("%s: %+v %v", name, p, err)
		}
		if _, err := in.Remove(t.Context(), c.Path); err != nil {
			t.Error(err)
		}
		write(t, c.Path, `{"version":2}`)
		if _, err := in.Install(t.Context(), h, "user", nil); err == nil || !strings.Contains(err.Error(), "its version is 2") || read(t, c.Path) != `{"version":2}` {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAGroupOfOursStandsBesideOthers in a file whose events stand in groups with names, and is
// all that goes, whatever was written since.
func TestAGroupOfOursStandsBesideOthers(t *testing.T) {
	in, _ := newInstaller(t)
	h, _ := dialect.HostByName(in.Dialects, "antigravity")
	path, err := in.Path(h, "")
	if err != nil {
		t.Fatal(err)
	}
	const was = `{"mine": {"Stop": [{"command": "./x"}]}}`
	for _, since := range []string{"./x", "./y"} {
		write(t, path, was)
		if _, err := in.Install(t.Context(), h, "", nil); err != nil {
			t.Fatal(err)
		}
		list, ok, err := dialect.ByName(in.Dialects, h.Name).(dialect.Files).CheckFile(path)
		if err != nil || !ok || len(list) > 0 || !strings.Contains(read(t, path), `"matcher": "*"`) {
			t.Errorf("installed is %s: %v %v %v", read(t, path), list, ok, err)
		}
		if p, err := in.Places(h); err != nil || len(p) != 1 || len(p[0].Problems) > 0 {
			t.Errorf("it is in %+v, %v", p, err)
		}
		write(t, path, strings.Replace(read(t, path), "./x", since, 1))
		if _, err := in.Remove(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		left := strings.Join(strings.Fields(read(t, path)), " ")
		if want := strings.Replace(was, "./x", since, 1); strings.ReplaceAll(left, " ", "") != strings.ReplaceAll(want, " ", "") {
			t.Errorf("left is %s", left)
		}
	}
}

// TestAFileOfWhichNothingElseWouldBeReadIsLeftAlone installs where a person has events beside the
// member that the bridge's would be in.
func TestAFileOfWhichNothingElseWouldBeReadIsLeftAlone(t *testing.T) {
	in, _ := newInstaller(t)
	h, _ := dialect.HostByName(in.Dialects, "openhands")
	path, err := in.Path(h, "user")
	if err != nil {
		t.Fatal(err)
	}
	const bare = `{"pre_tool_use": [{"hooks": [{"command": "./a"}]}]}`
	write(t, path, bare)
	if _, err := in.Install(t.Context(), h, "user", nil); err == nil || !strings.Contains(err.Error(), "pre_tool_use stands beside") || read(t, path) != bare {
		t.Errorf("installed: %v, and the file is %s", err, read(t, path))
	}
	write(t, path, `{"hooks": {"PreToolUse": [{"hooks": [{"command": "./a"}]}]}}`)
	if _, err := in.Install(t.Context(), h, "user", nil); err != nil || !strings.Contains(read(t, path), "./a") {
		t.Errorf("not installed: %v: %s", err, read(t, path))
	}
}

// TestAnEntrySaysWhatAFailureIs where a host asks for that: a deny of the tool, which is all that
// the host takes it for.
func TestAnEntrySaysWhatAFailureIs(t *testing.T) {
	in, _ := newInstaller(t)
	h, _ := dialect.HostByName(in.Dialects, "goose")
	c, err := in.Install(t.Context(), h, "user", nil)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Hooks map[string][]struct {
			Hooks []map[string]string `json:"hooks"`
		} `json:"hooks"`
	}
	if err := hook.RawJSON(c.After).Decode(&file); err != nil || len(file.Hooks) != len(h.Events) {
		t.Fatalf("installed is %s, %v", c.After, err)
	}
	for event, groups := range file.Hooks {
		if got := groups[0].Hooks[0]["on_failure"]; (got == "block") != (event == "PreToolUse") {
			t.Errorf("a failure of %s is %q", event, got)
		}
	}
}

// TestAFileOfTwoHostsHasTheBridgeOfOne of them: which asks for both, and the other one's removal
// leaves it.
func TestAFileOfTwoHostsHasTheBridgeOfOne(t *testing.T) {
	in, _ := newInstaller(t)
	cli, _ := dialect.HostByName(in.Dialects, "copilot")
	editor, _ := dialect.HostByName(in.Dialects, "vscode")
	c, err := in.Install(t.Context(), cli, "user", nil)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := in.Places(editor); err != nil || len(p) > 0 || !slices.Equal(in.Others(editor), []string{c.Path}) || len(in.Others(cli)) > 0 {
		t.Errorf("VS Code has %+v, %v, and reads %v", p, err, in.Others(editor))
	}
	if _, err := in.Install(t.Context(), editor, "user", nil); err != nil {
		t.Fatal(err)
	}
	if p, err := in.Places(cli); err != nil || len(p) > 0 || strings.Contains(read(t, c.Path), "copilot preToolUse") {
		t.Errorf("Copilot has %+v, %v: %s", p, err, read(t, c.Path))
	}
	if p, err := in.Places(editor); err != nil || len(p) != 1 || len(p[0].Problems) > 0 {
		t.Errorf("VS Code has %+v, %v", p, err)
	}
	if _, err := in.Remove(t.Context(), c.Path); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(c.Path); err == nil {
		t.Errorf("left is %s", read(t, c.Path))
	}
}

func TestAModuleIsOursFromEndToEnd(t *testing.T) {
	in, _ := newInstaller(t)
	h, _ := dialect.HostByName(in.Dialects, "opencode")
	path, err := in.Path(h, "user")
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, "export const Mine = 1\n")
	if _, err := in.Install(t.Context(), h, "user", nil); err == nil || !strings.Contains(err.Error(), "somebody else's") {
		t.Errorf("over a file of somebody's: %v", err)
	}
	if c, err := in.Remove(t.Context(), path); err != nil || !c.Nothing() || read(t, path) != "export const Mine = 1\n" {
		t.Errorf("removing what is not there: %+v %v", c, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Install(t.Context(), h, "user", []string{"session.idle"}); err != nil {
		t.Fatal(err)
	}
	if p, err := in.Places(h); err != nil || len(p) != 1 || len(p[0].Problems) != 1 {
		t.Errorf("with one event: %+v %v", p, err)
	}
	write(t, path, read(t, path)+"// a remark\n")
	if _, err := in.Install(t.Context(), h, "user", nil); err != nil {
		t.Fatal(err)
	}
	if p, err := in.Places(h); err != nil || len(p) != 1 || len(p[0].Problems) > 0 {
		t.Errorf("with all: %+v %v", p, err)
	}
	if _, err := in.Install(t.Context(), h, "project", nil); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("in a second place: %v", err)
	}
	c, err := in.Remove(t.Context(), path)
	if _, statErr := os.Stat(path); err != nil || !c.Gone || statErr == nil {
		t.Errorf("removed: %+v %v %v", c, err, statErr)
	}
}

// refuses reports whether a host that gets an answer does not go on, as its codec reads it.
func refuses(t *testing.T, d dialect.Hosted, e *dialect.HostEvent, a handler.Answer) bool {
	t.Helper()
	in := e.Event.Spec().New()
	heard, _, err := d.Codec().DecodeResult(&hook.Call{Input: in}, a)
	return err == nil && heard.Fields()&(hook.FieldDeny|hook.FieldAsk)&e.Honours != 0
}
