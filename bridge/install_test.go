package bridge_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/hookline-dev/hookline/bridge"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/all"
	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/handler"
)

func newInstaller(t *testing.T) (*bridge.Installer, *dialect.Host) {
	t.Helper()
	root := t.TempDir()
	in := &bridge.Installer{
		Dialects: all.Dialects(), Getenv: func(string) string { return "" }, Client: filepath.Join(root, "it's here", "hookline-hook"),
		Dirs: dialect.Dirs{Project: filepath.Join(root, "project"), Home: filepath.Join(root, "home"), State: filepath.Join(root, "state")},
	}
	h, _ := dialect.HostByName(in.Dialects, "claude")
	return in, h
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// texts are settings files as people write them.
var texts = []string{
	"", "{}", "{}\n", "{ }", "{\n}\n", `{"hooks":{}}`, `{"hooks":{"PreToolUse":[]}}`,
	"{\n\t// mine\n\t\"model\": \"x\", // the fast one\n\t\"hooks\": {\n\t\t\"PreToolUse\": [ // two\n\t\t\t{\"hooks\": [{\"type\": \"command\", \"command\": \"./a\"}]}, // last\n\t\t],\n\t},\n}\n",
	"{\r\n    \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"./b\"}]}]}, \"n\": 1.50, \"s\": \"\\u00e9\"\r\n}",
}

func TestRemoveGivesTheFileBackAsItWas(t *testing.T) {
	for _, text := range texts {
		in, h := newInstaller(t)
		path := filepath.Join(in.Dirs.Home, ".claude", "settings.json")
		if text != "" {
			write(t, path, text)
		}
		in.Dry = true
		dry, err := in.Install(t.Context(), h, "user", nil)
		in.Dry = false
		if err != nil || dry.Nothing() || dry.Diff() == "" {
			t.Fatalf("%q: %v", text, err)
		}
		if now, err := os.ReadFile(path); string(now) != text || err == nil && text == "" {
			t.Errorf("%q: --dry-run wrote %q", text, now)
		}
		if _, err := in.Install(t.Context(), h, "user", nil); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		installed := read(t, path)
		s, diags, err := claude.ReadSettings(path, claude.Options{})
		if err != nil || len(diags) > 0 || installed != string(dry.After) {
			t.Errorf("%q became %s: %v %v", text, installed, diags, err)
		}
		bridged := 0
		for i := range s.Entries {
			if dialect.IsBridge(s.Entries[i].Command) {
				bridged++
			}
		}
		if bridged < 20 || strings.Count(installed, "./a") != strings.Count(text, "./a") {
			t.Errorf("%q: %d entries in %s", text, bridged, installed)
		}
		if again, err := in.Install(t.Context(), h, "user", nil); err != nil || !again.Nothing() {
			t.Errorf("%q: a second install: %v\n%s", text, err, again.Diff())
		}
		if list, err := in.Installed(); err != nil || len(list) != 1 || list[0] != path {
			t.Errorf("%q: installed are %q, %v", text, list, err)
		}
		if _, err := in.Remove(t.Context(), path); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if now, err := os.ReadFile(path); string(now) != text || (err == nil) != (text != "") {
			t.Errorf("%q is %q after it was removed, %v", text, now, err)
		}
		if list, err := in.Installed(); err != nil || len(list) > 0 {
			t.Errorf("%q: installed are still %q, %v", text, list, err)
		}
	}
}

// TestRemoveKeepsWhatWasWrittenSince has a person add a hook beside the bridge.
func TestRemoveKeepsWhatWasWrittenSince(t *testing.T) {
	in, h := newInstaller(t)
	path := filepath.Join(in.Dirs.Home, ".claude", "settings.json")
	write(t, path, "{\n  \"model\": \"x\"\n}\n")
	if _, err := in.Install(t.Context(), h, "user", []string{"PreToolUse", "Stop"}); err != nil {
		t.Fatal(err)
	}
	write(t, path, strings.Replace(read(t, path), `"hooks": [`, `"hooks": [{"type": "command", "command": "./mine"}, `, 1))
	if _, err := in.Remove(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if now := read(t, path); strings.Contains(now, "hookline") || strings.Contains(now, "Stop") || !strings.Contains(now, "./mine") || !strings.Contains(now, `"model": "x"`) {
		t.Errorf("left is %s", now)
	}
}

func TestInstallLeavesAloneWhatItCannotDoRight(t *testing.T) {
	in, h := newInstaller(t)
	user := filepath.Join(in.Dirs.Home, ".claude", "settings.json")
	project := filepath.Join(in.Dirs.Project, ".claude", "settings.json")
	for _, text := range []string{`{"hooks":`, `[]`, `{"hooks":[]}`, `{"hooks":{"PreToolUse":{}}}`, `{"hooks":{},"hooks":{}}`, "\ufeff{}"} {
		write(t, user, text)
		if _, err := in.Install(t.Context(), h, "user", nil); err == nil || read(t, user) != text {
			t.Errorf("%s became %s, %v", text, read(t, user), err)
		}
	}
	write(t, user, "{}")
	if _, err := in.Install(t.Context(), h, "managed", nil); err == nil {
		t.Error("it was installed where nothing is to be written")
	}
	if _, err := in.Install(t.Context(), h, "user", []string{"NoEvent"}); err == nil {
		t.Error("it was installed for no event")
	}
	if runtime.GOOS != "windows" {
		if err := os.Chmod(user, 0o400); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Install(t.Context(), h, "user", nil); err == nil || read(t, user) != "{}" {
			t.Errorf("a read-only file: %v", err)
		}
		if err := os.Chmod(user, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := in.Install(t.Context(), h, "user", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Install(t.Context(), h, "project", nil); err == nil || !strings.Contains(err.Error(), user) {
		t.Errorf("a second place that is read too: %v", err)
	}
	if _, err := os.Stat(project); err == nil {
		t.Error("it was written all the same")
	}
}

func TestInstallGoesThroughALink(t *testing.T) {
	in, h := newInstaller(t)
	dotfile := filepath.Join(in.Dirs.Home, "dotfiles", "claude.json")
	link := filepath.Join(in.Dirs.Home, ".claude", "settings.json")
	write(t, dotfile, "{}")
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dotfile, link); err != nil {
		t.Skipf("no symlinks here: %v", err)
	}
	if _, err := in.Install(t.Context(), h, "user", nil); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 || !strings.Contains(read(t, dotfile), dialect.BridgeMark) {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
	if _, err := in.Remove(t.Context(), link); err != nil || read(t, dotfile) != "{}" {
		t.Errorf("left is %s, %v", read(t, dotfile), err)
	}
}

func TestTwoInstallsAtOnceAreOne(t *testing.T) {
	in, h := newInstaller(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := in.Install(t.Context(), h, "user", nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	text := read(t, filepath.Join(in.Dirs.Home, ".claude", "settings.json"))
	if n := strings.Count(text, "claude PreToolUse"+dialect.BridgeMark); n != 1 {
		t.Errorf("%d entries for PreToolUse", n)
	}
}

// TestAnInstallBesideARemovalIsWhole has both at once: the file is as it was or has the bridge
// whole, and can be given back.
func TestAnInstallBesideARemovalIsWhole(t *testing.T) {
	in, h := newInstaller(t)
	path := filepath.Join(in.Dirs.Home, ".claude", "settings.json")
	const was = "{ // mine\n}\n"
	write(t, path, was)
	for range 20 {
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				if _, err := in.Install(t.Context(), h, "user", nil); err != nil {
					t.Error(err)
				}
			})
			all.Go(func() {
				if _, err := in.Remove(t.Context(), path); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		p, err := in.Places(h)
		if err != nil || len(p) == 1 && len(p[0].Problems) > 0 || len(p) == 0 && read(t, path) != was {
			t.Fatalf("left is %+v, %v: %s", p, err, read(t, path))
		}
	}
	if _, err := in.Remove(t.Context(), path); err != nil || read(t, path) != was {
		t.Errorf("left is %q, %v", read(t, path), err)
	}
}

// TestAClientThatIsGoneRefuses runs the line that a host runs, without the program.
func TestAClientThatIsGoneRefuses(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh")
	}
	in, h := newInstaller(t)
	for _, host := range dialect.Hosts(in.Dialects) {
		_, d := dialect.HostByName(in.Dialects, host.Name)
		for i := range host.Events {
			e := &host.Events[i]
			var out, errs bytes.Buffer
			cmd := exec.Command(sh, "-c", in.Command(host, e))
			cmd.Stdout, cmd.Stderr = &out, &errs
			_ = cmd.Run()
			a := handler.Answer{ExitCode: cmd.ProcessState.ExitCode(), Stdout: out.Bytes(), Stderr: errs.Bytes()}
			if said := out.String() + errs.String(); !strings.Contains(said, "Hookline is gone") {
				t.Errorf("%s, %s: %q", host.Name, e.Name, said)
			}
			if refused := refuses(t, d, e, a); refused != e.CanRefuse() {
				t.Errorf("%s, %s: refused is %v by %+v", host.Name, e.Name, refused, a)
			}
		}
	}
	write(t, in.Client, "#!/bin/sh\necho \"$@\"; cat\n")
	if err := os.Chmod(in.Client, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(sh, "-c", in.Command(h, h.Event("PreToolUse")))
	cmd.Stdin = strings.NewReader("payload")
	if out, err := cmd.Output(); err != nil || string(out) != "claude PreToolUse\npayload" {
		t.Errorf("the client was started as %q, %v", out, err)
	}
}
