package pi

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/internal/oracle"
)

// speech is what one program calls the things that a person does over rpc.
type speech interface {
	// request is the line for a step; ids are those of the messages so far, by number.
	request(s step, c *conversation) (object, error)
	// busy reads an answer to get_state.
	busy(state line) bool
	// dialog returns the answer to a line that asks, nil where it asks nothing.
	dialog(l line, answer any) object
	// end is the line before the input ends, if there is one.
	end() object
}

// line is a line of a program, and what of it is read.
type line struct {
	Type, ID, Method, Title string
	Options, Choices        []string
	Data                    struct {
		IsStreaming, IsCompacting, Idle bool
		SessionFile                     string
		Session                         string `json:"session_file"`
		Messages                        []struct{ EntryID string }
	}
}

// conversation is what is known of a program that is being spoken with.
type conversation struct {
	speech  speech
	room    *oracle.Room
	in      io.Writer
	answers []any
	old     string // the session that was remembered

	mu     sync.Mutex
	latest time.Time
	reply  map[string]line
	ended  bool
	asked  int
}

// quiet is how long nothing must come from an idle program before the next step.
const quiet = 300 * time.Millisecond

// talk plays the steps of a cell.
func talk(c *Cell, s speech) func(*oracle.Room, *oracle.Case, io.WriteCloser, io.Reader) error {
	return func(r *oracle.Room, _ *oracle.Case, in io.WriteCloser, out io.Reader) error {
		defer in.Close()
		t := &conversation{speech: s, room: r, in: in, answers: c.answers, reply: map[string]line{}, latest: time.Now()}
		go t.read(out)
		if _, err := t.ask(object{"type": "get_state"}); err != nil {
			return nil // it ended before it could be spoken to, as its exit says
		}
		for _, s := range c.steps {
			if err := t.do(s); err != nil {
				if errors.Is(err, io.EOF) {
					return nil
				}
				return fmt.Errorf("step %s %s: %w", s.do, s.text, err)
			}
		}
		if l := s.end(); l != nil {
			t.send(l)
		}
		in.Close()
		t.wait(func() bool { return t.ended })
		return nil
	}
}

// read takes the lines that a program writes, and answers its dialogs.
func (t *conversation) read(out io.Reader) {
	r := bufio.NewReader(out)
	for {
		raw, err := r.ReadBytes('\n')
		var l line
		if json.Unmarshal(raw, &l) == nil {
			t.mu.Lock()
			if !strings.HasPrefix(l.ID, "state-") {
				t.latest = time.Now()
			}
			if l.Type == "response" {
				t.reply[l.ID] = l
			}
			var answer any
			if len(t.answers) > 0 {
				answer = t.answers[0]
			}
			reply := t.speech.dialog(l, answer)
			if reply != nil && len(t.answers) > 0 {
				t.answers = t.answers[1:]
			}
			t.mu.Unlock()
			if reply != nil && answer != hang {
				t.send(reply)
			}
		}
		if err != nil {
			t.mu.Lock()
			t.ended = true
			t.mu.Unlock()
			return
		}
	}
}

// hang is the answer that never comes.
const hang = "(no answer)"

func (t *conversation) send(v object) {
	raw, _ := json.Marshal(v)
	_, _ = t.in.Write(append(raw, '\n')) // what has ended says so by its output
}

// wait waits until a condition holds, which is looked at with the lock held.
func (t *conversation) wait(ready func() bool) {
	for end := time.Now().Add(oracle.Limit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		t.mu.Lock()
		done := ready()
		t.mu.Unlock()
		if done {
			return
		}
	}
}

// put sends a request and returns its id.
func (t *conversation) put(kind string, req object) string {
	t.mu.Lock()
	t.asked++
	id := fmt.Sprintf("%s-%d", kind, t.asked)
	t.mu.Unlock()
	req["id"] = id
	t.send(req)
	return id
}

// ask sends a request and waits for its answer.
func (t *conversation) ask(req object) (line, error) {
	kind := "step"
	if req["type"] == "get_state" {
		kind = "state"
	}
	id := t.put(kind, req)
	var l line
	ok := false
	t.wait(func() bool {
		l, ok = t.reply[id]
		return ok || t.ended
	})
	if !ok {
		return l, io.EOF
	}
	return l, nil
}

// idle waits until the program has nothing to do and has been silent for a moment.
func (t *conversation) idle() error {
	for end := time.Now().Add(oracle.Limit); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		t.mu.Lock()
		silent := time.Since(t.latest) >= quiet
		t.mu.Unlock()
		if !silent {
			continue
		}
		state, err := t.ask(object{"type": "get_state"})
		if err != nil {
			return err
		}
		if !t.speech.busy(state) {
			return nil
		}
	}
	return errors.New("it does not become idle")
}

// do plays one step.
func (t *conversation) do(s step) error {
	switch s.do {
	case "await": // a line in the modules' log
		t.wait(func() bool {
			raw, err := os.ReadFile(filepath.Join(t.room.Dir, "log.jsonl"))
			return t.ended || err == nil && strings.Contains(string(raw), s.text)
		})
		return nil
	case "remember":
		state, err := t.ask(object{"type": "get_state"})
		t.old = state.Data.SessionFile + state.Data.Session
		return err
	}
	req, err := t.speech.request(s, t)
	if err != nil {
		return err
	}
	if s.do == "start" || s.do == "steer" || s.do == "follow" {
		t.put("step", req)
		return nil
	}
	if _, err := t.ask(req); err != nil {
		return err
	}
	return t.idle()
}
