package worker_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/hook/hooktest"
	sdk "github.com/hookline-dev/hookline/sdk/go/hookline"
)

// kit is a helper library: how a worker written with it is started. The worker's
// behaviour is in the variable BEHAVIOUR.
type kit struct {
	name  string
	start func(t testing.TB) worker.Spec
}

func kits() []kit {
	return []kit{
		{"python", func(t testing.TB) worker.Spec { return scripted(t, "python3", "worker.py") }},
		{"node", func(t testing.TB) worker.Spec { return scripted(t, "node", "worker.mjs") }},
		{"go", func(testing.TB) worker.Spec { return spec("sdk") }},
	}
}

// scripted runs a worker of testdata, if there is its interpreter.
func scripted(t testing.TB, interpreter, script string) worker.Spec {
	t.Helper()
	path := lookInterpreter(t, interpreter)
	file, err := filepath.Abs(filepath.Join("testdata", script))
	if err != nil {
		t.Fatal(err)
	}
	return worker.Spec{
		Path: path, Args: []string{file}, Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "PYTHONDONTWRITEBYTECODE=1"},
		CancelGrace: 300 * time.Millisecond, KillAfter: 200 * time.Millisecond, HelloTimeout: time.Minute,
	}
}

var interpreters sync.Map

// lookInterpreter finds an interpreter that works. What the PATH has may be a shim,
// so that it is asked for its own place.
func lookInterpreter(t testing.TB, name string) string {
	t.Helper()
	if path, ok := interpreters.Load(name); ok {
		return path.(string)
	}
	ask := map[string][]string{
		"python3": {"-c", "import sys; assert sys.version_info >= (3, 8); print(sys.executable)"},
		"node":    {"-e", "if (+process.versions.node.split('.')[0] < 18) process.exit(1); console.log(process.execPath)"},
	}
	out, err := exec.Command(name, ask[name]...).Output()
	if err != nil {
		t.Skipf("there is no %s that is new enough: %v", name, err)
	}
	path := strings.TrimSpace(string(out))
	interpreters.Store(name, path)
	return path
}

func TestConformance(t *testing.T) {
	for _, k := range kits() {
		t.Run(k.name, func(t *testing.T) {
			k.start(t) // skips here where it must
			t.Parallel()
			var mu sync.Mutex
			var workers []*worker.Worker
			hooktest.TestKind(t, hooktest.Kind{
				HangTimeout: 300 * time.Millisecond,
				Make: func(t testing.TB, b hooktest.Behaviour) (hook.Handler, bool) {
					s := k.start(t)
					s.Env = append(s.Env, "BEHAVIOUR="+string(b))
					w := start(t, s)
					mu.Lock()
					workers = append(workers, w)
					mu.Unlock()
					return w.Handler(0), true
				},
				Starts: func() int {
					n := 0
					for _, w := range workers {
						n += w.Starts()
					}
					return n
				},
			})
		})
	}
}

// TestKits has what the libraries do beyond the rules for all kinds.
func TestKits(t *testing.T) {
	for _, k := range kits() {
		t.Run(k.name, func(t *testing.T) {
			s := k.start(t)
			t.Parallel()
			s.Env = append(s.Env, "BEHAVIOUR=talk")
			s.Host = worker.Local{Person: &person{}, Env: s.Env}
			l := &logs{}
			s.OnLog = l.add
			w := start(t, s)
			h := w.Hello()
			want := []worker.HookSpec{
				{Event: "PreToolUse", Name: "main", Matcher: "Bash", Timeout: 5 * time.Second, Guard: true, OnFailure: hook.FailOpen, Priority: 3},
				{Event: "PreToolUse", Name: "yield", Observe: true, Once: true},
			}
			if !slices.Equal(h.Hooks, want) {
				t.Errorf("hooks %+v", h.Hooks)
			}
			out := fireIn(t, engine(t, w), session{}, "say \"hi\" \u2028 \U0001F600")
			got := []string{
				"true", "b", "typed x", "0 out", `[{"role":"user","content":"hi"}]`, `{"n":1}`, "null", "say \"hi\" \u2028 \U0001F600",
			}
			if out.Runs[0].Err != nil || !slices.Equal(out.Context, got) {
				t.Errorf("context %q, error %v", out.Context, out.Runs[0].Err)
			}
			if !l.has("from the hook") {
				t.Errorf("log %+v", l.all)
			}
			// The second hook waits until it is taken back, and says so in time.
			_, err := w.Handler(1).Handle(deadline(t, 200*time.Millisecond), &hook.Call{Input: bash("x")})
			if err == nil {
				t.Error("the call that is taken back has an answer")
			}
			time.Sleep(500 * time.Millisecond)
			if out := fireIn(t, engine(t, w), session{}, "x"); out.Runs[0].Err != nil || w.Starts() != 1 {
				t.Errorf("afterwards: %v, %d starts", out.Runs[0].Err, w.Starts())
			}
		})
	}
}

// TestKitsRefuseUnknownOptions: a guard whose options are not understood is not started as
// one that guards something else. In Go the compiler says so.
func TestKitsRefuseUnknownOptions(t *testing.T) {
	for _, k := range kits() {
		if k.name == "go" {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			s := k.start(t)
			s.Env = append(s.Env, "BEHAVIOUR=unknown")
			if w, err := worker.Start(t.Context(), s); err == nil {
				t.Errorf("it runs: %+v, %v", w.Hello(), w.Close())
			}
		})
	}
}

