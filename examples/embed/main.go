// Command embed shows a program that hosts hooks: a Go function, a settings file
// and an observer on one engine.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/trust"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// noRm is a guard. The input is typed, and changes in place are seen by everybody after it.
func noRm(_ context.Context, in *hook.PreToolUse) (hook.Result, error) {
	if strings.Contains(in.ToolInput.String("command"), "rm -rf") {
		return hook.Deny("dangerous command"), nil
	}
	return hook.None(), nil
}

func run(ctx context.Context) error {
	reg := hook.NewRegistry()

	// A Go function.
	hook.On(reg, noRm, hook.Match("Bash"), hook.Name("no-rm"))

	// The hooks of a project: settings files, executables, modules, plugins. The
	// project is this example's own, so everything in it may run; without a Gate,
	// hooks of a project run when the person approved them with 'hookline trust'.
	wd, err := os.Getwd()
	if err != nil {
		return err
	}
	loader := discovery.New(discovery.Options{Dirs: discovery.DefaultDirs(wd, os.Getenv), Gate: trust.Anything{}})
	defer loader.Close()
	set, err := loader.Register(ctx, reg)
	if err != nil {
		return err
	}
	for _, d := range set.Diagnostics {
		fmt.Fprintln(os.Stderr, d)
	}

	// An observer sees every hook start and answer, and never holds one up.
	seen := make(chan hook.Emission, 100)
	eng := hook.New(reg, hook.WithObserver(hook.NewChannelObserver(seen)))

	for _, command := range []string{"ls", "rm -rf /"} {
		in := &hook.PreToolUse{
			Common:    hook.Common{SessionID: "example", CWD: wd},
			ToolName:  "Bash",
			ToolInput: hook.MustJSON(map[string]string{"command": command}),
		}
		out, err := eng.Fire(ctx, in)
		if err != nil {
			return err
		}
		fmt.Printf("%-10s %s %s\n", command, out.Decision, out.Reason)
		for _, c := range out.Context {
			fmt.Println("  context:", c)
		}
	}
	if err := eng.Close(); err != nil {
		return err
	}
	close(seen)
	answers := map[string]int{}
	for m := range seen {
		if m.Subtype == hook.HookResponse {
			answers[m.Outcome]++
		}
	}
	fmt.Println("answers:", answers["success"], "success,", answers["blocked"], "blocked")
	return nil
}
