package claude

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/internal/oracle"
)

// terminal is the front end of a person at a terminal.
const terminal = "pty"

// keysOf are the keys of the steps that answer or press something.
var keysOf = map[string]string{"enter": "\r", "esc": "\x1b", "down": "\x1b[B", "ctrl-c": "\x03", "ctrl-d": "\x04", "ctrl-d-twice": "\x04\x04"}

// still is how long nothing must be drawn, asked or heard before a person goes on: both
// programs draw while they work, and a question that follows what was typed at once waits.
const still = 1500 * time.Millisecond

// long is how long a person waits who is asked something: a question may move on the screen.
const long = 7500 * time.Millisecond

// person is who sits at a terminal.
type person struct {
	room *oracle.Room
	keys io.Writer

	mu    sync.Mutex
	drawn time.Time // when something was drawn last
	ended bool
}

// sitAt plays the steps of a case: say types a text and sends it, type only types it, wait does
// nothing, and the others press a key. Each waits until something has come of it, or, where
// Until is nothing, until it was taken, and until the program is still again.
func sitAt(r *oracle.Room, c *oracle.Case, in io.WriteCloser, out io.Reader) error {
	p := &person{room: r, keys: in}
	go p.watch(out)
	begun := func() bool { return r.Ran("") > 0 }
	if hooks, _ := c.Settings["hooks"].(object); hooks["SessionStart"] == nil { // nobody says when
		begun = func() bool { return !p.drawn.IsZero() }
	}
	r.Await(0, oracle.Step{Do: "start"}, p.onceStill(begun))
	for i, s := range append(c.Steps, oracle.Step{Do: "say", Text: "/exit", Until: gone}) {
		if s.Only != "" && s.Only != r.Program {
			continue
		}
		if err := p.do(i+1, s); err != nil {
			return fmt.Errorf("step %s %s: %w", s.Do, s.Text, err)
		}
	}
	return nil
}

// gone is what the step that ends the program waits for, nothing what one does of which
// neither hooks nor the model hear.
const gone, nothing = "(end)", "(nothing)"

// watch notes that the program draws, and its end.
func (p *person) watch(out io.Reader) {
	buf := make([]byte, 1<<14)
	for {
		n, err := out.Read(buf)
		p.mu.Lock()
		if n > 0 {
			p.drawn = time.Now()
		}
		p.ended = p.ended || err != nil
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// onceStill is when a condition holds and the program has been still since, or has ended.
func (p *person) onceStill(holds func() bool) func() bool {
	happened, since := -1, time.Now()
	return func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		if n := p.happened(); n != happened {
			happened, since = n, time.Now()
		}
		return p.ended || holds() && time.Since(since) > still && (time.Since(p.drawn) > still || time.Since(since) > long)
	}
}

// happened counts what the program has asked the model and its hooks.
func (p *person) happened() int { return p.room.Ran("") + len(p.room.Model.Requests()) }

// do plays a step. The text is there before it is sent: what comes with it is a paste.
func (p *person) do(number int, s oracle.Step) error {
	p.mu.Lock()
	ended := p.ended
	p.mu.Unlock()
	if ended {
		return nil
	}
	keys, isKey := keysOf[s.Do]
	if s.Do == "wait" {
		p.room.Await(number, s, p.onceStill(p.room.RunsAgain(s.Until)))
		return nil
	}
	if !isKey {
		if _, err := io.WriteString(p.keys, s.Text); err != nil {
			return err
		}
		p.room.Await(number, s, p.onceStill(func() bool { return true }))
		keys = "\r"
	}
	if s.Do == "type" {
		return nil
	}
	before := p.happened()
	done := p.onceStill(func() bool { return p.happened() > before })
	switch {
	case s.Until == gone:
		done = func() bool { p.mu.Lock(); defer p.mu.Unlock(); return p.ended }
	case s.Until == nothing:
		done = p.onceStill(func() bool { return true })
	case s.Until != "":
		done = p.onceStill(p.room.RunsAgain(s.Until))
	}
	if _, err := io.WriteString(p.keys, keys); err != nil {
		return err
	}
	p.room.Await(number, s, done)
	return nil
}

// atTerminal is the file that says that the person has used the program before and trusts the
// project.
func atTerminal(r *oracle.Room) object {
	return object{
		"hasCompletedOnboarding": true, "lastOnboardingVersion": Version, "theme": "dark",
		"customApiKeyResponses": object{"approved": []string{"dummy"}, "rejected": []string{}},
		"projects":              object{r.Project: object{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true, "allowedTools": []string{}}},
	}
}
