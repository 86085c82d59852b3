package tool_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/internal/fsx"
	"github.com/hookline-dev/hookline/sandbox"
)

// walled is a home with a project in it, and tools whose commands run in a sandbox.
type walled struct {
	*tool.Set
	box           *tool.Sandbox
	home, project string
	told          []string
}

func newWalled(t *testing.T) *walled {
	t.Helper()
	if sandbox.Offered().Name == "" {
		t.Skip(sandbox.Offered().Lost)
	}
	w := &walled{home: fsx.Resolve(t.TempDir())}
	w.project = filepath.Join(w.home, "project")
	for name, text := range map[string]string{
		"project/.claude/settings.json": `{"hooks":{}}`, "project/.git/config": "[core]\n", "project/.git/hooks/pre-commit": "true\n", "project/src/a.txt": "a\n",
		".bashrc": "# rc\n", ".claude/settings.json": "{}", ".local/state/hookline/trust/trust.json": "{}", ".local/state/hookline/audit.jsonl.key": "k",
		".config/hookline/config.json": "{}", ".cache/hookline/trusted/copy": "c", ".cache/go/x": "x", "other/work.txt": "w",
	} {
		file := filepath.Join(w.home, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	in := func(names ...string) (out []string) {
		for _, n := range names {
			out = append(out, filepath.Join(w.home, n))
		}
		return out
	}
	w.box = &tool.Sandbox{
		Policy: sandbox.Policy{
			Write: in(".cache"), NoWrite: in(".bashrc", ".claude", ".config/hookline", ".cache/hookline"), NoRead: in(".local/state/hookline"),
		},
		Protected:  []string{".claude", ".git/", ".git/hooks", ".git/config", ".mcp.json", ".envrc"},
		PutBackDir: filepath.Join(w.home, ".local/state/hookline/put-back"), OnChange: func(text string) { w.told = append(w.told, text) },
	}
	var err error
	w.Set, err = tool.New(tool.Config{
		Dir: w.project, Sandbox: w.box, OutputDir: filepath.Join(w.project, "out"),
		Env: []string{"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "PWNED=x"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(w.Close(), w.box.Close()); err != nil {
			t.Error(err)
		}
	})
	return w
}

// protected is what there is in the protected places.
func (w *walled) protected(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(w.home, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(w.home, path)
		inProject := strings.HasPrefix(rel, "project/")
		kept := strings.HasPrefix(rel, "project/.claude") || strings.HasPrefix(rel, "project/.git/hooks") || slices.Contains([]string{"project/.git/config", "project/.mcp.json", "project/.envrc"}, rel)
		if strings.HasPrefix(rel, ".cache/go") || strings.HasPrefix(rel, ".local/state/hookline/put-back") || inProject && !kept {
			return nil
		}
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := info.Mode().Type().String()
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += string(data)
		}
		out[rel] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (w *walled) same(t *testing.T, before map[string]string, command string) {
	t.Helper()
	after := w.protected(t)
	for name, text := range after {
		if before[name] != text {
			t.Errorf("%s\nmade %s %q of %q", command, name, text, before[name])
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			t.Errorf("%s\nremoved %s", command, name)
		}
	}
}

// spellings are ways to write x to the file F, or to put something in its place.
var spellings = []string{
	`echo x >F`, `echo x >>F`, `echo x >|F`, `cp src/a.txt F`, `mv src/a.txt F`, `ln -sf /etc/passwd F`, `ln -f src/a.txt F`, `rm -f F`, `truncate -s 1 F`,
	`tee F <src/a.txt`, `dd if=src/a.txt of=F status=none`, `install -m 755 src/a.txt F`, `sed -i s/./x/ F`, `touch F; echo x >F`, `chmod 777 F; echo x >F`,
	`f=F; echo x >$f`, `f=F; g=f; eval "echo x >${!g}"`, `eval "echo x >F"`, `sh -c 'echo x >F'`, `bash -c "echo x >F"`, `env sh -c 'echo x >F'`,
	`echo 'echo x >F' | sh`, `sh <<'E'
echo x >F
E`, `sh <<<'echo x >F'`, `. <(echo 'echo x >F')`, `echo RiA= >/dev/null; sh -c "$(printf 'echo x >%s' F)"`,
	`alias q='tee F'; shopt -s expand_aliases
q <src/a.txt`, `q() { echo x >"$1"; }; q F`, `xargs -I{} cp src/a.txt {} <<<F`, `find src -name a.txt -exec cp {} F \;`, `find src -fprint F`,
	`cd "$(dirname F)" && echo x >"$(basename F)"`, `pushd "$(dirname F)" && echo x >"$(basename F)"`, `ln -s "$(dirname F)" d; echo x >"d/$(basename F)"`,
	`ln F hard; echo x >hard`, `exec 9>F; echo x >&9`, `exec 9<>F; echo x >&9`, `cat src/a.txt 1<>F`, `(setsid sh -c 'echo x >F')`, `nohup sh -c 'echo x >F' >/dev/null 2>&1`,
	`awk 'BEGIN { print "x" >"F" }'`, `perl -e 'open my $h, ">", "F"; print $h "x"'`, `python3 -c 'open("F","w").write("x")'`, `node -e 'require("fs").writeFileSync("F","x")'`,
	`printf 'all:\n\techo x >F\n' >Makefile; make -s`, `git config -f F a.b c`, `tar cf t src/a.txt; tar xOf t >F`, `printf 'x\n.\nw F\nq\n' | ed -s`, `cp -r src "$(dirname F)/"`,
	`mv "$(dirname F)" moved; mkdir -p "$(dirname F)"; echo x >F`, `rm -rf "$(dirname F)"; mkdir -p "$(dirname F)"; echo x >F`, `mkdir -p "$(dirname F)"; echo x >F`,
	`python3 -c 'import os; os.rename("src/a.txt", "F")'`, `python3 -c 'import os; f=os.open(os.path.dirname("F"), os.O_RDONLY); os.open(os.path.basename("F"), os.O_WRONLY|os.O_CREAT, dir_fd=f)'`,
	`sort -o F src/a.txt`, `split -b 1 src/a.txt F`, `mkfifo F`, `timeout 5 sh -c 'echo x >F'`, `flock F echo x`, `trap 'echo x >F' EXIT`,
}

// TestNoSpellingWritesProtectedPlaces looks at the files after commands which write to
// them, be they there or not.
func TestNoSpellingWritesProtectedPlaces(t *testing.T) {
	w := newWalled(t)
	before := w.protected(t)
	targets := []string{
		w.project + "/.claude/settings.json", ".claude/new.sh", ".git/config", ".git/hooks/pre-commit", ".git/hooks/post-checkout", ".mcp.json",
		w.home + "/.bashrc", "../.claude/settings.json", "$HOME/.claude/hooks/x", w.home + "/.zshrc", w.home + "/.local/state/hookline/trust/trust.json",
		w.home + "/.local/state/hookline/audit.jsonl.key", w.home + "/.config/hookline/config.json", "../.cache/hookline/trusted/copy", "../other/work.txt", "../new.txt",
	}
	if testing.Short() {
		targets = targets[3:8]
	}
	for _, text := range spellings {
		command := ""
		for _, target := range targets {
			command += "mkdir -p src; echo a >src/a.txt\n(\n" + strings.ReplaceAll(text, "F", target) + "\n)\n"
		}
		_, _ = run(t, w.Set, "Bash", map[string]any{"command": command})
		w.same(t, before, command)
		if t.Failed() {
			return
		}
	}
	if len(w.told) == 0 {
		t.Error("nobody was told of anything")
	}
}

// restoreProject gives the next command the file that it may write.
func restoreProject(t *testing.T, dir string) {
	t.Helper()
	if err := errors.Join(os.RemoveAll(filepath.Join(dir, "moved")), os.MkdirAll(filepath.Join(dir, "src"), 0o755), os.WriteFile(filepath.Join(dir, "src/a.txt"), []byte("a\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// TestRandomTextsWriteNothingProtected puts spellings together at random, and runs many
// in one command.
func TestRandomTextsWriteNothingProtected(t *testing.T) {
	w := newWalled(t)
	before := w.protected(t)
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	dirs := []string{".claude", "../.claude", "$HOME", "..", ".git/hooks", ".git", "~/.local/state/hookline", "./src/../.claude", "../project/.claude", "$PWD/.git", "$HOME/.cache/hookline"}
	names := []string{"settings.json", "config", "pre-commit", ".bashrc", "x", "a b", "trust/trust.json", "hooks/y", "../.mcp.json"}
	wraps := []string{"%s", "(%s)", "{ %s; }", "if true; then %s; fi", "for i in 1; do %s; done", "! %s", "%s || true", "(%s) &\nwait", "cd src; %s; cd ..", "eval %q", "sh -c %q"}
	forms := append(slices.Clone(spellings[:12]), `ln F hard; echo x >hard`, `ln -s F soft; echo x >soft`, `ln -s "$(dirname F)" d; echo x >"d/$(basename F)"`,
		`mv "$(dirname F)" moved; mkdir -p "$(dirname F)"; echo x >F`, `mv "$(dirname F)" moved; mkdir other; mv other "$(dirname F)"`)
	rare := []string{`python3 -c 'import sys; open(sys.argv[1], "w").write("x")' F`, `python3 -c 'import os, sys; os.rename("src/a.txt", sys.argv[1])' F`, `perl -e 'open my $h, ">", $ARGV[0]; print $h "x"' F`}
	rounds, each := 10, 50 // texts in a command
	if os.Getenv("HOOKLINE_SOAK") != "" {
		rounds = 200
	}
	for range rounds {
		var texts []string
		for range each {
			target := dirs[r.IntN(len(dirs))] + "/" + names[r.IntN(len(names))]
			form := forms[r.IntN(len(forms))]
			if r.IntN(200) == 0 {
				form = rare[r.IntN(len(rare))]
			}
			text := strings.ReplaceAll(form, "F", `"`+target+`"`)
			for range r.IntN(3) {
				if wrap := wraps[r.IntN(len(wraps))]; !strings.ContainsAny(text, "'$") || !strings.Contains(wrap, "%q") {
					text = fmt.Sprintf(wrap, text)
				}
			}
			texts = append(texts, text)
		}
		command := strings.Join(texts, "\n")
		_, _ = run(t, w.Set, "Bash", map[string]any{"command": command})
		w.same(t, before, fmt.Sprintf("seed %d:\n%s", seed, command))
		if t.Failed() {
			return
		}
		restoreProject(t, w.project)
	}
}

// TestSandboxIsSaid has the model told why a command failed and how to ask for more, and
// what the person grants works for one call.
func TestSandboxIsSaid(t *testing.T) {
	w := newWalled(t)
	const hint = `sandbox: {"write": [PATH...]}`
	out, err := run(t, w.Set, "Bash", map[string]any{"command": "echo x >../other/work.txt"})
	if err == nil || !strings.Contains(err.Error(), hint) {
		t.Fatalf("%v, %s", err, out.Text())
	}
	if _, err = run(t, w.Set, "Bash", map[string]any{"command": "(echo x >../other/work.txt) 2>&1"}); err == nil || !strings.Contains(err.Error(), hint) {
		t.Errorf("on standard output: %v", err)
	}
	if out, err = run(t, w.Set, "Bash", map[string]any{"command": "(echo x >../other/work.txt) 2>&1", "run_in_background": true}); err != nil {
		t.Fatal(err)
	}
	if out := w.ended(t, out); !strings.Contains(out, hint) {
		t.Errorf("in the background: %s", out)
	}
	granted := map[string]any{"write": []string{"../other"}}
	if _, err := run(t, w.Set, "Bash", map[string]any{"command": "echo x >../other/work.txt", "sandbox": granted}); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, w.Set, "Bash", map[string]any{"command": "echo y >../other/work.txt"}); err == nil {
		t.Error("the grant holds for the next call")
	}
	out, err = run(t, w.Set, "Bash", map[string]any{"command": "git config --file .git/config a.b c"})
	if err != nil || !strings.Contains(out.Text(), ".git/config was changed") {
		t.Fatalf("%v, %s", err, out.Text())
	}
	asked := map[string]any{"command": "git config --file .git/config a.b c", "sandbox": map[string]any{"write": []string{".git/config"}}}
	if out, err = run(t, w.Set, "Bash", asked); err != nil || strings.Contains(out.Text(), "put back") {
		t.Fatalf("%v, %s", err, out.Text())
	}
	if b, _ := os.ReadFile(filepath.Join(w.project, ".git/config")); !strings.Contains(string(b), "b = c") {
		t.Errorf("what was granted was not written: %s", b)
	}
	for _, never := range []string{"~/.local/state/hookline", filepath.Join(w.home, ".local/state/hookline/trust"), "../.bashrc", "../nowhere/x"} {
		t.Setenv("HOME", w.home)
		if _, err := run(t, w.Set, "Bash", map[string]any{"command": "true", "sandbox": map[string]any{"write": []string{never}}}); err == nil {
			t.Errorf("%s was granted", never)
		}
	}
}

// ended waits for the end of a background command that Bash spoke of, and returns what
// BashOutput says then.
func (w *walled) ended(t *testing.T, started tool.Result) string {
	t.Helper()
	id := strings.TrimSuffix(strings.Fields(strings.TrimPrefix(started.Text(), "Runs in the background as "))[0], ".")
	for {
		out, err := run(t, w.Set, "BashOutput", map[string]any{"bash_id": id})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(out.Text(), id+" is running") {
			return out.Text()
		}
		time.Sleep(time.Millisecond)
	}
}

// TestRepositoriesBelowAreKept has commands write to the settings of a repository in the
// project that was there, and make, move and remove others.
func TestRepositoriesBelowAreKept(t *testing.T) {
	w := newWalled(t)
	for name, text := range map[string]string{"sub/one/.git/config": "[core]\n", "sub/one/.claude/settings.json": "{}", "sub/two/.git/config": "[core]\n", "sub/three/.envrc": "e"} {
		if err := errors.Join(os.MkdirAll(filepath.Join(w.project, filepath.Dir(name)), 0o755), os.WriteFile(filepath.Join(w.project, name), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	out, err := run(t, w.Set, "Bash", map[string]any{"command": `cd sub
mkdir one/.git/hooks; echo x >one/.git/hooks/pre-commit; echo x >one/.git/config; echo x >one/.claude/settings.json; echo x >one/work; echo x >one/.git/index
echo x >three/.envrc; mv three 3; echo x >3/.envrc
rm -r two; mkdir -p new/.git/hooks; echo x >new/.git/hooks/pre-commit`})
	if err != nil || strings.Count(out.Text(), "put back") != 4 || strings.Contains(out.Text(), "looked after") {
		t.Errorf("%v, %s", err, out.Text())
	}
	for name, want := range map[string]string{
		"one/.git/config": "[core]\n", "one/.claude/settings.json": "{}", "one/.git/hooks/pre-commit": "", "one/work": "x\n", "one/.git/index": "x\n",
		"3/.envrc": "e", "three/.envrc": "", "two/.git/config": "", "new/.git/hooks/pre-commit": "x\n",
	} {
		if b, _ := os.ReadFile(filepath.Join(w.project, "sub", name)); string(b) != want {
			t.Errorf("%s is %q, want %q", name, b, want)
		}
	}
	if out, err := run(t, w.Set, "Bash", map[string]any{"command": "true"}); err != nil || strings.Contains(out.Text(), "sub") || len(w.told) != 4 {
		t.Errorf("and later: %v, %s, told %q", err, out.Text(), w.told)
	}
}

// TestNamespacesHoldWhatIsKept has the kernel refuse what is put back otherwise, but for what
// is granted; the rest is put back.
func TestNamespacesHoldWhatIsKept(t *testing.T) {
	if err := sandbox.Namespaces(); err != nil {
		t.Skip(err)
	}
	w := newWalled(t)
	w.box.Namespaces = true
	if err := os.MkdirAll(filepath.Join(w.project, "vendored/.git/hooks"), 0o755); err != nil {
		t.Fatal(err)
	}
	before := w.protected(t)
	for _, command := range []string{
		"echo x >.git/hooks/pre-commit; cat .git/hooks/pre-commit", "echo x >>.git/config; cat .git/config", "mv .claude c; cat .claude/settings.json",
		"echo x >vendored/.git/hooks/new; ls vendored/.git/hooks", "mv .git g; cat .git/config", "echo x >.git/HEAD && cat .git/hooks/pre-commit",
	} {
		out, err := run(t, w.Set, "Bash", map[string]any{"command": command})
		if err != nil || strings.Contains(out.Text(), "x") || len(w.told) > 0 {
			t.Errorf("%s: %v, %s, %q", command, err, out.Text(), w.told)
		}
		w.same(t, before, command)
	}
	// What is not there can be made, and goes with the end of the command.
	for command, made := range map[string]string{
		"echo x >.envrc && cat .envrc": ".envrc was made", "mkdir .mcp.json && ls -d .mcp.json": ".mcp.json was made",
		"ln -s src .envrc && ls .envrc": ".envrc was made", "echo x >vendored/.git/config": "vendored/.git/config was made",
	} {
		told := len(w.told)
		out, err := run(t, w.Set, "Bash", map[string]any{"command": command})
		if err != nil || !strings.Contains(out.Text(), made) || len(w.told) != told+1 {
			t.Errorf("%s: %v, %s, told %q", command, err, out.Text(), w.told[told:])
		}
		w.same(t, before, command)
		if _, err := os.Lstat(filepath.Join(w.project, "vendored/.git/config")); err == nil {
			t.Errorf("%s: it is there", command)
		}
	}
	asked := map[string]any{"command": "echo x >.git/hooks/pre-commit; ! echo x >.git/config", "sandbox": map[string]any{"write": []string{".git/hooks/pre-commit"}}}
	if out, err := run(t, w.Set, "Bash", asked); err != nil {
		t.Errorf("what was granted: %v, %s", err, out.Text())
	}
	if b, _ := os.ReadFile(filepath.Join(w.project, ".git/hooks/pre-commit")); string(b) != "x\n" {
		t.Errorf("what was granted was not written: %s", b)
	}
}

// TestServersAreLookedAfter has what is not a command write to settings.
func TestServersAreLookedAfter(t *testing.T) {
	w := newWalled(t)
	over, err := w.box.Around([]string{w.project})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.project, ".mcp.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if text := over(); !strings.Contains(text, ".mcp.json was made") || len(w.told) != 1 {
		t.Errorf("%q, told %q", text, w.told)
	}
	if _, err := os.Stat(filepath.Join(w.project, ".mcp.json")); err == nil {
		t.Error("it is there")
	}
}

// TestWritesOfFileToolsStay has the Write tool, which asks on its own, write settings
// while a command runs in the background.
func TestWritesOfFileToolsStay(t *testing.T) {
	w := newWalled(t)
	out, err := run(t, w.Set, "Bash", map[string]any{"command": "echo x >.envrc; exec sleep 600", "run_in_background": true})
	if err != nil {
		t.Fatal(err)
	}
	for _, err = os.Stat(filepath.Join(w.project, ".envrc")); err != nil; _, err = os.Stat(filepath.Join(w.project, ".envrc")) {
		time.Sleep(time.Millisecond)
	}
	if _, err := run(t, w.Set, "Write", map[string]any{"file_path": ".claude/mine.json", "content": "{}"}); err != nil {
		t.Fatal(err)
	}
	id := strings.Fields(strings.TrimPrefix(out.Text(), "Runs in the background as "))[0]
	id = strings.TrimSuffix(id, ".")
	if _, err := run(t, w.Set, "KillShell", map[string]any{"shell_id": id}); err != nil {
		t.Fatal(err)
	}
	out, err = run(t, w.Set, "BashOutput", map[string]any{"bash_id": id})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(w.project, ".claude/mine.json")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(w.project, ".envrc")); err == nil {
		t.Errorf("the command's .envrc stays: %s", out.Text())
	}
}
