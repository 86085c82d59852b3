package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/command"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/jsonx"
	"github.com/hookline-dev/hookline/permission"
)

// longRequest is how long a line is whose memory is used again at once.
const longRequest = 8 << 20

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
		s.answer(req, nil, nil)
		return false
	}
	if len(line) > longRequest {
		line = nil
		runtime.GC() // or as much again would be taken before that memory is
	}
	if !s.quick(req) {
		s.inTurn(ctx, req.Type, func() {
			data, blocked, err := s.do(ctx, req)
			r := responseTo(req, data, err)
			r.Blocked = blocked
			s.send(r)
		})
	}
	return true
}

// inTurn works on a request when the one before it has taken the agent or is over: of
// two prompts in a row the first is worked on, and what interrupts or steers it comes
// behind it. What neither interrupts nor steers waits for all but prompts until they are
// over.
func (s *rpcServer) inTurn(ctx context.Context, kind string, work func()) {
	before, taken := s.taken, make(chan struct{})
	free, over := s.free, make(chan struct{})
	s.taken = taken
	switch kind {
	case "abort", "steer", "follow_up":
		free = before
	case "prompt":
	default:
		s.free = over
	}
	s.work.Go(func() {
		<-s.begun
		<-before
		<-free
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
		s.answer(req, nil, fmt.Errorf("%s needs text", req.Type))
		return true
	}
	switch req.Type {
	case "get_state":
		s.answer(req, s.state(), nil)
	case "get_messages":
		s.answer(req, map[string]any{"messages": s.Loop.Live().Messages()}, nil)
	case "set_permission_mode":
		mode, err := permission.ParseMode(req.Mode)
		if err == nil {
			err = s.Permission.SetMode(mode)
		}
		s.answer(req, nil, err)
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
		return s.prompt(ctx, req)
	case "compact":
		refused, err := a.Compact(ctx, req.Text+req.Instructions)
		return s.state(), refused != "", err
	case "new_session":
		blocked, err = a.NewSession(ctx, agent.NewSessionOptions{})
	case "resume":
		if strings.TrimSpace(req.Session) == "" {
			return nil, false, errors.New("resume needs session: the id of a session or its file; get_state tells those of the one that is open, and a prompt goes on with that")
		}
		// It is one of the agent's own. Nobody typed it, so that no UserInput hook is asked.
		a.Commanded()
		reply, err := s.Commands.Resume(ctx, req.Session)
		return s.state(), reply.Blocked, err
	case "branch":
		blocked, err = a.Branch(ctx, req.Entry)
	case "navigate":
		blocked, err = a.Navigate(ctx, req.Entry, agent.NavigateOptions{Summarise: req.Summarize, Instructions: req.Instructions})
	case "rewind_files":
		rewind := a.RewindFiles
		if req.DryRun {
			rewind = a.PreviewRewind
		}
		did, err := rewind(ctx, req.Entry)
		return map[string]any{"files": append([]string{}, did.Files...), "insertions": did.Insertions, "deletions": did.Deletions}, false, err
	case "set_model":
		var why string
		why, err = a.SetModel(ctx, req.Model, "sdk")
		return map[string]string{"model": a.Model(), "reason": why}, why != "", err
	default:
		return nil, false, fmt.Errorf("unknown request %q; there are %s", req.Type, requestTypes)
	}
	return s.state(), blocked, err
}

// prompt works on what the person says.
func (s *rpcServer) prompt(ctx context.Context, req rpcRequest) (data any, blocked bool, err error) {
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
func (s *rpcServer) answer(req rpcRequest, data any, err error) { s.send(responseTo(req, data, err)) }

// responseTo is the answer to a request.
func responseTo(req rpcRequest, data any, err error) rpcResponse {
	r := rpcResponse{Type: "response", ID: req.ID, Success: err == nil}
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
	return r
}
