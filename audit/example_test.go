package audit_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hookline-dev/hookline/audit"
	"github.com/hookline-dev/hookline/hook"
)

func Example() {
	dir, err := os.MkdirTemp("", "audit")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "audit.jsonl")
	log := audit.New(audit.Options{Path: path})
	defer log.Close()

	reg := hook.NewRegistry()
	hook.On(reg, func(context.Context, *hook.PreToolUse) (hook.Result, error) {
		return hook.Deny("not on Fridays"), nil
	}, hook.Name("fridays"))
	eng := hook.New(reg, hook.WithRecorder(log))
	defer eng.Close()
	if _, err := eng.Fire(context.Background(), &hook.PreToolUse{ToolName: "Bash"}); err != nil {
		fmt.Println(err)
		return
	}

	for r, err := range audit.Read(path, audit.Filter{Decision: "deny"}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.Seq, r.Event, r.Tool, r.Hook, r.Decision, r.Reason)
	}
	report, err := audit.Verify(audit.Options{Path: path})
	fmt.Println(report.Intact(), err)
	// Output:
	// 1 PreToolUse Bash fridays deny not on Fridays
	// true <nil>
}
