package prompt_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/hookline-dev/hookline/handler/internal/codectest"
	"github.com/hookline-dev/hookline/handler/prompt"
	"github.com/hookline-dev/hookline/hook"
)

// careful is a model for the example; a real one asks a provider.
type careful struct{}

func (careful) Complete(_ context.Context, r prompt.Request) (string, error) {
	if strings.Contains(r.Prompt, "rm -rf") {
		return `{"ok": false, "reason": "this removes files for good"}`, nil
	}
	return `{"ok": true}`, nil
}

// A guard that asks a model.
func Example() {
	guard := &prompt.Hook{
		Prompt: "May this command run without a person looking at it? $ARGUMENTS",
		Model:  careful{},
		Codec:  codectest.Plain{}, // that of the dialect in which the hook is written
	}
	reg := hook.NewRegistry()
	if _, err := reg.Add(hook.Registration{Event: hook.EventPreToolUse, Handler: guard}); err != nil {
		fmt.Println(err)
		return
	}
	eng := hook.New(reg)
	defer eng.Close()
	out, err := eng.Fire(context.Background(), &hook.PreToolUse{
		ToolName:  "Bash",
		ToolInput: hook.MustJSON(map[string]string{"command": "rm -rf build"}),
	})
	fmt.Println(out.Decision, out.Reason, err)
	// Output: deny this removes files for good <nil>
}
