//go:build oracle

package bridge

import (
	"os"
	"testing"

	"github.com/hookline-dev/hookline/internal/oracle"
	"github.com/hookline-dev/hookline/internal/oracle/claude"
)

func TestClaudeCodeWithTheBridge(t *testing.T) {
	cache, err := oracle.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	program, ok := claude.Package(claude.Version).Cached(cache)
	switch {
	case os.Getenv("ORACLE_ACCEPT") != "1":
		t.Skip("not run: Claude Code is proprietary; ORACLE_ACCEPT=1 says that you accept its licence")
	case !ok:
		t.Skip("not run: Claude Code is not in the cache")
	}
	agent{host: "claude", shell: "Bash", program: claude.Theirs(program.Path)}.play(t)
}
