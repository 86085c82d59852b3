package agentsdk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/command"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/ui"
)

// Config is what a Server works with.
type Config struct {
	In  io.Reader
	Out io.Writer
	// Ask puts questions about tool calls to the program; without it they are refused.
	Ask bool
	// Version is that of the command.
	Version string
}

// Server is the agent for one program. Begin it, make the agent with what Shape asks for,
// Bind it, and Serve.
type Server struct {
	*Stream
	asking
	cfg Config

	init    initialize
	initID  string        // of the request to initialize, "" when there was none
	begun   chan struct{} // closed when the first line has been read, or all
	ready   chan struct{} // closed when the agent is there
	over    chan struct{} // closed when nothing is read any more
	readErr error         // why, once over is closed
	work    sync.WaitGroup
	// transports are the connections to the program's MCP servers.
	transports transports
	opening    atomic.Bool
	opened     *agent.Event // the session that the program is still to be told of

	mu       sync.Mutex
	first    bool // the next line is the first one
	queue    []prompt
	seen     map[string]bool                    // ids of prompts
	running  map[string]context.CancelCauseFunc // requests of the program, by id
	news     chan struct{}                      // holds a token when the queue has changed
	stopTurn context.CancelCauseFunc            // ends the prompt that runs, nil when none does
	failed   bool                               // the last prompt did
}

// NewServer returns a server that ends with the context.
func NewServer(ctx context.Context, cfg Config) *Server {
	s := &Server{
		Stream: NewStream(newPatient(ctx, cfg.Out), cfg.Version), cfg: cfg, first: true,
		begun: make(chan struct{}), ready: make(chan struct{}), over: make(chan struct{}),
		seen: map[string]bool{}, running: map[string]context.CancelCauseFunc{}, news: make(chan struct{}, 1),
	}
	s.asking = asking{send: s.Send, gone: make(chan struct{}), waiting: map[string]chan answer{}}
	return s
}

