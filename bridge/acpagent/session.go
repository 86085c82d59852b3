package acpagent

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/command"
	"github.com/hookline-dev/hookline/agent/mcp"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
)

// editing is a session in which somebody works with the agent.
type editing struct {
	s     *server
	id    string
	agent *Agent
	busy  chan struct{} // holds something while a prompt is worked on

	mu      sync.Mutex
	changed map[string]change // calls whose input hooks changed, by their ids
	shown   map[string]bool   // calls that the client knows of
	mode    permission.Mode   // as the client knows it
	known   bool              // the client knows the session; until then it is told nothing, but:
	early   []map[string]any  // what it is told then
}

var errCancelled = errors.New("the person cancelled the prompt")

func (s *server) newSession(ctx context.Context, params hook.JSON) (any, func(), error) {
	return s.open(ctx, params, "")
}

func (s *server) resumeSession(ctx context.Context, params hook.JSON) (any, func(), error) {
	return s.open(ctx, params, params.String("sessionId"))
}

// loadSession resumes a session and shows what there is of it.
func (s *server) loadSession(ctx context.Context, params hook.JSON) (any, func(), error) {
	result, after, err := s.open(ctx, params, params.String("sessionId"))
	if err == nil {
		var e *editing
		if e, err = s.session(params); err == nil {
			e.replay()
		}
	}
	return result, after, err
}

// open opens a session, and tells its modes and commands.
func (s *server) open(ctx context.Context, params hook.JSON, id string) (any, func(), error) {
	dir := params.String("cwd")
	if !filepath.IsAbs(dir) {
		return nil, nil, badParams("cwd is no absolute path: %q", dir)
	}
	servers, err := serversOf(params)
	if err != nil {
		return nil, nil, err
	}
	if _, err := s.session(params); id != "" && err == nil {
		return nil, nil, badParams("the session %q is open", id)
	}
	e := &editing{s: s, busy: make(chan struct{}, 1), changed: map[string]change{}, shown: map[string]bool{}, id: id}
	opened, err := s.Open(ctx, Opening{Dir: dir, Resume: id, Servers: servers, Person: &person{e: e}, OnEvent: e.event, Recorder: e})
	if err != nil {
		return nil, nil, fmt.Errorf("open a session in %s: %w", dir, err)
	}
	e.agent, e.mode = opened, opened.Permission.Mode()
	e.busy <- struct{}{} // until the client knows what there is
	s.mu.Lock()
	e.id = opened.Loop.SessionID()
	s.sessions[e.id] = e
	s.mu.Unlock()
	result := map[string]any{"modes": e.modes(), "configOptions": e.options()}
	if id == "" {
		result["sessionId"] = e.id
	} else {
		e.isKnown()
	}
	return result, func() {
		defer e.give()
		e.isKnown()
		e.tellCommands(ctx)
	}, nil
}

// isKnown says that the client knows the session, and tells it what waits.
func (e *editing) isKnown() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, u := range e.early {
		e.s.notify(e.id, u)
	}
	e.known, e.early = true, nil
}

// serversOf are the MCP servers that a client names.
func serversOf(params hook.JSON) (out []mcp.Server, err error) {
	type pair struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	var list []struct {
		Type    string   `json:"type"`
		Name    string   `json:"name"`
		Command string   `json:"command"`
		URL     string   `json:"url"`
		Args    []string `json:"args"`
		Env     []pair   `json:"env"`
		Headers []pair   `json:"headers"`
	}
	raw, ok := params.Get("mcpServers")
	if !ok {
		return nil, nil
	}
	if err := raw.Decode(&list); err != nil {
		return nil, badParams("mcpServers: %v", err)
	}
	for _, one := range list {
		m := mcp.Server{Name: one.Name, Type: one.Type, Command: one.Command, Args: one.Args, URL: one.URL, Env: map[string]string{}, Headers: map[string]string{}}
		if m.Type == "" {
			m.Type = "stdio"
		}
		for _, v := range one.Env {
			m.Env[v.Name] = v.Value
		}
		for _, v := range one.Headers {
			m.Headers[v.Name] = v.Value
		}
		out = append(out, m)
	}
	return out, nil
}

func (s *server) listSessions(_ context.Context, params hook.JSON) (any, func(), error) {
	infos, err := s.Sessions(params.String("cwd"))
	list := []any{}
	for _, info := range infos {
		list = append(list, map[string]string{"sessionId": info.ID, "cwd": info.Cwd, "title": info.First, "updatedAt": info.Modified.Format(time.RFC3339)})
	}
	if len(list) == 0 && err != nil {
		return nil, nil, err
	}
	return map[string]any{"sessions": list}, nil, nil
}

func (s *server) closeSession(ctx context.Context, params hook.JSON) (any, func(), error) {
	e, err := s.session(params)
	if err != nil {
		return nil, nil, err
	}
	s.mu.Lock()
	delete(s.sessions, e.id)
	s.mu.Unlock()
	s.cancel(func(_ string, t turn) bool { return t.session == e.id })
	if !e.take(ctx) { // and never gives it back: who comes now comes too late
		return nil, nil, context.Cause(ctx)
	}
	return struct{}{}, nil, e.agent.End(ctx)
}

// permissionModes are the modes that a person chooses from.
var permissionModes = []struct {
	mode        permission.Mode
	name, about string
}{
	{permission.ModeDefault, "Default", "Asks before it changes files and runs commands"},
	{permission.ModeAcceptEdits, "Accept edits", "Changes files without asking"},
	{permission.ModePlan, "Plan", "Changes nothing"},
	{permission.ModeDontAsk, "Don't ask", "Refuses what it would have to ask about"},
	{permission.ModeBypass, "Bypass permissions", "Asks about nothing but what rules and hooks want asked"},
}

