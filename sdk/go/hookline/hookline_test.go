package hookline_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/sdk/go/hookline"
)

// A worker reads calls and writes answers.
func ExampleWorker_Serve() {
	w := &hookline.Worker{Name: "guard", Concurrency: 1}
	w.On("PreToolUse", hookline.Match("Bash"), func(_ *hookline.Context, e hookline.Event) hookline.Result {
		if strings.Contains(e.Input("command"), "rm -rf") {
			return hookline.Deny("that deletes too much")
		}
		return hookline.None()
	})
	calls := `{"type":"call","id":2,"hook":0,"input":{"tool_name":"Bash","tool_input":{"command":"rm -rf /"}}}` + "\n"
	s := serve(w)
	fmt.Println(s.next())
	s.send(calls)
	fmt.Println(s.next())
	if err := s.end(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"concurrency":1,"hooks":[{"event":"PreToolUse","matcher":"Bash"}],"name":"guard","protocol":1,"type":"hello","version":""}
	// {"type":"result","id":2,"decision":"deny","reason":"that deletes too much"}
}

// session is a host's side of a worker.
type session struct {
	in    *io.PipeWriter
	lines *bufio.Scanner
	done  chan error
}

func serve(w *hookline.Worker) *session {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	s := &session{in: inW, lines: bufio.NewScanner(outR), done: make(chan error, 1)}
	go func() {
		s.done <- w.Serve(inR, outW)
		outW.Close()
	}()
	return s
}

func (s *session) send(text string) {
	if _, err := io.WriteString(s.in, text); err != nil {
		panic(err)
	}
}

func (s *session) next() string {
	s.lines.Scan()
	return s.lines.Text()
}

func (s *session) end() error {
	s.in.Close()
	return <-s.done
}

func TestServe(t *testing.T) {
	w := &hookline.Worker{}
	w.On("Stop", hookline.Options{Timeout: -1, Observe: true}, func(ctx *hookline.Context, e hookline.Event) hookline.Result {
		switch e.SessionID {
		case "more":
			return hookline.Result{Context: []string{"<&>"}, More: map[string]any{"session_title": "t"}}
		case "bad":
			return hookline.Result{UpdatedInput: func() {}}
		case "bad more":
			return hookline.Result{More: map[string]any{"x": func() {}}}
		case "fail":
			return hookline.Fail(errors.New("broken"))
		case "panic":
			panic("oh")
		case "late":
			return hookline.Background(time.Second, func() hookline.Result {
				return hookline.Background(0, hookline.None)
			})
		case "wait":
			<-ctx.Done()
			return hookline.Fail(ctx.Err())
		case "confirm":
			yes, err := ctx.Confirm("t", "m")
			return hookline.AddContext(fmt.Sprint(yes, err))
		}
		return hookline.None()
	})
	s := serve(w)
	if got := s.next(); !strings.Contains(got, `"hooks":[{"event":"Stop","observe":true,"timeout_ms":0}]`) {
		t.Errorf("hello %s", got)
	}
	for _, tc := range []struct{ session, want string }{
		{"none", `{"type":"result","id":7}`},
		{"more", `{"type":"result","id":7,"context":["<&>"],"session_title":"t"}`},
		{"bad", `{"id":7,"message":"encode the answer: json: unsupported type: func()","type":"error"}`},
		{"bad more", `{"type":"result","id":7,"unencodable":"json: unsupported type: func()"}`},
		{"fail", `{"id":7,"message":"broken","type":"error"}`},
		{"panic", `{"id":7,"message":"panic: oh","type":"error"}`},
	} {
		s.send(`{"type":"call","id":7,"hook":0,"input":{"session_id":"` + tc.session + `"}}` + "\n")
		if got := s.next(); got != tc.want {
			t.Errorf("%s: %s", tc.session, got)
		}
	}
	s.send(`{"type":"call","id":8,"hook":0,"input":{"session_id":"late"}}` + "\n")
	if got := s.next() + s.next(); got != `{"async":true,"async_timeout_ms":1000,"id":8,"type":"result"}{"id":8,"message":"it cannot go to the background twice","type":"error"}` {
		t.Errorf("late: %s", got)
	}
	s.send(`{"type":"call","id":9,"hook":4,"input":{}}` + "\n")
	if got := s.next(); !strings.Contains(got, "there is no hook 4") {
		t.Errorf("a hook that there is not: %s", got)
	}
	s.send(`{"type":"call","id":10,"hook":0,"input":{"session_id":"wait"}}` + "\n" + `{"type":"cancel","id":10,"reason":"late"}` + "\n")
	if got := s.next(); !strings.Contains(got, `"type":"error"`) {
		t.Errorf("cancel: %s", got)
	}
	s.send(`{"type":"call","id":11,"hook":0,"input":{"session_id":"confirm"}}` + "\n")
	if got := s.next(); got != `{"call":11,"id":1,"method":"ui.confirm","params":{"message":"m","title":"t"},"type":"request"}` {
		t.Errorf("request %s", got)
	}
	s.send(`{"type":"reply","id":1,"value":true}` + "\n")
	if got := s.next(); got != `{"type":"result","id":11,"context":["true <nil>"]}` {
		t.Errorf("after the reply: %s", got)
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

func TestServeBrokenHost(t *testing.T) {
	s := serve(&hookline.Worker{})
	s.next()
	s.send("no message\n")
	if err := <-s.done; err == nil || !strings.Contains(err.Error(), "read a message of the host") {
		t.Errorf("error %v", err)
	}
	s = serve(&hookline.Worker{})
	s.next()
	s.send(`{"type":"shutdown"}` + "\n")
	if err := <-s.done; err != nil {
		t.Error(err)
	}
}
