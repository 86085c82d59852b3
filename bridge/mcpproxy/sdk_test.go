package mcpproxy_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/bridge/mcpproxy"
	"github.com/hookline-dev/hookline/hook"
)

// TestBetweenAClientAndAServerOfTheSDK has the official client and server talk through a
// proxy, in the version of the protocol that they agree on.
func TestBetweenAClientAndAServerOfTheSDK(t *testing.T) {
	t.Run("pipe", func(t *testing.T) {
		fromServer, serverOut := io.Pipe()
		serverIn, toServer := io.Pipe()
		ss, err := echoServer().Connect(t.Context(), &sdk.IOTransport{Reader: serverIn, Writer: serverOut}, nil)
		if err != nil {
			t.Fatal(err)
		}
		talk(t, jsonrpc.Lines(fromServer, toServer))
		_ = ss.Wait()
	})
	for name, o := range map[string]*sdk.StreamableHTTPOptions{
		"HTTP with events": nil, "HTTP with JSON": {JSONResponse: true}, "HTTP without sessions": {Stateless: true},
	} {
		t.Run(name, func(t *testing.T) {
			server := echoServer()
			web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, o))
			defer web.Close()
			talk(t, mcpproxy.HTTP(t.Context(), mcpproxy.HTTPOptions{URL: web.URL, Notify: func(text string) { t.Error(text) }}))
			for ss := range server.Sessions() {
				t.Errorf("the session %s is still there", ss.ID())
			}
		})
	}
}

// echoServer says what it is told.
func echoServer() *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "echo", Version: "1"}, nil)
	sdk.AddTool(server, &sdk.Tool{Name: "echo"}, func(_ context.Context, _ *sdk.CallToolRequest, in struct {
		Text string `json:"text"`
	},
	) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "said " + in.Text}}}, nil, nil
	})
	return server
}

// talk has a client call the tool of an echoServer behind a proxy.
func talk(t *testing.T, server jsonrpc.Conn) {
	reg := hook.NewRegistry()
	onTool(reg, func(in *hook.PreToolUse) hook.Result {
		switch in.ToolInput.String("text") {
		case "no":
			return hook.Deny("not that")
		case "ask":
			return hook.Ask("sure?")
		}
		return hook.None()
	})
	hook.On(reg, func(_ context.Context, in *hook.PostToolUse) (hook.Result, error) {
		return hook.Result{Context: []string{"seen"}}, nil
	})
	engine := hook.New(reg)
	fromClient, clientOut := io.Pipe()
	clientIn, toClient := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- mcpproxy.Run(context.Background(), mcpproxy.Options{
			Server: "echo", ToolName: func(tool string) string { return tool }, Fire: engine.Fire, Hears: reg.Has,
		}, jsonrpc.Lines(fromClient, toClient), server)
	}()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			if !strings.Contains(r.Params.Message, "sure?") {
				t.Errorf("the person is asked %q", r.Params.Message)
			}
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{}}, nil
		},
	})
	cs, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: clientIn, Writer: clientOut}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("protocol %s", cs.InitializeResult().ProtocolVersion)
	for text, want := range map[string]string{"yes": "said yes", "ask": "said ask", "no": "not that"} {
		r, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"text": text}})
		if err != nil {
			t.Fatal(err)
		}
		got := r.Content[0].(*sdk.TextContent).Text
		if got != want || r.IsError != (text == "no") || !r.IsError && len(r.Content) != 2 {
			t.Errorf("%s: the client got %q and %d blocks", text, got, len(r.Content))
		}
	}
	_ = cs.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := engine.Close(); err != nil {
		t.Error(err)
	}
}
