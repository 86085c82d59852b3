package worker_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
)

// modeVariable makes the test binary a worker.
const modeVariable = "HOOKLINE_TEST_WORKER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(modeVariable); mode != "" {
		if mode == "sdk" {
			sdkWorker()
		}
		fakeWorker(mode)
		return
	}
	if err := process.SealFDs(); err != nil {
		fmt.Fprintln(os.Stderr, "seal descriptors:", err)
	}
	goleak.VerifyTestMain(m)
}

// spec runs the test binary as a worker.
func spec(mode string, more ...string) worker.Spec {
	return worker.Spec{
		Path: os.Args[0], Files: []string{}, Env: append([]string{modeVariable + "=" + mode, "GORACE=atexit_sleep_ms=0", "PATH=" + os.Getenv("PATH")}, more...),
		CancelGrace: 200 * time.Millisecond, KillAfter: 200 * time.Millisecond,
	}
}

// start starts a worker that ends with the test.
func start(t testing.TB, s worker.Spec) *worker.Worker {
	t.Helper()
	w, err := worker.Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// engine runs the first hook of a worker, for the tool Bash.
func engine(t testing.TB, w *worker.Worker, change ...func(*hook.Registration)) *hook.Engine {
	t.Helper()
	reg := hook.NewRegistry()
	r := hook.Registration{Event: hook.EventPreToolUse, Handler: w.Handler(0), Name: "guard", OnFailure: hook.FailClosed, Timeout: 20 * time.Second}
	for _, c := range change {
		c(&r)
	}
	if _, err := reg.Add(r); err != nil {
		t.Fatal(err)
	}
	e := hook.New(reg)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func within(d time.Duration) func(*hook.Registration) {
	return func(r *hook.Registration) { r.Timeout = d }
}

func bash(cmd string) *hook.PreToolUse {
	return &hook.PreToolUse{
		Common:   hook.Common{SessionID: "s1"},
		ToolName: "Bash", ToolInput: hook.MustJSON(map[string]string{"command": cmd}), ToolUseID: "t1",
	}
}

func fire(t testing.TB, e *hook.Engine, cmd string) hook.Outcome {
	t.Helper()
	out, err := e.Fire(t.Context(), bash(cmd))
	if err != nil {
		t.Fatalf("%s: %v", cmd, err)
	}
	return out
}

// logs collects what a worker logs.
type logs struct {
	mu  sync.Mutex
	all []worker.Log
}

func (l *logs) add(m worker.Log) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, m)
}

func (l *logs) has(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.all, func(m worker.Log) bool { return strings.Contains(m.Message, text) })
}

// eventually waits until something is true.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s did not come true", what)
		}
	}
}

// fake is a worker that does what the commands of its calls say.
type fake struct {
	in   *bufio.Reader
	held []call
}

type call struct {
	Type  string         `json:"type"`
	ID    jsontext.Value `json:"id"`
	Hook  int            `json:"hook"`
	Value any            `json:"value"`
	Error string         `json:"error"`
	Input struct {
		ToolInput struct {
			Command string `json:"command"`
		} `json:"tool_input"`
	} `json:"input"`
}

const plainHello = `{"type":"hello","protocol":1,"name":"fake","concurrency":4,"hooks":[{"event":"PreToolUse","matcher":"Bash","guard":true}]}`

// hellos are what the modes begin with.
var hellos = map[string]string{
	"plain":      plainHello,
	"single":     strings.Replace(plainHello, `"concurrency":4`, `"concurrency":1`, 1),
	"silent":     "",
	"version":    `{"type":"hello","protocol":2,"hooks":[],"flags":["new"]}`,
	"unversed":   `{"type":"hello","hooks":[]}`,
	"twice":      plainHello + "\n" + plainHello,
	"early":      `{"type":"result","id":2}`,
	"extra":      `{"type":"hello","protocol":1,"hook":[]}`,
	"duplicate":  `{"type":"hello","protocol":1,"hooks":[],"hooks":[]}`,
	"garbage":    "Welcome to the worker!",
	"policy":     `{"type":"hello","protocol":1,"hooks":[{"event":"Stop","on_failure":"shut"}]}`,
	"negative":   `{"type":"hello","protocol":1,"concurrency":-1,"hooks":[]}`,
	"crash loop": plainHello,
}

func fakeWorker(mode string) {
	hello := hellos[mode]
	if file := os.Getenv("HELLO_FILE"); file != "" {
		b, err := os.ReadFile(file)
		for mode == "late" && err != nil {
			time.Sleep(5 * time.Millisecond)
			b, err = os.ReadFile(file)
		}
		hello = string(b)
	}
	if mode == "crash loop" {
		if _, err := os.Stat(os.Getenv("CRASH_FLAG")); err == nil {
			fmt.Fprintln(os.Stderr, "boom at start")
			os.Exit(7)
		}
	}
	if hello != "" {
		fmt.Println(strings.TrimSpace(hello))
	}
	f := &fake{in: bufio.NewReader(os.Stdin)}
	for {
		c, ok := f.next()
		if !ok {
			if mode == "silent" {
				time.Sleep(time.Minute)
			}
			return
		}
		switch c.Type {
		case "call":
			f.handle(c)
		case "shutdown":
			if file := os.Getenv("SHUTDOWN_FILE"); file != "" {
				_ = os.WriteFile(file, []byte("bye"), 0o600)
			}
			return
		}
	}
}

