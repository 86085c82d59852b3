package httpcall_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/hookline-dev/hookline/handler/httpcall"
	"github.com/hookline-dev/hookline/handler/internal/codectest"
	"github.com/hookline-dev/hookline/hook"
)

// A guard that is a service.
func Example() {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer s3cret" {
			_, _ = io.WriteString(w, `{"decision":"deny","reason":"not on a Friday"}`)
		}
	}))
	defer service.Close()

	client := &httpcall.Client{}
	defer client.Close()
	guard := &httpcall.Hook{
		URL:       service.URL + "/check",
		Headers:   map[string]string{"Authorization": "Bearer $CHECK_TOKEN"},
		EnvNames:  []string{"CHECK_TOKEN"},
		LookupEnv: func(string) (string, bool) { return "s3cret", true },
		Allow:     []string{"http://127.0.0.1:*"},
		Client:    client,
		Codec:     codectest.Plain{}, // that of the dialect in which the hook is written
	}
	reg := hook.NewRegistry()
	if _, err := reg.Add(hook.Registration{Event: hook.EventPreToolUse, Handler: guard, Timeout: 10 * time.Second}); err != nil {
		fmt.Println(err)
		return
	}
	eng := hook.New(reg)
	defer eng.Close()
	out, err := eng.Fire(context.Background(), &hook.PreToolUse{ToolName: "Deploy"})
	fmt.Println(out.Decision, out.Reason, err)
	// Output: deny not on a Friday <nil>
}
