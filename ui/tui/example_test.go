package tui_test

import (
	"context"
	"os"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/ui/tui"
)

// Example shows an agent on the terminal until the person ends it.
func Example() {
	screen := tui.New(tui.Config{In: os.Stdin, Out: os.Stdout})
	open := func(context.Context) (*tui.Session, error) {
		loop, err := agent.New(agent.Config{UI: screen, OnEvent: screen.OnEvent}) // and a model, tools and hooks
		if err != nil {
			return nil, err
		}
		return &tui.Session{Loop: loop}, nil
	}
	if err := screen.Run(context.Background(), open); err != nil {
		panic(err)
	}
}
