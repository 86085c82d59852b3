package worker_test

import (
	"context"
	"fmt"
	"os"

	"github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
)

// A worker is started once; its hooks are then called as often as there are events.
func Example() {
	ctx := context.Background()
	w, err := worker.Start(ctx, worker.Spec{
		Path: os.Args[0], // here a worker that does what it is told
		Env:  []string{modeVariable + "=plain"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()

	reg := hook.NewRegistry()
	if _, err := reg.Add(hook.Registration{
		Event: hook.EventPreToolUse, Handler: w.Handler(0), Name: w.Name(), OnFailure: hook.FailClosed,
	}); err != nil {
		fmt.Println(err)
		return
	}
	eng := hook.New(reg)
	defer eng.Close()
	for range 2 {
		out, err := eng.Fire(ctx, bash(`answer ,"decision":"deny","reason":"not here"`))
		fmt.Println(out.Decision, out.Reason, err)
	}
	fmt.Println("started:", w.Starts())
	// Output:
	// deny not here <nil>
	// deny not here <nil>
	// started: 1
}
