package examples

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// session is a block of a page that shows commands and what they print.
type session []exchange

// exchange is one command with the lines that it prints.
type exchange struct {
	command string
	lines   []string
}

// sessionsOf returns the blocks of a page that begin with "$ hookline".
func sessionsOf(t *testing.T, page string) []session {
	t.Helper()
	var out []session
	for _, block := range blocks(t, page, "") {
		if !strings.HasPrefix(block, "$ hookline") {
			continue
		}
		var s session
		for line := range strings.Lines(block) {
			line = strings.TrimRight(line, "\n")
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				s = append(s, exchange{command: command})
				continue
			}
			s[len(s)-1].lines = append(s[len(s)-1].lines, line)
		}
		out = append(out, s)
	}
	return out
}

// blocks returns the fenced blocks of a language in a page.
func blocks(t *testing.T, page, lang string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	in, at := false, 0
	lines := strings.SplitAfter(string(data), "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, "```") {
			continue
		}
		if in && strings.TrimSpace(lines[at][3:]) == lang {
			out = append(out, strings.Join(lines[at+1:i], ""))
		}
		in, at = !in, i
	}
	return out
}

// varying are the parts of output that differ from run to run.
var varying = []struct {
	re *regexp.Regexp
	to string
}{
	{regexp.MustCompile(`\d+(\.\d+)? ms`), "N ms"},
	{regexp.MustCompile(`sha256:[0-9a-f]{64}`), "sha256:D"},
	{regexp.MustCompile(`\b[0-9a-f]{12}\b`), "COMMIT"},
	{regexp.MustCompile(`'(/home/me/project[^']*)'`), "$1"}, // the test's directory needs quotes
}

func (w *world) normal(line string) string {
	line = strings.ReplaceAll(strings.TrimRight(line, "\r\n"), w.project, "/home/me/project")
	for _, v := range varying {
		line = v.re.ReplaceAllString(line, v.to)
	}
	return line
}

// play runs the commands of a session. Each line of the page must be printed, and
// each line on stdout must be in the page; what else is on stderr a page may leave
// out.
func (w *world) play(s session) {
	w.t.Helper()
	for _, x := range s {
		stdout, stderr, _ := w.run("sh", "-c", `PATH=$1:$PATH; eval "$2"`, "sh", filepath.Dir(command), x.command)
		var printed, documented []string
		for line := range strings.Lines(stdout + stderr) {
			printed = append(printed, w.normal(line))
		}
		for _, line := range x.lines {
			documented = append(documented, w.normal(line))
			if !slices.Contains(printed, w.normal(line)) {
				w.t.Errorf("$ %s\nthe page says\n\t%s\nwhich is not in\n%s%s", x.command, line, stdout, stderr)
			}
		}
		for line := range strings.Lines(stdout) {
			if !slices.Contains(documented, w.normal(line)) {
				w.t.Errorf("$ %s\nprints\n\t%s\nwhich the page does not say", x.command, line)
			}
		}
	}
}

// write writes a file of the project.
func (w *world) write(path, text string, mode os.FileMode) {
	w.t.Helper()
	path = filepath.Join(w.project, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		w.t.Fatal(err)
	}
}

// edit replaces text in a file of the project.
func (w *world) edit(path, old, text string) {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.project, path))
	if err != nil {
		w.t.Fatal(err)
	}
	if !strings.Contains(string(data), old) {
		w.t.Fatalf("%s has no %q", path, old)
	}
	w.write(path, strings.ReplaceAll(string(data), old, text), 0o755)
}

func TestWritingHooksPage(t *testing.T) {
	t.Parallel()
	needs(t, "bash", "sh", "git")
	w := newWorld(t)
	w.must("git", "init", "-q")
	s := sessionsOf(t, "writing-hooks.md")
	if len(s) != 5 {
		t.Fatalf("%d sessions", len(s))
	}
	w.play(s[0])
	hook, err := os.ReadFile(filepath.Join(w.project, ".hookline/hooks/no-rm"))
	if err != nil {
		t.Fatal(err)
	}
	if shown := blocks(t, "writing-hooks.md", "bash")[0]; !strings.Contains(string(hook), shown) {
		t.Errorf("the page shows\n%s\nwhich is not in\n%s", shown, hook)
	}
	w.edit(".hookline/hooks/no-rm", "no-rm: not allowed", "delete files one by one")
	w.play(s[1])
	w.must(command, "trust", "no-rm", "--yes")
	w.play(s[2])
	w.play(s[3])
	w.write(".hookline/no-rm.hooktest.yaml", blocks(t, "writing-hooks.md", "yaml")[0], 0o644)
	w.play(s[4])
}

func TestFromShellToModulePage(t *testing.T) {
	t.Parallel()
	needs(t, "bash", "sh", "git", "jq")
	w := newWorld(t)
	w.must("git", "init", "-q")
	const page = "from-shell-to-module.md"
	s := sessionsOf(t, page)
	if len(s) != 2 {
		t.Fatalf("%d sessions", len(s))
	}
	w.write(".claude/settings.json", blocks(t, page, "json")[0], 0o644)
	w.write(".claude/hooks/protect.sh", blocks(t, page, "bash")[0], 0o755)
	w.write(".hookline/protect.hooktest.yaml", blocks(t, page, "yaml")[0], 0o644)
	w.play(s[0])
	if err := os.RemoveAll(filepath.Join(w.project, ".claude")); err != nil {
		t.Fatal(err)
	}
	w.write(".hookline/modules/protect.ts", blocks(t, page, "ts")[0], 0o644)
	w.play(s[1])
}

func TestPluginsPage(t *testing.T) {
	t.Parallel()
	needs(t, "bash", "sh", "git")
	w := newWorld(t)
	w.must("git", "init", "-q")
	if err := os.CopyFS(filepath.Join(w.project, "code-review-plugin"), os.DirFS("code-review-plugin")); err != nil {
		t.Fatal(err)
	}
	w.write("src/acme/acme-hooks/hooks/check", "#!/bin/sh\ncase $1 in hook) echo before_tool_call ;; esac\n", 0o755)
	source := filepath.Join(w.project, "src", "acme", "acme-hooks")
	commit := func() {
		w.must("git", "-C", source, "add", "-A")
		w.must("git", "-C", source, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "change")
		w.must("git", "-C", source, "tag", "-f", "v1")
	}
	w.must("git", "init", "-q", source)
	commit()
	address := (&url.URL{Scheme: "file", Path: filepath.ToSlash(source)}).String() + "@v1"

	s := sessionsOf(t, "plugins.md")
	if len(s) != 6 {
		t.Fatalf("%d sessions", len(s))
	}
	w.play(s[0]) // plugin add
	w.play(s[2]) // plugin list
	w.must(command, "plugin", "remove", "code-review-plugin")
	w.must(command, "plugin", "add", address)
	w.play(s[1]) // list and trust
	w.edit("src/acme/acme-hooks/hooks/check", "esac", "run) cat >/dev/null ;; esac")
	commit()
	w.play(s[4]) // update
	w.edit(".hookline/plugins/acme@acme-hooks/hooks/check", "cat", "tac")
	w.play(s[3]) // verify
	w.play(s[5]) // update, of files changed here
}
