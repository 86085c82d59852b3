package tui_test

import (
	"context"
	"os"

	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/ui/tui"
)

// Example shows an agent on the terminal until the person ends it.
func Example() {
	screen := tui.New(tui.Config{In: os.Stdin, Out: os.Stdout})
	open := func(ctx context.Context) (*tui.Session, error) {
		h, err := host.OpenAgent(ctx, host.Options{UI: screen}, host.AgentOptions{OnEvent: screen.OnEvent})
		if err != nil {
			return nil, err
		}
		return &tui.Session{Loop: h.Loop, Commands: h.Commands, Permission: h.Permission}, nil
	}
	if err := screen.Run(context.Background(), open); err != nil {
		panic(err)
	}
}
