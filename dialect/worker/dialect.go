package worker

import (
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/nearest"
)

// rank places the hooks of workers among those of other dialects.
const rank = 250

// Dialect is the dialect of workers, which speak the protocol of
// docs/worker-protocol.md. Its names are the canonical ones.
type Dialect struct{}

var (
	_ dialect.Dialect = Dialect{}
	_ dialect.Schemas = Dialect{}
)

// Name returns "worker".
func (Dialect) Name() string { return workerName }

// Summary says where workers live.
func (Dialect) Summary() string { return "executables in .hookline/workers that stay" }

// Groups returns one group, in which each hook sees the changes of those before it.
func (Dialect) Groups() []dialect.Group {
	return []dialect.Group{{Name: workerName, Flow: hook.Sequential, Rank: rank}}
}

// EventName returns the canonical name: workers have every event.
func (Dialect) EventName(ev hook.Event) string { return ev.String() }

// EventsOf returns the event of a canonical name.
func (Dialect) EventsOf(name string) []hook.Event {
	if ev, ok := hook.ParseEvent(name); ok {
		return []hook.Event{ev}
	}
	return nil
}

// EventNames returns the names of all events.
func (Dialect) EventNames() []string {
	var out []string
	for _, ev := range hook.Events() {
		out = append(out, ev.String())
	}
	return out
}

// Tools returns nil: workers have the canonical vocabulary.
func (Dialect) Tools() vocab.Vocabulary { return nil }

// Codec returns the codec of calls and results.
func (Dialect) Codec() dialect.Codec { return messageCodec{} }

// Recognise looks for a call.
func (Dialect) Recognise(payload hook.JSON) dialect.Recognition {
	switch {
	case payload.String("type") != "call" || !payload.Has("input"):
		return dialect.Foreign
	case Dialect{}.EventsOf(payload.String("event")) == nil:
		return dialect.Similar
	}
	return dialect.Own
}

// Places returns nothing: workers live in Hookline's own directories.
func (Dialect) Places() dialect.Places { return dialect.Places{} }

// Check finds programs that are older than their source.
func (Dialect) Check(own []dialect.Found, _ dialect.CheckEnv) []diag.Diagnostic {
	return dialect.StalePrograms(own)
}

// Schemas returns the schema of the protocol.
func (Dialect) Schemas() []dialect.Schema {
	return []dialect.Schema{{Name: workerName, About: "the messages between a host and a worker", Make: protocolSchema}}
}

// messageCodec translates calls and results, the messages that an event is about. Ids are those
// of a first call.
type messageCodec struct{}

var _ dialect.Codec = messageCodec{}

// EncodeInput returns the call of an event.
func (messageCodec) EncodeInput(call *hook.Call) ([]byte, error) {
	return worker.Lines{}.Call(worker.FirstCall, 0, worker.HookSpec{}, call, 0)
}

// DecodeResult reads a result.
func (messageCodec) DecodeResult(call *hook.Call, a handler.Answer) (hook.Result, []string, error) {
	m, err := worker.Lines{}.Parse(a.Stdout)
	if err != nil {
		return hook.Result{}, nil, hook.Failf(hook.FailureAnswer, "the answer cannot be read: %w", err)
	}
	if m.Kind != worker.KindResult {
		return hook.Result{}, nil, hook.Failf(hook.FailureAnswer, "the answer is not a result")
	}
	return worker.Lines{}.Result(call, worker.HookSpec{}, m.Body)
}

// DecodeInput reads a call.
func (messageCodec) DecodeInput(data []byte) (hook.Input, []string, error) {
	var m worker.CallMessage
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, nil, fmt.Errorf("decode call: %w", err)
	}
	ev, ok := hook.ParseEvent(m.Event)
	if !ok {
		return nil, nil, fmt.Errorf("decode call: %w", nearest.Event(m.Event))
	}
	in, err := hook.UnmarshalInput(ev, m.Input)
	return in, nil, err
}

// EncodeOutcome returns a result.
func (messageCodec) EncodeOutcome(in hook.Input, out *hook.Outcome) (handler.Answer, []string, error) {
	b, err := worker.EncodeResult(worker.FirstCall, out.Result())
	if err != nil {
		return handler.Answer{}, nil, fmt.Errorf("answer %v: %w", in.Event(), err)
	}
	return handler.Answer{Stdout: b}, nil, nil
}
