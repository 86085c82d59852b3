package worker_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
)

func TestHello(t *testing.T) {
	w := start(t, spec("plain"))
	h := w.Hello()
	want := worker.HookSpec{Event: "PreToolUse", Matcher: "Bash", Guard: true, OnFailure: hook.FailClosed}
	if h.Name != "fake" || h.Concurrency != 4 || !slices.Equal(h.Hooks, []worker.HookSpec{want}) {
		t.Errorf("hello %+v", h)
	}
	if w.Name() != "fake" {
		t.Errorf("name %q", w.Name())
	}
}

func TestHelloOfNoUse(t *testing.T) {
	for mode, want := range map[string]string{
		"version":   "it speaks version 2 of the protocol, and this host 1",
		"unversed":  "version none",
		"early":     "a message before the hello",
		"extra":     `unknown object member name "hook"`,
		"duplicate": "duplicate object member name",
		"garbage":   "a line that is not a message",
		"policy":    `unknown on_failure "shut"`,
		"negative":  "concurrency -1 is negative",
		"silent":    "it said no hello within",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := spec(mode)
			if s.HelloTimeout = 20 * time.Second; mode == "silent" {
				s.HelloTimeout = 200 * time.Millisecond
			}
			w, err := worker.Start(t.Context(), s)
			if err == nil {
				w.Close()
				t.Fatal("it was started")
			}
			if _, ok := errors.AsType[*hook.Failure](err); !ok || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		})
	}
}

func TestStartErrors(t *testing.T) {
	if _, err := worker.Start(t.Context(), worker.Spec{Path: tempFile(t, "missing")}); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("a program that is not there: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := worker.Start(ctx, spec("silent")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a start that is given up: %v", err)
	}
}

// TestAnswers has the answers that a call can get.
func TestAnswers(t *testing.T) {
	w := start(t, spec("plain"))
	e := engine(t, w)
	for _, tc := range []struct {
		cmd      string
		decision hook.Decision
		fails    string // part of the failure
	}{
		{`answer`, hook.DecisionNone, ""},
		{`answer ,"decision":"none"`, hook.DecisionNone, ""},
		{`answer ,"decision":"allow"`, hook.DecisionAllow, ""},
		{`answer ,"decision":"ask","reason":"r"`, hook.DecisionAsk, ""},
		{`answer ,"decision":"deny","reason":"r"`, hook.DecisionDeny, ""},
		{`answer ,"updated_input":null,"reason":"x"`, hook.DecisionNone, ""},
		{`error it broke`, hook.DecisionDeny, "it broke"},
		{`answer ,"decision":"block"`, hook.DecisionDeny, `unknown decision "block"`},
		{`answer ,"Decision":"deny"`, hook.DecisionDeny, `unknown object member name "Decision"`},
		{`answer ,"decison":"deny"`, hook.DecisionDeny, `unknown object member name "decison"`},
		{`answer ,"decision":1`, hook.DecisionDeny, "its answer cannot be read"},
		{`answer ,"updated_input":"ls"`, hook.DecisionDeny, "updated_input is not a JSON object"},
		{`answer ,"note":"hi"`, hook.DecisionDeny, "unknown object member name"},
	} {
		out := fire(t, e, tc.cmd)
		err := out.Runs[0].Err
		if out.Decision != tc.decision || (err == nil) != (tc.fails == "") || err != nil && !strings.Contains(err.Error(), tc.fails) {
			t.Errorf("%s: decision %v, error %v", tc.cmd, out.Decision, err)
		}
	}
	if w.Starts() != 1 {
		t.Errorf("%d starts", w.Starts())
	}
}

// TestBrokenProtocol has what ends a process, and that the next call gets a new one.
func TestBrokenProtocol(t *testing.T) {
	for _, tc := range []struct{ cmd, want string }{
		{`line hello there`, "a line that is not a message"},
		{`line {"type":"result","id":`, "a line that is not a message"},
		{`line [1]`, "a line that is not a message"},
		{`line {"type":"result","id":ID,"id":ID}`, "duplicate object member name"},
		{`line {"type":"answer","id":ID}`, `unknown type "answer"`},
		{`line {"type":"result"}`, "it has no id"},
		{`line {"type":"result","id":4711}`, "an answer to call 4711, which has none to come"},
		{`line ` + plainHello, "a second hello"},
		{`line {"type":"progress","id":99,"text":"x"}`, "progress of call 99, which is over"},
		{`giant`, "a message is too large"},
		{`crash`, "exit code 3; the last line of its stderr: boom in the call"},
		{`half`, "exit code 4"},
		{`lines {"type":"result","id":ID,"async":true};{"type":"result","id":ID,"async":true}`, ""},
	} {
		t.Run(tc.cmd, func(t *testing.T) {
			t.Parallel()
			s := spec("plain")
			s.MaxMessage = 100_000
			w := start(t, s)
			e := engine(t, w)
			out := fire(t, e, tc.cmd)
			if tc.want != "" && (out.Decision != hook.DecisionDeny || out.Runs[0].Err == nil || !strings.Contains(out.Runs[0].Err.Error(), tc.want)) {
				t.Errorf("decision %v, error %v", out.Decision, out.Runs[0].Err)
			}
			eventually(t, "the second start", func() bool { return fire(t, e, "answer").Runs[0].Err == nil && w.Starts() == 2 })
		})
	}
}

