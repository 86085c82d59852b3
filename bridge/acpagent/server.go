package acpagent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/mcp"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

// Options say how agents are made for sessions.
type Options struct {
	// Open opens the agent of a session, which has begun when it returns.
	Open func(ctx context.Context, o Opening) (*Agent, error)
	// Sessions lists those of a directory that can be gone on with, "" for those of any.
	Sessions func(dir string) ([]session.Info, error)
	// Version is what the client is told.
	Version string
}

// Opening is a session that a client asks for.
type Opening struct {
	// Dir is the directory to work in, and Resume the id of a session to go on with.
	Dir, Resume string
	// Servers are MCP servers of the client's.
	Servers []mcp.Server
	// Person is who the agent talks to, OnEvent is told what happens in it, OnSetting that its
	// model or its mode is another, and Recorder of what hooks came to.
	Person    ui.UI
	OnEvent   func(agent.Event)
	OnSetting func()
	Recorder  hook.Recorder
	// Editor has the files that are open in the client, nil when it does not offer them.
	Editor tool.Editor
}

// Agent is one that was opened.
type Agent struct {
	*host.Agent
	// End ends it.
	End func(ctx context.Context) error
}

// Serve serves a client until it has no more to say, and ends the sessions that are open.
func Serve(ctx context.Context, o Options, client jsonrpc.Conn) error {
	work, cancel := context.WithCancel(ctx)
	s := &server{Options: o, conn: client, ctx: work, sessions: map[string]*editing{}, turns: map[string]turn{}, asked: map[string]chan<- jsonrpc.Message{}}
	read := make(chan error, 1)
	go func() { read <- s.read() }()
	var err error
	select {
	case err = <-read:
	case <-ctx.Done():
		err = ctx.Err()
		_ = client.Close() // ends the reading
		<-read
	}
	s.deaf()
	cancel()
	s.work.Wait()
	return errors.Join(err, s.endAll(context.WithoutCancel(ctx)), client.Close())
}

type server struct {
	Options
	conn jsonrpc.Conn
	ctx  context.Context // of what is asked for; ends with the client
	work sync.WaitGroup

	mu       sync.Mutex
	sessions map[string]*editing
	turns    map[string]turn                   // prompts that have no answer yet, by the ids of their requests
	asked    map[string]chan<- jsonrpc.Message // questions to the client, nil when it has gone
	counter  int
	forms    bool // the client puts forms to the person
	files    bool // the client reads and writes files
}

// Codes of errors of JSON-RPC.
const (
	codeNoMethod  = -32601
	codeBadParams = -32602
	codeInternal  = -32603
)

// fault is what is wrong with the params of a request.
type fault struct{ text string }

func (f *fault) Error() string { return f.text }

func badParams(format string, args ...any) error {
	return &fault{fmt.Sprintf(format, args...)}
}

// methods are what a client may ask for. After, when not nil, comes after the answer.
var methods = map[string]func(s *server, ctx context.Context, params hook.JSON) (result any, after func(), err error){
	"initialize":                (*server).initialize,
	"authenticate":              (*server).nothing,
	"session/new":               (*server).newSession,
	"session/load":              (*server).loadSession,
	"session/resume":            (*server).resumeSession,
	"session/list":              (*server).listSessions,
	"session/close":             (*server).closeSession,
	"session/delete":            (*server).deleteSession,
	"session/prompt":            (*server).prompt,
	"session/set_mode":          (*server).setMode,
	"session/set_config_option": (*server).setOption,
}

func (s *server) nothing(context.Context, hook.JSON) (any, func(), error) {
	return struct{}{}, nil, nil
}

// read takes messages until there are no more.
func (s *server) read() error {
	for {
		raw, err := s.conn.Read()
		if errors.Is(err, io.EOF) || s.ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("messages of the client: %w", err)
		}
		switch m := jsonrpc.Parse(raw); {
		case !m.Clear() || m.ID+m.Method == "":
			s.send(jsonrpc.Failure("null", jsonrpc.CodeInvalidRequest, "this is not one JSON-RPC message that is read alike by everybody"))
		case m.Response():
			s.answered(m)
		case m.Request():
			s.begin(m)
		case m.Method == "session/cancel":
			id := m.Content().String("sessionId")
			s.cancel(func(_ string, t turn) bool { return t.session == id })
		case m.Method == "$/cancel_request":
			id, _ := m.Content().Get("requestId")
			s.cancel(func(request string, _ turn) bool { return request == jsonrpc.Canonical([]byte(id.Raw())) })
		}
	}
}

// turn is a prompt on its way.
type turn struct {
	session string
	cancel  context.CancelCauseFunc
}

