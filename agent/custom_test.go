package agent_test

import (
	"context"
	"slices"
	"testing"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
)

// TestHooksTellCustomMessagesFromThePersons leaves a message of a hook's own kind out
// of a call by its customType, fresh and after the session was read again.
func TestHooksTellCustomMessagesFromThePersons(t *testing.T) {
	b := newBench(t, "turns: [{text: one}, {text: two}, {text: three}]")
	keep := true
	var seen []string
	hook.On(b.reg, func(_ context.Context, in *hook.Context) (hook.Result, error) {
		seen = nil
		kept := slices.DeleteFunc(slices.Clone(in.Messages), func(m hook.Message) bool {
			extra := hook.RawJSON(m.Extra)
			seen = append(seen, m.Role+" "+extra.String("customType"))
			return extra.String("customType") == "debug-only"
		})
		if keep {
			return hook.None(), nil
		}
		return hook.Result{Messages: kept}, nil
	})
	b.a.QueueCustom(agent.CustomMessage{CustomType: "debug-only", Content: []byte(`"trace"`), Details: []byte(`{"n":1}`)}, agent.NextTurn)
	b.prompt("first")
	expect(t, b.model.texts()[0], "user: trace", "user: first")
	if !slices.Contains(seen, "custom debug-only") || !slices.Contains(seen, "user ") {
		t.Errorf("hooks saw %q", seen)
	}
	keep = false
	b.prompt("second")
	expect(t, b.model.texts()[1], "!trace", "user: first", "user: second")

	// A hook that rewrites the conversation keeps the kind of what it puts back.
	live := b.a.Live()
	if err := live.SetMessages(append([]hook.Message{hook.UserMessage("put before")}, live.Messages()...)); err != nil {
		t.Fatal(err)
	}
	entries, err := b.a.Session().BranchEntries("")
	if err != nil || !slices.ContainsFunc(entries, func(e session.Entry) bool {
		return e.Type == session.CustomMessage && e.CustomType == "debug-only" && string(e.Details) == `{"n":1}`
	}) {
		t.Errorf("entries %+v, %v", entries, err)
	}
	b.prompt("third")
	expect(t, b.model.texts()[2], "!trace", "user: put before", "user: third")
}
