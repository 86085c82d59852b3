//go:build oracle

package bridge

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/hookline-dev/hookline/internal/oracle"
)

// TestCopilotWithTheBridge plays GitHub Copilot's CLI, which needs no account for a model of
// one's own.
func TestCopilotWithTheBridge(t *testing.T) {
	cache, err := oracle.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	program, ok := oracle.Package{Name: "@github/copilot-" + runtime.GOOS + "-" + arch, Version: "1.0.102", Program: "copilot"}.Cached(cache)
	switch {
	case os.Getenv("ORACLE_ACCEPT") != "1":
		t.Skip("not run: Copilot's CLI is proprietary; ORACLE_ACCEPT=1 says that you accept its licence")
	case !ok:
		t.Skip("not run: Copilot's CLI is not in the cache")
	}
	agent{host: "copilot", shell: "bash", program: oracle.Program{Command: func(r *oracle.Room, _ *oracle.Case, prompt string, _ bool) ([]string, []string, error) {
		return []string{program.Path, "--allow-all-tools", "-p", prompt}, []string{
			"COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "COPILOT_MODEL=fake-1", "XDG_CACHE_HOME=" + filepath.Join(cache, "copilot"),
			"COPILOT_PROVIDER_TYPE=anthropic", "COPILOT_PROVIDER_BASE_URL=" + r.Model.URL, "COPILOT_PROVIDER_API_KEY=dummy",
		}, nil
	}}}.play(t)
}