func (f *fake) next() (c call, ok bool) {
	line, err := f.in.ReadBytes('\n')
	if err != nil {
		return c, false
	}
	if err := json.Unmarshal(line, &c); err != nil {
		fmt.Fprintln(os.Stderr, "bad line", err)
		os.Exit(9)
	}
	return c, true
}

// until reads messages until one of a type and id comes.
func (f *fake) until(typ string, id jsontext.Value) call {
	for {
		c, ok := f.next()
		if !ok {
			os.Exit(0)
		}
		if c.Type == typ && (id == nil || string(c.ID) == string(id)) {
			return c
		}
	}
}

func say(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// handle does what a command says.
func (f *fake) handle(c call) {
	verb, rest, _ := strings.Cut(c.Input.ToolInput.Command, " ")
	switch verb {
	case "answer":
		say(`{"type":"result","id":%s%s}`, c.ID, rest)
	case "error":
		say(`{"type":"error","id":%s,"message":%q}`, c.ID, rest)
	case "line":
		say("%s", strings.ReplaceAll(rest, "ID", string(c.ID)))
	case "lines":
		for line := range strings.SplitSeq(rest, ";") {
			say("%s", strings.ReplaceAll(line, "ID", string(c.ID)))
		}
	case "crash":
		fmt.Fprintln(os.Stderr, "boom in the call")
		os.Exit(3)
	case "half":
		fmt.Printf(`{"type":"result","id":%s,`, c.ID)
		os.Exit(4)
	case "giant":
		say(`{"type":"result","id":%s,"reason":"%s"}`, c.ID, strings.Repeat("x", 1<<20))
	case "hang":
		time.Sleep(time.Minute)
	case "yield": // answers when it is taken back
		f.until("cancel", c.ID)
		say(`{"type":"error","id":%s,"message":"taken back"}`, c.ID)
	case "hold": // answered by release, in reverse
		f.held = append(f.held, c)
	case "release":
		say(`{"type":"result","id":%s,"reason":"release"}`, c.ID)
		for _, h := range slices.Backward(f.held) {
			say(`{"type":"result","id":%s,"context":[%q]}`, h.ID, h.Input.ToolInput.Command)
		}
		f.held = nil
	case "ask":
		say(`{"type":"request","id":"q1","call":%s,%s}`, c.ID, rest)
		r := f.until("reply", nil)
		b, _ := json.Marshal(map[string]any{"value": r.Value, "error": r.Error}, json.Deterministic(true))
		say(`{"type":"result","id":%s,"context":[%q]}`, c.ID, b)
	case "later":
		say(`{"type":"result","id":%s,"async":true,"async_timeout_ms":20000}`, c.ID)
		time.Sleep(50 * time.Millisecond)
		say(`{"type":"result","id":%s,"context":["late"]}`, c.ID)
	case "size":
		say(`{"type":"result","id":%s,"context":["%d"]}`, c.ID, len(c.Input.ToolInput.Command))
	case "deaf":
		os.Stdin.Close()
		say(`{"type":"result","id":%s}`, c.ID)
		time.Sleep(time.Minute)
	case "slow":
		time.Sleep(150 * time.Millisecond)
		say(`{"type":"result","id":%s,"context":[%q]}`, c.ID, rest)
	case "pid":
		say(`{"type":"result","id":%s,"context":["%d"]}`, c.ID, os.Getpid())
	case "child":
		p, err := os.StartProcess("/bin/sleep", []string{"sleep", "60"}, &os.ProcAttr{Files: []*os.File{nil, os.Stdout, os.Stderr}, Env: os.Environ()})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(8)
		}
		say(`{"type":"result","id":%s,"context":["%d"]}`, c.ID, p.Pid)
	default:
		say(`{"type":"result","id":%s}`, c.ID)
	}
}

func tempFile(t testing.TB, name string) string { return filepath.Join(t.TempDir(), name) }

func fmtInt(n int64) string { return strconv.FormatInt(n, 10) }

// deadline returns a context that ends after d.
func deadline(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// rawText is a JSON value as it came.
type rawText struct{ text string }

func (r *rawText) UnmarshalJSON(b []byte) error {
	r.text = string(b)
	return nil
}

// read returns the value, null when there is none.
func (r *rawText) read(err error) (string, error) {
	if r.text == "" {
		r.text = "null"
	}
	return r.text, err
}
