// Command agent is a coding agent in a few lines, with hooks of four kinds: a function
// here, and in this directory an entry of .claude/settings.json, an executable in
// .hookline/hooks and a module in .hookline/modules. The model is a script, so that it
// runs without a key and without a network: name another one in AgentOptions.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/trust"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) (err error) {
	reg := hook.NewRegistry()
	hook.On(reg, func(_ context.Context, in *hook.PreToolUse) (hook.Result, error) {
		if strings.Contains(in.ToolInput.String("command"), "rm -rf") {
			return hook.Deny("delete files one by one"), nil
		}
		return hook.None(), nil
	}, hook.Match("Bash"))

	// Without a Gate, hooks of the directory run when the person approved them.
	h, err := host.OpenAgent(ctx, host.Options{Registry: reg, Gate: trust.Anything{}}, host.AgentOptions{Model: "script:turns.yaml", OnEvent: show})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	for _, d := range h.Set().Diagnostics {
		log.Print(d)
	}
	_, err = h.Work(ctx, "Tidy up, please.")
	return err
}

// show prints what the agent does.
func show(ev agent.Event) {
	switch ev.Kind {
	case agent.KindMessage:
		if text := ev.Message.Text(); text != "" {
			fmt.Printf("%s: %s\n", ev.Message.Role, text)
		}
	case agent.KindToolEnd:
		first, _, _ := strings.Cut(ev.ToolResult.ResultText(), "\n")
		fmt.Printf("  %s %s\n    -> %s\n", ev.Call.Name, ev.Call.InputText(), first)
	}
}
