package mcpproxy_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/bridge/mcpproxy"
	"github.com/hookline-dev/hookline/hook"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stage is a proxy between a client and a server that the test plays.
type stage struct {
	t              testing.TB
	client, server *end
	done           chan error
	told           chan string
}

// end is one side: what it reads, and where it writes.
type end struct {
	t testing.TB
	r *bufio.Reader
	w *io.PipeWriter
}

func (e *end) send(format string, args ...any) {
	e.t.Helper()
	if _, err := fmt.Fprintf(e.w, format+"\n", args...); err != nil {
		e.t.Fatal(err)
	}
}

func (e *end) read() string {
	e.t.Helper()
	line, err := e.r.ReadString('\n')
	if err != nil {
		e.t.Fatalf("read: %v", err)
	}
	return strings.TrimSuffix(line, "\n")
}

func (e *end) want(text string) {
	e.t.Helper()
	if got := e.read(); got != text {
		e.t.Errorf("it got\n%s\nand not\n%s", got, text)
	}
}

// result reads an answer of the proxy or of the server behind it.
func (e *end) result() hook.JSON {
	e.t.Helper()
	r, ok := hook.RawJSON(e.read()).Get("result")
	if !ok {
		e.t.Fatal("it is not a result")
	}
	return r
}

func (e *end) text() string {
	e.t.Helper()
	return textOf(e.result())
}

func textOf(result hook.JSON) string {
	var list []hook.JSON
	content, _ := result.Get("content")
	if content.Decode(&list) != nil {
		return ""
	}
	var texts []string
	for _, b := range list {
		texts = append(texts, b.String("text"))
	}
	return strings.Join(texts, "|")
}

func newStage(t testing.TB, register func(*hook.Registry), change ...func(*mcpproxy.Options)) *stage {
	t.Helper()
	reg := hook.NewRegistry()
	register(reg)
	engine := hook.New(reg, hook.WithStrict())
	fromClient, clientOut := io.Pipe()
	clientIn, toClient := io.Pipe()
	fromServer, serverOut := io.Pipe()
	serverIn, toServer := io.Pipe()
	s := &stage{
		t: t, done: make(chan error, 1), told: make(chan string, 100),
		client: &end{t, bufio.NewReader(clientIn), clientOut},
		server: &end{t, bufio.NewReader(serverIn), serverOut},
	}
	o := mcpproxy.Options{
		Server: "files", ToolName: func(tool string) string { return "mcp__files__" + tool },
		Fire: engine.Fire, Hears: reg.Has, Common: hook.Common{SessionID: "s", CWD: "/"},
		Notify: func(text string) { s.told <- text },
	}
	for _, f := range change {
		f(&o)
	}
	go func() {
		s.done <- mcpproxy.Run(context.Background(), o, jsonrpc.Lines(fromClient, toClient), jsonrpc.Lines(fromServer, toServer))
	}()
	t.Cleanup(func() {
		for _, c := range []io.Closer{clientOut, serverOut, clientIn, serverIn} {
			_ = c.Close()
		}
		<-s.done
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// over waits for the proxy's end.
func (s *stage) over() error {
	err := <-s.done
	s.done <- err
	return err
}

func onTool(reg *hook.Registry, f func(in *hook.PreToolUse) hook.Result, opts ...hook.Option) {
	hook.On(reg, func(_ context.Context, in *hook.PreToolUse) (hook.Result, error) { return f(in), nil }, opts...)
}

const call = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"write","arguments":{"path":"a","n":1e3,"u":"\u0041"},"_meta":{"k":1}},"extra":true}`

func TestWithoutHooksEverythingPassesByteByByte(t *testing.T) {
	s := newStage(t, func(*hook.Registry) {})
	for _, line := range []string{
		call, `{"jsonrpc": "2.0" , "method":"notifications/x"}`, `{"id":1,"id":2,"method":"odd"}`, `[{"jsonrpc":"2.0","id":5,"method":"ping"}]`,
		"no JSON at all", `{"jsonrpc":"2.0","id":"z","method":"no/such","params":[1,2]}`,
	} {
		go s.client.send("%s", line)
		s.server.want(line)
	}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":7,"result":{"content":[],"a":1.0}}`, "Welcome!", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}`,
		`{"jsonrpc":"2.0","id":"z","error":{"code":-32601,"message":"no"}}`, `{"jsonrpc":"2.0","id":7,"method":"roots/list"}`,
	} {
		go s.server.send("%s", line)
		s.client.want(line)
	}
}

func TestManyMessagesKeepTheirOrder(t *testing.T) {
	s := newStage(t, func(reg *hook.Registry) {
		onTool(reg, func(*hook.PreToolUse) hook.Result { return hook.None() })
	})
	const n = 10_000
	go func() {
		for i := range n {
			s.server.send(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":%d}}`, i)
		}
	}()
	for i := range n {
		s.client.want(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":%d}}`, i))
	}
}

