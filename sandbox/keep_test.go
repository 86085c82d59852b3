package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/internal/fsx"
)

// kept is a directory with settings in it, and what keeps these.
func kept(t *testing.T) (dir string, k *Keep) {
	t.Helper()
	dir = fsx.Resolve(t.TempDir())
	for _, d := range []string{".tool/hooks", ".tool/worktrees/a", ".git/hooks", ".git/objects", "src"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for file, text := range map[string]string{".tool/settings.json": "{}", ".tool/hooks/guard.sh": "exit 2", ".git/config": "[core]", "src/main": "x"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	k, err := NewKeep(dir, []string{".tool", ".git/", ".git/hooks", ".git/config", ".mcp.json"}, []string{".tool/worktrees"}, filepath.Join(t.TempDir(), "aside"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.Close() })
	return dir, k
}

// tree is what there is below a directory, one line for each.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		text := ""
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = string(data)
		}
		b.WriteString(strings.TrimPrefix(path, dir) + " " + info.Mode().String() + " " + text + "\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func sh(t *testing.T, dir, text string) {
	t.Helper()
	if out, err := shell(dir, text); err != nil {
		t.Fatalf("%s: %v: %s", text, err, out)
	}
}

func TestWhatChangedIsPutBack(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no wall that it belongs to")
	}
	for text, did := range map[string]string{
		"echo x >.tool/settings.json":                        "changed .tool/settings.json",
		"echo x >s; mv s .tool/settings.json":                "changed .tool/settings.json",
		"rm .tool/hooks/guard.sh":                            "removed .tool/hooks/guard.sh",
		"chmod a-x .tool/hooks/guard.sh":                     "changed .tool/hooks/guard.sh",
		"chmod 0 .tool":                                      "changed .tool",
		"chmod 0700 .tool; echo x >.tool/settings.json":      "changed .tool, changed .tool/settings.json",
		"ln -sf /etc/passwd .tool/hooks/guard.sh":            "changed .tool/hooks/guard.sh",
		"echo x >.tool/new":                                  "made .tool/new",
		"mkdir -p .tool/a/b; echo x >.tool/a/b/c":            "made .tool/a",
		"rm -r .tool":                                        "removed .tool, removed .tool/hooks, removed .tool/hooks/guard.sh, removed .tool/settings.json",
		"rm -r .tool; echo x >.tool":                         "changed .tool, removed .tool/hooks, removed .tool/hooks/guard.sh, removed .tool/settings.json",
		"mkfifo .tool/p":                                     "made .tool/p",
		"rm .tool/settings.json; mkfifo .tool/settings.json": "changed .tool/settings.json",
		"echo {} >.mcp.json":                                 "made .mcp.json",
		"ln -s src .mcp.json":                                "made .mcp.json",
		"echo x >.git/hooks/pre-commit":                      "made .git/hooks/pre-commit",
		"echo x >>.git/config":                               "changed .git/config",
		"mv .git g; echo gitdir: g >.git":                    "made .git, removed .git/config, removed .git/hooks",
		"ln .tool/settings.json h; printf [] >h; touch -r .git/config .tool/settings.json": "changed .tool/settings.json",
		"echo x >src/main; echo x >.git/objects/o; echo x >.tool/worktrees/a/f":            "",
	} {
		t.Run(text, func(t *testing.T) {
			dir, k := kept(t)
			before := tree(t, filepath.Join(dir, ".tool"))
			if _, err := k.Begin(); err != nil {
				t.Fatal(err)
			}
			sh(t, dir, text)
			changes, err := k.End()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range changes {
				got = append(got, c.Did+" "+strings.TrimPrefix(c.Path, dir+"/"))
				if c.Did == "made" && c.MovedTo == "" && !strings.Contains(text, "mkfifo") {
					t.Errorf("%s is nowhere", c.Path)
				}
			}
			if s := strings.Join(got, ", "); s != did {
				t.Errorf("changes %q, want %q", s, did)
			}
			sh(t, dir, "rm -rf .tool/worktrees/a/f; mkdir -p .tool/worktrees/a")
			if after := tree(t, filepath.Join(dir, ".tool")); after != before {
				t.Errorf("it was\n%s\nand is\n%s", before, after)
			}
			if config := readFile(t, dir, ".git/config"); config != "[core]" {
				t.Errorf(".git/config is %q", config)
			}
			for _, gone := range []string{".mcp.json", ".git/hooks/pre-commit"} {
				if _, err := os.Lstat(filepath.Join(dir, gone)); err == nil {
					t.Errorf("%s is there", gone)
				}
			}
			if again, err := k.end(t); len(again) > 0 || err != nil {
				t.Errorf("and once more: %v, %v", again, err)
			}
		})
	}
}

