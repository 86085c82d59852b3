package model_test

import (
	"context"
	"fmt"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/model/script"
)

func Example() {
	provider, err := script.Parse([]byte(`
turns:
  - text: "I'll look."
    tool_calls: [{name: Bash, input: {command: ls}}]
`), script.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	req := &model.Request{Model: "script", Messages: []model.Message{model.UserText("What is here?")}}
	resp, err := model.Accumulate(provider.Stream(context.Background(), req), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Message.Text())
	for _, call := range resp.Message.ToolUses() {
		fmt.Println(call.Name, call.InputText())
	}
	fmt.Println(resp.Reason)
	// Output:
	// I'll look.
	// Bash {"command":"ls"}
	// tool_use
}
