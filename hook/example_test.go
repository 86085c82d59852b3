package hook_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/hookline-dev/hookline/hook"
)

// A Go function decides about tool calls by their typed input.
func Example() {
	reg := hook.NewRegistry()
	hook.On(reg, func(_ context.Context, in *hook.PreToolUse) (hook.Result, error) {
		if strings.Contains(in.ToolInput.String("command"), "rm -rf") {
			return hook.Deny("dangerous command"), nil
		}
		return hook.None(), nil
	}, hook.Match("Bash"))

	eng := hook.New(reg)
	defer eng.Close()
	out, err := eng.Fire(context.Background(), &hook.PreToolUse{
		ToolName:  "Bash",
		ToolInput: hook.RawJSON(`{"command":"rm -rf /"}`),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Decision, out.Reason)
	// Output: deny dangerous command
}

// The input is the mutable context: what a hook changes in place is what later
// hooks and the caller see.
func Example_rewrite() {
	reg := hook.NewRegistry()
	hook.On(reg, func(_ context.Context, in *hook.PreToolUse) (hook.Result, error) {
		in.ToolInput.SetString("file_path", "/mnt/remote"+in.ToolInput.String("file_path"))
		return hook.Allow(), nil
	}, hook.Match("Read|Write|Edit"))

	eng := hook.New(reg)
	defer eng.Close()
	in := &hook.PreToolUse{ToolName: "Read", ToolInput: hook.RawJSON(`{"file_path":"/etc/hosts","limit":9007199254740993}`)}
	out, err := eng.Fire(context.Background(), in)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Decision, in.ToolInput.Raw())
	// Output: allow {"file_path":"/mnt/remote/etc/hosts","limit":9007199254740993}
}

// Explain says what would run and why, without running it.
func ExampleEngine_Explain() {
	reg := hook.NewRegistry()
	none := func(context.Context, *hook.PreToolUse) (hook.Result, error) { return hook.None(), nil }
	hook.On(reg, none, hook.Name("reader"), hook.Match("Read"))
	hook.On(reg, none, hook.Name("guard"), hook.Match("Bash"))

	eng := hook.New(reg)
	defer eng.Close()
	for _, c := range eng.Explain(&hook.PreToolUse{ToolName: "Bash"}) {
		fmt.Printf("%s runs: %v, %s\n", c.Hook.Name, c.Runs, c.Why)
	}
	// Output:
	// reader runs: false, matcher "Read" does not match "Bash"
	// guard runs: true, matcher "Bash" matches
}
