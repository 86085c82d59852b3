package worktree_test

import (
	"context"
	"fmt"
	"os"

	"github.com/hookline-dev/hookline/agent/worktree"
	"github.com/hookline-dev/hookline/hook"
)

// A hook makes the directory, so that no git is needed.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	reg := hook.NewRegistry()
	hook.On(reg, func(_ context.Context, in *hook.WorktreeCreate) (hook.Result, error) {
		fmt.Println("make", in.Name)
		return hook.Result{Host: &hook.HostEffects{WorktreePath: dir}}, nil
	})
	hook.On(reg, func(_ context.Context, in *hook.WorktreeRemove) (hook.Result, error) {
		return hook.None(), os.RemoveAll(in.WorktreePath)
	})
	engine := hook.New(reg)
	defer engine.Close()

	ctx := context.Background()
	m := worktree.New(".")
	w, err := m.Create(ctx, "feature", "", engine.Fire)
	if err != nil {
		fmt.Println(err)
		return
	}
	end, err := m.Finish(ctx, w, engine.Fire)
	fmt.Println("removed:", end.Removed, err)
	// Output:
	// make feature
	// removed: true <nil>
}
