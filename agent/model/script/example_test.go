package script_test

import (
	"context"
	"fmt"
	"os"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/model/script"
)

func Example() {
	p, err := script.Parse([]byte(`
turns:
  - error: {status: 529, retry_after: 2}
  - expect: {last_user: "^hello"}
    text: "Hello to you."
`), script.Options{Log: os.Stdout})
	if err != nil {
		fmt.Println(err)
		return
	}
	req := &model.Request{Model: "script", Messages: []model.Message{model.UserText("hello")}}
	for range 3 {
		resp, err := model.Accumulate(p.Stream(context.Background(), req), nil)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(resp.Message.Text())
	}
	// Output:
	// {"call":1,"turn":1,"request":{"model":"script","messages":[{"role":"user","content":[{"type":"text","text":"hello"}]}]}}
	// script: the model is overloaded (HTTP 529): as the script says
	// {"call":2,"turn":2,"request":{"model":"script","messages":[{"role":"user","content":[{"type":"text","text":"hello"}]}]}}
	// Hello to you.
	// {"call":3,"error":"script: invalid request: the script has run out of turns: this is call 3, and none of its 2 turns is left for it","request":{"model":"script","messages":[{"role":"user","content":[{"type":"text","text":"hello"}]}]}}
	// script: invalid request: the script has run out of turns: this is call 3, and none of its 2 turns is left for it
}