// TestDoubleAnswer: the first answer counts, and a worker that answers twice is not
// believed any further.
func TestDoubleAnswer(t *testing.T) {
	l := &logs{}
	s := spec("plain")
	s.OnLog = l.add
	w := start(t, s)
	e := engine(t, w)
	out := fire(t, e, `lines {"type":"result","id":ID,"decision":"deny","reason":"first"};{"type":"result","id":ID,"decision":"allow"}`)
	if out.Decision != hook.DecisionDeny || out.Reason != "first" {
		t.Errorf("decision %v, reason %q", out.Decision, out.Reason)
	}
	eventually(t, "the fault", func() bool { return l.has("which has none to come") })
	if out := fire(t, e, "answer"); out.Runs[0].Err != nil || w.Starts() != 2 {
		t.Errorf("error %v, %d starts", out.Runs[0].Err, w.Starts())
	}
}

func TestOutOfOrder(t *testing.T) {
	w := start(t, spec("plain"))
	e := engine(t, w)
	got := make(chan string, 2)
	for _, cmd := range []string{"hold a", "hold b"} {
		go func() {
			out, err := e.Fire(context.Background(), bash(cmd))
			if err != nil || !slices.Equal(out.Context, []string{cmd}) {
				got <- cmd + " got " + strings.Join(out.Context, " ")
				return
			}
			got <- ""
		}()
	}
	// The calls are on their way once both have a place; release answers them in
	// reverse, as often as it takes.
	for range 2 {
		for done := false; !done; {
			select {
			case msg := <-got:
				if done = true; msg != "" {
					t.Error(msg)
				}
			case <-time.After(20 * time.Millisecond):
				fire(t, e, "release")
			}
		}
	}
}

func TestHangCostsOneCall(t *testing.T) {
	l := &logs{}
	s := spec("plain")
	s.OnLog = l.add
	w := start(t, s)
	e := engine(t, w, within(300*time.Millisecond))
	out := fire(t, e, "hang")
	if r := out.Runs[0]; r.Status != hook.StatusTimedOut || out.Decision != hook.DecisionDeny || r.Leaked {
		t.Errorf("status %v, decision %v, leaked %v", r.Status, out.Decision, r.Leaked)
	}
	eventually(t, "the replacement", func() bool { return l.has("it hangs") })
	if out := fire(t, engine(t, w), `answer ,"decision":"allow"`); out.Decision != hook.DecisionAllow || w.Starts() != 2 {
		t.Errorf("afterwards: decision %v, error %v, %d starts", out.Decision, out.Runs[0].Err, w.Starts())
	}
}

// TestHangLeavesOthers: a process that is replaced still gets to answer its other
// calls.
func TestHangLeavesOthers(t *testing.T) {
	l := &logs{}
	s := spec("plain")
	s.OnLog = l.add
	w := start(t, s)
	short, long := engine(t, w, within(100*time.Millisecond)), engine(t, w)
	kept := make(chan hook.Outcome, 1)
	go func() {
		out, _ := long.Fire(context.Background(), bash("hold me"))
		kept <- out
	}()
	time.Sleep(50 * time.Millisecond)
	fire(t, short, "hold for ever")
	eventually(t, "another process", func() bool {
		if out := fire(t, long, "pid"); out.Runs[0].Err != nil {
			t.Fatal(out.Runs[0].Err)
		}
		return w.Starts() == 2
	})
	select {
	case out := <-kept:
		t.Fatalf("the other call ended: %+v", out.Runs[0].Err)
	default:
	}
	w.Close()
	if out := <-kept; out.Decision != hook.DecisionDeny || !errors.Is(out.Runs[0].Err, worker.ErrClosed) && out.Runs[0].Err == nil {
		t.Errorf("decision %v, error %v", out.Decision, out.Runs[0].Err)
	}
}

func TestCancelThatIsHeeded(t *testing.T) {
	w := start(t, spec("single"))
	e := engine(t, w)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	out, err := e.Fire(ctx, bash("yield"))
	if err == nil || out.Runs[0].Status != hook.StatusCancelled {
		t.Errorf("error %v, status %v", err, out.Runs[0].Status)
	}
	time.Sleep(300 * time.Millisecond)
	if out := fire(t, e, "answer"); out.Runs[0].Err != nil || w.Starts() != 1 {
		t.Errorf("error %v, %d starts", out.Runs[0].Err, w.Starts())
	}
}

