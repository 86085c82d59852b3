package acpproxy_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/bridge/acpproxy"
	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/hook"
)

func TestTheAgentsEndAnswersWhatWaits(t *testing.T) {
	s := newStage(t, acpproxy.Options{}, func(*hook.Registry) {})
	s.begin()
	go s.client.send("%s", prompt("1", "x"))
	s.agent.read()
	go func() { // half a line is what it says last
		_, _ = io.WriteString(s.agent.w, `{"jsonrpc":"2.0","id":1,"resu`)
		_ = s.agent.w.Close()
	}()
	if got, err := s.client.r.ReadString('\n'); got != `{"jsonrpc":"2.0","id":1,"resu`+"\n" {
		t.Errorf("the client got %q, %v", got, err)
	}
	s.client.gets(`"id":1,"error"`, "has ended")
	if err := s.over(); !errors.Is(err, acpproxy.ErrAgentGone) {
		t.Errorf("it ends with %v", err)
	}
}

func TestWhatCanBeReadInTwoWaysIsRefused(t *testing.T) {
	s := newStage(t, acpproxy.Options{}, func(reg *hook.Registry) { onTool(reg, func(*hook.PreToolUse) hook.Result { return hook.None() }) })
	s.guarded()
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":6,"method":"terminal/create","params":{"sessionId":"s","command":"ls","command":"rm"}}`,
		`{"jsonrpc":"2.0","id":6,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/a","sessionId":"t"}}`,
	} {
		go s.agent.send("%s", line)
		s.agent.gets(`"id":6,"error"`, "more than one way")
	}
	for _, line := range []string{"Welcome!", `{"jsonrpc":"2.0","id":6,"method":"a","method":"terminal/create"}`, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","sessionId":"t"}}`} {
		go s.agent.send("%s", line)
		for told := ""; !strings.Contains(told, "dropped"); told = <-s.told {
		}
	}
	go s.client.send(`{"jsonrpc":"2.0","id":2,"method":"x"`)
	s.client.gets(`"id":2,"error"`, "read alike")
}

func TestAnIDIsTakenOnce(t *testing.T) {
	s := newStage(t, acpproxy.Options{}, func(*hook.Registry) {})
	s.begin()
	go s.client.send("%s", prompt("1", "x"))
	s.agent.read()
	go s.client.send("%s", prompt("1.0", "y"))
	s.client.gets(`"id":1.0,"error"`, "no answer yet")
	go s.agent.send("%s", permission(`{"toolCallId":"t"}`, options))
	s.client.read()
	go s.agent.send("%s", permission(`{"toolCallId":"u"}`, options))
	s.agent.gets(`"id":5,"error"`, "no answer yet")
	go s.client.send(`{"jsonrpc":"2.0","id":99,"result":null}`)
	if told := <-s.told; !strings.Contains(told, "99") {
		t.Errorf("the person is told %q", told)
	}
}

const cancelTurn = `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`

// waiting are hooks that wait until their event is cancelled.
func waiting[T any, P interface {
	*T
	hook.Input
}](reg *hook.Registry, begun chan<- struct{},
) {
	hook.On(reg, func(ctx context.Context, _ P) (hook.Result, error) {
		begun <- struct{}{}
		<-ctx.Done()
		return hook.None(), ctx.Err()
	})
}

func TestCancelWhileHooksSeeThePrompt(t *testing.T) {
	begun := make(chan struct{})
	s := newStage(t, acpproxy.Options{}, func(reg *hook.Registry) { waiting[hook.UserPromptSubmit](reg, begun) })
	s.begin()
	go s.client.send("%s", prompt("1", "x"))
	<-begun
	go s.client.send(cancelTurn)
	s.client.want(`{"jsonrpc":"2.0","id":1,"result":{"stopReason":"cancelled"}}`)
	go s.client.send(`{"jsonrpc":"2.0","method":"_next"}`)
	s.agent.want(`{"jsonrpc":"2.0","method":"_next"}`) // and neither the prompt nor its end
}

func TestCancelWhileTheAgentWorks(t *testing.T) {
	s := newStage(t, acpproxy.Options{}, func(reg *hook.Registry) {
		hook.On(reg, func(context.Context, *hook.Stop) (hook.Result, error) { return hook.Deny("go on"), nil })
	})
	s.begin()
	go s.client.send("%s", prompt("1", "x"))
	s.agent.read()
	go s.client.send(cancelTurn)
	s.agent.want(cancelTurn)
	go s.agent.send(`{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn","n":1e3}}`) // it did not hear of it in time
	s.client.want(`{"jsonrpc":"2.0","id":1,"result":{"stopReason":"cancelled","n":1e3}}`)
}