// Begin starts reading, and waits for what the program wants first.
func (s *Server) Begin(ctx context.Context) error {
	go func() {
		s.readErr = readLines(s.cfg.In, func(line jsontext.Value) error { return s.take(ctx, line) })
		if s.readErr != nil {
			s.giveUp()
		}
		close(s.gone)
		close(s.over)
		s.tell()
	}()
	select {
	case <-s.begun:
	case <-s.over:
		return s.readErr
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// Shape makes the options of the agent what the program has asked for.
func (s *Server) Shape(o *host.Options, ao *host.AgentOptions) error {
	o.UI, ao.OnEvent = &person{s: s}, s.event
	return s.shape(o, ao)
}

// Refuse tells the program why there is no agent.
func (s *Server) Refuse(err error) {
	if s.initID != "" {
		s.answer(s.initID, nil, err)
	}
}

// Serve opens the session and works on prompts and requests until the program has nothing
// more to say, and all is done. The error is for a program that can't be understood, or the
// cause of the context.
func (s *Server) Serve(ctx context.Context) error {
	if s.initID != "" {
		s.answer(s.initID, s.initialized(), nil)
	}
	if err := s.open(ctx); err != nil {
		return err
	}
	close(s.ready)
	for {
		p, ok := s.next(ctx)
		if !ok {
			break
		}
		s.prompt(ctx, p)
	}
	s.mu.Lock()
	for _, cancel := range s.running {
		cancel(errGone)
	}
	s.mu.Unlock()
	s.work.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	<-s.over
	return errors.Join(s.readErr, s.Err())
}

// open opens the session. The program is told of it with the first prompt, when the MCP servers
// are there.
func (s *Server) open(ctx context.Context) error {
	s.opening.Store(true)
	defer s.opening.Store(false)
	return s.agent.Loop.Start(ctx)
}

func (s *Server) event(ev agent.Event) {
	if ev.Kind == agent.KindSession && s.opening.Load() {
		s.opened = &ev
		return
	}
	s.Event(ev)
}

// Failed reports whether the last prompt failed.
func (s *Server) Failed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// giveUp forgets the prompts that wait, and ends the one that runs: nobody knows what the
// program wants.
func (s *Server) giveUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = nil
	if s.stopTurn != nil {
		s.stopTurn(s.readErr)
	}
}

// next waits for a prompt. ok is false when there will be none.
func (s *Server) next(ctx context.Context) (p prompt, ok bool) {
	for ctx.Err() == nil {
		s.mu.Lock()
		if len(s.queue) > 0 {
			p, s.queue = s.queue[0], s.queue[1:]
			s.mu.Unlock()
			return p, true
		}
		s.mu.Unlock()
		select {
		case <-s.news:
			continue
		default:
		}
		select {
		case <-s.over: // and the queue may have got its last prompt before
			s.mu.Lock()
			empty := len(s.queue) == 0
			s.mu.Unlock()
			if empty {
				return p, false
			}
		case <-s.news:
		case <-ctx.Done():
		}
	}
	return p, false
}

func (s *Server) tell() {
	select {
	case s.news <- struct{}{}:
	default:
	}
}

// errInterrupted is why a prompt ends that the program interrupts.
var errInterrupted = errors.New("the program interrupted the prompt")

// prompt works on one prompt, and tells what came of it.
func (s *Server) prompt(outer context.Context, p prompt) {
	if p.fault == nil && p.quiet {
		s.agent.Loop.Queue(p.text, agent.NextTurn)
		return
	}
	ctx, cancel := context.WithCancelCause(outer)
	defer cancel(nil)
	s.mu.Lock()
	s.stopTurn = cancel
	s.mu.Unlock()
	if s.agent.AwaitServers(ctx); s.opened != nil {
		s.Event(*s.opened)
		s.opened = nil
	}
	s.Stream.Begin()
	var reply command.Reply
	err := p.fault
	switch {
	case err != nil:
	case len(p.images) > 0:
		var res agent.Result
		res, err = s.agent.Loop.Run(ctx, agent.Prompt{Text: p.text, Images: p.images})
		reply.Result = &res
	default:
		reply, err = s.agent.Work(ctx, p.text)
	}
	result := s.Result(reply, err)
	s.mu.Lock()
	s.stopTurn, s.failed = nil, result.IsError
	s.mu.Unlock()
	s.Send(result)
}

// take takes a line of the program.
func (s *Server) take(ctx context.Context, line jsontext.Value) error {
	var in inbound
	if err := decode(line, &in); err != nil {
		return err
	}
	if first := s.first; first {
		s.first = false
		defer close(s.begun)
		if in.Type == "control_request" && subtypeOf(in.Request) == "initialize" {
			s.initID = in.RequestID
			if err := decode(in.Request, &s.init); err != nil {
				s.Refuse(err)
				return fmt.Errorf("initialize: %w", err)
			}
			return nil
		}
	}
	switch in.Type {
	case "user":
		return s.enqueue(in.userMessage)
	case "control_request":
		return s.request(ctx, in.RequestID, in.Request)
	case "control_response":
		s.answered(&in) // one for which nobody waits any more came too late
	case "control_cancel_request":
		s.mu.Lock()
		defer s.mu.Unlock()
		if cancel := s.running[in.RequestID]; cancel != nil {
			cancel(errors.New("the program took the request back"))
		}
	case "keep_alive":
	default:
		s.warn(fmt.Sprintf("A line of type %q means nothing here.", in.Type))
	}
	return nil
}

// warn tells the program what was not done.
func (s *Server) warn(text string) {
	id := ""
	select {
	case <-s.ready:
		id = s.agent.Loop.SessionID()
	default:
	}
	s.Send(informational{"system", "informational", text, string(ui.Warning), ids{id, uuid.NewString()}})
}

func subtypeOf(request jsontext.Value) string { return hook.RawJSON(request).String("subtype") }

// answer answers a request of the program.
func (s *Server) answer(id string, response any, err error) {
	a := controlAnswer{Subtype: "success", RequestID: id, Response: response}
	if err != nil {
		a = controlAnswer{Subtype: "error", RequestID: id, Error: err.Error()}
	}
	s.Send(controlResponse{"control_response", a})
}
