package worker_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hookline-dev/hookline/dialect/worker"
)

const (
	schemaBegins = "<!-- schema begins -->\n"
	schemaEnds   = "<!-- schema ends -->\n"
)

// TestSchemaIsFresh: the page has the schema of the code. 'make docs' writes it.
func TestSchemaIsFresh(t *testing.T) {
	page := filepath.Join("..", "..", "docs", "worker-protocol.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := worker.Schema()
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := bytes.Cut(text, []byte(schemaBegins))
	_, tail, ok2 := bytes.Cut(rest, []byte(schemaEnds))
	if !ok || !ok2 {
		t.Fatal("the page has no place for the schema")
	}
	want := bytes.Join([][]byte{head, []byte(schemaBegins), []byte("```json\n"), schema, []byte("```\n"), []byte(schemaEnds), tail}, nil)
	if bytes.Equal(want, text) {
		return
	}
	if os.Getenv("UPDATE_DOCS") == "" {
		t.Fatal("docs/worker-protocol.md is stale; run 'make docs'")
	}
	if err := os.WriteFile(page, want, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestSchemaFits: the schema takes messages of the protocol and nothing else.
func TestSchemaFits(t *testing.T) {
	text, err := worker.Schema()
	if err != nil {
		t.Fatal(err)
	}
	s := &jsonschema.Schema{}
	if err := json.Unmarshal(text, s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for msg, fits := range map[string]bool{
		`{"type":"hello","protocol":1,"hooks":[{"event":"PreToolUse","matcher":"Bash","timeout_ms":0,"guard":true}]}`: true,
		`{"type":"result","id":2}`: true,
		`{"type":"result","id":2,"decision":"deny","reason":"x","context":["y"],"updated_input":{"a":1},"session_title":"t"}`: true,
		`{"type":"result","id":2,"decison":"deny"}`:                                      false,
		`{"type":"error","id":2,"message":"x"}`:                                          true,
		`{"type":"error","id":2}`:                                                        false,
		`{"type":"request","id":"q","call":2,"method":"exec","params":{"command":"ls"}}`: true,
		`{"type":"request","id":"q","call":2,"method":"exec","params":{"comand":"ls"}}`:  false,
		`{"type":"reply","id":1,"value":null}`:                                           true,
		`{"type":"cancel","id":2,"reason":"x"}`:                                          true,
		`{"type":"shutdown"}`:                                                            true,
		`{"type":"stop"}`:                                                                false,
	} {
		var v any
		if err := json.Unmarshal([]byte(msg), &v); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(v); (err == nil) != fits {
			t.Errorf("%s: %v", msg, err)
		}
	}
}