func TestCancelWhileHooksSeeTheEnd(t *testing.T) {
	begun := make(chan struct{})
	s := newStage(t, acpproxy.Options{}, func(reg *hook.Registry) { waiting[hook.Stop](reg, begun) })
	s.begin()
	go s.client.send("%s", prompt("1", "x"))
	s.agent.read()
	go s.agent.send(`{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`)
	<-begun
	go s.client.send(cancelTurn)
	s.agent.want(cancelTurn)
	s.client.want(`{"jsonrpc":"2.0","id":1,"result":{"stopReason":"cancelled"}}`)
}

func TestCancelWhileHooksSeeATool(t *testing.T) {
	begun := make(chan struct{})
	s := newStage(t, acpproxy.Options{}, func(reg *hook.Registry) { waiting[hook.PreToolUse](reg, begun) })
	s.guarded()
	go s.client.send("%s", prompt("1", "x"))
	s.agent.read()
	for request, answer := range map[string]string{
		permission(`{"toolCallId":"t"}`, options): `{"jsonrpc":"2.0","id":5,"result":{"outcome":{"outcome":"cancelled"}}}`,
		fmt.Sprintf(writeFile, "/a"):              `{"jsonrpc":"2.0","id":6,"error":{"code":-32800,"message":"hookline: cancelled while hooks were asked"}}`,
	} {
		go s.agent.send("%s", request)
		<-begun
		go s.client.send(cancelTurn)
		s.agent.want(cancelTurn)
		s.agent.want(answer)
	}
	go s.agent.send("%s", fmt.Sprintf(readFile, "/a"))
	<-begun
	go s.agent.send(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":6}}`)
	s.agent.gets(`"id":6,"error"`, "-32800")
}

func TestAHookThatEndsTheRunEndsTheTurn(t *testing.T) {
	s := newStage(t, acpproxy.Options{}, func(reg *hook.Registry) {
		onTool(reg, func(*hook.PreToolUse) hook.Result { return hook.Result{Continue: hook.No, StopReason: "enough"} })
	})
	s.guarded()
	go s.client.send("%s", prompt("1", "x"))
	s.agent.read()
	go s.agent.send("%s", fmt.Sprintf(readFile, "/a"))
	s.client.says("enough")
	s.agent.want(cancelTurn)
	s.agent.gets(`"id":6,"error"`, "enough")
}

func TestManyChunksKeepTheirOrder(t *testing.T) {
	const chunks = 100_000
	s := newStage(t, acpproxy.Options{}, func(reg *hook.Registry) {
		hook.On(reg, func(context.Context, *hook.Stop) (hook.Result, error) { return hook.None(), nil })
	})
	s.begin()
	line := func(i int) string {
		return update(fmt.Sprintf(`"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%d "}`, i))
	}
	go func() {
		for i := range chunks {
			_, _ = io.WriteString(s.agent.w, line(i)+"\n")
		}
	}()
	for i := range chunks {
		if got, err := s.client.r.ReadString('\n'); err != nil || got != line(i)+"\n" {
			t.Fatalf("chunk %d is %s (%v)", i, got, err)
		}
	}
}

// TestALargeMessageIsCopiedLittle counts bytes: a message as large as they come is held a
// few times at most.
func TestALargeMessageIsCopiedLittle(t *testing.T) {
	const size = 50 << 20
	line := append(append([]byte(`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"none","prompt":[{"type":"text","text":"`),
		bytes.Repeat([]byte("x"), size)...), `"}]}}`+"\n"...)
	reg := hook.NewRegistry()
	engine := hook.New(reg)
	client := jsonrpc.Lines(io.NopCloser(bytes.NewReader(line)), writer{io.Discard})
	agent := jsonrpc.Lines(silent(make(chan struct{})), writer{io.Discard})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := acpproxy.Run(context.Background(), acpproxy.Options{Grace: 1, Open: func(context.Context, string) (acpproxy.Hooks, error) {
		return acpproxy.Hooks{Fire: engine.Fire, Hears: reg.Has}, nil
	}}, client, agent)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Error(err)
	}
	if copies := float64(after.TotalAlloc-before.TotalAlloc) / size; copies > 4 {
		t.Errorf("%.1f times its size is allocated", copies)
	} else {
		t.Logf("%.1f times its size", copies)
	}
	if err := engine.Close(); err != nil {
		t.Error(err)
	}
}

// silent says nothing until it is closed.
type silent chan struct{}

func (s silent) Read([]byte) (int, error) { <-s; return 0, io.EOF }
func (s silent) Close() error             { close(s); return nil }
