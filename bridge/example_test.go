package bridge_test

import (
	"context"
	"fmt"

	"github.com/hookline-dev/hookline/bridge"
	"github.com/hookline-dev/hookline/dialect/all"
	"github.com/hookline-dev/hookline/host"
)

// A host whose hooks cannot be asked is told a deny.
func Example() {
	b := &bridge.Bridge{Dialects: all.Dialects(), Open: func(context.Context, *bridge.Call, string) (*host.Host, func(), error) {
		return nil, nil, fmt.Errorf("no space left")
	}}
	a := b.Answer(context.Background(), &bridge.Call{Host: "claude", Event: "PreToolUse", Payload: []byte("{}")})
	fmt.Println(a.ExitCode, len(a.Stdout) > 0)
	// Output: 0 true
}
