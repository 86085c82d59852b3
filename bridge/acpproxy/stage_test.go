package acpproxy_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/bridge/acpproxy"
	"github.com/hookline-dev/hookline/bridge/internal/acpschema"
	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/hook"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stage is a proxy between a client and an agent that the test plays.
type stage struct {
	t             testing.TB
	client, agent *end
	done          chan error
	told          chan string
	lost          chan string
}

// end is one side: what it reads, and where it writes.
type end struct {
	t testing.TB
	r *bufio.Reader
	w *io.PipeWriter

	schema acpschema.Checker
}

func newEnd(t testing.TB, r io.Reader, w *io.PipeWriter) *end {
	return &end{t: t, r: bufio.NewReader(r), w: w}
}

func (e *end) send(format string, args ...any) {
	e.t.Helper()
	line := fmt.Sprintf(format, args...)
	e.schema.Asks([]byte(line))
	if _, err := io.WriteString(e.w, line+"\n"); err != nil {
		e.t.Error(err)
	}
}

func (e *end) read() string {
	e.t.Helper()
	line, err := e.r.ReadString('\n')
	if err != nil {
		e.t.Fatalf("read: %v", err)
	}
	line = strings.TrimSuffix(line, "\n")
	if err := e.schema.Gets([]byte(line)); err != nil {
		e.t.Error(err)
	}
	return line
}

func (e *end) want(text string) {
	e.t.Helper()
	if got := e.read(); got != text {
		e.t.Errorf("it got\n%s\nand not\n%s", got, text)
	}
}

// says reads what the proxy tells the person.
func (e *end) says(part string) {
	e.t.Helper()
	if got := e.read(); !strings.Contains(got, "agent_message_chunk") || !strings.Contains(got, part) {
		e.t.Errorf("the person is told %s, without %q", got, part)
	}
}

// gets reads a message with all the parts.
func (e *end) gets(parts ...string) string {
	e.t.Helper()
	got := e.read()
	for _, p := range parts {
		if !strings.Contains(got, p) {
			e.t.Errorf("%s\nis without %s", got, p)
		}
	}
	return got
}

// pipes are two connections, and what the other ends of them are.
func pipes() (client, agent jsonrpc.Conn, clientR, agentR io.ReadCloser, clientW, agentW *io.PipeWriter) {
	fromClient, clientW := io.Pipe()
	clientR, toClient := io.Pipe()
	fromAgent, agentW := io.Pipe()
	agentR, toAgent := io.Pipe()
	return jsonrpc.Lines(fromClient, toClient), jsonrpc.Lines(fromAgent, toAgent), clientR, agentR, clientW, agentW
}

func newStage(t testing.TB, o acpproxy.Options, register func(*hook.Registry)) *stage {
	t.Helper()
	reg := hook.NewRegistry()
	register(reg)
	engine := hook.New(reg, hook.WithStrict())
	client, agent, clientR, agentR, clientW, agentW := pipes()
	s := &stage{t: t, done: make(chan error, 1), told: make(chan string, 1000), lost: make(chan string, 1000)}
	s.client = newEnd(t, clientR, clientW)
	s.agent = newEnd(t, agentR, agentW)
	o.Notify = func(text string) { s.told <- text }
	if o.Open == nil {
		o.Open = func(context.Context, string) (acpproxy.Hooks, error) { return s.hooks(reg, engine), nil }
	}
	go func() { s.done <- acpproxy.Run(context.Background(), o, client, agent) }()
	t.Cleanup(func() {
		for _, c := range []io.Closer{clientW, agentW, clientR, agentR} {
			_ = c.Close()
		}
		<-s.done
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *stage) hooks(reg *hook.Registry, engine *hook.Engine) acpproxy.Hooks {
	return acpproxy.Hooks{
		Fire: engine.Fire, Hears: reg.Has, Lost: func(_ hook.Input, what string) { s.lost <- what },
		Guards: func(in hook.Input) bool {
			for _, c := range engine.Explain(in) {
				if c.Runs {
					return true
				}
			}
			return false
		},
	}
}

// over waits for the proxy's end.
func (s *stage) over() error {
	err := <-s.done
	s.done <- err
	return err
}

// begin opens the session s.
func (s *stage) begin() {
	s.t.Helper()
	go s.client.send(`{"jsonrpc":"2.0","id":"n","method":"session/new","params":{"cwd":"/p","mcpServers":[]}}`)
	s.agent.gets(`"session/new"`)
	go s.agent.send(`{"jsonrpc":"2.0","id":"n","result":{"sessionId":"s"}}`)
	s.client.gets(`"sessionId":"s"`)
}

// guarded is begin where there are hooks of PreToolUse, which the person is told of.
func (s *stage) guarded() {
	s.t.Helper()
	s.begin()
	s.client.says("Hooks can stop what")
}

func prompt(id, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":%q}]}}`, id, text)
}

func onTool(reg *hook.Registry, f func(in *hook.PreToolUse) hook.Result, opts ...hook.Option) {
	hook.On(reg, func(_ context.Context, in *hook.PreToolUse) (hook.Result, error) { return f(in), nil }, opts...)
}
