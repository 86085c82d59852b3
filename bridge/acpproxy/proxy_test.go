package acpproxy_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/bridge/acpproxy"
	"github.com/hookline-dev/hookline/hook"
)

func TestWithoutHooksEverythingPassesByteByByte(t *testing.T) {
	s := newStage(t, acpproxy.Options{}, func(*hook.Registry) {})
	s.begin()
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"\u0041"}],"n":1e3},"extra":true}`,
		`{"jsonrpc": "2.0" , "method":"_x/y"}`, `{"id":1,"id":2,"method":"odd"}`, "no JSON at all", `{"jsonrpc":"2.0","id":"z","method":"no/such","params":[1,2]}`,
	} {
		go s.client.send("%s", line)
		s.agent.want(line)
	}
	for _, line := range []string{
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}, "x":1.0}}}`,
		"Welcome!", `{"jsonrpc":"2.0","id":7,"result":{"stopReason":"end_turn","a":1.0}}`, `{"jsonrpc":"2.0","id":"z","error":{"code":-32601,"message":"no"}}`,
		`{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[]}}`,
	} {
		go s.agent.send("%s", line)
		s.client.want(line)
	}
}

func TestAPromptIsRefused(t *testing.T) {
	s := newStage(t, acpproxy.Options{}, func(reg *hook.Registry) {
		hook.On(reg, func(_ context.Context, in *hook.UserPromptSubmit) (hook.Result, error) {
			if strings.Contains(in.Prompt, "secret") {
				return hook.Result{Decision: hook.DecisionDeny, Reason: "no secrets", Context: []string{"never sent"}}, nil
			}
			return hook.None(), nil
		})
	})
	s.begin()
	go s.client.send("%s", prompt("1", "my secret"))
	s.client.says("no secrets")
	s.client.want(`{"jsonrpc":"2.0","id":1,"result":{"stopReason":"refusal"}}`)
	embedded := `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"look"},{"type":"resource","resource":{"uri":"file:///a","text":"a secret"}}]}}`
	go s.client.send("%s", embedded)
	s.client.says("no secrets")
	s.client.gets(`"refusal"`)
	go s.client.send("%s", prompt("3", "fine"))
	s.agent.want(prompt("3", "fine"))
}

func TestAPromptIsRewrittenAndNothingOfTheOldIsLeft(t *testing.T) {
	s := newStage(t, acpproxy.Options{}, func(reg *hook.Registry) {
		hook.On(reg, func(_ context.Context, _ *hook.SessionStart) (hook.Result, error) {
			return hook.AddContext("from the start"), nil
		})
		hook.On(reg, func(_ context.Context, in *hook.UserInput) (hook.Result, error) {
			text := in.Text + "!"
			return hook.Result{UpdatedPrompt: &text}, nil
		})
		hook.On(reg, func(_ context.Context, in *hook.UserPromptSubmit) (hook.Result, error) {
			text := strings.ReplaceAll(in.Prompt, "token", "***")
			return hook.Result{UpdatedPrompt: &text, Context: []string{"ticket 7"}}, nil
		})
	})
	s.begin()
	go s.client.send(`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"_meta":{"k":1e3},"sessionId":"s","prompt":[{"type":"text","text":"my token"},` +
		`{"type":"image","data":"AA==","mimeType":"image/png"},{"type":"resource","resource":{"uri":"file:///a","text":"token too"}}]}}`)
	got := s.agent.gets(`{"_meta":{"k":1e3}`, "my ***", "*** too", "!", `"image/png"`, "ticket 7", "from the start")
	if strings.Contains(got, "token") {
		t.Errorf("the old text is left: %s", got)
	}
	go s.agent.send(`{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`)
	s.client.gets(`"end_turn"`)
	go s.client.send("%s", prompt("2", "again"))
	if got := s.agent.read(); strings.Contains(got, "from the start") {
		t.Errorf("the context is there twice: %s", got)
	}
}

func TestAHookDealsWithThePrompt(t *testing.T) {
	s := newStage(t, acpproxy.Options{}, func(reg *hook.Registry) {
		hook.On(reg, func(context.Context, *hook.UserInput) (hook.Result, error) {
			return hook.Result{Host: &hook.HostEffects{Handled: true}}, nil
		})
	})
	s.begin()
	go s.client.send("%s", prompt("1", "x"))
	s.client.gets(`"id":1`, `"end_turn"`)
}

