package agent_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

const talk = "turns:\n  - text: answer\n    repeat: -1\n"

func withFiles(b *bench, cfg *agent.Config) {
	dir := b.t.TempDir()
	s, err := session.Create(dir, session.Options{Cwd: cfg.Dir, NoSync: true})
	if err != nil {
		b.t.Fatal(err)
	}
	cfg.Session, cfg.SessionDir, cfg.SessionOptions.NoSync = s, dir, true
}

var sessionEvents = []hook.Event{
	hook.EventSessionStart, hook.EventSessionEnd, hook.EventSessionBeforeSwitch, hook.EventSessionSwitch, hook.EventSessionBeforeBranch, hook.EventSessionBranch,
	hook.EventSessionBeforeTree, hook.EventSessionTree, hook.EventPreCompact, hook.EventCompacting, hook.EventPostCompact,
	hook.EventAutoCompactionStart, hook.EventAutoCompactionEnd,
}

func names(events []string) []string {
	var out []string
	for _, e := range events {
		name, _, _ := strings.Cut(e, " ")
		out = append(out, name)
	}
	return out
}

// cancelOn cancels an operation, and checks that nothing has changed.
func cancelOn[T any, P interface {
	*T
	hook.Input
}](b *bench, op func() (bool, error)) {
	b.t.Helper()
	h := hook.On(b.reg, func(context.Context, P) (hook.Result, error) { return hook.Result{Cancel: true, Reason: "no"}, nil })
	before, leaf, n := b.a.Session(), b.a.Session().Leaf(), b.a.Session().Len()
	cancelled, err := op()
	if err != nil || !cancelled || b.a.Session() != before || before.Leaf() != leaf || before.Len() != n {
		b.t.Errorf("cancelled %v, %v; the session changed: %v", cancelled, err, b.a.Session() != before || before.Len() != n)
	}
	h.Remove()
}

func TestSwitchingSessions(t *testing.T) {
	b := newBench(t, talk, withFiles)
	b.prompt("one")
	first := b.a.Session().Path()
	cancelOn[hook.SessionBeforeSwitch](b, func() (bool, error) { return b.a.NewSession(t.Context(), agent.NewSessionOptions{}) })
	noteJSON(b, sessionEvents...)
	if cancelled, err := b.a.NewSession(t.Context(), agent.NewSessionOptions{Clear: true}); cancelled || err != nil {
		t.Fatal(cancelled, err)
	}
	if b.a.Session().Path() == first || b.a.Session().Len() != 0 {
		t.Error("the session is the same")
	}
	if cancelled, err := b.a.Resume(t.Context(), first); cancelled || err != nil {
		t.Fatal(cancelled, err)
	}
	if b.a.Session().Path() != first {
		t.Error("the session was not resumed")
	}
	got := b.noted()
	if want := []string{
		"SessionBeforeSwitch", "SessionEnd", "SessionSwitch", "SessionStart", "SessionBeforeSwitch", "SessionEnd", "SessionSwitch", "SessionStart",
	}; !slices.Equal(names(got), want) {
		t.Errorf("events %v", got)
	}
	expect(t, strings.Join(got, "\n"), `SessionEnd {"reason":"clear","target_session":"`, `SessionStart {"model":"script","previous_session":"`+first+`","source":"clear"}`,
		`SessionEnd {"reason":"resume","target_session":"`+first+`"}`, `"reason":"resume","target_session":"`+first,
		`SessionSwitch {"previous_session":"`+first+`","reason":"new"}`, `"source":"resume"`)
	b.prompt("two")
	expect(t, b.model.texts()[1], "user: one", "user: two")
	if _, err := b.a.Resume(t.Context(), first+"x"); err == nil || b.a.Session().Path() != first {
		t.Errorf("a session that is not there: %v", err)
	}
}

