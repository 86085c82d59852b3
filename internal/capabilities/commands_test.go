package capabilities

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// callsOf returns what a page tells the reader to type, with its line numbers: lines
// of code, and code within lines.
func callsOf(text string) map[int][]string {
	out := map[int][]string{}
	fenced := false
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			fenced = !fenced
		case fenced || strings.HasPrefix(line, "    "):
			out[i+1] = append(out[i+1], strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "$ ")))
		default:
			for _, m := range quoted.FindAllStringSubmatch(line, -1) {
				out[i+1] = append(out[i+1], m[1])
			}
		}
	}
	return out
}

// help answers whether commands and flags exist, by the command's own help.
type help struct {
	t      *testing.T
	binary string
	texts  map[string]string
}

func newHelp(t *testing.T) *help {
	t.Helper()
	h := &help{t: t, binary: filepath.Join(t.TempDir(), "hookline"), texts: map[string]string{}}
	if runtime.GOOS == "windows" {
		h.binary += ".exe"
	}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", h.binary, "../../cmd/hookline").CombinedOutput(); err != nil {
		t.Fatalf("building the command: %v\n%s", err, out)
	}
	return h
}

// of returns the help of a command, "" when there is no such command.
func (h *help) of(words ...string) string {
	key := strings.Join(words, " ")
	if text, ok := h.texts[key]; ok {
		return text
	}
	cmd := exec.CommandContext(h.t.Context(), h.binary, append(words, "--help")...)
	cmd.Env = append(os.Environ(), "HOME="+h.t.TempDir())
	out, err := cmd.Output()
	text := string(out)
	// A word that is not a command makes its parent print its own help.
	if use := "hookline"; err != nil || len(words) > 0 && !strings.Contains(text, "\n  "+use+" "+key) {
		text = ""
	}
	h.texts[key] = text
	return text
}

var (
	wordOf   = regexp.MustCompile(`^[a-z][a-z-]*$`)
	flagOf   = regexp.MustCompile(`(^|\s)(-[A-Za-z]|--[a-z][a-z-]*)\b`)
	asClaude = regexp.MustCompile(`^(-p|--print)$`)
	strOf    = regexp.MustCompile(`'[^']*'|"[^"]*"`)
)

// check says what is wrong with one call of hookline; "" is nothing.
func (h *help) check(call string) string {
	call = strings.TrimSpace(strings.TrimPrefix(call, "go run ./cmd/"))
	rest, ok := strings.CutPrefix(call, "hookline")
	if !ok || rest != "" && rest[0] != ' ' {
		return ""
	}
	rest, _, _ = strings.Cut(rest, " | ")
	rest, _, _ = strings.Cut(rest, " #")
	rest, _, _ = strings.Cut(rest, " -- ") // what follows is another program's
	rest = strOf.ReplaceAllString(rest, "TEXT")
	var words []string
	text := h.of()
	fields := strings.Fields(rest)
	if len(fields) > 0 && asClaude.MatchString(fields[0]) { // a flag of run acts as run
		fields = append([]string{"run"}, fields...)
	}
	for i := 0; i < len(fields); i++ {
		f := fields[i]
		if strings.HasPrefix(f, "-") {
			if len(words) == 0 && !strings.Contains(f, "=") && (f == "-C" || f == "--dir" || f == "--hook" || f == "--settings") {
				i++ // its value
			}
			if len(words) > 0 {
				break // what follows may be its value
			}
			continue
		}
		if !wordOf.MatchString(f) || len(words) > 0 && !strings.Contains(text, "Available Commands:") {
			break
		}
		words = append(words, f)
		if text = h.of(words...); text == "" {
			return "there is no command hookline " + strings.Join(words, " ")
		}
	}
	for _, m := range flagOf.FindAllStringSubmatch(rest, -1) {
		if !regexp.MustCompile(`(^|[\s,])` + regexp.QuoteMeta(m[2]) + `\b`).MatchString(text) {
			return "there is no flag " + m[2]
		}
	}
	return ""
}

// TestCommandsOfPagesExist looks up every call of hookline in the pages.
func TestCommandsOfPagesExist(t *testing.T) {
	h := newHelp(t)
	found := 0
	for _, p := range readPages(t) {
		for line, calls := range callsOf(p.text) {
			for _, call := range calls {
				if strings.HasPrefix(call, "hookline ") {
					found++
				}
				if why := h.check(call); why != "" {
					t.Errorf("%s:%d: %s: %s", p.path, line, call, why)
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d calls were found", found)
	}
	for call, good := range map[string]bool{
		"hookline list --all": true, "hookline": true, "hookline plugin add owner/repo -g": true, "hookline -C x fire Stop --json": true,
		`hookline fire PreToolUse --tool Bash --input '{"command":"x --nonsense"}'`: true, "hookline-thing": true,
		"hookline -p TEXT": true, "hookline mcp --name files -- server --nonsense": true, "hookline mcp --nonsense -- server": false,
		"hookline nonsense": false, "hookline plugin nonsense": false, "hookline list --nonsense": false,
	} {
		if why := h.check(call); (why == "") != good {
			t.Errorf("%s: %q, expected it to be good: %v", call, why, good)
		}
	}
}

// TestOtherCommandsOfTheReadmeExist looks up packages and make's targets.
func TestOtherCommandsOfTheReadmeExist(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range []string{"README.md", "CONTRIBUTING.md"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for line, calls := range callsOf(string(data)) {
			for _, call := range calls {
				fields := strings.Fields(call)
				if len(fields) < 2 {
					continue
				}
				if fields[0] == "make" {
					found++
					if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(fields[1]) + `:`).Match(makefile) {
						t.Errorf("%s:%d: make has no target %s", name, line, fields[1])
					}
				}
				for _, f := range fields[1:] {
					if dir := strings.TrimSuffix(f, "/..."); fields[0] == "go" && strings.HasPrefix(dir, "./") {
						found++
						if _, err := os.Stat(filepath.Join(root, dir)); err != nil {
							t.Errorf("%s:%d: %v", name, line, err)
						}
					}
				}
			}
		}
	}
	if found < 3 {
		t.Errorf("only %d commands were found", found)
	}
}