// TestKitsAtOnce has calls that end only when another one has come: whoever works on a
// call does not keep the next from being read, be the hook known to be slow or not.
func TestKitsAtOnce(t *testing.T) {
	for _, k := range kits() {
		t.Run(k.name, func(t *testing.T) {
			s := k.start(t)
			t.Parallel()
			s.Env = append(s.Env, "BEHAVIOUR=meet")
			w := start(t, s)
			for range 5 {
				var wg sync.WaitGroup
				for range 2 {
					wg.Go(func() {
						res, err := w.Handler(0).Handle(deadline(t, time.Minute), &hook.Call{Input: bash("x")})
						if err != nil || !slices.Equal(res.Context, []string{"met"}) {
							t.Errorf("%v, %v", res.Context, err)
						}
					})
				}
				wg.Wait()
			}
		})
	}
}

// sdkWorker is the worker of the Go library.
func sdkWorker() {
	b := hooktest.Behaviour(os.Getenv("BEHAVIOUR"))
	switch b {
	case "talk":
		talkingWorker()
	case "meet":
		meetingWorker()
	}
	sdk.On("PreToolUse", sdk.Options{}, func(ctx *sdk.Context, e sdk.Event) sdk.Result {
		switch b {
		case hooktest.Allow:
			return sdk.Allow("")
		case hooktest.Deny:
			return sdk.Deny(hooktest.DenyReason)
		case hooktest.Ask:
			return sdk.Ask("sure?")
		case hooktest.Context:
			os.Stdout.WriteString("this is not the protocol\n")
			return sdk.AddContext(hooktest.ContextText)
		case hooktest.Rewrite:
			return sdk.Result{UpdatedInput: map[string]string{"command": hooktest.RewrittenCmd}, InputPatch: true}
		case hooktest.Fail:
			panic("on purpose")
		case hooktest.Garbage:
			return sdk.Result{Decision: "perhaps"}
		case hooktest.Hang:
			select {}
		case hooktest.GoAsync:
			return sdk.Background(time.Minute, func() sdk.Result {
				time.Sleep(50 * time.Millisecond)
				return sdk.AddContext(hooktest.LateText)
			})
		case hooktest.Echo:
			var in struct {
				ToolInput struct {
					ID int64 `json:"id"`
				} `json:"tool_input"`
			}
			if err := e.Decode(&in); err != nil {
				return sdk.Fail(err)
			}
			return sdk.AddContext(fmtInt(in.ToolInput.ID))
		case hooktest.WrongField:
			return sdk.Result{UpdatedOutput: "x"}
		}
		return sdk.None()
	})
	sdk.Run()
}

// meetingWorker answers calls two by two.
func meetingWorker() {
	both := make(chan struct{})
	sdk.On("PreToolUse", sdk.Options{}, func(ctx *sdk.Context, _ sdk.Event) sdk.Result {
		if _, err := ctx.Confirm("Meet?", ""); err != nil {
			return sdk.Fail(err)
		}
		select {
		case both <- struct{}{}:
		case <-both:
		}
		return sdk.AddContext("met")
	})
	sdk.Run()
}

func talkingWorker() {
	sdk.On("PreToolUse", sdk.Options{Name: "main", Match: "Bash", Timeout: 5 * time.Second, Guard: true, OnFailure: "open", Priority: 3},
		func(ctx *sdk.Context, e sdk.Event) sdk.Result {
			var lines []string
			say := func(s string, err error) {
				if err != nil {
					s = err.Error()
				}
				lines = append(lines, s)
			}
			ctx.Log("info", "from the hook")
			ctx.Progress("working")
			yes, err := ctx.Confirm("Sure?", "really")
			say(strings.TrimSpace(map[bool]string{true: "true", false: "false"}[yes]), err)
			taken, _, err := ctx.Select("Which?", "a", "b")
			say(taken, err)
			typed, _, err := ctx.Input("Name?", "x")
			say(typed, err)
			res, err := ctx.Exec(sdk.Exec{Command: os.Args[0], Args: []string{"-test.run=^$"}})
			say(fmtInt(int64(res.Code))+" out", err)
			var messages, known, other rawText
			say(messages.read(ctx.Messages(&messages)))
			say(known.read(ctx.Metadata("known", &known)))
			say(other.read(ctx.Metadata("other", &other)))
			if err := ctx.Notify("done", "info"); err != nil {
				say("", err)
			}
			say(e.Input("command"), nil)
			return sdk.AddContext(lines...)
		})
	sdk.On("PreToolUse", sdk.Options{Name: "yield", Observe: true, Once: true}, func(ctx *sdk.Context, _ sdk.Event) sdk.Result {
		<-ctx.Done()
		return sdk.None()
	})
	sdk.Run()
}

// TestTypesOfTheNodeLibraryNameEveryPartOfAnAnswer compares its declarations with the
// answer table.
func TestTypesOfTheNodeLibraryNameEveryPartOfAnAnswer(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "sdk", "node", "hookline.d.mts"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range hook.AnswerMembers() {
		if !strings.Contains(string(text), "\n  "+m.Name+"?: ") {
			t.Errorf("sdk/node/hookline.d.mts has no %s", m.Name)
		}
	}
}
