// Command agent is a coding agent in a few lines: a model, the built-in tools, and
// a Go function as a hook. The model is a script, so that it runs without a key and
// without a network: put a provider of package registry in its place.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model/script"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/hook"
)

const turns = `
turns:
  - text: "I look around, and then I tidy up."
    tool_calls:
      - {name: Glob, input: {pattern: "*.go"}}
      - {name: Bash, input: {command: "rm -rf build"}}
  - expect: {last_tool_result: "one by one"}
    text: "There is one Go file here. I was not allowed to remove the build directory."
`

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	provider, err := script.Parse([]byte(turns), script.Options{})
	if err != nil {
		return err
	}
	tools, err := tool.New(tool.Config{})
	if err != nil {
		return err
	}
	defer tools.Close()

	reg := hook.NewRegistry()
	hook.On(reg, func(_ context.Context, in *hook.PreToolUse) (hook.Result, error) {
		if strings.Contains(in.ToolInput.String("command"), "rm -rf") {
			return hook.Deny("delete files one by one"), nil
		}
		return hook.None(), nil
	}, hook.Match("Bash"))
	engine := hook.New(reg)
	defer engine.Close()

	a, err := agent.New(agent.Config{Model: provider, Tools: tools.Tools(), Hooks: engine, Dir: tools.Cwd(), OnEvent: show})
	if err != nil {
		return err
	}
	defer a.Close(ctx)
	_, err = a.Prompt(ctx, "Tidy up, please.")
	return err
}

// show prints what the agent does.
func show(ev agent.Event) {
	switch ev.Kind {
	case agent.KindMessage:
		if text := ev.Message.Text(); text != "" {
			fmt.Fprintf(os.Stdout, "%s: %s\n", ev.Message.Role, text)
		}
	case agent.KindToolEnd:
		first, _, _ := strings.Cut(ev.ToolResult.ResultText(), "\n")
		fmt.Fprintf(os.Stdout, "  %s %s\n    -> %s\n", ev.Call.Name, ev.Call.InputText(), first)
	}
}
