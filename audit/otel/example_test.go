package otel_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/hookline-dev/hookline/audit/otel"
	"github.com/hookline-dev/hookline/hook"
)

func Example() {
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	defer collector.Close()
	ctx := context.Background()
	exporter, err := otel.New(ctx, otel.Options{Endpoint: collector.URL, Service: "my-agent"})
	if err != nil {
		fmt.Println(err)
		return
	}
	reg := hook.NewRegistry()
	hook.On(reg, func(context.Context, *hook.PreToolUse) (hook.Result, error) { return hook.Deny("no"), nil })
	eng := hook.New(reg, hook.WithRecorder(exporter))
	defer eng.Close()

	in := &hook.PreToolUse{ToolName: "Bash"}
	spanned, end := exporter.Start(ctx, in)
	out, err := eng.Fire(spanned, in)
	end()
	fmt.Println(out.Decision, err, exporter.Shutdown(ctx))
	// Output: deny <nil> <nil>
}
