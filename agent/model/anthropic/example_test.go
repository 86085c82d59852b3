package anthropic_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/model/anthropic"
)

func Example() {
	// A stand-in for the real API, so that the example needs no key.
	srv := httptest.NewServer(stream(sse(msgStart, blockStart(0, `{"type":"text","text":""}`),
		blockDelta(0, `{"type":"text_delta","text":"Hello"}`), blockDelta(0, `{"type":"text_delta","text":" there."}`),
		blockStop(0), msgDelta("end_turn", ""), msgStop)))
	defer srv.Close()

	p := anthropic.New(anthropic.Options{APIKey: "sk-secret", BaseURL: srv.URL, HTTPClient: srv.Client()})
	req := &model.Request{Model: "claude-sonnet-4-5", Messages: []model.Message{model.UserText("Hi")}}
	resp, err := model.Accumulate(p.Stream(context.Background(), req), func(ev model.Event) error {
		if ev.Kind == model.TextDelta {
			fmt.Printf("%q\n", ev.Text)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Reason, resp.Usage.OutputTokens)
	// Output:
	// "Hello"
	// " there."
	// end_turn 20
}