func TestDenyNeverReachesTheServer(t *testing.T) {
	s := newStage(t, func(reg *hook.Registry) {
		onTool(reg, func(in *hook.PreToolUse) hook.Result {
			return hook.Deny("not " + in.ToolName + " of " + in.MCPServer.Name + " with " + in.ToolUseID)
		}, hook.Match("mcp__files__.*"))
	})
	s.client.send("%s", call)
	if r := s.client.result(); textOf(r) != "not mcp__files__write of files with 7" || !r.Bool("isError") {
		t.Errorf("the client got %s", r.Raw())
	}
	s.client.send(`{"jsonrpc":"2.0","id":8,"method":"ping"}`)
	s.server.want(`{"jsonrpc":"2.0","id":8,"method":"ping"}`)
}

func TestAGuardThatFailsRefuses(t *testing.T) {
	s := newStage(t, func(reg *hook.Registry) {
		hook.On(reg, func(context.Context, *hook.PreToolUse) (hook.Result, error) {
			return hook.Result{}, errors.New("broken")
		})
	})
	s.client.send("%s", call)
	if r := s.client.result(); !r.Bool("isError") || !strings.Contains(textOf(r), "broken") {
		t.Errorf("the client got %s", r.Raw())
	}
}

func TestRewriteChangesTheArgumentsOnly(t *testing.T) {
	s := newStage(t, func(reg *hook.Registry) {
		onTool(reg, func(in *hook.PreToolUse) hook.Result {
			in.ToolInput.SetString("path", "b")
			return hook.None()
		})
	})
	s.client.send("%s", call)
	s.server.want(strings.Replace(call, `"path":"a"`, `"path":"b"`, 1))
}

func TestChangedOutputLeavesNothingOfTheOld(t *testing.T) {
	s := newStage(t, func(reg *hook.Registry) {
		hook.On(reg, func(_ context.Context, in *hook.PostToolUse) (hook.Result, error) {
			if in.ToolInput.String("path") != "a" || !strings.Contains(in.ToolResponse.Raw(), "secret") {
				return hook.Deny("it saw " + in.ToolResponse.Raw()), nil
			}
			return hook.Result{UpdatedOutput: hook.MustJSON("hidden")}, nil
		})
	})
	s.client.send("%s", call)
	s.server.read()
	s.server.send(`{"jsonrpc":"2.0","id":7.0,"result":{"content":[{"type":"text","text":"secret"}],"structuredContent":{"k":"secret"},"_meta":{"x":"secret"}}}`)
	got := s.client.read()
	if strings.Contains(got, "secret") || !strings.Contains(got, "hidden") {
		t.Errorf("the client got %s", got)
	}
}

