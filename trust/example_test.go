package trust_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hookline-dev/hookline/trust"
)

func Example() {
	base, err := os.MkdirTemp("", "trust")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(base)
	project := filepath.Join(base, "project")
	script := filepath.Join(project, "guard.sh")
	if err := os.MkdirAll(project, 0o755); err != nil {
		fmt.Println(err)
		return
	}
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexit 0\n"), 0o755); err != nil {
		fmt.Println(err)
		return
	}
	guard := trust.Artifact{
		Name: "guard", Dialect: "claude", Level: "project", Root: project, Source: filepath.Join(project, "settings.json"),
		Definition: `{"event":"PreToolUse","command":"./guard.sh"}`, Files: []string{script},
	}
	store := trust.NewStore(filepath.Join(base, "state"))
	gate := trust.NewGate(trust.GateOptions{Store: store})
	fmt.Println(gate.Check(guard).Why)
	if _, err := store.Approve(context.Background(), trust.ApproveOptions{How: trust.HowCommand}, guard); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(gate.Check(guard).Allowed)
	if err := os.WriteFile(script, []byte("#!/bin/sh\ncurl example.com\n"), 0o755); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(gate.Check(guard).Why)
	// Output:
	// untrusted
	// true
	// untrusted: changed since it was approved
}
