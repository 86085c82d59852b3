package acpproxy_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/hookline-dev/hookline/bridge/acpproxy"
	"github.com/hookline-dev/hookline/bridge/jsonrpc"
)

// A session whose hooks cannot be loaded does not begin.
func ExampleRun() {
	editor := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/project","mcpServers":[]}}` + "\n")
	var answers strings.Builder
	err := acpproxy.Run(context.Background(), acpproxy.Options{
		Grace: 1,
		Open: func(context.Context, string) (acpproxy.Hooks, error) {
			return acpproxy.Hooks{}, errors.New("no such file")
		},
	}, jsonrpc.Lines(io.NopCloser(editor), writer{&answers}), jsonrpc.Lines(silent(make(chan struct{})), writer{io.Discard}))
	fmt.Print(answers.String(), err)
	// Output:
	// {"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"hookline: load the hooks of the session's directory /project: no such file"}}
	// <nil>
}

type writer struct{ io.Writer }

func (writer) Close() error { return nil }
