package pi_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hookline-dev/hookline/dialect/pi"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
)

// A TypeScript module guards the shell of a Go program.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "gate.ts")
	src := `export default (pi) => {
		pi.on("tool_call", async (event) => {
			if (event.toolName === "bash" && /\brm\s+-rf\b/.test(event.input.command)) {
				return { block: true, reason: "not that one" };
			}
		});
	}`
	if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	module, err := script.Load(context.Background(), path, script.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer module.Close()

	reg := hook.NewRegistry()
	regs, _ := pi.Registrations(module, pi.NewGroups(reg))
	if _, err := reg.AddAll(regs); err != nil {
		fmt.Println(err)
		return
	}
	engine := hook.New(reg)
	defer engine.Close()

	for _, command := range []string{"ls", "rm -rf /"} {
		out, err := engine.Fire(context.Background(), &hook.PreToolUse{
			ToolName: "Bash", ToolInput: hook.MustJSON(map[string]string{"command": command}),
		})
		fmt.Println(out.Decision, out.Reason, err)
	}
	// Output:
	// none  <nil>
	// deny not that one <nil>
}
