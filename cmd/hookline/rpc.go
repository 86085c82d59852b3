package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/command"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/internal/jsonx"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/ui"
)

func newRPC(a *app) *cobra.Command {
	var f agentFlags
	var asSchema bool
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
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asSchema {
				b, err := rpcSchema()
				if err == nil {
					_, err = a.out.Write(b)
				}
				return err
			}
			return a.rpc(cmd.Context(), &f)
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&asSchema, "schema", false, "print the JSON Schema of the lines")
	return cmd
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
	// taken is closed when the request before has taken the agent or is over; only the
	// reading of lines uses it.
	taken chan struct{}
}

func (a *app) rpc(outer context.Context, f *agentFlags) error {
	ctx, cancel := context.WithCancelCause(outer)
	defer cancel(nil)
	s := &rpcServer{app: a, begun: make(chan struct{}), taken: make(chan struct{})}
	close(s.taken)
	s.person = ui.NewRPC(func(line []byte) error { return s.write(line) })
	r, err := a.openAgent(ctx, f, func(o *host.Options, ao *host.AgentOptions) {
		o.UI, ao.OnEvent, ao.Shutdown = s.person, s.event, func() { cancel(errShutdown) }
		o.Engine = append(o.Engine, hook.WithObserver(s))
		ao.Change = func(c *agent.Config) { c.Rewake, c.IdleAfter = true, rpcIdle }
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
	if err := s.Prepare(ctx); err != nil {
		return err
	}
	if err := s.setup(ctx); err != nil {
		return err
	}
	if text, granted := s.TakeRecipe(); text != "" {
		s.Loop.QueueGranted(text, granted, agent.Steer) // hooks see it as any other prompt
		s.Loop.Wake()
	}
	return nil
}

// read passes on the lines of standard input. It ends with the input, and then
// what the program's end leaves open ends too.
func (s *rpcServer) read(ctx context.Context, lines chan<- []byte, fault chan<- error) {
	defer close(lines)
	sc := bufio.NewScanner(s.app.in)
	sc.Buffer(nil, maxRequest)
	for sc.Scan() {
		line := append([]byte(nil), sc.Bytes()...)
		if len(strings.TrimSpace(string(line))) == 0 {
			continue
		}
		select {
		case lines <- line:
		case <-ctx.Done():
			return
		}
	}
	switch err := sc.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		fault <- fmt.Errorf("read requests: a line is longer than %d MiB", maxRequest>>20)
	case err != nil && !errors.Is(err, os.ErrClosed):
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

// take works on one line; it reports whether there is to be another.
func (s *rpcServer) take(ctx context.Context, line []byte) bool {
	var head struct {
		Type string `json:"type"`
		ID   string `json:"id"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		s.send(rpcResponse{Type: "response", ID: head.ID, Error: "not a request: " + jsonx.ErrorText(err)})
		return true
	}
	if strings.HasPrefix(head.Type, "ui_") {
		if err := s.person.Receive(line); err != nil {
			s.send(rpcResponse{Type: "response", ID: head.ID, Error: err.Error()})
		}
		return true
	}
	var req rpcRequest
	if err := json.Unmarshal(line, &req, json.RejectUnknownMembers(true)); err != nil {
		s.send(rpcResponse{Type: "response", ID: head.ID, Error: "not a request: " + jsonx.ErrorText(err)})
		return true
	}
	if req.Type == "shutdown" {
		s.answer(req, nil, false, nil)
		return false
	}
	if !s.quick(req) {
		s.inTurn(ctx, func() {
			data, blocked, err := s.do(ctx, req)
			s.answer(req, data, blocked, err)
		})
	}
	return true
}

// inTurn works on a request when the one before it has taken the agent or is over: of
// two prompts in a row the first is worked on, and what interrupts or steers it comes
// behind it.
func (s *rpcServer) inTurn(ctx context.Context, work func()) {
	before, taken := s.taken, make(chan struct{})
	s.taken = taken
	s.work.Go(func() {
		<-s.begun
		<-before
		over := make(chan struct{})
		s.work.Go(func() {
			defer close(taken)
			look := time.NewTicker(2 * time.Millisecond)
			defer look.Stop()
			for s.Loop.Idle() {
				select {
				case <-look.C:
				case <-over:
					return
				case <-ctx.Done():
					return
				}
			}
		})
		defer close(over)
		work()
	})
}

// quick works on what doesn't wait.
func (s *rpcServer) quick(req rpcRequest) bool {
	if (req.Type == "steer" || req.Type == "follow_up") && strings.TrimSpace(req.Text) == "" {
		s.answer(req, nil, false, fmt.Errorf("%s needs text", req.Type))
		return true
	}
	switch req.Type {
	case "get_state":
		s.answer(req, s.state(), false, nil)
	case "get_messages":
		s.answer(req, map[string]any{"messages": s.Loop.Live().Messages()}, false, nil)
	case "set_permission_mode":
		mode, err := permission.ParseMode(req.Mode)
		if err == nil {
			err = s.Permission.SetMode(mode)
		}
		s.answer(req, nil, false, err)
	default:
		return false
	}
	return true
}

// do works on what may wait.
func (s *rpcServer) do(ctx context.Context, req rpcRequest) (data any, blocked bool, err error) {
	a := s.Loop
	switch req.Type {
	case "steer", "follow_up":
		as := agent.Steer
		if req.Type == "follow_up" {
			as = agent.FollowUp
		}
		a.Queue(req.Text, as)
		a.Wake()
		return nil, false, nil
	case "abort":
		a.Abort(errors.New("the embedding program aborted the prompt"))
		return nil, false, nil
	case "prompt":
		if strings.TrimSpace(req.Text) == "" && len(req.Images) == 0 {
			return nil, false, errors.New("a prompt needs text or images")
		}
		if s.Loop.Idle() {
			if err := s.Refresh(ctx); err != nil {
				return nil, false, err
			}
		}
		reply, err := s.Commands.Input(ctx, req.Text, command.RPC, req.Images...)
		out := rpcResult{End: string(agent.EndDone), Output: reply.Output}
		if reply.Result != nil {
			out = resultOf(reply.Result)
		}
		return out, reply.Blocked, err
	case "compact":
		blocked, err = a.Compact(ctx, req.Text+req.Instructions)
	case "new_session":
		blocked, err = a.NewSession(ctx, agent.NewSessionOptions{})
	case "resume":
		if strings.TrimSpace(req.Session) == "" {
			return nil, false, errors.New("resume needs session: the id of a session or its file; get_state tells those of the one that is open, and a prompt goes on with that")
		}
		var reply command.Reply
		reply, err = s.Commands.Input(ctx, "/resume "+req.Session, command.RPC)
		blocked = reply.Blocked
	case "branch":
		blocked, err = a.Branch(ctx, req.Entry)
	case "navigate":
		blocked, err = a.Navigate(ctx, req.Entry, agent.NavigateOptions{Summarise: req.Summarize, Instructions: req.Instructions})
	case "set_model":
		var why string
		why, err = a.SetModel(ctx, req.Model, "sdk")
		return map[string]string{"model": a.Model(), "reason": why}, why != "", err
	default:
		return nil, false, fmt.Errorf("unknown request %q; there are %s", req.Type, requestTypes)
	}
	return s.state(), blocked, err
}

func (s *rpcServer) state() rpcState {
	sess := s.Loop.Session()
	st := rpcState{
		SessionID: sess.ID(), SessionFile: sess.Path(), Leaf: sess.Leaf(), Title: s.Loop.Title(), Model: s.Loop.Model(),
		PermissionMode: string(s.Permission.Mode()), CWD: s.Loop.Dir(), Idle: s.Loop.Idle(), ContextTokens: s.Loop.ContextTokens(), Tools: []string{},
	}
	for _, t := range s.Loop.Tools() {
		st.Tools = append(st.Tools, t.Name())
	}
	return st
}

func resultOf(r *agent.Result) rpcResult {
	return rpcResult{End: string(r.End), Reason: r.Reason, Text: r.Text, Turns: r.Turns, Usage: r.Usage}
}

// answer sends the answer to a request.
func (s *rpcServer) answer(req rpcRequest, data any, blocked bool, err error) {
	r := rpcResponse{Type: "response", ID: req.ID, Success: err == nil, Blocked: blocked}
	if err != nil {
		r.Error = err.Error()
	}
	if data != nil {
		raw, err := json.Marshal(data, hook.EncodeOptions())
		if err != nil {
			r.Success, r.Error = false, err.Error()
		}
		r.Data = raw
	}
	s.send(r)
}

// event passes on what happens in the agent.
func (s *rpcServer) event(ev agent.Event) {
	if ev.Kind == agent.KindNotice {
		return // it comes as ui_notify
	}
	e := rpcEvent{
		Type: "event", Event: string(ev.Kind), SessionID: ev.Session, AgentID: ev.AgentID, AgentType: ev.AgentType, Text: ev.Text,
		Source: ev.Source, CustomType: ev.CustomType, Display: ev.Display, Usage: ev.Usage,
	}
	for _, part := range []struct {
		to   *jsontext.Value
		from any
		on   bool
	}{{&e.Message, ev.Message, ev.Message != nil}, {&e.Call, ev.Call, ev.Call != nil}, {&e.ToolResult, ev.ToolResult, ev.ToolResult != nil}} {
		if part.on {
			if raw, err := json.Marshal(part.from, hook.EncodeOptions()); err == nil {
				*part.to = raw
			}
		}
	}
	if ev.Result != nil {
		r := resultOf(ev.Result)
		e.Result = &r
	}
	s.send(e)
}

// Observe passes on what hooks do.
func (s *rpcServer) Observe(m hook.Emission) { s.send(m) }

// send writes an object as a line.
func (s *rpcServer) send(v any) {
	b, err := json.Marshal(v, hook.EncodeOptions())
	if err == nil {
		err = s.write(b)
	}
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.err == nil {
			s.err = fmt.Errorf("write to the embedding program: %w", err)
		}
	}
}

func (s *rpcServer) write(line []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.app.out.Write(append(line[:len(line):len(line)], '\n'))
	return err
}
