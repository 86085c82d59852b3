package acpproxy_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/coder/acp-go-sdk"

	"github.com/hookline-dev/hookline/bridge/acpproxy"
	"github.com/hookline-dev/hookline/hook"
)

// sdkAgent asks permission for what the prompt says, and tells what became of it.
type sdkAgent struct {
	acp.Agent
	conn *acp.AgentSideConnection
}

func (sdkAgent) Initialize(context.Context, acp.InitializeRequest) (acp.InitializeResponse, error) {
	return acp.InitializeResponse{ProtocolVersion: acp.ProtocolVersionNumber}, nil
}

func (sdkAgent) NewSession(context.Context, acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	return acp.NewSessionResponse{SessionId: "s"}, nil
}

func (sdkAgent) CloseSession(context.Context, acp.CloseSessionRequest) (acp.CloseSessionResponse, error) {
	return acp.CloseSessionResponse{}, nil
}

func (a *sdkAgent) Prompt(ctx context.Context, p acp.PromptRequest) (acp.PromptResponse, error) {
	command := p.Prompt[0].Text.Text
	r, err := a.conn.RequestPermission(ctx, acp.RequestPermissionRequest{
		SessionId: p.SessionId,
		ToolCall:  acp.ToolCallUpdate{ToolCallId: "t-" + acp.ToolCallId(command), Kind: acp.Ptr(acp.ToolKindExecute), RawInput: map[string]any{"command": command}},
		Options:   []acp.PermissionOption{{OptionId: "y", Name: "Yes", Kind: acp.PermissionOptionKindAllowOnce}, {OptionId: "n", Name: "No", Kind: acp.PermissionOptionKindRejectOnce}},
	})
	if err != nil {
		return acp.PromptResponse{}, err
	}
	text := "cancelled"
	if r.Outcome.Selected != nil {
		text = string(r.Outcome.Selected.OptionId)
	}
	file, err := a.conn.ReadTextFile(ctx, acp.ReadTextFileRequest{SessionId: p.SessionId, Path: "/" + command})
	if err != nil {
		file.Content = err.Error()
	}
	err = a.conn.SessionUpdate(ctx, acp.SessionNotification{SessionId: p.SessionId, Update: acp.UpdateAgentMessageText(text + " " + file.Content)})
	return acp.PromptResponse{StopReason: acp.StopReasonEndTurn}, err
}

// sdkClient allows everything and keeps what it is shown.
type sdkClient struct {
	acp.Client
	shown chan string
}

func (sdkClient) RequestPermission(context.Context, acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected("y")}, nil
}

func (sdkClient) ReadTextFile(_ context.Context, p acp.ReadTextFileRequest) (acp.ReadTextFileResponse, error) {
	if p.Path == "/gone" {
		return acp.ReadTextFileResponse{}, errors.New("no such file")
	}
	return acp.ReadTextFileResponse{Content: "the token"}, nil
}

func (c sdkClient) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	if chunk := n.Update.AgentMessageChunk; chunk != nil && chunk.Content.Text != nil {
		c.shown <- chunk.Content.Text.Text
	}
	return nil
}

// TestBetweenAClientAndAnAgentOfTheSDK has client and agent of the protocol's Go SDK talk
// through a proxy.
func TestBetweenAClientAndAnAgentOfTheSDK(t *testing.T) {
	reg := hook.NewRegistry()
	onTool(reg, func(in *hook.PreToolUse) hook.Result {
		if in.ToolInput.String("command") == "rm" {
			return hook.Deny("not that")
		}
		return hook.None()
	})
	hook.On(reg, func(context.Context, *hook.PostToolUse) (hook.Result, error) {
		return hook.Result{UpdatedOutput: hook.MustJSON("the ***")}, nil
	})
	engine := hook.New(reg)
	client, agent, clientR, agentR, clientW, agentW := pipes()
	done := make(chan error, 1)
	go func() {
		done <- acpproxy.Run(context.Background(), acpproxy.Options{
			Open: func(context.Context, string) (acpproxy.Hooks, error) { return (&stage{}).hooks(reg, engine), nil },
		}, client, agent)
	}()
	a := &sdkAgent{}
	a.conn = acp.NewAgentSideConnection(a, agentW, agentR)
	c := sdkClient{shown: make(chan string, 100)}
	conn := acp.NewClientSideConnection(c, clientW, clientR)
	if _, err := conn.Initialize(t.Context(), acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber}); err != nil {
		t.Fatal(err)
	}
	s, err := conn.NewSession(t.Context(), acp.NewSessionRequest{Cwd: "/p", McpServers: []acp.McpServer{}})
	if err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{"ls": "y the ***", "rm": "n the ***", "gone": "no such file"} {
		r, err := conn.Prompt(t.Context(), acp.PromptRequest{SessionId: s.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock(command)}})
		if err != nil || r.StopReason != acp.StopReasonEndTurn {
			t.Fatalf("%s ends with %v (%v)", command, r.StopReason, err)
		}
		for text := ""; !strings.Contains(text, want); text = <-c.shown {
		}
	}
	if _, err := conn.CloseSession(t.Context(), acp.CloseSessionRequest{SessionId: s.SessionId}); err != nil {
		t.Error(err)
	}
	_ = clientW.Close()
	<-a.conn.Done()
	_ = agentW.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	<-conn.Done()
	if err := engine.Close(); err != nil {
		t.Error(err)
	}
}
