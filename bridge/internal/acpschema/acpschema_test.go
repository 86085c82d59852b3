package acpschema_test

import (
	"os"
	"testing"

	"github.com/hookline-dev/hookline/bridge/internal/acpschema"
)

func TestTheSchemaIsThere(t *testing.T) {
	if os.Getenv(acpschema.Variable) == "" {
		t.Skip(acpschema.Variable + " does not name the schema: no message is checked against it")
	}
	if acpschema.Methods() == 0 {
		t.Fatal("it defines no method")
	}
	var c acpschema.Checker
	c.Asks([]byte(`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{}}`))
	for line, good := range map[string]bool{
		`{"jsonrpc":"2.0","id":1.0,"result":{"stopReason":"end_turn"}}`: true, `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"tired"}}`: false,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call"}}}`: false,
	} {
		if err := c.Gets([]byte(line)); (err == nil) != good {
			t.Errorf("%s: %v", line, err)
		}
	}
}