// begin begins to work on a request. A prompt can be cancelled from then on.
func (s *server) begin(m jsonrpc.Message) {
	if m.Method != "session/prompt" {
		s.work.Go(func() { s.answer(s.ctx, m) })
		return
	}
	ctx, cancel := context.WithCancelCause(s.ctx)
	s.mu.Lock()
	_, taken := s.turns[m.ID]
	if !taken {
		s.turns[m.ID] = turn{m.Content().String("sessionId"), cancel}
	}
	s.mu.Unlock()
	if taken {
		cancel(nil)
		s.send(jsonrpc.Failure(m.RawID, jsonrpc.CodeInvalidRequest, "the id "+m.RawID+" belongs to a prompt that has no answer yet"))
		return
	}
	s.work.Go(func() {
		s.answer(ctx, m)
		cancel(nil)
	})
}

// cancel ends prompts.
func (s *server) cancel(which func(request string, t turn) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, t := range s.turns {
		if which(id, t) {
			t.cancel(errCancelled)
		}
	}
}

// answer works on a request.
func (s *server) answer(ctx context.Context, m jsonrpc.Message) {
	do := methods[m.Method]
	if do == nil {
		s.send(jsonrpc.Failure(m.RawID, codeNoMethod, "there is no method "+m.Method))
		return
	}
	result, after, err := do(s, ctx, m.Content())
	s.mu.Lock()
	delete(s.turns, m.ID)
	s.mu.Unlock()
	if err != nil {
		code := codeInternal
		if _, ok := errors.AsType[*fault](err); ok {
			code = codeBadParams
		}
		s.send(jsonrpc.Failure(m.RawID, code, err.Error()))
		return
	}
	s.send(jsonrpc.Reply(m.RawID, hook.MustJSON(result)))
	if after != nil {
		after()
	}
}

// send writes a message; that the client is gone shows when it is read.
func (s *server) send(msg []byte) { _ = s.conn.Write(msg) }

// notify sends the client an update of a session.
func (s *server) notify(id string, update map[string]any) {
	params := hook.MustJSON(map[string]any{"sessionId": id, "update": update})
	s.send(jsonrpc.Notification("session/update", params))
}

// ask asks the client something and waits for the answer.
func (s *server) ask(ctx context.Context, method string, params map[string]any) (hook.JSON, error) {
	answers := make(chan jsonrpc.Message, 1)
	s.mu.Lock()
	s.counter++
	id := fmt.Sprint(s.counter)
	if s.asked == nil {
		s.mu.Unlock()
		return hook.JSON{}, ui.ErrNoUI
	}
	s.asked[id] = answers
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.asked, id)
	}()
	s.send(jsonrpc.Call(id, method, hook.MustJSON(params)))
	select {
	case m, ok := <-answers:
		switch {
		case !ok:
			return hook.JSON{}, ui.ErrNoUI
		case m.Failed:
			return hook.JSON{}, fmt.Errorf("%s: %s", method, m.Content().String("message"))
		}
		return m.Content(), nil
	case <-ctx.Done():
		s.send([]byte(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":` + id + `}}`))
		return hook.JSON{}, context.Cause(ctx)
	}
}

func (s *server) answered(m jsonrpc.Message) {
	s.mu.Lock()
	answers := s.asked[m.ID]
	delete(s.asked, m.ID)
	s.mu.Unlock()
	if answers != nil {
		answers <- m
	}
}

// deaf gives up the questions that the client has not answered, and the prompts.
func (s *server) deaf() {
	s.mu.Lock()
	for _, answers := range s.asked {
		close(answers)
	}
	s.asked = nil
	s.mu.Unlock()
	s.cancel(func(string, turn) bool { return true })
}

func (s *server) initialize(_ context.Context, params hook.JSON) (any, func(), error) {
	caps, _ := params.Get("clientCapabilities")
	elicits, _ := caps.Get("elicitation")
	files, _ := caps.Get("fs")
	s.mu.Lock()
	s.forms, s.files = elicits.Has("form"), files.Bool("readTextFile") && files.Bool("writeTextFile")
	s.mu.Unlock()
	none := struct{}{}
	return map[string]any{
		"protocolVersion": 1,
		"agentInfo":       map[string]string{"name": "hookline", "title": "Hookline", "version": s.Version},
		"agentCapabilities": map[string]any{
			"loadSession": true, "promptCapabilities": map[string]bool{"image": true, "embeddedContext": true},
			"mcpCapabilities":     map[string]bool{"http": true, "sse": true},
			"sessionCapabilities": map[string]any{"list": none, "resume": none, "close": none, "delete": none},
		},
		"authMethods": []any{},
	}, nil, nil
}

// session returns one that is open.
func (s *server) session(params hook.JSON) (*editing, error) {
	id := params.String("sessionId")
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.sessions[id]
	if e == nil {
		return nil, badParams("there is no open session %q", id)
	}
	return e, nil
}

func (s *server) endAll(ctx context.Context) error {
	var errs []error
	for _, e := range s.sessions { // nobody else is left
		errs = append(errs, e.agent.End(ctx))
	}
	return errors.Join(errs...)
}
