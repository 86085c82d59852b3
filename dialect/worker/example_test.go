package worker_test

import (
	"context"
	"fmt"
	"os"

	"github.com/hookline-dev/hookline/dialect/worker"
	"github.com/hookline-dev/hookline/hook"
)

// A worker says itself which events it wants.
func Example() {
	w, err := worker.Start(context.Background(), worker.Spec{
		Path: os.Args[0], // here a worker that denies everything
		Env:  []string{modeVariable + "=lines"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()
	regs, remarks := worker.Registrations(w)
	for _, r := range regs {
		fmt.Println(r.Event, r.Name, r.OnFailure)
	}
	fmt.Println(len(remarks), "remarks")

	reg := hook.NewRegistry()
	if _, err := reg.AddAll(regs); err != nil {
		fmt.Println(err)
	}
	// Output:
	// PreToolUse fake#no rm closed
	// Stop fake#Stop[1] open
	// PostToolUse fake#PostToolUse[2] default
	// PreToolUse fake#PreToolUse[4] default
	// 2 remarks
}
