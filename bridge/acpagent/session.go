package acpagent

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/agent/mcp"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
)

// editing is a session in which somebody works with the agent.
type editing struct {
	s     *server
	id    string
	agent *Agent
	busy  chan struct{} // holds something while a prompt is worked on

	telling sync.Mutex // held while the client is told of settings

	mu       sync.Mutex
	changed  map[string]change // calls whose input hooks changed, by their ids
	shown    map[string]bool   // calls that the client knows of
	told     settings          // as the client knows them
	choosing bool              // the client sets something itself
	known    bool              // the client knows the session; until then it is told nothing, but:
	early    []map[string]any  // what it is told then
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
		return nil, nil, badParams("cwd is not an absolute path: %q", dir)
	}
	servers, err := serversOf(params)
	if err != nil {
		return nil, nil, err
	}
	if _, err := s.session(params); id != "" && err == nil {
		return nil, nil, badParams("the session %q is open", id)
	}
	e := &editing{s: s, busy: make(chan struct{}, 1), changed: map[string]change{}, shown: map[string]bool{}, id: id}
	opening := Opening{Dir: dir, Resume: id, Servers: servers, Person: &person{e: e}, OnEvent: e.event, OnSetting: e.tellSettings, Recorder: e}
	s.mu.Lock()
	if s.files {
		opening.Editor = files{e}
	}
	s.mu.Unlock()
	opened, err := s.Open(ctx, opening)
	if err != nil {
		return nil, nil, fmt.Errorf("open a session in %s: %w", dir, err)
	}
	e.agent = opened
	e.busy <- struct{}{} // until the client knows what there is
	s.mu.Lock()
	e.id = opened.Loop.SessionID()
	s.sessions[e.id] = e
	s.mu.Unlock()
	e.remember(e.settings())
	result := map[string]any{"modes": e.modes(), "configOptions": e.options()}
	if id == "" {
		result["sessionId"] = e.id
	} else {
		e.isKnown()
	}
	return result, func() {
		defer e.give()
		e.isKnown()
		e.tellSettings()
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

// deleteSession removes a session that is not open. It takes no other name of one than its
// whole id, and there being none is what was asked for.
func (s *server) deleteSession(_ context.Context, params hook.JSON) (any, func(), error) {
	id := params.String("sessionId")
	infos, err := s.Sessions("")
	i := slices.IndexFunc(infos, func(info session.Info) bool { return info.ID == id })
	if i < 0 {
		return struct{}{}, nil, err
	}
	return struct{}{}, nil, session.Remove(infos[i].Path)
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
