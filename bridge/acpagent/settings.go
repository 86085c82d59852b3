package acpagent

import (
	"context"
	"errors"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
)

// settings are what a person may set of a session.
type settings struct {
	mode  permission.Mode
	model string
}

func (e *editing) settings() settings {
	return settings{e.agent.Permission.Mode(), e.agent.Loop.Model()}
}

// remember notes what the client knows, and returns what it knew.
func (e *editing) remember(now settings) (was settings) {
	e.mu.Lock()
	defer e.mu.Unlock()
	was, e.told = e.told, now
	return was
}

// tellSettings tells the client of what hooks, commands or modules have set, wherever that
// happens. What it sets itself it is answered.
func (e *editing) tellSettings() {
	e.mu.Lock()
	quiet := !e.known || e.choosing
	e.mu.Unlock()
	if quiet {
		return
	}
	e.telling.Lock() // so that the last that is told is what is in force
	defer e.telling.Unlock()
	now := e.settings()
	was := e.remember(now)
	if now.mode != was.mode {
		e.update("current_mode_update", map[string]any{"currentModeId": string(now.mode)})
	}
	if now.model != was.model {
		e.update("config_option_update", map[string]any{"configOptions": e.options()})
	}
}

// choose lets the client set something, which known notes: it is not told of that besides.
func (e *editing) choose(set func(), known func(told *settings, now settings)) {
	e.setChoosing(true)
	set()
	now := e.settings()
	e.mu.Lock()
	known(&e.told, now)
	e.mu.Unlock()
	e.setChoosing(false)
	e.tellSettings() // what else has come of it
}

func (e *editing) setChoosing(on bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.choosing = on
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
		e.choose(func() { err = e.agent.Permission.SetMode(mode) }, func(told *settings, now settings) { told.mode = now.mode })
	}
	if err != nil {
		return nil, nil, badParams("%v", err)
	}
	return struct{}{}, nil, nil
}

// options are what a person may set: the model.
func (e *editing) options() []any {
	names, current, err := e.agent.Models()
	if err != nil {
		e.say("The models cannot be listed: " + err.Error())
	}
	list := make([]any, len(names))
	for i, name := range names {
		list[i] = map[string]string{"value": name, "name": name}
	}
	return []any{map[string]any{
		"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": current, "options": list,
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
	var why string
	e.choose(func() { why, err = e.agent.Loop.SetModel(ctx, params.String("value"), "sdk") }, func(told *settings, now settings) { told.model = now.model })
	if err == nil && why != "" {
		err = errors.New(why)
	}
	return map[string]any{"configOptions": e.options()}, nil, err
}
