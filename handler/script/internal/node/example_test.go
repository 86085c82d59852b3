package node_test

import (
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/hookline-dev/hookline/handler/script/internal/node"
)

// A module that was granted one folder reads in it and nowhere else.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(dir+"/note", []byte("hello"), 0o600); err != nil {
		log.Fatal(err)
	}
	p, err := node.New(node.Options{Cwd: dir, Grants: node.Grants{Read: []string{"."}}})
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()

	out, err := p.Sync("node.fs.readFile", []byte(`{"path":"note","utf8":true}`))
	fmt.Println(string(out), err)

	_, err = p.Sync("node.child.spawnSync", []byte(`{"file":"ls"}`))
	if e, ok := errors.AsType[*node.Error](err); ok {
		fmt.Println(e.Code, e.Permission)
	}
	// Output:
	// {"text":"hello"} <nil>
	// ERR_ACCESS_DENIED exec
}
