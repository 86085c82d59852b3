package builtin_test

import (
	"context"
	"fmt"

	"github.com/hookline-dev/hookline/handler/command/internal/builtin"
	"github.com/hookline-dev/hookline/handler/process"
)

func Example() {
	guard, err := builtin.Parse(`
		cmd=$(jq -r '.tool_input.command')
		case $cmd in
		*'rm -rf'*) echo "refused: $cmd" >&2; exit 2 ;;
		esac`, builtin.Sh)
	if err != nil {
		fmt.Println(err) // what only a real shell can run
		return
	}
	exit, err := guard.Run(context.Background(), process.Spec{
		Stdin: []byte(`{"tool_input":{"command":"rm -rf build"}}`), Env: []string{"PATH="},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("exit %d: %s", exit.Code, exit.Stderr)
	// Output: exit 2: refused: rm -rf build
}
