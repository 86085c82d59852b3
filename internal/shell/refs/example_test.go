package refs_test

import (
	"fmt"

	"github.com/hookline-dev/hookline/internal/shell/refs"
)

func Example() {
	r := refs.Command(`python3 "$CLAUDE_PROJECT_DIR/guard.py" && npx audit-tool`, refs.Options{
		Dir:  "/work/project",
		Vars: map[string]string{"CLAUDE_PROJECT_DIR": "/work/project"},
	})
	fmt.Println(r.Files)
	fmt.Println(r.Unseen)
	// Output:
	// [/work/project/guard.py]
	// [npx runs the package audit-tool, which it may download]
}
