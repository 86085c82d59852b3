package openai_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/model/openai"
)

func Example() {
	// A stand-in for a local server that is asked too often.
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "3")
		http.Error(w, `{"error":{"message":"slow down"}}`, http.StatusTooManyRequests)
	}))
	defer srv.Close()

	p := openai.New(openai.Options{Name: "local", BaseURL: srv.URL + "/v1", HTTPClient: srv.Client()})
	req := &model.Request{Model: "qwen3", Messages: []model.Message{model.UserText("Hi")}}
	_, err := model.Accumulate(p.Stream(context.Background(), req), nil)
	fmt.Println(err, model.IsRetryable(err))
	// Output:
	// local: rate limit reached (HTTP 429): slow down true
}
