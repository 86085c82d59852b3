package host

import (
	"context"
	"fmt"
	"os"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/recording"
	"github.com/hookline-dev/hookline/internal/redact"
	"github.com/hookline-dev/hookline/ui"
)

// RecordedAgent is the agent of recordings of our own sessions.
const RecordedAgent = "hookline"

// recorded are the events that are recorded although no hook is for them; an event that
// some hook is for always is.
var recorded = []hook.Event{
	hook.EventSessionStart, hook.EventUserPromptSubmit, hook.EventPreToolUse, hook.EventPermissionRequest, hook.EventPostToolUse,
	hook.EventPostToolUseFailure, hook.EventStop, hook.EventSubagentStop, hook.EventSessionEnd,
}

// recorder records events with what hooks came to. Its Record may be called by several
// goroutines.
type recorder struct {
	store *recording.Store
	red   *redact.Redactor
	host  *Host
}

// record returns the option of an engine that records what it fires.
func (h *Host) record() (hook.EngineOption, error) {
	for _, ev := range recorded {
		_, err := h.Registry.Add(hook.Registration{
			Event: ev, Name: "recording", Observe: true, Handler: hook.HandlerFunc(func(context.Context, *hook.Call) (hook.Result, error) { return hook.None(), nil }),
		})
		if err != nil {
			return nil, fmt.Errorf("record %v: %w", ev, err)
		}
	}
	environ := h.opts.Environ
	if environ == nil {
		environ = os.Environ()
	}
	return hook.WithRecorder(&recorder{recording.In(h.Dirs.State), redact.New(environ), h}), nil
}

// Record puts an event on record as it was before hooks changed it. What cannot be
// recorded is said, and keeps nothing from happening.
func (r *recorder) Record(ctx context.Context, in hook.Input, out *hook.Outcome) {
	payload, err := hook.MarshalInput(in)
	raw := hook.RawJSON(payload)
	if err == nil && !out.OriginalInput.IsZero() {
		err = raw.Set("tool_input", out.OriginalInput)
	}
	if err == nil {
		base := in.Base()
		err = r.store.Add(context.WithoutCancel(ctx), r.red, recording.Entry{
			Agent: RecordedAgent, Event: in.Event().String(), Session: base.SessionID, Dir: base.CWD,
			Payload: []byte(raw.Raw()), Decision: out.Decision.String(), Reason: out.Reason,
		})
	}
	if err != nil {
		r.host.notify(ui.Warning, "%v", err)
	}
}
