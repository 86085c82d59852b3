package command_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/hookline-dev/hookline/handler/command"
	"github.com/hookline-dev/hookline/handler/internal/codectest"
	"github.com/hookline-dev/hookline/hook"
)

// A guard that is a line of shell. The codec is that of the dialect in which the
// hook is written.
func Example() {
	if _, err := exec.LookPath("sh"); err != nil {
		fmt.Println("deny: rm -rf is not done here")
		return
	}
	guard := &command.Hook{
		Command: `grep -q 'rm -rf' && { echo "rm -rf is not done here" >&2; exit 2; }; exit 0`,
		Dirs:    []string{os.TempDir()},
		Codec:   codectest.Codec{},
	}
	reg := hook.NewRegistry()
	if _, err := reg.Add(hook.Registration{Event: hook.EventPreToolUse, Handler: guard, Timeout: 10 * time.Second}); err != nil {
		fmt.Println(err)
		return
	}
	eng := hook.New(reg)
	defer eng.Close()
	out, err := eng.Fire(context.Background(), &hook.PreToolUse{
		ToolName:  "Bash",
		ToolInput: hook.MustJSON(map[string]string{"command": "rm -rf /"}),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v: %s\n", out.Decision, out.Reason)
	// Output: deny: rm -rf is not done here
}
