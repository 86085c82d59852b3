package acpagent_test

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/hookline-dev/hookline/bridge/acpagent"
	"github.com/hookline-dev/hookline/bridge/jsonrpc"
)

func ExampleServe() {
	editor := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"here","mcpServers":[]}}` + "\n")
	var answers strings.Builder
	err := acpagent.Serve(context.Background(), acpagent.Options{}, jsonrpc.Lines(io.NopCloser(editor), writer{&answers}))
	fmt.Print(answers.String(), err)
	// Output:
	// {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"cwd is not an absolute path: \"here\""}}
	// <nil>
}

type writer struct{ io.Writer }

func (writer) Close() error { return nil }