func TestWhatHooksSayStandsBesideTheResult(t *testing.T) {
	s := newStage(t, func(reg *hook.Registry) {
		onTool(reg, func(*hook.PreToolUse) hook.Result { return hook.Result{Context: []string{"mind the gap"}} })
		hook.On(reg, func(context.Context, *hook.PostToolUse) (hook.Result, error) { return hook.Deny("run the linter"), nil })
		hook.On(reg, func(_ context.Context, in *hook.PostToolUseFailure) (hook.Result, error) {
			return hook.Result{Context: []string{"failed with " + in.Error}}, nil
		})
	})
	s.client.send("%s", call)
	s.server.read()
	s.server.send(`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"ok"}]}}`)
	got := s.client.text()
	for _, want := range []string{"ok", "mind the gap", "run the linter"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	s.client.send("%s", call)
	s.server.read()
	s.server.send(`{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"no disk"}}`)
	if r := s.client.result(); !strings.Contains(textOf(r), "failed with no disk") || !r.Bool("isError") {
		t.Errorf("the client got %s", r.Raw())
	}
}

func ask(reg *hook.Registry) {
	onTool(reg, func(*hook.PreToolUse) hook.Result { return hook.Ask("is it wanted?") })
}

func TestAskWithoutAPersonRefuses(t *testing.T) {
	for _, caps := range []string{`{}`, `{"elicitation":{"url":{}}}`} {
		s := newStage(t, ask)
		go s.client.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":%s}}`, caps)
		s.server.read()
		s.client.send("%s", call)
		if got := s.client.text(); !strings.Contains(got, "is it wanted?") || !strings.Contains(got, "a person's yes") {
			t.Errorf("with %s the client got %s", caps, got)
		}
	}
}

func TestAskGoesToThePerson(t *testing.T) {
	s := newStage(t, ask)
	go s.client.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"elicitation":{}}}}`)
	s.server.read()
	for _, answer := range []string{`"result":{"action":"accept","content":{}}`, `"result":{"action":"decline"}`, `"result":{"action":"cancel"}`, `"error":{"code":1,"message":"no"}`} {
		s.client.send("%s", call)
		q := hook.RawJSON(s.client.read())
		id, _ := q.Get("id")
		params, _ := q.Get("params")
		if q.String("method") != "elicitation/create" || !strings.Contains(params.String("message"), `"path":"a"`) || !strings.Contains(params.String("message"), "is it wanted?") {
			t.Fatalf("the client was asked %s", q.Raw())
		}
		go s.client.send(`{"jsonrpc":"2.0","id":%s,%s}`, id.Raw(), answer)
		if strings.Contains(answer, "accept") {
			s.server.want(call)
			go s.server.send(`{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`)
			s.client.result()
		} else if r := s.client.result(); !r.Bool("isError") {
			t.Errorf("after %s the client got %s", answer, r.Raw())
		}
	}
}

const modern = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`

func TestAskInRounds(t *testing.T) {
	var asked atomic.Int32
	s := newStage(t, func(reg *hook.Registry) {
		onTool(reg, func(*hook.PreToolUse) hook.Result { asked.Add(1); return hook.Ask("sure?") })
	})
	question := func() string {
		s.client.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","arguments":{"p":1},%s}}`, modern)
		r := s.client.result()
		if r.String("resultType") != "input_required" {
			t.Fatalf("the client got %s", r.Raw())
		}
		return r.String("requestState")
	}
	again := func(args, action, state string) {
		go s.client.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"write","arguments":%s,%s,"inputResponses":{"hookline":{"action":%q}},"requestState":%q}}`, args, modern, action, state)
	}
	state := question()
	again(`{"p":1}`, "accept", state)
	if got := s.server.read(); !strings.Contains(got, `"arguments":{"p":1}`) || strings.Contains(got, "requestState") || strings.Contains(got, "inputResponses") {
		t.Errorf("the server got %s", got)
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("hooks ran %d times", n)
	}
	go s.server.send(`{"jsonrpc":"2.0","id":2,"result":{"content":[],"resultType":"complete"}}`)
	s.client.result()
	for _, wrong := range [][2]string{{`{"p":2}`, "accept"}, {`{"p":1}`, "decline"}} {
		again(wrong[0], wrong[1], question())
		if r := s.client.result(); !r.Bool("isError") {
			t.Errorf("%v: the client got %s", wrong, r.Raw())
		}
	}
	again(`{"p":1}`, "accept", state) // once is all that it is good for
	if r := s.client.result(); !r.Bool("isError") {
		t.Errorf("the client got %s", r.Raw())
	}
}

func TestACallInRoundsIsOneCall(t *testing.T) {
	var before, after atomic.Int32
	s := newStage(t, func(reg *hook.Registry) {
		onTool(reg, func(in *hook.PreToolUse) hook.Result {
			before.Add(1)
			in.ToolInput.SetString("p", "changed")
			return hook.None()
		})
		hook.On(reg, func(context.Context, *hook.PostToolUse) (hook.Result, error) { after.Add(1); return hook.None(), nil })
	})
	s.client.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","arguments":{"p":"1"},%s}}`, modern)
	s.server.read()
	s.server.send(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"who":{}},"requestState":"theirs"}}`)
	state := s.client.result().String("requestState")
	s.client.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"write","arguments":{"p":"1"},%s,"inputResponses":{"who":{"action":"accept"}},"requestState":%q}}`, modern, state)
	got := s.server.read()
	for _, want := range []string{`"p":"changed"`, `"requestState":"theirs"`, `"who":{"action":"accept"}`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
	s.server.send(`{"jsonrpc":"2.0","id":2,"result":{"content":[],"resultType":"complete"}}`)
	s.client.result()
	if before.Load() != 1 || after.Load() != 1 {
		t.Errorf("hooks ran %d and %d times", before.Load(), after.Load())
	}
}