func TestStopSendsTheAgentOnAndAnswersOnce(t *testing.T) {
	seen := make(chan hook.Stop, 10)
	s := newStage(t, acpproxy.Options{MaxStops: 2}, func(reg *hook.Registry) {
		hook.On(reg, func(_ context.Context, in *hook.Stop) (hook.Result, error) {
			seen <- *in
			return hook.Deny("run the tests"), nil
		})
	})
	s.begin()
	go s.client.send("%s", prompt("1", "x"))
	s.agent.want(prompt("1", "x"))
	for i := range 3 {
		go s.agent.send(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"done %d"}}}}`, i)
		s.client.gets(fmt.Sprintf("done %d", i))
		go s.agent.send(`{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`)
		if i < 2 {
			s.agent.want(prompt("1", "run the tests"))
		}
		if in := <-seen; in.StopHookActive != (i > 0) || in.LastAssistantMessage != fmt.Sprintf("done %d", i) {
			t.Errorf("Stop %d has %+v", i, in)
		}
	}
	s.client.says("2 times in a row")
	s.client.want(`{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`)
}

func TestWhatEndsATurnOtherwiseIsAFailure(t *testing.T) {
	seen := make(chan hook.StopFailure, 10)
	s := newStage(t, acpproxy.Options{}, func(reg *hook.Registry) {
		hook.On(reg, func(_ context.Context, in *hook.StopFailure) (hook.Result, error) {
			seen <- *in
			return hook.None(), nil
		})
		hook.On(reg, func(context.Context, *hook.Stop) (hook.Result, error) {
			t.Error("it has not stopped")
			return hook.None(), nil
		})
	})
	s.begin()
	for answer, want := range map[string]string{`"error":{"code":-32603,"message":"overloaded"}`: "unknown", `"result":{"stopReason":"max_tokens"}`: "max_tokens", `"result":{"stopReason":"cancelled"}`: "cancelled"} {
		go s.client.send("%s", prompt("1", "x"))
		s.agent.read()
		line := `{"jsonrpc":"2.0","id":1,` + answer + `}`
		go s.agent.send("%s", line)
		s.client.want(line)
		if got := <-seen; got.Error != want {
			t.Errorf("%s is %q", answer, got.Error)
		}
	}
}

func TestASessionEnds(t *testing.T) {
	seen := make(chan string, 10)
	s := newStage(t, acpproxy.Options{}, func(reg *hook.Registry) {
		hook.On(reg, func(context.Context, *hook.PostToolUse) (hook.Result, error) {
			t.Error("what was there already is not done again")
			return hook.None(), nil
		})
		hook.On(reg, func(_ context.Context, in *hook.SessionEnd) (hook.Result, error) {
			seen <- in.SessionID + " " + in.Reason
			return hook.None(), nil
		})
		hook.On(reg, func(_ context.Context, in *hook.SessionStart) (hook.Result, error) {
			seen <- in.SessionID + " " + in.Source + " " + in.CWD
			return hook.None(), nil
		})
	})
	s.begin()
	go s.client.send(`{"jsonrpc":"2.0","id":2,"method":"session/load","params":{"sessionId":"old","cwd":"/q","mcpServers":[]}}`)
	s.agent.read()
	history := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"old","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"x","status":"completed"}}}`
	go s.agent.send("%s", history)
	s.client.want(history)
	go s.agent.send(`{"jsonrpc":"2.0","id":2,"result":{}}`)
	s.client.gets(`"id":2`)
	go s.client.send(`{"jsonrpc":"2.0","id":3,"method":"session/close","params":{"sessionId":"s"}}`)
	s.agent.read()
	go s.agent.send(`{"jsonrpc":"2.0","id":3,"result":{}}`)
	s.client.gets(`"id":3`)
	_ = s.client.w.Close()
	if b, err := s.agent.r.ReadByte(); err == nil {
		t.Errorf("the agent reads on: %q", b)
	}
	_ = s.agent.w.Close()
	if err := s.over(); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"s startup /p", "old resume /q", "s other", "old prompt_input_exit"} {
		if got := <-seen; got != want {
			t.Errorf("%q and not %q", got, want)
		}
	}
}

func TestASessionWhoseHooksCannotBeLoadedIsRefused(t *testing.T) {
	s := newStage(t, acpproxy.Options{Open: func(context.Context, string) (acpproxy.Hooks, error) {
		return acpproxy.Hooks{}, errors.New("the file is broken")
	}}, func(*hook.Registry) {})
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`,
		`{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"cwd":"/p","sessionId":"x","mcpServers":[]}}`,
		`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"here","mcpServers":[]}}`, prompt("1", "x"),
	} {
		go s.client.send("%s", line)
		s.client.gets(`"id":1,"error"`, "hookline: ")
	}
	go s.agent.send(`{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{"sessionId":"x","command":"rm"}}`)
	s.agent.gets(`"id":1,"error"`, "the file is broken")
}

func TestTheVersionOfTheProtocolIsOne(t *testing.T) {
	s := newStage(t, acpproxy.Options{}, func(*hook.Registry) {})
	go s.client.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"x":1}}`)
	s.agent.want(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"x":1}}`)
	go s.agent.send(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}`)
	s.client.want(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}`)
	go s.client.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`)
	s.agent.want(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`)
	go s.agent.send(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2}}`)
	s.client.gets(`"id":0,"error"`)
}

func TestMessagesAreShownAsHooksWantThem(t *testing.T) {
	ended := make(chan string, 10)
	s := newStage(t, acpproxy.Options{}, func(reg *hook.Registry) {
		hook.On(reg, func(_ context.Context, in *hook.MessageDisplay) (hook.Result, error) {
			text := strings.ToUpper(in.Delta)
			if in.Final {
				text = "(end)"
			}
			return hook.Result{Host: &hook.HostEffects{DisplayContent: &text}}, nil
		})
		hook.On(reg, func(_ context.Context, in *hook.MessageEnd) (hook.Result, error) {
			ended <- in.Message.Text()
			return hook.None(), nil
		})
	})
	s.begin()
	go s.client.send("%s", prompt("1", "x"))
	s.agent.read()
	for _, text := range []string{"one ", "two"} {
		go s.agent.send(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s"},"u":1e3}}}`, text)
		s.client.gets(strings.ToUpper(text), "1e3")
	}
	go s.agent.send(`{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`)
	s.client.gets("(end)")
	s.client.gets(`"id":1`)
	if got := <-ended; got != "one two" {
		t.Errorf("the message was %q", got)
	}
}