// TestCrashLoop: a worker that keeps dying never turns its guard off.
func TestCrashLoop(t *testing.T) {
	flag := tempFile(t, "flag")
	s := spec("crash loop", "CRASH_FLAG="+flag)
	s.BackoffMin, s.BackoffMax = 50*time.Millisecond, 200*time.Millisecond
	w := start(t, s)
	e := engine(t, w)
	if err := os.WriteFile(flag, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	fire(t, e, "crash")
	down := 0
	for range 60 {
		out := fire(t, e, `answer ,"decision":"allow"`)
		if out.Decision != hook.DecisionDeny || out.Runs[0].Status != hook.StatusFailed {
			t.Fatalf("decision %v, status %v", out.Decision, out.Runs[0].Status)
		}
		if d, ok := errors.AsType[*worker.DownError](out.Runs[0].Err); ok && d.Failures > 1 && d.Again > 0 && d.Last != nil {
			down++
		}
		time.Sleep(5 * time.Millisecond)
	}
	if starts := w.Starts(); starts < 3 || starts > 20 || down < 20 {
		t.Errorf("%d starts, %d calls during a back-off", starts, down)
	}
	os.Remove(flag)
	eventually(t, "the recovery", func() bool { return fire(t, e, `answer ,"decision":"allow"`).Decision == hook.DecisionAllow })
}

func TestOneAtATime(t *testing.T) {
	w := start(t, spec("single"))
	e := engine(t, w)
	notes := make(chan []string, 3)
	for range 3 {
		go func() {
			out, err := e.Fire(context.Background(), bash("slow x"))
			if err != nil || out.Runs[0].Err != nil {
				notes <- []string{"failed"}
				return
			}
			notes <- out.Runs[0].Notes
		}()
	}
	waited := 0
	for range 3 {
		for _, n := range <-notes {
			if strings.HasPrefix(n, "waited ") && strings.HasSuffix(n, ": the worker takes 1 at once") {
				waited++
			} else {
				t.Error(n)
			}
		}
	}
	if waited != 2 {
		t.Errorf("%d waited", waited)
	}
}

func TestAsync(t *testing.T) {
	e := engine(t, start(t, spec("single")))
	ctx, cancel := context.WithCancel(t.Context())
	out, err := e.Fire(ctx, bash("later"))
	cancel()
	if err != nil || len(out.Pending) != 1 {
		t.Fatalf("error %v, %d pending", err, len(out.Pending))
	}
	late, err := out.Pending[0].Wait(t.Context())
	if err != nil || late.Err != nil || !slices.Equal(late.Result.Context, []string{"late"}) {
		t.Errorf("%+v, error %v", late, err)
	}
}

func TestShutdown(t *testing.T) {
	file := tempFile(t, "bye")
	s := spec("plain", "SHUTDOWN_FILE="+file)
	s.KillAfter = 10 * time.Second
	w, err := worker.Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("it was not told: %v", err)
	}
	_, err = w.Handler(0).Handle(t.Context(), &hook.Call{Input: bash("answer")})
	if !errors.Is(err, worker.ErrClosed) {
		t.Errorf("a call afterwards: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// TestClosedInput: a worker that does not take its input is not a worker.
func TestClosedInput(t *testing.T) {
	w := start(t, spec("plain"))
	e := engine(t, w)
	fire(t, e, "deaf")
	out := fire(t, e, "answer")
	if out.Decision != hook.DecisionDeny || !strings.Contains(out.Runs[0].Err.Error(), "it does not take its input") {
		t.Errorf("decision %v, error %v", out.Decision, out.Runs[0].Err)
	}
	if out := fire(t, e, "answer"); out.Runs[0].Err != nil || w.Starts() != 2 {
		t.Errorf("afterwards: %v, %d starts", out.Runs[0].Err, w.Starts())
	}
}

// TestBigCalls: calls that are larger than the pipe, many at once.
func TestBigCalls(t *testing.T) {
	e := engine(t, start(t, spec("plain")))
	big := strings.Repeat("x", 300_000)
	got := make(chan error, 12)
	for range cap(got) {
		go func() {
			out, err := e.Fire(context.Background(), bash("size "+big))
			if err == nil && !slices.Equal(out.Context, []string{"300005"}) {
				err = errors.Join(errors.New("it did not arrive whole"), out.Runs[0].Err)
			}
			got <- err
		}()
	}
	for range cap(got) {
		if err := <-got; err != nil {
			t.Error(err)
		}
	}
}
