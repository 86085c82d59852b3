package acpagent_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	acp "github.com/coder/acp-go-sdk"

	"github.com/hookline-dev/hookline/hook"
)

// settings are the modes and models that the editor was told of, and the ends of calls, in the
// order of their coming.
func (e *editor) settings() (out []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, u := range e.updates {
		switch {
		case u.CurrentModeUpdate != nil:
			out = append(out, "mode "+string(u.CurrentModeUpdate.CurrentModeId))
		case u.ConfigOptionUpdate != nil:
			out = append(out, fmt.Sprint("model ", u.ConfigOptionUpdate.ConfigOptions[0].Select.CurrentValue))
		case u.ToolCallUpdate != nil && u.ToolCallUpdate.Status != nil && *u.ToolCallUpdate.Status == acp.ToolCallStatusCompleted:
			out = append(out, "ran")
		}
	}
	return out
}

// The editor is told of each mode and model that it has not set itself, when it is in force.
func TestTheEditorIsToldOfSettings(t *testing.T) {
	w := serve(t, touch, "", func(reg *hook.Registry) {
		hook.On(reg, func(context.Context, *hook.PermissionRequest) (hook.Result, error) {
			r := hook.Allow()
			r.PermissionUpdates = []hook.PermissionUpdate{{Type: "setMode", Mode: "acceptEdits", Destination: "session"}}
			return r, nil
		})
	})
	config := filepath.Join(w.home, ".config", "hookline")
	if err := os.MkdirAll(config, 0o700); err != nil {
		t.Fatal(err)
	}
	models := `{"providers": {"acme": {"baseUrl": "http://127.0.0.1:1", "noKey": true}}, "models": {"acme/large": {"window": 1000}, "acme/small": {"window": 1000}}}`
	if err := os.WriteFile(filepath.Join(config, "models.json"), []byte(models), 0o600); err != nil {
		t.Fatal(err)
	}
	id := w.begin()
	w.prompt(id, acp.StopReasonEndTurn, acp.TextBlock("make it"))
	if _, err := w.SetSessionMode(t.Context(), acp.SetSessionModeRequest{SessionId: id, ModeId: "plan"}); err != nil {
		t.Fatal(err)
	}
	w.prompt(id, acp.StopReasonEndTurn, acp.TextBlock("/model acme/large"))
	r, err := w.SetSessionConfigOption(t.Context(), acp.SetSessionConfigOptionRequest{ValueId: &acp.SetSessionConfigOptionValueId{SessionId: id, ConfigId: "model", Value: "acme/small"}})
	if err != nil || r.ConfigOptions[0].Select.CurrentValue != "acme/small" {
		t.Fatalf("%+v, %v", r, err)
	}
	var offered []string
	for _, o := range *r.ConfigOptions[0].Select.Options.Ungrouped {
		offered = append(offered, string(o.Value))
	}
	if !slices.Contains(offered, "acme/large") || !slices.Contains(offered, "acme/small") {
		t.Errorf("the models to choose from are %q", offered)
	}
	w.prompt(id, acp.StopReasonEndTurn, acp.TextBlock("/model acme/large"))
	if got, want := w.ed.settings(), []string{"mode acceptEdits", "ran", "model acme/large", "model acme/large"}; !slices.Equal(got, want) {
		t.Errorf("the editor was told %q, want %q", got, want)
	}
}
