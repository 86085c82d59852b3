package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/agent/mcp"
)

// TestMain runs the tests, or, as a child, a server that behaves as MCPTEST
// says.
func TestMain(m *testing.M) {
	if mode := os.Getenv("MCPTEST"); mode != "" {
		child(mode)
		return
	}
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreTopFunction("net/http.(*persistConn).writeLoop"))
}

func child(mode string) {
	switch mode {
	case "silent":
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Hour)
	case "dies":
		fmt.Fprintln(os.Stderr, "first line\ncan not open the database")
		os.Exit(3)
	case "noise":
		fmt.Println("Welcome to my server!")
		time.Sleep(time.Hour)
	case "raw":
		rawServer()
	case "stubborn": // does not end when its input does
		go func() {
			_ = newServer(func() { time.Sleep(time.Hour) }).Run(context.Background(), &sdk.StdioTransport{})
		}()
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Hour)
	default:
		_ = newServer(func() { time.Sleep(time.Hour) }).Run(context.Background(), &sdk.StdioTransport{})
	}
}

type echoArgs struct {
	Text string `json:"text"`
	N    int64  `json:"n,omitempty"`
}

type noArgs struct{}

// newServer returns a server with a tool that does hang.
func newServer(hang func()) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	text := func(s string) *sdk.CallToolResult {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
	}
	sdk.AddTool(s, &sdk.Tool{Name: "echo", Description: "says it again", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *sdk.CallToolRequest, a echoArgs) (*sdk.CallToolResult, any, error) {
			return text(fmt.Sprint(a.Text, " ", a.N)), nil, nil
		})
	s.AddTool(&sdk.Tool{Name: "raw", InputSchema: map[string]any{"type": "object"}},
		func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return text(string(req.Params.Arguments)), nil
		})
	sdk.AddTool(s, &sdk.Tool{Name: "ask"}, func(_ context.Context, req *sdk.CallToolRequest, _ noArgs) (*sdk.CallToolResult, any, error) {
		r, ok := req.Params.InputResponses["who"].(*sdk.ElicitResult)
		if !ok {
			return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"who": &sdk.ElicitParams{
				Message: "Which?", RequestedSchema: map[string]any{
					"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}},
				},
			}}}, nil, nil
		}
		return text(fmt.Sprint(r.Action, " ", r.Content["name"])), nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "fail"}, func(context.Context, *sdk.CallToolRequest, noArgs) (*sdk.CallToolResult, any, error) {
		return nil, nil, errors.New("it did not work")
	})
	sdk.AddTool(s, &sdk.Tool{Name: "hang"}, func(context.Context, *sdk.CallToolRequest, noArgs) (*sdk.CallToolResult, any, error) {
		hang()
		return nil, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "exit"}, func(context.Context, *sdk.CallToolRequest, noArgs) (*sdk.CallToolResult, any, error) {
		os.Exit(7)
		return nil, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "env"}, func(context.Context, *sdk.CallToolRequest, noArgs) (*sdk.CallToolResult, any, error) {
		wd, _ := os.Getwd()
		return text(strings.Join(os.Environ(), "\n") + "\ncwd=" + wd + "\nargs=" + strings.Join(os.Args[1:], " ")), nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "mixed"}, func(context.Context, *sdk.CallToolRequest, noArgs) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{
			&sdk.TextContent{Text: "see"},
			&sdk.ImageContent{Data: []byte("hi"), MIMEType: "image/png"},
			&sdk.ResourceLink{URI: "file:///x", Name: "x"},
		}}, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "long"}, func(context.Context, *sdk.CallToolRequest, noArgs) (*sdk.CallToolResult, any, error) {
		return text(strings.Repeat("x", 100_000)), nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "grow"}, func(context.Context, *sdk.CallToolRequest, noArgs) (*sdk.CallToolResult, any, error) {
		sdk.AddTool(s, &sdk.Tool{Name: "grown"}, func(context.Context, *sdk.CallToolRequest, noArgs) (*sdk.CallToolResult, any, error) {
			return text("new"), nil, nil
		})
		return text("done"), nil, nil
	})
	return s
}

// childServer describes this test binary as a server.
func childServer(t *testing.T, name, mode string) mcp.Server {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return mcp.Server{
		Name: name, Type: "stdio", Command: exe, Args: []string{"one", "${ARG:-two}"},
		Env: map[string]string{"MCPTEST": mode, "GIVEN": "value"},
	}
}

func trustAll(mcp.Server) bool { return true }

// start runs a manager until the test ends.
func start(t *testing.T, o mcp.Options) *mcp.Manager {
	t.Helper()
	if o.Trusted == nil {
		o.Trusted = trustAll
	}
	m := mcp.New(o)
	t.Cleanup(func() {
		began := time.Now()
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > 5*time.Minute {
			t.Errorf("closing took %s", took)
		}
	})
	return m
}
