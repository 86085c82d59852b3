package mcp_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/mcp"
)

// What a server lists is offered as Offer leaves it, and not offered where that fails. The
// server can be called meanwhile, and is asked again when that is wanted.
func TestOffer(t *testing.T) {
	var open atomic.Bool
	var m *mcp.Manager
	made := make(chan struct{})
	m = start(t, mcp.Options{Servers: []mcp.Server{childServer(t, "srv", "serve")}, TrustHints: true, Offer: func(ctx context.Context, s mcp.Server, name string, listed jsontext.Value) (jsontext.Value, error) {
		says := string(listed)
		switch name {
		case "mcp__srv__echo":
			<-made
			if text, _, err := m.Call(ctx, s.Name, "echo", []byte(`{"text":"x"}`)); text != "x 0" {
				t.Errorf("a call while its tools are looked at: %q, %v", text, err)
			}
			return jsontext.Value(strings.Replace(says, "says it again", "says <it>", 1)), nil
		case "mcp__srv__raw":
			return jsontext.Value(strings.Replace(says, `"name":"raw"`, `"name":"echo"`, 1)), nil
		case "mcp__srv__long":
			return jsontext.Value(`{"name":`), nil
		case "mcp__srv__fail":
			if !open.Load() {
				return nil, errors.New("no")
			}
		}
		return listed, nil
	}})
	close(made)
	wait(t, m)
	if echo := find(t, m, "mcp__srv__echo"); echo.Description() != "says <it>" || !echo.ReadOnly() {
		t.Errorf("got %s, read-only %v", echo.Description(), echo.ReadOnly())
	}
	offered := m.Status()[0].Tools
	for _, name := range []string{"mcp__srv__raw", "mcp__srv__long", "mcp__srv__fail"} {
		if slices.Contains(offered, name) {
			t.Errorf("%s is offered", name)
		}
	}
	if !slices.Contains(offered, "mcp__srv__ask") {
		t.Error("one that nobody minds is not offered")
	}
	open.Store(true)
	m.Relist()
	eventually(t, "it is asked again", func() bool { return slices.Contains(m.Status()[0].Tools, "mcp__srv__fail") })
}
