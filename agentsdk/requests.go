package agentsdk

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/mcp"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
)

// maxRequests bounds the requests of the program that are worked on at once.
const maxRequests = 64

// requests are what a program can ask for, by subtype. All but interrupt run beside the
// reading of lines, since hooks in the program may have to be asked.
var requests = map[string]func(s *Server, ctx context.Context, raw jsontext.Value) (any, error){
	"set_permission_mode":     (*Server).setMode,
	"set_model":               (*Server).setModel,
	"set_max_thinking_tokens": (*Server).setThinking,
	"mcp_status":              (*Server).mcpStatus,
	"mcp_message":             (*Server).mcpMessage,
	"rewind_files":            (*Server).rewindFiles,
	"stop_task":               (*Server).stopTask,
	"get_context_usage":       (*Server).contextUsage,
	"get_hooks_listing":       (*Server).hooksListing,
}

// request works on a request of the program.
func (s *Server) request(ctx context.Context, id string, raw jsontext.Value) error {
	subtype := subtypeOf(raw)
	work := requests[subtype]
	switch {
	case id == "":
		return errors.New("a control request has no request_id")
	case subtype == "initialize":
		s.answer(id, nil, errors.New("initialize has to be the first line"))
		return nil
	case subtype == "interrupt":
		return s.interrupt(id, raw)
	case work == nil:
		work = func(*Server, context.Context, jsontext.Value) (any, error) {
			return nil, fmt.Errorf("there is no control request %q", subtype)
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	s.mu.Lock()
	_, twice := s.running[id]
	full := len(s.running) >= maxRequests
	if !twice && !full {
		s.running[id] = cancel
	}
	s.mu.Unlock()
	switch {
	case twice:
		cancel(nil)
		s.answer(id, nil, fmt.Errorf("the request %s is being worked on already", id))
		return nil
	case full:
		cancel(nil)
		s.answer(id, nil, fmt.Errorf("%d requests are worked on already", maxRequests))
		return nil
	}
	s.work.Go(func() {
		defer cancel(nil)
		var response any
		var err error
		select {
		case <-s.ready:
			response, err = work(s, ctx, raw)
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		s.mu.Lock()
		delete(s.running, id)
		s.mu.Unlock()
		s.answer(id, response, err)
	})
	return nil
}

// interrupt ends the prompt that runs. What waits stays, unless the program says otherwise.
func (s *Server) interrupt(id string, raw jsontext.Value) error {
	var in struct {
		CancelQueued bool `json:"cancel_queued"`
	}
	if err := decode(raw, &in); err != nil {
		s.answer(id, nil, fmt.Errorf("interrupt: %w", err))
		return nil
	}
	var out struct {
		Queued    []string `json:"still_queued"`
		Cancelled []string `json:"cancelled,omitempty"`
	}
	out.Queued = []string{}
	s.mu.Lock()
	for _, p := range s.queue {
		switch {
		case p.id == "":
		case in.CancelQueued:
			out.Cancelled = append(out.Cancelled, p.id)
		default:
			out.Queued = append(out.Queued, p.id)
		}
	}
	if in.CancelQueued {
		s.queue = nil
	}
	stop := s.stopTurn
	s.mu.Unlock()
	s.answer(id, out, nil) // before the result of what is interrupted
	if stop != nil {
		stop(errInterrupted)
	}
	return nil
}

func (s *Server) setMode(_ context.Context, raw jsontext.Value) (any, error) {
	var in struct {
		Mode string `json:"mode"`
	}
	if err := decode(raw, &in); err != nil {
		return nil, err
	}
	mode, err := permission.ParseMode(in.Mode)
	if err == nil {
		err = s.agent.Permission.SetMode(mode)
	}
	if err != nil {
		return nil, fmt.Errorf("set_permission_mode: %w", err)
	}
	return map[string]any{"mode": mode}, nil
}

func (s *Server) setModel(ctx context.Context, raw jsontext.Value) (any, error) {
	var in struct {
		Model string `json:"model"`
	}
	if err := decode(raw, &in); err != nil {
		return nil, err
	}
	if in.Model == "" || in.Model == "default" {
		in.Model = s.agent.Model.FullName
	}
	blocked, err := s.agent.Loop.SetModel(ctx, in.Model, "sdk")
	if err == nil && blocked != "" {
		err = errors.New(blocked)
	}
	if err != nil {
		return nil, fmt.Errorf("set_model: %w", err)
	}
	return map[string]any{}, nil
}

func (s *Server) setThinking(_ context.Context, raw jsontext.Value) (any, error) {
	var in struct {
		Tokens  int            `json:"max_thinking_tokens"` // null and 0 are the provider's default
		Display jsontext.Value `json:"thinking_display"`
	}
	if err := decode(raw, &in); err != nil {
		return nil, err
	}
	if in.Tokens < 0 {
		return nil, fmt.Errorf("set_max_thinking_tokens: %d is not a number of tokens", in.Tokens)
	}
	s.agent.Loop.SetThinking(in.Tokens)
	return map[string]any{}, nil
}

// rewindFiles takes files back to what they were at a message, which is named as in the
// stream.
func (s *Server) rewindFiles(ctx context.Context, raw jsontext.Value) (any, error) {
	var in struct {
		Message string `json:"user_message_id"`
		Dry     bool   `json:"dry_run"`
	}
	if err := decode(raw, &in); err != nil {
		return nil, err
	}
	entry, err := s.agent.Loop.Session().Known(in.Message)
	if err != nil {
		entry = in.Message // which the answer says
	}
	rewind := s.agent.Loop.RewindFiles
	if in.Dry {
		rewind = s.agent.Loop.PreviewRewind
	}
	did, err := rewind(ctx, entry)
	out := struct {
		Can        bool     `json:"canRewind"`
		Error      string   `json:"error,omitzero"`
		Files      []string `json:"filesChanged,omitempty"`
		Insertions int      `json:"insertions"`
		Deletions  int      `json:"deletions"`
		Links      int      `json:"skippedLinks,omitzero"`
	}{err == nil || len(did.Files) > 0, "", did.Files, did.Insertions, did.Deletions, did.Links}
	if err != nil {
		out.Error = err.Error()
	}
	return out, nil
}

func (s *Server) stopTask(_ context.Context, raw jsontext.Value) (any, error) {
	var in struct {
		ID string `json:"task_id"`
	}
	if err := decode(raw, &in); err != nil {
		return nil, err
	}
	if !s.agent.Loop.StopSubagent(in.ID) {
		return nil, fmt.Errorf("stop_task: there is no task %q", in.ID)
	}
	return map[string]any{}, nil
}

func (s *Server) mcpMessage(_ context.Context, raw jsontext.Value) (any, error) {
	var in struct {
		Server  string         `json:"server_name"`
		Message jsontext.Value `json:"message"`
	}
	if err := decode(raw, &in); err != nil {
		return nil, err
	}
	return map[string]any{}, s.fromServer(in.Server, in.Message)
}

func (s *Server) mcpStatus(context.Context, jsontext.Value) (any, error) {
	servers := []serverStatus{}
	for _, st := range s.agent.Servers() {
		one := serverStatus{Name: st.Name, Status: stateName(st.State)}
		if st.Err != nil && st.State != mcp.Connected {
			one.Error = st.Err.Error()
		}
		for _, name := range st.Tools {
			one.Tools = append(one.Tools, map[string]any{"name": name})
		}
		servers = append(servers, one)
	}
	return map[string]any{"mcpServers": servers}, nil
}

// initialized is what a program learns when it has begun.
func (s *Server) initialized() any {
	commands, agents := []any{}, []any{}
	if list, err := s.agent.Commands.List(context.Background()); err == nil {
		for _, c := range list {
			commands = append(commands, map[string]any{"name": c.Name, "description": c.Description, "argumentHint": ""})
		}
	}
	for _, d := range s.agent.Subagents {
		agents = append(agents, map[string]any{"name": d.Name, "description": d.Description})
	}
	name := s.agent.Model.FullName
	return map[string]any{
		"commands": commands, "agents": agents, "output_style": "default", "available_output_styles": []string{"default"},
		"models": []any{map[string]any{"value": name, "displayName": name, "description": ""}}, "account": map[string]any{},
		"hooks_applied": true, "hook_on_failure_supported": true, "claude_code_version": s.version,
	}
}

// contextUsage tells how full the model's window is. Nothing is known of its parts.
func (s *Server) contextUsage(context.Context, jsontext.Value) (any, error) {
	used, window := s.agent.Loop.ContextTokens(), s.agent.Model.Price.Window
	out := map[string]any{
		"totalTokens": used, "maxTokens": window, "rawMaxTokens": window, "percentage": 0.0, "model": s.agent.Loop.Model(), "isAutoCompactEnabled": window > 0,
		"categories": []any{map[string]any{"id": "messages", "name": "Messages", "tokens": used, "color": "", "kind": "used"}},
		"gridRows":   []any{}, "memoryFiles": []any{}, "mcpTools": []any{}, "agents": []any{}, "apiUsage": tokensOf(s.agent.Loop.Usage()),
	}
	if window > 0 {
		out["percentage"] = 100 * float64(used) / float64(window)
	}
	return out, nil
}

// hooksListing tells which hooks there are, in the order in which they run. What settings
// files turn off is not in the registry, and policy is not told.
func (s *Server) hooksListing(context.Context, jsontext.Value) (any, error) {
	counts := map[hook.Event]int{}
	hooks := []any{}
	for _, i := range s.agent.Registry.Infos() {
		counts[i.Event]++
		hooks = append(hooks, map[string]any{
			"event": i.Event.String(), "matcher": i.Matcher, "source": i.Scope, "sourceLabel": i.Source, "type": i.Dialect,
			"displayText": i.Name, "commandText": i.Name, "contentLabel": i.Group, "timeout": i.Timeout.Seconds(),
		})
	}
	events, catalog := []any{}, []any{}
	for _, ev := range hook.Events() {
		one := map[string]any{"name": ev.String(), "summary": ev.Spec().Fires, "supportsMatcher": ev.Spec().Subject != ""}
		catalog = append(catalog, one)
		if counts[ev] > 0 {
			counted := maps.Clone(one)
			counted["hookCount"] = counts[ev]
			events = append(events, counted)
		}
	}
	return map[string]any{"events": events, "hooks": hooks, "eventCatalog": catalog}, nil
}
