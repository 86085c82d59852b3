package tui

import (
	"math/rand/v2"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/ui"
)

// TestNoAnswerByAccident types at random while questions open at random times: whatever
// allows a call was typed for the question, after it had been on the screen for a moment.
func TestNoAnswerByAccident(t *testing.T) {
	keys := []tea.Key{
		{Code: '1', Text: "1"},
		{Code: '2', Text: "2"},
		{Code: 'y', Text: "y"},
		{Code: tea.KeyEnter},
		{Code: tea.KeyTab},
		{Code: tea.KeyUp},
		{Code: 'x', Text: "x"},
		{Code: tea.KeySpace, Text: " "},
	}
	allowed, refused := 0, 0
	for seed := range uint64(1000) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		clk := &clock{now: time.Unix(1_000_000, 0)}
		a := New(Config{Width: 80, Height: 24, Now: clk.Now})
		m := newScreen(a, nil)
		d := newPermit(ui.Permission{Tool: "Bash", Input: jsontext.Value(`{"command":"rm x"}`), Suggestions: []jsontext.Value{jsontext.Value(`{"type":"addRules","rules":[{"toolName":"Bash"}]}`)}})
		q := &question{dialog: d, over: make(chan struct{})}
		at := rnd.IntN(8)
		var drawnAt, lastRefused time.Time
		for i := range 25 {
			clk.advance(time.Duration(rnd.IntN(300)) * time.Millisecond)
			if i == at {
				m.asked(q)
			}
			if rnd.IntN(2) == 0 { // a frame
				m.View()
				if a.viewed == q && drawnAt.IsZero() {
					drawnAt = clk.Now()
					q.wasDrawn(drawnAt)
				}
			}
			if d.answer.Allow {
				break
			}
			k := keys[rnd.IntN(len(keys))]
			if rnd.IntN(12) == 0 {
				clk.advance(2 * time.Second) // the person stops for a while
			}
			open := len(m.questions) > 0 && m.questions[0].open
			m.Update(tea.KeyPressMsg(k))
			now := clk.Now()
			early := drawnAt.IsZero() || now.Sub(drawnAt) < 400*time.Millisecond || now.Sub(lastRefused) < 400*time.Millisecond
			switch {
			case d.answer.Allow && (!open && drawnAt.IsZero() || early):
				t.Fatalf("seed %d: %v allowed the call, drawn %v before", seed, k, now.Sub(drawnAt))
			case d.answer.Allow:
				allowed++
			case open && early:
				lastRefused = now
				refused++
			}
		}
	}
	if allowed < 100 || refused < 100 {
		t.Errorf("%d answers and %d keys that came too early say nothing", allowed, refused)
	}
}

// TestNothingButKeysAnswers sends what a terminal sends by itself.
func TestNothingButKeysAnswers(t *testing.T) {
	clk := &clock{now: time.Unix(1_000_000, 0)}
	a := New(Config{Width: 80, Height: 24, Now: clk.Now})
	m := newScreen(a, nil)
	d := newPermit(ui.Permission{Tool: "Bash", Input: jsontext.Value(`{"command":"rm x"}`)})
	m.asked(&question{dialog: d, over: make(chan struct{})})
	m.View()
	m.questions[0].wasDrawn(clk.Now())
	clk.advance(time.Hour)
	for _, msg := range []tea.Msg{
		tea.FocusMsg{},
		tea.BlurMsg{},
		tea.MouseClickMsg{Button: tea.MouseLeft},
		tea.MouseWheelMsg{},
		tea.PasteMsg{Content: "1\n"},
		tea.WindowSizeMsg{Width: 60, Height: 20},
		tea.KeyReleaseMsg{Code: tea.KeyEnter},
		tickMsg{},
	} {
		if m.Update(msg); len(m.questions) != 1 || d.answer.Allow {
			t.Errorf("%T is an answer", msg)
		}
	}
	if m.Update(tea.KeyPressMsg{Code: tea.KeyEnter}); !d.answer.Allow {
		t.Error("a key is none")
	}
}
