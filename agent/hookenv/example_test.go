package hookenv_test

import (
	"context"
	"fmt"
	"os"

	"github.com/hookline-dev/hookline/agent/hookenv"
	"github.com/hookline-dev/hookline/hook"
)

func Example() {
	env := &hookenv.Env{}
	defer env.Close()
	reg := hook.NewRegistry()
	// A hook that is a command finds the file's name in its environment.
	_, err := reg.Add(hook.Registration{
		Event: hook.EventSessionStart, Name: "tools",
		Handler: hook.HandlerFunc(func(_ context.Context, call *hook.Call) (hook.Result, error) {
			return hook.None(), os.WriteFile(env.File(call), []byte("export TOOLS=/opt/tools\n"), 0o600)
		}),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	engine := hook.New(reg, hook.WithRecorder(env))
	defer engine.Close()
	if _, err := engine.Fire(context.Background(), &hook.SessionStart{Source: "startup"}); err != nil {
		fmt.Println(err)
		return
	}
	for _, file := range env.Files() { // what a shell reads before a command
		text, err := os.ReadFile(file)
		fmt.Print(string(text), err)
	}
	// Output:
	// export TOOLS=/opt/tools
	// <nil>
}