func (e *editing) modes() map[string]any {
	list := []any{}
	for _, m := range permissionModes {
		list = append(list, map[string]string{"id": string(m.mode), "name": m.name, "description": m.about})
	}
	return map[string]any{"currentModeId": string(e.agent.Permission.Mode()), "availableModes": list}
}

func (s *server) setMode(_ context.Context, params hook.JSON) (any, func(), error) {
	e, err := s.session(params)
	if err != nil {
		return nil, nil, err
	}
	mode, err := permission.ParseMode(params.String("modeId"))
	if err == nil {
		err = e.agent.Permission.SetMode(mode)
	}
	if err != nil {
		return nil, nil, badParams("%v", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.mode = mode
	return struct{}{}, nil, nil
}

// options are what a person may set: the model.
func (e *editing) options() []any {
	current := e.agent.Loop.Model()
	return []any{map[string]any{
		"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": current,
		"options": []any{map[string]string{"value": current, "name": current}},
	}}
}

func (s *server) setOption(ctx context.Context, params hook.JSON) (any, func(), error) {
	e, err := s.session(params)
	if err != nil {
		return nil, nil, err
	}
	if id := params.String("configId"); id != "model" {
		return nil, nil, badParams("there is no option %q", id)
	}
	why, err := e.agent.Loop.SetModel(ctx, params.String("value"), "sdk")
	if err == nil && why != "" {
		err = errors.New(why)
	}
	return map[string]any{"configOptions": e.options()}, nil, err
}

// tellCommands tells the client of the slash commands.
func (e *editing) tellCommands(ctx context.Context) {
	commands, err := e.agent.Commands.List(ctx)
	if err != nil {
		e.say("The commands cannot be listed: " + err.Error())
		return
	}
	list := []any{}
	for _, c := range commands {
		list = append(list, map[string]any{"name": c.Name, "description": c.Description, "input": map[string]string{"hint": "arguments"}})
	}
	e.update("available_commands_update", map[string]any{"availableCommands": list})
}

// take waits until no other prompt is worked on. It reports false when the context ends first.
func (e *editing) take(ctx context.Context) bool {
	select {
	case e.busy <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (e *editing) give() { <-e.busy }

// prompt works on a prompt.
func (s *server) prompt(ctx context.Context, params hook.JSON) (any, func(), error) {
	e, err := s.session(params)
	if err != nil {
		return nil, nil, err
	}
	text, images, err := promptOf(params)
	if err != nil {
		return nil, nil, err
	}
	if !e.take(ctx) {
		return map[string]string{"stopReason": "cancelled"}, nil, nil
	}
	defer e.give()
	if err := e.agent.Refresh(ctx); err != nil {
		return nil, nil, err
	}
	reply, err := e.agent.Commands.Input(ctx, text, command.RPC, images...)
	if reply.Output != "" {
		e.say(reply.Output)
	}
	if mode := e.agent.Permission.Mode(); e.modeChanged(mode) {
		e.update("current_mode_update", map[string]any{"currentModeId": string(mode)})
	}
	reason, err := e.stopReason(ctx, reply, err)
	return map[string]string{"stopReason": reason}, nil, err
}

// modeChanged reports whether the client has to be told of a mode.
func (e *editing) modeChanged(mode permission.Mode) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	was := e.mode
	e.mode = mode
	return mode != was
}

// stopReason says how a prompt ended in the protocol's words.
func (e *editing) stopReason(ctx context.Context, reply command.Reply, err error) (string, error) {
	r := reply.Result
	switch {
	case ctx.Err() != nil || r != nil && r.End == agent.EndInterrupted:
		return "cancelled", nil
	case err != nil:
		return "", err
	case reply.Blocked:
		return "refusal", nil
	case r == nil:
		return "end_turn", nil
	}
	if r.Reason != "" && r.End != agent.EndBlocked {
		e.say(r.Reason)
	}
	switch r.End {
	case agent.EndBlocked:
		return "refusal", nil
	case agent.EndMaxTurns, agent.EndBudget:
		return "max_turn_requests", nil
	}
	return "end_turn", nil
}

// promptOf is a prompt's text, with the files that are embedded in it, and its images.
func promptOf(params hook.JSON) (string, []model.Image, error) {
	var blocks []hook.JSON
	list, _ := params.Get("prompt")
	if err := list.Decode(&blocks); err != nil {
		return "", nil, badParams("prompt: %v", err)
	}
	var texts []string
	var images []model.Image
	for _, b := range blocks {
		switch kind := b.String("type"); kind {
		case "text":
			texts = append(texts, b.String("text"))
		case "image":
			images = append(images, imageOf(b.String("mimeType"), b.String("data")))
		case "resource_link":
			texts = append(texts, fmt.Sprintf("[%s](%s)", b.String("name"), b.String("uri")))
		case "resource":
			file, _ := b.Get("resource")
			if mime := file.String("mimeType"); file.Has("blob") && strings.HasPrefix(mime, "image/") {
				images = append(images, imageOf(mime, file.String("blob")))
				continue
			}
			if !file.Has("text") {
				return "", nil, badParams("the embedded file %s is neither text nor an image", file.String("uri"))
			}
			texts = append(texts, fmt.Sprintf("<context ref=%q>\n%s\n</context>", file.String("uri"), file.String("text")))
		default:
			return "", nil, badParams("a prompt of type %q is not understood", kind)
		}
	}
	text := strings.Join(texts, "\n\n")
	if strings.TrimSpace(text) == "" && len(images) == 0 {
		return "", nil, badParams("the prompt is empty")
	}
	return text, images, nil
}

func imageOf(mime, data string) model.Image {
	return model.Image{Type: "base64", MediaType: mime, Data: data}
}
