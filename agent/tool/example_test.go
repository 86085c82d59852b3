package tool_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookline-dev/hookline/agent/tool"
)

func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		fmt.Println(err)
		return
	}
	set, err := tool.New(tool.Config{Dir: dir})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer set.Close()

	call := func(name, input string) {
		r, err := set.Lookup(name).Run(context.Background(), tool.Input{JSON: []byte(input)})
		if err != nil {
			fmt.Println("error:", err)
			return
		}
		fmt.Print(strings.ReplaceAll(r.Text(), dir+string(filepath.Separator), ""), "\n")
	}
	call("Write", `{"file_path": "notes.txt", "content": "first\nsecond\n"}`)
	call("Edit", `{"file_path": "notes.txt", "old_string": "second", "new_string": "2nd"}`)
	call("Edit", `{"file_path": "notes.txt"}`)
	call("Grep", `{"pattern": "nd$", "output_mode": "content"}`)
	// Output:
	// Created notes.txt (13 bytes).
	// Changed notes.txt.
	// error: invalid input for Edit: "old_string" is missing; "new_string" is missing
	// notes.txt:2:2nd
}
