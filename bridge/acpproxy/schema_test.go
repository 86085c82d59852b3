package acpproxy_test

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
)

// schemaFile names the protocol's schema; without it messages are not checked against it.
const schemaFile = "ACP_SCHEMA"

func TestTheSchemaIsThere(t *testing.T) {
	if os.Getenv(schemaFile) == "" {
		t.Skip(schemaFile + " does not name the schema: no message is checked against it")
	}
	if len(definitions()) == 0 {
		t.Error("it defines no method")
	}
}

// definitions are the schemas of params and results: "session/update" and, of results,
// "session/prompt=".
var definitions = sync.OnceValue(func() map[string]*jsonschema.Resolved {
	file := os.Getenv(schemaFile)
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

// check checks what a side gets against the schema.
func (e *end) check(line string) {
	e.t.Helper()
	m := jsonrpc.Parse([]byte(line))
	def := definitions()[m.Method]
	if m.Response() && !m.Failed {
		e.mu.Lock()
		def = definitions()[e.asked[m.ID]+"="]
		e.mu.Unlock()
	}
	if def == nil {
		return
	}
	if err := validates(def, m); err != nil {
		e.t.Errorf("the schema refuses %s\n%v", line, err)
	}
}

func validates(def *jsonschema.Resolved, m jsonrpc.Message) error {
	var v any
	if err := m.Content().Decode(&v); err != nil {
		return err
	}
	return def.Validate(v)
}
