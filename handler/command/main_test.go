package command_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/hook"
)

func TestMain(m *testing.M) {
	if err := process.SealFDs(); err != nil {
		fmt.Fprintln(os.Stderr, "seal descriptors:", err)
	}
	goleak.VerifyTestMain(m)
}

func bashTool(cmd string) *hook.PreToolUse {
	return &hook.PreToolUse{
		Common:   hook.Common{SessionID: "s1"},
		ToolName: "Bash", ToolInput: hook.MustJSON(map[string]string{"command": cmd}), ToolUseID: "t1",
	}
}
