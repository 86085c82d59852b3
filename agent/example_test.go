package agent_test

import (
	"context"
	"fmt"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model/script"
	"github.com/hookline-dev/hookline/hook"
)

func Example() {
	provider, err := script.Parse([]byte("turns: [{text: The tests pass.}, {text: I ran them again.}]"), script.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	reg := hook.NewRegistry()
	hook.On(reg, func(_ context.Context, in *hook.Stop) (hook.Result, error) {
		if in.StopHookActive {
			return hook.None(), nil
		}
		return hook.Deny("run them once more"), nil
	})
	engine := hook.New(reg)
	defer engine.Close()

	ctx := context.Background()
	a, err := agent.New(agent.Config{Model: provider, Hooks: engine})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close(ctx)
	res, err := a.Prompt(ctx, "Do the tests pass?")
	fmt.Println(res.End, res.Turns, res.Text, err)
	// Output: done 2 I ran them again. <nil>
}
