package script_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hookline-dev/hookline/handler/script"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "hello.ts")
	src := `import { basename } from "node:path";
export default function (pi: any) {
	pi.registerCommand("hello", { description: "Greets", handler: () => {} });
	pi.on("tool_call", (event) => ({ block: true, reason: "not " + basename(event.input.path) }));
}`
	if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
		fmt.Println(err)
		return
	}

	m, err := script.Load(context.Background(), path, script.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()
	for _, c := range m.Info().Commands {
		fmt.Printf("/%s: %s\n", c.Name, c.Description)
	}
	reply, err := m.Dispatch(context.Background(), script.Call{
		Event: "tool_call", Payload: []byte(`{"toolName":"write","input":{"path":"/etc/passwd"}}`),
	})
	fmt.Println(string(reply.Result), err)
	// Output:
	// /hello: Greets
	// {"block":true,"reason":"not passwd"} <nil>
}