func TestWhatCanBeReadInTwoWaysIsRefused(t *testing.T) {
	s := newStage(t, func(reg *hook.Registry) {
		onTool(reg, func(*hook.PreToolUse) hook.Result { return hook.None() })
		hook.On(reg, func(context.Context, *hook.PostToolUse) (hook.Result, error) { return hook.None(), nil })
	})
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"},"params":{"name":"b"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"b"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"ping","params":{"name":"b"}}`,
		`[` + call + `]`, `{"jsonrpc":"2.0","id":1,"method":"tools/c`,
	} {
		s.client.send("%s", line)
		if got := s.client.read(); !strings.Contains(got, `"error"`) {
			t.Errorf("%s: the client got %s", line, got)
		}
	}
	s.client.send("%s", call)
	s.server.want(call)
	s.server.send(`{"jsonrpc":"2.0","id":7,"result":{"content":[],"content":[{"type":"text","text":"x"}]}}`)
	if got := s.client.read(); !strings.Contains(got, `"isError":true`) && !strings.Contains(got, `"error"`) {
		t.Errorf("the client got %s", got)
	}
	s.server.send(`{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`) // nobody waits for it
	if text := <-s.told; !strings.Contains(text, "nobody waits") {
		t.Errorf("the person is told %q", text)
	}
}

func TestAnIDIsTakenOnce(t *testing.T) {
	s := newStage(t, func(*hook.Registry) {})
	s.client.send("%s", call)
	s.server.want(call)
	s.client.send("%s", call)
	if got := s.client.read(); !strings.Contains(got, "no answer yet") {
		t.Errorf("the client got %s", got)
	}
}

func TestACallThatIsCancelledWithItsHooksNeverRuns(t *testing.T) {
	begun := make(chan struct{})
	s := newStage(t, func(reg *hook.Registry) {
		hook.On(reg, func(ctx context.Context, _ *hook.PreToolUse) (hook.Result, error) {
			close(begun)
			<-ctx.Done()
			return hook.None(), nil
		})
	})
	s.client.send("%s", call)
	<-begun
	s.client.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	s.client.send(`{"jsonrpc":"2.0","id":8,"method":"ping"}`)
	s.server.want(`{"jsonrpc":"2.0","id":8,"method":"ping"}`)
}

func TestTheServerLearnsThatACallIsCancelled(t *testing.T) {
	s := newStage(t, func(reg *hook.Registry) {
		onTool(reg, func(*hook.PreToolUse) hook.Result { return hook.None() })
	})
	s.client.send("%s", call)
	s.server.want(call)
	cancelled := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`
	s.client.send("%s", cancelled)
	s.server.want(cancelled)
}

func TestASecondAnswerDoesNotOvertakeTheHooks(t *testing.T) {
	begun, leave := make(chan struct{}), make(chan struct{})
	s := newStage(t, func(reg *hook.Registry) {
		hook.On(reg, func(context.Context, *hook.PostToolUse) (hook.Result, error) {
			close(begun)
			<-leave
			return hook.Result{UpdatedOutput: hook.MustJSON("hidden")}, nil
		})
	})
	s.client.send("%s", call)
	s.server.read()
	answer := `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"secret"}]}}`
	s.server.send("%s", answer)
	<-begun
	s.server.send("%s", answer)
	if text := <-s.told; !strings.Contains(text, "nobody waits") {
		t.Errorf("the person is told %q", text)
	}
	close(leave)
	if got := s.client.text(); got != "hidden" {
		t.Errorf("the client got %q", got)
	}
}

func TestResources(t *testing.T) {
	s := newStage(t, func(reg *hook.Registry) {
		onTool(reg, func(in *hook.PreToolUse) hook.Result {
			if in.ToolName != "Read" || in.ToolInput.String("file_path") == "/etc/shadow" {
				return hook.Deny("not that one")
			}
			return hook.None()
		})
		hook.On(reg, func(_ context.Context, in *hook.PostToolUse) (hook.Result, error) {
			return hook.Result{UpdatedOutput: hook.MustJSON("redacted")}, nil
		})
	})
	s.client.send(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc/shadow"}}`)
	if got := s.client.read(); !strings.Contains(got, "not that one") || !strings.Contains(got, `"error"`) {
		t.Errorf("the client got %s", got)
	}
	s.client.send(`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"db://x"}}`)
	s.server.read()
	s.server.send(`{"jsonrpc":"2.0","id":2,"result":{"contents":[{"uri":"db://x","text":"key"}]}}`)
	if got := s.client.read(); got != `{"jsonrpc":"2.0","id":2,"result":{"contents":[{"text":"redacted","uri":"db://x"}]}}` {
		t.Errorf("the client got %s", got)
	}
}

