// Package acpschema checks messages of the Agent Client Protocol in tests against its schema.
package acpschema

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
)

// variable names the file of the schema; without it nothing is checked.
const variable = "ACP_SCHEMA"

// Checker checks what one side of a connection is sent. It is safe for concurrent use.
type Checker struct {
	mu    sync.Mutex
	asked map[string]string // methods of what the side asked, by ids
}

// Asks notes a message that the side sends.
func (c *Checker) Asks(line []byte) {
	m := jsonrpc.Parse(line)
	if !m.Request() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked == nil {
		c.asked = map[string]string{}
	}
	c.asked[m.ID] = m.Method
}

// Gets returns what the schema has against a message that the side is sent.
func (c *Checker) Gets(line []byte) error {
	m := jsonrpc.Parse(line)
	key := m.Method
	if m.Response() && !m.Failed {
		c.mu.Lock()
		key = c.asked[m.ID] + "="
		c.mu.Unlock()
	}
	def := definitions()[key]
	if def == nil {
		return nil
	}
	var v any
	err := m.Content().Decode(&v)
	if err == nil {
		err = def.Validate(v)
	}
	if err != nil {
		return fmt.Errorf("the schema refuses %s: %w", line, err)
	}
	return nil
}

// Methods is how many methods the schema defines.
func Methods() int { return len(definitions()) }

// definitions are the schemas of params and, with a = behind the method, of results.
var definitions = sync.OnceValue(func() map[string]*jsonschema.Resolved {
	file := os.Getenv(variable)
	if file == "" {
		return nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	var root jsonschema.Schema
	if err := json.Unmarshal(b, &root); err != nil {
		panic(err)
	}
	out := map[string]*jsonschema.Resolved{}
	for name, def := range root.Defs {
		method, _ := def.Extra["x-method"].(string)
		if method == "" {
			continue
		}
		if strings.HasSuffix(name, "Response") {
			method += "="
		}
		one := jsonschema.Schema{Ref: "#/$defs/" + name, Defs: root.Defs}
		if out[method], err = one.Resolve(nil); err != nil {
			panic(name + ": " + err.Error())
		}
	}
	return out
})
