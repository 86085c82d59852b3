//go:build unix

package discovery_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/trust"
)

// A program finds the hooks of a directory and fires an event through them.
func Example() {
	project, err := os.MkdirTemp("", "project-*")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(project)
	settings := filepath.Join(project, ".claude", "settings.json")
	if err := os.MkdirAll(filepath.Dir(settings), 0o755); err != nil {
		log.Fatal(err)
	}
	text := `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"name":"guard","type":"command","command":"echo not today >&2; exit 2"}]}]}}`
	if err := os.WriteFile(settings, []byte(text), 0o644); err != nil {
		log.Fatal(err)
	}

	loader := discovery.New(discovery.Options{
		Dirs: discovery.Dirs{Project: project},
		Gate: trust.Anything{}, // this program has just written the project itself
	})
	defer loader.Close()
	reg := hook.NewRegistry()
	if _, err := loader.Register(context.Background(), reg); err != nil {
		log.Fatal(err)
	}
	eng := hook.New(reg)
	defer eng.Close()
	out, err := eng.Fire(context.Background(), &hook.PreToolUse{
		Common: hook.Common{CWD: project}, ToolName: "Bash", ToolInput: hook.RawJSON(`{"command":"ls"}`),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Decision, out.Reason, "by", out.DecidedBy)
	// Output: deny not today by guard
}