func TestPrompts(t *testing.T) {
	s := newStage(t, func(reg *hook.Registry) {
		hook.On(reg, func(_ context.Context, in *hook.UserPromptExpansion) (hook.Result, error) {
			if strings.Contains(in.Prompt, "evil") {
				return hook.Deny("no " + in.CommandName), nil
			}
			return hook.Result{Context: []string{"be kind"}}, nil
		})
	})
	for id, text := range map[int]string{1: "evil", 2: "good"} {
		s.client.send(`{"jsonrpc":"2.0","id":%d,"method":"prompts/get","params":{"name":"review"}}`, id)
		s.server.read()
		s.server.send(`{"jsonrpc":"2.0","id":%d,"result":{"messages":[{"role":"user","content":{"type":"text","text":%q}}]}}`, id, text)
		got := s.client.read()
		if want := map[int]string{1: "no mcp__files__review", 2: "be kind"}[id]; !strings.Contains(got, want) || strings.Contains(got, "evil") {
			t.Errorf("%s: the client got %s", text, got)
		}
	}
}

func TestQuestionsOfTheServer(t *testing.T) {
	s := newStage(t, func(reg *hook.Registry) {
		hook.On(reg, func(_ context.Context, in *hook.Elicitation) (hook.Result, error) {
			if in.Message == "name?" {
				return hook.Result{Host: &hook.HostEffects{ElicitationAction: "accept", ElicitationContent: hook.RawJSON(`{"name":"n"}`)}}, nil
			}
			return hook.None(), nil
		})
		hook.On(reg, func(_ context.Context, in *hook.ElicitationResult) (hook.Result, error) {
			if in.Content.String("k") == "secret" {
				return hook.Deny("no secrets"), nil
			}
			return hook.None(), nil
		})
	})
	s.server.send(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"name?"}}`)
	s.server.want(`{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"name":"n"}}}`)
	question := `{"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{"message":"key?"}}`
	s.server.send("%s", question)
	s.client.want(question)
	s.client.send(`{"jsonrpc":"2.0","id":2,"result":{"action":"accept","content":{"k":"secret"}}}`)
	s.server.want(`{"jsonrpc":"2.0","id":2,"result":{"action":"decline"}}`)
}

func TestTheServersEndAnswersWhatWaits(t *testing.T) {
	s := newStage(t, func(*hook.Registry) {})
	s.client.send("%s", call)
	s.server.want(call)
	_ = s.server.w.Close()
	if got := s.client.read(); !strings.Contains(got, "has ended") || !strings.Contains(got, `"id":7`) {
		t.Errorf("the client got %s", got)
	}
	if err := s.over(); !errors.Is(err, mcpproxy.ErrServerGone) {
		t.Errorf("error %v", err)
	}
}

func TestTheClientsEndLetsTheServerFinish(t *testing.T) {
	s := newStage(t, func(reg *hook.Registry) {
		onTool(reg, func(*hook.PreToolUse) hook.Result { return hook.None() })
	})
	if _, err := io.WriteString(s.client.w, call); err != nil { // the last line has no end
		t.Fatal(err)
	}
	_ = s.client.w.Close()
	s.server.want(call)
	go s.server.send(`{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`)
	s.client.result()
	if _, err := s.server.r.ReadByte(); err != io.EOF {
		t.Errorf("the server's input ends with %v", err)
	}
	_ = s.server.w.Close()
	if err := s.over(); err != nil {
		t.Error(err)
	}
}
