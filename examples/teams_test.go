package examples

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"go.yaml.in/yaml/v4"
)

// teamFiles are the files of the page for teams, by name.
func teamFiles(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile("../docs/teams.md")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for i, block := range strings.Split(string(data), "\n```") {
		head, text, _ := strings.Cut(block, "\n")
		if _, name, ok := strings.Cut(head, " "); ok && i%2 == 1 {
			files[name] = text + "\n"
		}
	}
	return files
}

// teamWorld is a world with the administrator's files of the page, in the administrator's own
// directory where this process may have namespaces, in the one of tests otherwise.
func teamWorld(t *testing.T) (w *world, files map[string]string, inside []string) {
	t.Helper()
	needs(t, "sh", "git")
	w, files = newWorld(t), teamFiles(t)
	managed := filepath.Join(filepath.Dir(w.home), "managed")
	for name, text := range files {
		if rest, ok := strings.CutPrefix(name, "/etc/hookline/"); ok {
			path := filepath.Join(managed, filepath.FromSlash(rest))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.env = append(w.env, "PATH="+filepath.Dir(command)+string(os.PathListSeparator)+os.Getenv("PATH"))
	mount := []string{"-r", "-m", "sh", "-c", `set -e; mount -t tmpfs tmpfs /etc; cp -R "$0" /etc/hookline; unset HOOKLINE_MANAGED_DIR; exec "$@"`, managed}
	if exec.Command("unshare", append(mount, "true")...).Run() == nil {
		return w, files, append([]string{"unshare"}, mount...)
	}
	t.Log("no namespaces here: the administrator's directory is another one")
	return w, files, []string{"env"}
}

// What the page says can be tried keeps its promises; the container is left out.
func TestTeamsPage(t *testing.T) {
	t.Parallel()
	w, files, inside := teamWorld(t)
	w.write("try.sh", files["try.sh"], 0o644)
	stdout, stderr, code := w.run(inside[0], append(inside[1:], "sh", "try.sh")...)
	if code != 0 || strings.Count(stdout, "ok ") != strings.Count(files["try.sh"], "\nexpect ") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	// Each promise is one: without the administrator's files it ends at the first.
	bare := append(w.env, "HOOKLINE_MANAGED_DIR="+w.home)
	w.env = bare
	if stdout, _, code := w.run("sh", "try.sh"); code != 1 || !strings.Contains(stdout, "FAILED  the administrator's guard denies") {
		t.Errorf("without the administrator's guard: exit code %d\n%s", code, stdout)
	}
}

// The job does what it says with a project as it should be, and fails with each fault.
func TestTeamsJob(t *testing.T) {
	t.Parallel()
	w, files, _ := teamWorld(t)
	var job struct {
		Jobs map[string]struct {
			Steps []struct {
				Run string `yaml:"run"`
			} `yaml:"steps"`
		} `yaml:"jobs"`
	}
	if err := yaml.Unmarshal([]byte(files[".github/workflows/hooks.yml"]), &job); err != nil {
		t.Fatal(err)
	}
	var steps []string
	for _, s := range job.Jobs["hooks"].Steps {
		if strings.HasPrefix(s.Run, "hookline ") {
			steps = append(steps, s.Run)
		}
	}
	w.must("git", "init", "-q")
	w.must(command, "new", "guard", "--lang", "ts")
	w.must(command, "trust", "--yes")
	w.must(command, "trust", "--export", ".hookline/approved.json")
	play := func(change func()) string {
		if change != nil {
			change()
		}
		w.env = append(w.env, "HOME="+t.TempDir()) // a machine that is thrown away
		_, stderr, code := w.run("sh", "-ec", strings.Join(steps, "\n"))
		if (code == 0) != (change == nil) {
			t.Errorf("exit code %d: %s", code, stderr)
		}
		return stderr
	}
	if play(nil); !strings.Contains(w.must("cat", "hooks.xml"), `failures="0"`) {
		t.Error("no report of the cases")
	}
	guard := w.must("cat", ".hookline/modules/guard.ts")
	if s := play(func() { w.write(".hookline/modules/guard.ts", guard+"//\n", 0o644) }); !strings.Contains(s, "not approved: guard") {
		t.Errorf("a changed guard: %s", s)
	}
	w.write(".hookline/modules/guard.ts", guard, 0o644)
	if s := play(func() { w.write(".hookline/config.json", `{"hooks": {"disabeld": []}}`, 0o644) }); !strings.Contains(s, "disabeld") {
		t.Errorf("a misspelt key: %s", s)
	}
	w.must("rm", ".hookline/config.json")
	play(func() { w.edit(".hookline/guard.hooktest.yaml", "decision: deny", "decision: allow") })
}

// The collector that the page's variables name gets what hooks did.
func TestTeamsCollector(t *testing.T) {
	t.Parallel()
	w, files, _ := teamWorld(t)
	var spans atomic.Int64
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/traces" {
			spans.Add(1)
		}
	}))
	defer collector.Close()
	profile := files["/etc/profile.d/hookline.sh"]
	const address = "http://collector.acme.example:4318"
	if !strings.Contains(profile, address) {
		t.Fatalf("the profile does not name the collector:\n%s", profile)
	}
	w.write("profile.sh", strings.ReplaceAll(profile, address, collector.URL), 0o644)
	_, stderr, code := w.run("sh", "-c", `. ./profile.sh; exec hookline fire PreToolUse --tool Bash --input '{"command":"git push -f"}'`)
	if code != 3 || spans.Load() == 0 {
		t.Errorf("exit code %d, %d requests with spans: %s", code, spans.Load(), stderr)
	}
}
