package jsonrpc_test

import (
	"fmt"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/hook"
)

func ExampleMessage_With() {
	m := jsonrpc.Parse([]byte(`{"jsonrpc":"2.0", "id":1, "method":"ping", "params":{"n":1}, "extra":1e3}`))
	fmt.Println(string(m.With(hook.RawJSON(`{"n":2}`))))
	// Output:
	// {"jsonrpc":"2.0", "id":1, "method":"ping", "params":{"n":2}, "extra":1e3}
}