func TestResumeSaysWhatWasCutOff(t *testing.T) {
	person := ui.NewRecorder()
	b := newBench(t, talk, withFiles, withUI(person))
	b.prompt("one")
	first := b.a.Session().Path()
	if _, err := b.a.NewSession(t.Context(), agent.NewSessionOptions{}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(first)
	if err == nil {
		err = os.WriteFile(first, append(text, `{"ty`...), 0o600)
	}
	if err == nil {
		_, err = b.a.Resume(t.Context(), first)
	}
	if calls := person.Calls(); err != nil || len(calls) != 1 || !strings.Contains(calls[0].Text, "was cut off (4 bytes) and is dropped") {
		t.Errorf("%v, the person was told %+v", err, calls)
	}
}

func TestBranching(t *testing.T) {
	b := newBench(t, talk, withFiles)
	b.prompt("one")
	middle := b.a.Session().Leaf()
	b.prompt("two")
	first := b.a.Session().Path()
	cancelOn[hook.SessionBeforeBranch](b, func() (bool, error) { return b.a.Branch(t.Context(), middle) })
	noteJSON(b, sessionEvents...)
	if cancelled, err := b.a.Branch(t.Context(), middle); cancelled || err != nil {
		t.Fatal(cancelled, err)
	}
	if got := messages(t, b.a.Session()); len(got) != 2 || b.a.Session().Header().ParentSession != first {
		t.Errorf("the branch holds %v of %s", got, b.a.Session().Header().ParentSession)
	}
	expect(t, strings.Join(b.noted(), "\n"), `SessionBeforeBranch {"entry_id":"`+middle+`"}`, `SessionBranch {"previous_session":"`+first+`"}`)

	b.prompt("three")
	n := len(messages(t, b.a.Session()))
	hook.On(b.reg, func(context.Context, *hook.SessionBeforeBranch) (hook.Result, error) {
		return hook.Result{SkipConversationRestore: true}, nil
	})
	if _, err := b.a.Branch(t.Context(), middle); err != nil {
		t.Fatal(err)
	}
	if got := messages(t, b.a.Session()); len(got) != n {
		t.Errorf("the messages were rewound to %d of %d", len(got), n)
	}
}

func TestNavigating(t *testing.T) {
	b := newBench(t, talk)
	b.prompt("one")
	middle := b.a.Session().Leaf()
	b.prompt("two")
	leaf := b.a.Session().Leaf()
	cancelOn[hook.SessionBeforeTree](b, func() (bool, error) { return b.a.Navigate(t.Context(), middle, agent.NavigateOptions{}) })
	noteJSON(b, sessionEvents...)
	if _, err := b.a.Navigate(t.Context(), middle, agent.NavigateOptions{}); err != nil || b.a.Session().Leaf() != middle {
		t.Fatal(err)
	}
	got := strings.Join(b.noted(), "\n")
	expect(t, got, `"commonAncestorId":"`+middle+`"`, `"targetId":"`+middle+`"`, `"userWantsSummary":false`, `SessionTree {"new_leaf_id":"`+middle+`","old_leaf_id":"`+leaf+`"}`, `"text":"two"`)

	if _, err := b.a.Navigate(t.Context(), leaf, agent.NavigateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.a.Navigate(t.Context(), middle, agent.NavigateOptions{Summarise: true}); err != nil { // by the model
		t.Fatal(err)
	}
	expect(t, strings.Join(messages(t, b.a.Session()), "\n"), "Another line of the conversation", "answer")
	hook.On(b.reg, func(context.Context, *hook.SessionBeforeTree) (hook.Result, error) {
		return hook.Result{Summary: &hook.BranchSummary{Summary: "as the hook says"}}, nil
	})
	if _, err := b.a.Navigate(t.Context(), leaf, agent.NavigateOptions{Summarise: true}); err != nil {
		t.Fatal(err)
	}
	expect(t, strings.Join(messages(t, b.a.Session()), "\n"), "as the hook says")
	expect(t, strings.Join(b.noted(), "\n"), `"from_hook":true`)
	e, err := b.a.Session().Entry(b.a.Session().Leaf())
	if err != nil || !e.FromHook || e.Type != session.BranchSummary {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestManualCompaction(t *testing.T) {
	b := newBench(t, `
turns:
  - text: "answer one"
  - expect: {last_user: "(?s)answer one.*Keep in mind:\nthe colour.*in French"}
    text: "the summary"
  - text: "answer two"
`)
	if _, err := b.a.Compact(t.Context(), ""); !errors.Is(err, agent.ErrNothingToCompact) {
		t.Errorf("an empty conversation: %v", err)
	}
	b.prompt("question one")
	cancelOn[hook.PreCompact](b, func() (bool, error) {
		refused, err := b.a.Compact(t.Context(), "")
		return refused != "", err
	})
	noteJSON(b, sessionEvents...)
	hook.On(b.reg, func(context.Context, *hook.Compacting) (hook.Result, error) {
		return hook.Result{Compacting: &hook.CompactingAnswer{Context: []string{"the colour"}, PreserveData: hook.RawJSON(`{"n":1}`)}}, nil
	})
	hook.On(b.reg, func(_ context.Context, in *hook.SessionStart) (hook.Result, error) {
		return hook.AddContext("after " + in.Source), nil
	})
	if refused, err := b.a.Compact(t.Context(), "in French"); refused != "" || err != nil {
		t.Fatal(refused, err)
	}
	got := b.noted()
	if want := []string{"PreCompact", "Compacting", "SessionStart", "PostCompact"}; !slices.Equal(names(got), want) {
		t.Errorf("events %v", got)
	}
	all := strings.Join(got, "\n")
	expect(t, all, `"trigger":"manual"`, `"custom_instructions":"in French"`, `"messagesToSummarize":[{"content"`, `"compact_summary":"the summary"`, `"source":"compact"`, `"branch_entries":[`)
	e, err := b.a.Session().Entry(b.a.Session().Leaf())
	if err != nil || e.Type != session.Compaction || e.FromHook || e.TokensBefore == 0 || string(e.Details) != `{"preserveData":{"n":1}}` {
		t.Errorf("%+v, %v", e, err)
	}
	b.prompt("question two")
	expect(t, b.model.texts()[2], "the summary", "after compact", "!question one", "question two")
}

func TestASummaryIsHeardOfWhereItCountsAsASubagent(t *testing.T) {
	b := newBench(t, "turns: [{text: answer}, {text: the short of it}, {text: answer}]")
	b.prompt("question one")
	for _, summaries := range []bool{true, false} {
		heard := hook.HandlerFunc(func(_ context.Context, c *hook.Call) (hook.Result, error) {
			in := c.Input.(*hook.SubagentStop)
			b.note("%v: %s of %q, an id %v, one transcript %v", summaries, in.LastAssistantMessage, in.AgentType, in.AgentID != "", in.AgentTranscriptPath == in.TranscriptPath)
			return hook.Result{Decision: hook.DecisionDeny, Reason: "go on", Context: []string{"of the summary"}}, nil
		})
		if _, err := b.reg.Add(hook.Registration{Event: hook.EventSubagentStop, Name: "stop", Handler: heard, Summaries: summaries}); err != nil {
			t.Fatal(err)
		}
	}
	if refused, err := b.a.Compact(t.Context(), ""); refused != "" || err != nil {
		t.Fatal(refused, err)
	}
	if got, want := strings.Join(b.noted(), "|"), `true: the short of it of "", an id true, one transcript true`; got != want {
		t.Errorf("heard %q, want %q", got, want)
	}
	b.prompt("question two")
	expect(t, b.model.texts()[2], "the short of it", "!of the summary", "!go on")
}

// A hook that ends a compaction which the person asked for does not end the next prompt.
func TestWhatEndsACompactionDoesNotEndTheNextPrompt(t *testing.T) {
	for _, ev := range []hook.Event{hook.EventPreCompact, hook.EventSubagentStop, hook.EventPostCompact} {
		b := newBench(t, "turns: [{text: one}, {text: two}, {text: three}]")
		b.prompt("question one")
		end := hook.HandlerFunc(func(context.Context, *hook.Call) (hook.Result, error) {
			return hook.Result{Continue: hook.No, StopReason: "enough"}, nil
		})
		if _, err := b.reg.Add(hook.Registration{Event: ev, Name: "end", Handler: end, Summaries: true}); err != nil {
			t.Fatal(err)
		}
		if refused, err := b.a.Compact(t.Context(), ""); err != nil || (refused == "enough") != (ev == hook.EventPreCompact) {
			t.Errorf("%v: refused %q, %v", ev, refused, err)
		}
		if res := b.prompt("question two"); res.End != agent.EndDone {
			t.Errorf("%v: the next prompt ended with %q: %s", ev, res.End, res.Reason)
		}
	}
}

func TestSuppliedCompaction(t *testing.T) {
	b := newBench(t, talk)
	b.prompt("one")
	b.prompt("two")
	branch, err := b.a.Session().BranchEntries("")
	if err != nil {
		t.Fatal(err)
	}
	hook.On(b.reg, func(context.Context, *hook.PreCompact) (hook.Result, error) {
		return hook.Result{Compaction: &hook.Compaction{Summary: "as the hook says", FirstKeptEntryID: branch[2].ID, TokensBefore: 77}}, nil
	})
	noteJSON(b, hook.EventPostCompact, hook.EventCompacting)
	if _, err := b.a.Compact(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	expect(t, strings.Join(messages(t, b.a.Session()), "\n"), "as the hook says", "two", `!"one"`)
	e, err := b.a.Session().Entry(b.a.Session().Leaf())
	if err != nil || !e.FromHook || e.TokensBefore != 77 {
		t.Errorf("%+v, %v", e, err)
	}
	expect(t, strings.Join(b.noted(), "\n"), `"from_hook":true`, "!Compacting")
}

func TestAutomaticCompaction(t *testing.T) {
	b := newBench(t, `
turns:
  - text: "a long answer"
    usage: {input: 900, output: 10}
  - text: "the summary"
  - text: "fine"
`, func(_ *bench, cfg *agent.Config) { cfg.Window = 1000 })
	b.prompt("one")
	noteJSON(b, sessionEvents...)
	b.prompt("two")
	got := b.noted()
	if want := []string{"AutoCompactionStart", "PreCompact", "Compacting", "SessionStart", "PostCompact", "AutoCompactionEnd"}; !slices.Equal(names(got), want) {
		t.Errorf("events %v", got)
	}
	expect(t, strings.Join(got, "\n"), `AutoCompactionStart {"reason":"threshold"}`, `"trigger":"auto"`, `AutoCompactionEnd {"result":{"firstKeptEntryId"`)
	expect(t, b.model.texts()[2], "the summary", "user: two")
}

// Context that waits while the conversation is compacted is delivered with the call
// after it, and with none other.
func TestContextAcrossACompaction(t *testing.T) {
	b := newBench(t, `
turns:
  - text: "a long answer"
    usage: {input: 900, output: 10}
  - text: "the summary"
  - text: "fine"
  - text: "fine again"
`, func(_ *bench, cfg *agent.Config) { cfg.Window = 1000 })
	b.prompt("one")
	h := hook.On(b.reg, func(context.Context, *hook.UserPromptSubmit) (hook.Result, error) {
		return hook.AddContext("remember 4711"), nil
	})
	b.prompt("two")
	h.Remove()
	b.prompt("three")
	texts := b.model.texts()
	expect(t, texts[1], "!4711") // the summary is made without it
	expect(t, texts[2], "the summary", "remember 4711")
	expect(t, texts[3], "!4711")
}

// overflowing is a model for which the second prompt is too much, until there is a summary.
const overflowing = `
turns:
  - text: "answer"
  - error: {status: 400, type: invalid_request_error, message: "prompt is too long: 300000 tokens > 200000 maximum"}
  - text: "the summary"
  - text: "fine"
`

func TestCompactionAfterAnOverflow(t *testing.T) {
	b := newBench(t, overflowing)
	b.prompt("one")
	noteJSON(b, hook.EventAutoCompactionStart, hook.EventAutoCompactionEnd)
	if res := b.prompt("two"); res.Text != "fine" {
		t.Errorf("%+v", res)
	}
	expect(t, strings.Join(b.noted(), "\n"), `"reason":"overflow"`, `"will_retry":true`)
}

func TestSetModel(t *testing.T) {
	other := scripted(t, "turns: [{text: from the other}]")
	b := newBench(t, talk, func(_ *bench, cfg *agent.Config) {
		cfg.Resolve = resolveTo(other)
		cfg.CacheWrite = func(name string) (float64, bool) { return 1e6, name == "other" }
	})
	refuse := true
	hook.On(b.reg, func(_ context.Context, in *hook.PreModelSwitch) (hook.Result, error) {
		if in.Pricing != "catalog" || in.EstimatedCacheWriteUSD != float64(in.ContextTokens) || in.PromptCacheWarm != (in.ContextTokens > 0) || in.CacheTTL != "5m" {
			t.Errorf("%+v", in)
		}
		if refuse {
			return hook.Deny("stay with " + in.FromModel), nil
		}
		return hook.None(), nil
	})
	hook.On(b.reg, func(context.Context, *hook.PostModelSwitch) (hook.Result, error) {
		return hook.AddContext("you are new"), nil
	})
	if why, err := b.a.SetModel(t.Context(), "other", "command"); err != nil || why != "stay with script" || b.a.Model() != "script" {
		t.Errorf("%q, %v", why, err)
	}
	refuse = false
	b.prompt("first")
	if why, err := b.a.SetModel(t.Context(), "other", "command"); err != nil || why != "" || b.a.Model() != "the-other" {
		t.Errorf("%q, %v", why, err)
	}
	if res := b.prompt("go"); res.Text != "from the other" {
		t.Errorf("%+v", res)
	}
	expect(t, other.texts()[0], "you are new")
}
