package oracle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/creack/pty"
)

// patience is how long a step may take that waits for something.
const patience = 25 * time.Second

// Keep notes what a program was asked over its protocol as if a hook of that name had
// received it, and returns what is to be said to it.
func (r *Room) Keep(name string, payload json.RawMessage) (Answer, error) {
	return Heard{Hook: name, Payload: payload, Dir: r.Project}.keep(r.Dir)
}

// Ran is how often the recording hooks have run so far, the one of that name or, for "", all.
func (r *Room) Ran(name string) int {
	heard, err := readHeard(r.Dir)
	if err != nil {
		return 0 // a line that is being written
	}
	n := 0
	for _, h := range heard {
		if name == "" || h.Hook == name {
			n++
		}
	}
	return n
}

// RunsAgain is when a recording hook of that name has run once more than it has by now.
func (r *Room) RunsAgain(name string) func() bool {
	before := r.Ran(name)
	return func() bool { return r.Ran(name) > before }
}

// Await waits until a step is done. One that is not in time is noted by its number and what it
// does, and what follows happens all the same.
func (r *Room) Await(number int, s Step, done func() bool) {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if done() {
			return
		}
	}
	r.missed = append(r.missed, strings.TrimSpace(fmt.Sprintf("%d:%s %s until %s", number, s.Do, s.Text, or(s.Until, "something comes of it"))))
}

// onTerminal runs the program on a terminal and speaks with it there. What it draws is kept in
// the room.
func (r *Room) onTerminal(cmd *exec.Cmd, p Program, c *Case) error {
	cmd.Stderr = nil // is the terminal too
	cmd.Env = append(cmd.Env, "TERM=xterm-256color")
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 150})
	if err != nil {
		return fmt.Errorf("starting it on a terminal: %w", err)
	}
	var drawn bytes.Buffer
	missed, talk := len(r.missed), p.Talk
	p.Talk = func(r *Room, c *Case, in io.WriteCloser, out io.Reader) error {
		err := talk(r, c, in, out)
		if len(r.missed) > missed { // it may not have been told to end
			err = errors.Join(err, cmd.Process.Kill())
		}
		return err
	}
	err = r.speak(cmd, p, c, terminal, io.TeeReader(ending{terminal}, &drawn))
	if kept := writeFile(filepath.Join(r.Dir, "terminal.txt"), drawn.Bytes()); err == nil {
		err = kept
	}
	return err
}

// ending reads a terminal, of which the end is an error.
type ending struct{ io.Reader }

func (e ending) Read(p []byte) (int, error) {
	n, err := e.Reader.Read(p)
	if err != nil {
		err = io.EOF
	}
	return n, err
}
