package tool_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hookline-dev/hookline/agent/tool"
)

// Each command's shell reads the files of EnvFiles first, whichever shell it is.
func TestBashReadsEnvFiles(t *testing.T) {
	for _, name := range []string{"bash", "sh", "dash"} {
		shell, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			first, second := filepath.Join(dir, "it's one"), filepath.Join(dir, "two")
			var files []string
			s, err := tool.New(tool.Config{Dir: t.TempDir(), Shell: shell, EnvFiles: func() []string { return files }})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			is := func(command, want string) {
				t.Helper()
				if got := must(t, s, "Bash", args{"command": command}); got != want {
					t.Errorf("%s: got %q, want %q", command, got, want)
				}
			}
			is("echo \"[$A]\"", "[]")
			for path, text := range map[string]string{first: "export A=1 B=\"a  b\"\n", second: "export A=\"$A:2\"\n"} {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			files = []string{first, filepath.Join(dir, "not there"), second}
			is("sh -c 'echo \"[$A] [$B]\"'", "[1:2] [a  b]")
			is("false; echo $?", "1") // the command itself is as it was
			files = nil
			is("echo \"[$A]\"", "[]")
		})
	}
}
