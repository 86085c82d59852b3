package worker_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
)

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestChange: new content means a new process, which may ask for other hooks.
func TestChange(t *testing.T) {
	file := tempFile(t, "hello")
	writeFile(t, file, plainHello)
	changed := make(chan worker.Hello, 4)
	s := spec("plain", "HELLO_FILE="+file)
	s.Files = []string{file}
	s.OnHello = func(h worker.Hello) { changed <- h }
	w := start(t, s)
	e := engine(t, w)
	ok := func(starts int) {
		t.Helper()
		if out := fire(t, e, `answer ,"decision":"allow"`); out.Decision != hook.DecisionAllow || w.Starts() != starts {
			t.Errorf("decision %v, error %v, %d starts, want %d", out.Decision, out.Runs[0].Err, w.Starts(), starts)
		}
	}
	ok(1)
	writeFile(t, file, plainHello) // the same content, another time
	ok(1)
	writeFile(t, file, plainHello+"\n")
	ok(2)
	if len(changed) != 0 {
		t.Errorf("the same hooks are reported: %+v", <-changed)
	}

	// The guard's place in the hello changes, then it is gone.
	stop := `{"event":"Stop"},`
	writeFile(t, file, strings.Replace(plainHello, `"hooks":[`, `"hooks":[`+stop, 1))
	ok(3)
	if h := <-changed; len(h.Hooks) != 2 || h.Hooks[0].Event != "Stop" {
		t.Errorf("hello %+v", h)
	}
	writeFile(t, file, `{"type":"hello","protocol":1,"concurrency":2,"hooks":[]}`)
	out := fire(t, e, "answer")
	if f, ok := errors.AsType[*hook.Failure](out.Runs[0].Err); !ok || f.Kind != hook.FailureLoad || out.Decision != hook.DecisionDeny {
		t.Errorf("a hook that is gone: decision %v, error %v", out.Decision, out.Runs[0].Err)
	}
	os.Remove(file)
	if out := fire(t, e, "answer"); out.Decision != hook.DecisionDeny {
		t.Errorf("a file that is gone: decision %v", out.Decision)
	}
}

func TestTrust(t *testing.T) {
	file := tempFile(t, "hello")
	writeFile(t, file, plainHello)
	var trusted atomic.Value
	trusted.Store("")
	s := spec("plain", "HELLO_FILE="+file)
	s.Files = []string{file}
	s.BackoffMin = time.Hour
	s.Trusted = func(path, digest string) bool {
		return path == file && (trusted.Load() == "any" || trusted.Load() == digest)
	}
	_, err := worker.Start(t.Context(), s)
	u, ok := errors.AsType[*worker.UntrustedError](err)
	if !ok || u.Path != file || !strings.HasPrefix(u.Digest, "sha256:") {
		t.Fatalf("error %v", err)
	}
	trusted.Store(u.Digest)
	w := start(t, s)
	e := engine(t, w)
	if out := fire(t, e, "answer"); out.Runs[0].Err != nil {
		t.Fatal(out.Runs[0].Err)
	}
	writeFile(t, file, plainHello+"\n\n")
	for range 3 {
		if out := fire(t, e, "answer"); out.Decision != hook.DecisionDeny || w.Starts() != 1 {
			t.Errorf("changed content: decision %v, %d starts", out.Decision, w.Starts())
		}
	}
	trusted.Store("any") // approved: no back-off stands in the way
	if out := fire(t, e, "answer"); out.Runs[0].Err != nil {
		t.Error(out.Runs[0].Err)
	}
}

// TestStartIsNotTheCallsTime has a call wait for a hello with its clock stopped.
func TestStartIsNotTheCallsTime(t *testing.T) {
	file := tempFile(t, "hello")
	w, err := worker.Expect(spec("late", "HELLO_FILE="+file), worker.Hello{Hooks: []worker.HookSpec{{Event: "PreToolUse", Matcher: "Bash", Guard: true}}})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	e := engine(t, w, func(r *hook.Registration) { r.Handler = helloOnceStopped{r.Handler, w, file} })
	out := fire(t, e, `answer ,"decision":"allow"`)
	if out.Decision != hook.DecisionAllow {
		t.Errorf("decision %v, error %v", out.Decision, out.Runs[0].Err)
	}
}

// helloOnceStopped lets the worker of a handler say hello when the clock of the call that
// started it stands still.
type helloOnceStopped struct {
	hook.Handler
	w    *worker.Worker
	file string
}

func (h helloOnceStopped) Handle(ctx context.Context, call *hook.Call) (hook.Result, error) {
	go func() {
		for ctx.Err() == nil {
			if _, running := ctx.Deadline(); !running && h.w.Starts() > 0 {
				_ = os.WriteFile(h.file+".new", []byte(plainHello), 0o600)
				_ = os.Rename(h.file+".new", h.file)
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	return h.Handler.Handle(ctx, call)
}

func TestExpect(t *testing.T) {
	hello := worker.Hello{Concurrency: 2, Hooks: []worker.HookSpec{{Event: "PreToolUse", Matcher: "Bash"}, {Event: "Stop"}}}
	w, err := worker.Expect(spec("plain"), hello)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if w.Starts() != 0 || !slices.Equal(w.Hello().Hooks, hello.Hooks) {
		t.Errorf("%d starts, hello %+v", w.Starts(), w.Hello())
	}
	if out := fire(t, engine(t, w), `answer ,"decision":"allow"`); out.Decision != hook.DecisionAllow || w.Starts() != 1 {
		t.Errorf("decision %v, error %v", out.Decision, out.Runs[0].Err)
	}
	if _, err := w.Handler(1).Handle(t.Context(), &hook.Call{Input: &hook.Stop{}}); err == nil {
		t.Error("a hook that the worker does not ask for answered")
	}
	if _, err := worker.Expect(spec("plain"), worker.Hello{Hooks: []worker.HookSpec{{}}}); err == nil {
		t.Error("a hello without an event is taken")
	}
}