// end has a command that does nothing.
func (k *Keep) end(t *testing.T) ([]Change, error) {
	t.Helper()
	if _, err := k.Begin(); err != nil {
		t.Fatal(err)
	}
	return k.End()
}

func readFile(t *testing.T, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Error(err)
	}
	return string(b)
}

// TestPuttingBackStaysInside makes a link of the settings' directory to one outside.
func TestPuttingBackStaysInside(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no wall that it belongs to")
	}
	dir, k := kept(t)
	out := t.TempDir()
	if err := os.WriteFile(filepath.Join(out, "settings.json"), []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Begin(); err != nil {
		t.Fatal(err)
	}
	sh(t, dir, "mv .tool old; ln -s "+out+" .tool")
	if _, err := k.End(); err != nil {
		t.Fatal(err)
	}
	if got := readFile(t, out, "settings.json"); got != "theirs" {
		t.Errorf("outside there is %q", got)
	}
	if got := readFile(t, dir, ".tool/settings.json"); got != "{}" {
		t.Errorf("the settings are %q", got)
	}
}

func TestAcceptedWritesStay(t *testing.T) {
	dir, k := kept(t)
	if _, err := k.Begin(); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Begin(); err != nil { // another command beside it
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(".tool/settings.json", "[]")
	k.Accept(filepath.Join(dir, ".tool/settings.json"))
	write(".mcp.json", "{}")
	if changes, err := k.End(filepath.Join(dir, ".mcp.json")); len(changes) > 0 || err != nil {
		t.Fatal(changes, err)
	}
	write(".git/config", "x")
	changes, err := k.End()
	if err != nil || len(changes) != 1 || readFile(t, dir, ".git/config") != "[core]" {
		t.Fatal(changes, err)
	}
	if a, b := readFile(t, dir, ".tool/settings.json"), readFile(t, dir, ".mcp.json"); a != "[]" || b != "{}" {
		t.Errorf("accepted, and now %q, %q", a, b)
	}
	write(".tool/settings.json", "person") // between two commands
	told, err := k.Begin()
	if err != nil || len(told) != 1 || told[0].Did != "changed" {
		t.Error(told, err)
	}
	if changes, err := k.End(); len(changes) > 0 || err != nil || readFile(t, dir, ".tool/settings.json") != "person" {
		t.Fatal(changes, err)
	}
	write(".mcp.json", "[]")
	k.Accept(filepath.Join(dir, ".mcp.json"))
	if told, err := k.Begin(); len(told) > 0 || err != nil {
		t.Error(told, err)
	}
}

func TestTooMuchToKeepIsSaid(t *testing.T) {
	dir, k := kept(t)
	f, err := os.Create(filepath.Join(dir, ".tool", "huge"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(keepBytes + 1); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Begin(); err == nil || !strings.Contains(err.Error(), ".tool") {
		t.Errorf("%v", err)
	}
}

func TestProfile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its paths are others")
	}
	dir := fsx.Resolve(t.TempDir())
	if err := os.Mkdir(filepath.Join(dir, `a "b"`), 0o755); err != nil {
		t.Fatal(err)
	}
	got := profile(Policy{
		Write: []string{dir + `/a "b"`, dir + "/gone"}, NoWrite: []string{dir + `/a "b"/c`}, NoRead: []string{dir + "/key"},
		Read: []string{dir + "/key/open"}, NoTCP: true,
	})
	var lines []string
	for line := range strings.Lines(strings.ReplaceAll(got, dir, "DIR")) {
		if !strings.Contains(line, "/dev/") {
			lines = append(lines, line)
		}
	}
	golden, err := os.ReadFile("testdata/profile.sb")
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(lines, ""); text != string(golden) {
		t.Errorf("the profile is\n%s", text)
	}
}

func shell(dir, text string) ([]byte, error) {
	cmd := exec.Command("/bin/sh", "-c", text)
	cmd.Dir = dir
	return cmd.CombinedOutput()
}
