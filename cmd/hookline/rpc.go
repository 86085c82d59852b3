package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/internal/jsonx"
	"github.com/hookline-dev/hookline/ui"
)

// rpcOptions are the flags of rpc.
type rpcOptions struct {
	agent    agentFlags
	asSchema bool
}

func newRPCCmd(a *app) *cobra.Command {
	var o rpcOptions
	cmd := &cobra.Command{
		Use:   "rpc",
		Short: "Run the agent for another program, over lines of JSON",
		Long: strings.TrimSpace(`
Run the agent for a program that embeds it. The program writes requests to standard
input, one JSON object a line, and reads answers, events and questions for the
person from standard output. docs/rpc.md describes the lines; --schema prints their
JSON Schema.`),
		Example: "  echo '{\"type\":\"prompt\",\"id\":\"1\",\"text\":\"hello\"}' | hookline rpc --model script\n  hookline rpc --schema",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runRPC(cmd.Context(), a, o) },
	}
	o.agent.add(cmd)
	o.agent.addModules(cmd)
	cmd.Flags().BoolVar(&o.asSchema, "schema", false, "print the JSON Schema of the lines")
	return cmd
}

func runRPC(ctx context.Context, a *app, o rpcOptions) error {
	if o.asSchema {
		b, err := rpcSchema()
		if err == nil {
			_, err = a.out.Write(b)
		}
		return err
	}
	return a.rpc(ctx, &o.agent)
}

// rpcServer is one embedding program being served.
type rpcServer struct {
	*agentRun
	app    *app
	person *ui.RPC

	mu   sync.Mutex
	err  error // the first line that could not be written
	work sync.WaitGroup
	// begun is closed when the session is open: what waits, waits for that.
	begun chan struct{}
	// taken is closed when the request before has taken the agent or is over, free when
	// the last one that is not a prompt is over; only the reading of lines uses them.
	taken, free chan struct{}
}

func (a *app) rpc(outer context.Context, f *agentFlags) error {
	ctx, cancel := context.WithCancelCause(outer)
	defer cancel(nil)
	s := &rpcServer{app: a, begun: make(chan struct{}), taken: make(chan struct{})}
	close(s.taken)
	s.free = s.taken
	s.person = ui.NewRPC(func(line []byte) error { return s.write(line) })
	r, err := a.openAgent(ctx, f, func(o *host.Options, ao *host.AgentOptions) error {
		o.UI, ao.OnEvent, ao.Shutdown = s.person, s.event, func() { cancel(errShutdown) }
		o.Engine = append(o.Engine, hook.WithObserver(s))
		ao.Change = func(c *agent.Config) { c.Rewake, c.IdleAfter = true, rpcIdle }
		return nil
	})
	if err != nil {
		return err
	}
	s.agentRun = r
	lines := make(chan []byte)
	readErr := make(chan error, 1)
	go s.read(ctx, lines, readErr)
	var startErr error
	s.work.Go(func() { // beside the reading: hooks may ask something right away
		defer close(s.begun)
		if startErr = s.begin(ctx); startErr != nil {
			cancel(startErr)
		}
	})
	s.serve(ctx, lines)
	cancel(errShutdown)
	if in, ok := a.in.(io.Closer); ok {
		_ = in.Close() // ends the reading; what is not read yet is not wanted any more
	}
	s.person.Disconnect()
	r.Loop.Abort(errShutdown)
	s.work.Wait()
	err = errors.Join(startErr, r.end(outer, "prompt_input_exit"))
	select {
	case e := <-readErr:
		err = errors.Join(err, e)
	default:
	}
	if outer.Err() != nil { // ended from outside, and all that follows from that
		return context.Cause(outer)
	}
	return errors.Join(err, s.err)
}

// begin goes where the session works, opens it, fires Setup as the flags ask, and starts on a recipe.
func (s *rpcServer) begin(ctx context.Context) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	s.beginRecipe()
	return nil
}

// read passes on the lines of standard input. It ends with the input, and then
// what the program's end leaves open ends too.
func (s *rpcServer) read(ctx context.Context, lines chan<- []byte, fault chan<- error) {
	defer close(lines)
	err := jsonx.EachLine(s.app.in, maxRequest, func(line []byte) error {
		select {
		case lines <- line:
			return nil
		case <-ctx.Done():
			return os.ErrClosed
		}
	})
	if err != nil && !errors.Is(err, os.ErrClosed) {
		fault <- fmt.Errorf("read requests: %w", err)
	}
}

// maxRequest bounds a line of the embedding program.
const maxRequest = 64 << 20

var errShutdown = errors.New("the program ends")

// serve works on lines until there are no more or the program wants to end.
func (s *rpcServer) serve(ctx context.Context, lines <-chan []byte) {
	for {
		select {
		case <-ctx.Done():
			return
		case line, ok := <-lines:
			if !ok {
				s.finishWork(ctx)
				return
			}
			if !s.take(ctx, line) {
				return
			}
		}
	}
}

// finishWork lets the prompt that runs come to its end when the program has nothing
// more to say: nobody answers questions any more.
func (s *rpcServer) finishWork(ctx context.Context) {
	s.person.Disconnect()
	done := make(chan struct{})
	go func() { s.work.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// event passes on what happens in the agent.
func (s *rpcServer) event(ev agent.Event) {
	if ev.Kind == agent.KindNotice || ev.Kind == agent.KindStream || ev.Kind == agent.KindTask {
		return // they come as ui_notify, as text and thinking, and as the events of the subagent
	}
	e := rpcEvent{
		Type: "event", Event: string(ev.Kind), SessionID: ev.Session, AgentID: ev.AgentID, AgentType: ev.AgentType, ParentCall: ev.ParentCall, Text: ev.Text,
		Source: ev.Source, CustomType: ev.CustomType, Display: ev.Display, Usage: ev.Usage,
	}
	var kept []byte // of the person it holds nothing but the message, which may be long
	if ev.Message != nil && ev.Message.Role == model.User {
		kept = ev.Stored
	} else if ev.Message != nil {
		e.Message = ev.Message
	}
	if ev.Call != nil {
		e.Call = ev.Call
	}
	if ev.ToolResult != nil {
		e.ToolResult = ev.ToolResult
	}
	if ev.Retry != nil {
		e.Retry, e.Text = retryOf(ev.Retry), ev.Retry.Err.Error()
	}
	if ev.Result != nil {
		r := resultOf(ev.Result)
		e.Result = &r
	}
	s.sendWith(e, kept)
}

// Observe passes on what hooks do.
func (s *rpcServer) Observe(m hook.Emission) { s.send(m) }

// send writes an object as a line.
func (s *rpcServer) send(v any) { s.sendWith(v, nil) }

// sendWith is send for an object that has a message besides, if there is one.
func (s *rpcServer) sendWith(v any, message []byte) {
	b, err := json.Marshal(v, hook.EncodeOptions())
	switch {
	case err != nil:
	case message == nil:
		err = s.write(b)
	default:
		err = s.write(append(b[:len(b)-1], `,"message":`...), message, []byte{'}'})
	}
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.err == nil {
			s.err = fmt.Errorf("write to the embedding program: %w", err)
		}
	}
}

// write writes a line that is given in pieces: at once, but for a long one, which is not
// copied for that.
func (s *rpcServer) write(line ...[]byte) error {
	line = jsonx.Writes(append(line, []byte{'\n'}))
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, piece := range line {
		if _, err := s.app.out.Write(piece); err != nil {
			return err
		}
	}
	return nil
}
