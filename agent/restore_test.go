package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

// twoModels resolves "other", and nothing else.
func twoModels(other model.Provider) func(string) (model.Provider, string, error) {
	return func(name string) (model.Provider, string, error) {
		if name != "house/other" {
			return nil, "", errors.New("no such model")
		}
		return other, "other", nil
	}
}

// left is the file of a session that was left with a title and another model.
func left(t *testing.T, requested string) string {
	t.Helper()
	s, err := session.Create(t.TempDir(), session.Options{Cwd: t.TempDir(), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = s.Append(session.Entry{Type: session.ModelChange, ModelID: "other", RequestedModel: requested}); err == nil {
		err = s.SetTitle("A fine name")
	}
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return s.Path()
}

func TestResumedModelAndTitle(t *testing.T) {
	path := left(t, "house/other")
	for _, keep := range []bool{false, true} {
		s, err := session.Open(path, session.Options{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		person := &ui.Recorder{}
		b := newBench(t, talk, func(_ *bench, cfg *agent.Config) {
			cfg.Session, cfg.Source, cfg.Resolve, cfg.KeepModel, cfg.UI = s, "resume", twoModels(scripted(t, "turns: [{text: the other}]")), keep, person
		})
		noteJSON(b, hook.EventPostModelSwitch, hook.EventSessionStart)
		res := b.prompt("hello")
		if err := b.a.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(b.noted(), "\n")
		expect(t, got, `"session_title":"A fine name"`)
		var titles []string
		for _, c := range person.Calls() {
			if c.Method == "SetTitle" {
				titles = append(titles, c.Title)
			}
		}
		if !slices.Equal(titles, []string{"A fine name"}) {
			t.Errorf("the person saw %q", titles)
		}
		if keep {
			if res.Text != "answer" || b.a.Model() != "script" || strings.Contains(got, "PostModelSwitch") {
				t.Errorf("%q by %s; %s", res.Text, b.a.Model(), got)
			}
			continue
		}
		if res.Text != "the other" || b.a.Model() != "other" {
			t.Errorf("%q by %s", res.Text, b.a.Model())
		}
		expect(t, got, `PostModelSwitch {`, `"from_model":"script","prompt_cache_warm":false,"requested_model":"house/other","source":"resume","to_model":"other"}`, `SessionStart {"model":"other"`)
	}
}

func TestResumedModelIsGone(t *testing.T) {
	s, err := session.Open(left(t, "house/gone"), session.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, talk, func(_ *bench, cfg *agent.Config) {
		cfg.Session, cfg.Source, cfg.Resolve = s, "resume", twoModels(nil)
	})
	if res := b.prompt("hello"); res.Text != "answer" {
		t.Errorf("%q", res.Text)
	}
	var shown []string
	for _, ev := range b.shownEvents() {
		shown = append(shown, ev.Text)
	}
	expect(t, strings.Join(shown, "\n"), "The session's model, house/gone, can't be had; script goes on: no such model")
}

// Sessions of one agent: each has the model and the title that it was left with; a
// new one and a branch go on with the model.
func TestModelsOfSessions(t *testing.T) {
	b := newBench(t, talk, withFiles, func(_ *bench, cfg *agent.Config) { cfg.Resolve = twoModels(scripted(t, talk)) })
	b.prompt("one")
	first := b.a.Session()
	b.a.SetTitle("The first")
	is := func(where, model, title string) {
		t.Helper()
		if b.a.Model() != model || b.a.Title() != title {
			t.Errorf("%s: model %q, title %q, want %q and %q", where, b.a.Model(), b.a.Title(), model, title)
		}
	}
	do := func(cancelled bool, err error) {
		t.Helper()
		if cancelled || err != nil {
			t.Fatal(cancelled, err)
		}
	}
	do(b.a.NewSession(t.Context(), agent.NewSessionOptions{}))
	is("a new session", "script", "")
	if why, err := b.a.SetModel(t.Context(), "house/other", "command"); why != "" || err != nil {
		t.Fatal(why, err)
	}
	b.a.SetTitle("The second")
	second := b.a.Session()
	do(b.a.NewSession(t.Context(), agent.NewSessionOptions{}))
	is("a new session with another model", "other", "")
	third := b.a.Session()
	do(b.a.Resume(t.Context(), first.Path()))
	is("the first again", "script", "The first")
	do(b.a.Resume(t.Context(), second.Path()))
	is("the second again", "other", "The second")
	do(b.a.Resume(t.Context(), first.Path()))
	if _, err := b.a.SetModel(t.Context(), "house/other", "command"); err != nil {
		t.Fatal(err)
	}
	var prompted string
	for e := range b.a.Session().Entries() {
		if e.Type == session.Message && prompted == "" {
			prompted = e.ID
		}
	}
	do(b.a.Branch(t.Context(), prompted)) // before the change
	is("the branch", "other", "The first")
	branch := b.a.Session()
	do(b.a.Resume(t.Context(), third.Path()))
	is("the third again", "other", "")
	do(b.a.Resume(t.Context(), branch.Path()))
	is("the branch again", "other", "The first")
}

// A session that a module fills has the model that the module puts into it.
func TestModelOfASetUpSession(t *testing.T) {
	b := newBench(t, talk, withFiles, func(_ *bench, cfg *agent.Config) { cfg.Resolve = twoModels(scripted(t, talk)) })
	_, err := b.a.NewSession(t.Context(), agent.NewSessionOptions{Setup: func(s *session.Session) error {
		_, err := s.Append(session.Entry{Type: session.ModelChange, Provider: "house", ModelID: "other"})
		return err
	}})
	if err != nil || b.a.Model() != "other" {
		t.Errorf("model %q, %v", b.a.Model(), err)
	}
}

// TestSizeOfAResumedSession: the last answer says it, unless something came after it.
func TestSizeOfAResumedSession(t *testing.T) {
	answer := `{"role":"assistant","content":"done","usage":{"input_tokens":150000,"output_tokens":30000}}`
	for _, c := range []struct {
		after []session.Entry
		whole bool
	}{
		{nil, true},
		{[]session.Entry{{Type: session.Message, Message: jsontext.Value(`{"role":"user","content":"and now?"}`)}}, false},
		{[]session.Entry{{Type: session.Compaction, Summary: "all is done"}}, false},
		{[]session.Entry{{Type: session.CustomMessage, CustomType: "note", Content: jsontext.Value(`"look"`)}}, false},
	} {
		s, err := session.Create(t.TempDir(), session.Options{Cwd: t.TempDir(), NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		first := []session.Entry{{Type: session.Message, Message: jsontext.Value(`{"role":"user","content":"go"}`)}, {Type: session.Message, Message: jsontext.Value(answer)}}
		for _, e := range append(first, c.after...) {
			if _, err = s.Append(e); err != nil {
				t.Fatal(err)
			}
		}
		b := newBench(t, talk, func(_ *bench, cfg *agent.Config) { cfg.Session, cfg.Source = s, "resume" })
		var tokens int64
		hook.On(b.reg, func(_ context.Context, in *hook.SessionStart) (hook.Result, error) {
			tokens = in.ContextTokens
			return hook.None(), nil
		})
		b.prompt("hello")
		if (tokens == 180_000) != c.whole {
			t.Errorf("after %+v: %d tokens", c.after, tokens)
		}
	}
}
