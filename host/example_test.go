package host_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/trust"
)

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	reg := hook.NewRegistry()
	hook.On(reg, func(context.Context, *hook.PreToolUse) (hook.Result, error) {
		return hook.Deny("nothing is written on Fridays"), nil
	}, hook.Match("Write"))

	h, err := host.Open(context.Background(), host.Options{
		Registry: reg,
		Dir:      dir,                                                               // the hooks of this directory have their part too
		Dirs:     discovery.Dirs{Project: dir, State: filepath.Join(dir, ".state")}, // without it: those of the person
		Gate:     trust.Anything{},                                                  // without it: what the person approved
	})
	if err != nil {
		panic(err)
	}
	defer h.Close()
	out, err := h.Fire(context.Background(), &hook.PreToolUse{ToolName: "Write"})
	if err != nil {
		panic(err)
	}
	fmt.Println(out.Decision, out.Reason)
	// Output: deny nothing is written on Fridays
}
