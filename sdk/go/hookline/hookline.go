// Package hookline writes Hookline hooks as a worker: a process that stays and answers
// events. It is one file and needs the standard library alone; import it, or copy it.
//
//	func main() {
//		hookline.On("PreToolUse", hookline.Match("Bash"), func(ctx *hookline.Context, e hookline.Event) hookline.Result {
//			if strings.Contains(e.Input("command"), "rm -rf") {
//				return hookline.Deny("that deletes too much")
//			}
//			return hookline.None()
//		})
//		hookline.Run()
//	}
//
// A handler that panics, or returns Fail, has failed, and its failure policy decides.
// What a worker prints to os.Stdout goes to standard error once it runs: standard output
// is the protocol's.
package hookline

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Protocol is the version of the protocol that this package speaks.
const Protocol = 1

// Event is the input of an event.
type Event struct {
	Name           string          `json:"hook_event_name"`
	SessionID      string          `json:"session_id"`
	TranscriptPath string          `json:"transcript_path"`
	CWD            string          `json:"cwd"`
	PermissionMode string          `json:"permission_mode"`
	AgentID        string          `json:"agent_id"`
	ToolName       string          `json:"tool_name"`
	ToolInput      json.RawMessage `json:"tool_input"`
	ToolUseID      string          `json:"tool_use_id"`
	ToolResponse   json.RawMessage `json:"tool_response"`
	Prompt         string          `json:"prompt"`
	// Raw is the whole input, with the members that have no field here.
	Raw json.RawMessage `json:"-"`
}

// Decode decodes the whole input into v.
func (e Event) Decode(v any) error { return json.Unmarshal(e.Raw, v) }

// Input returns a string member of the tool's input, "" when it is absent or no string.
func (e Event) Input(key string) string {
	var members map[string]json.RawMessage
	var s string
	if json.Unmarshal(e.ToolInput, &members) != nil || json.Unmarshal(members[key], &s) != nil {
		return ""
	}
	return s
}

// Result is a hook's answer; the zero value means no opinion. docs/worker-protocol.md says
// what the members mean.
type Result struct {
	Decision       string   `json:"decision,omitempty"`
	Reason         string   `json:"reason,omitempty"`
	Continue       *bool    `json:"continue,omitempty"`
	StopReason     string   `json:"stop_reason,omitempty"`
	SystemMessage  string   `json:"system_message,omitempty"`
	Notice         string   `json:"notice,omitempty"`
	SuppressOutput bool     `json:"suppress_output,omitempty"`
	Context        []string `json:"context,omitempty"`
	UpdatedInput   any      `json:"updated_input,omitempty"`
	InputPatch     bool     `json:"input_patch,omitempty"`
	UpdatedOutput  any      `json:"updated_output,omitempty"`
	IsError        *bool    `json:"is_error,omitempty"`
	UpdatedPrompt  *string  `json:"updated_prompt,omitempty"`
	FollowUps      []string `json:"follow_ups,omitempty"`
	Cancel         bool     `json:"cancel,omitempty"`
	Interrupt      bool     `json:"interrupt,omitempty"`
	// More are further members of a result, by their names in the protocol.
	More map[string]any `json:"-"`

	err     error
	later   func() Result
	timeout time.Duration
}

// None returns no opinion.
func None() Result { return Result{} }

// Allow returns consent without asking.
func Allow(reason string) Result { return Result{Decision: "allow", Reason: reason} }

// Deny refuses, with the reason that the model is told.
func Deny(reason string) Result { return Result{Decision: "deny", Reason: reason} }

// Ask leaves the decision to the person.
func Ask(reason string) Result { return Result{Decision: "ask", Reason: reason} }

// AddContext adds lines to what the model reads next.
func AddContext(lines ...string) Result { return Result{Context: lines} }

// Fail says that the hook could not answer.
func Fail(err error) Result { return Result{err: err} }

// Background goes on in the background: the event does not wait, and what rest returns
// is delivered late. A timeout of 0 leaves that to the host.
func Background(timeout time.Duration, rest func() Result) Result {
	return Result{later: rest, timeout: timeout}
}

// Options say when a hook is called and what its failure counts as.
type Options struct {
	Name     string
	Match    string        // pattern for the event's subject, such as the tool's name
	Timeout  time.Duration // 0 is the host's default, negative none
	Priority int
	Observe  bool // it only watches
	Guard    bool // it must have seen the final input, and fails closed by default
	Once     bool
	// OnFailure is open, closed or ask; "" leaves that to the host.
	OnFailure string
}

// Match returns options with a pattern for the event's subject.
func Match(pattern string) Options { return Options{Match: pattern} }

// Handler answers an event. The context ends when the host takes the call back.
type Handler func(ctx *Context, e Event) Result

// Worker is a set of hooks. The zero value is ready for use.
type Worker struct {
	// Name and Version describe the worker; the name is the program's by default.
	Name, Version string
	// Concurrency is how many calls it takes at once; 0 is 16.
	Concurrency int

	hooks    []*registered
	lines    *bufio.Reader
	out      io.Writer
	turn     turn
	writing  sync.Mutex
	mu       sync.Mutex
	calls    map[uint64]context.CancelCauseFunc
	requests map[uint64]chan reply
	last     uint64
	done     chan error
}

type registered struct {
	event   string
	options Options
	handler Handler
	slow    atomic.Bool // its last call took longer than patience
}

var standard Worker

// On registers a hook of the program's worker. Call it before Run.
func On(event string, o Options, h Handler) { standard.On(event, o, h) }

// Run says hello and answers calls until the host shuts the program down; it does not
// return then. It ends the program with code 1 when the protocol cannot be spoken.
func Run() {
	in, out := os.Stdin, os.Stdout
	os.Stdout = os.Stderr
	if err := standard.Serve(in, out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Configure names the program's worker and says how many calls it takes at once.
func Configure(name, version string, concurrency int) {
	standard.Name, standard.Version, standard.Concurrency = name, version, concurrency
}

// On registers a hook. Call it before Serve.
func (w *Worker) On(event string, o Options, h Handler) {
	w.hooks = append(w.hooks, &registered{event: event, options: o, handler: h})
}

type message struct {
	Type      string          `json:"type"`
	ID        uint64          `json:"id"`
	Hook      int             `json:"hook"`
	TimeoutMS int64           `json:"timeout_ms"`
	Input     json.RawMessage `json:"input"`
	Reason    string          `json:"reason"`
	Value     json.RawMessage `json:"value"`
	Error     string          `json:"error"`

	event *Event // the input of a call, when it has been decoded already
}

type reply struct {
	value json.RawMessage
	err   error
}

// Serve speaks the protocol over a pair of streams until the host shuts down.
func (w *Worker) Serve(in io.Reader, out io.Writer) error {
	w.out = out
	w.calls, w.requests = map[uint64]context.CancelCauseFunc{}, map[uint64]chan reply{}
	if err := w.send(w.hello()); err != nil {
		return fmt.Errorf("say hello: %w", err)
	}
	w.done = make(chan error, 1)
	w.lines = bufio.NewReaderSize(in, 64<<10)
	w.turn.passOn = w.read
	w.turn.timer = time.AfterFunc(time.Hour, w.turn.look)
	defer w.turn.timer.Stop()
	go w.read()
	return <-w.done
}

// patience is how long a call may take before another goroutine reads on, and twice
// that at the most.
const patience = time.Millisecond

// turn says what the goroutine does that reads: it waits for a message while n is even,
// and works on a call while n is odd. Whoever moves n on from an odd number has the
// reading: that goroutine when the call is over, or another one, which was started
// because the call takes its time. Looking whether it does is left to one timer, which
// runs as long as calls come: one for each call would cost more than most calls.
type turn struct {
	n      atomic.Uint64
	timer  *time.Timer
	armed  atomic.Bool
	seen   uint64 // n at the last look
	passOn func() // takes over the reading
}

// begin says that the goroutine that reads works on a call from here on.
func (t *turn) begin() (mine uint64) {
	mine = t.n.Add(1)
	if t.armed.CompareAndSwap(false, true) {
		t.timer.Reset(patience)
	}
	return mine
}

// end reports whether the reading is still the caller's after its call.
func (t *turn) end(mine uint64) bool { return t.n.CompareAndSwap(mine, mine+1) }

// look is what the timer does.
func (t *turn) look() {
	now := t.n.Load()
	switch working := now%2 == 1; {
	case now != t.seen:
		t.seen = now
		t.timer.Reset(patience)
	case working && t.end(now):
		t.disarm()
		t.passOn()
	default:
		t.disarm()
	}
}

// disarm stops looking, unless a call has begun that counts on it.
func (t *turn) disarm() {
	t.armed.Store(false)
	if t.n.Load()%2 == 1 && t.armed.CompareAndSwap(false, true) {
		t.timer.Reset(patience)
	}
}

// read takes messages. It works on calls itself, so that most never change goroutines,
// and leaves the reading to another one when a call takes its time. Hooks that are known
// to do so have a goroutine for each call.
func (w *Worker) read() {
	for {
		line, err := w.lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			w.done <- nil
			return
		}
		if err != nil {
			w.done <- fmt.Errorf("read from the host: %w", err)
			return
		}
		m, ok := parseCall(line)
		if !ok {
			if err := json.Unmarshal(line, &m); err != nil {
				w.done <- fmt.Errorf("read a message of the host: %w", err)
				return
			}
		}
		switch m.Type {
		case "call":
			ctx := w.begin(m)
			if h := w.hook(m.Hook); h != nil && h.slow.Load() {
				go w.work(ctx, m)
				continue
			}
			ctx.turn = w.turn.begin()
			w.work(ctx, m)
			if !w.turn.end(ctx.turn) {
				return
			}
		case "cancel":
			w.cancel(m)
		case "reply":
			w.deliver(m)
		case "shutdown":
			w.done <- nil
			return
		}
	}
}

// yield leaves the reading to another goroutine when it is the one of this call's that
// reads and the call is going to wait.
func (w *Worker) yield(ctx *Context) {
	if ctx.turn != 0 && w.turn.end(ctx.turn) {
		go w.read()
	}
}

func (w *Worker) hook(i int) *registered {
	if i < 0 || i >= len(w.hooks) {
		return nil
	}
	return w.hooks[i]
}

// parseCall reads a call that is written as Hookline writes it, which spares one look at
// the whole message. It reports false for all else, and for what has a mistake in it.
func parseCall(line []byte) (m message, ok bool) {
	rest, found := bytes.CutPrefix(line, []byte(`{"type":"call","id":`))
	m.Type = "call"
	var hook, timeout uint64
	found = found && cutNumber(&rest, &m.ID) && cut(&rest, `,"hook":`) && cutNumber(&rest, &hook) && cut(&rest, `,"event":"`)
	if !found {
		return message{}, false
	}
	end := bytes.IndexByte(rest, '"')
	if end < 0 || bytes.IndexByte(rest[:end], '\\') >= 0 {
		return message{}, false
	}
	if rest = rest[end+1:]; cut(&rest, `,"timeout_ms":`) && !cutNumber(&rest, &timeout) || !cut(&rest, `,"input":`) {
		return message{}, false
	}
	m.Hook, m.TimeoutMS = int(hook), int64(timeout)
	m.Input, ok = bytes.CutSuffix(bytes.TrimRight(rest, "\r\n"), []byte("}"))
	if !ok {
		return message{}, false
	}
	m.event = &Event{Raw: m.Input}
	if json.Unmarshal(m.Input, m.event) != nil {
		return message{}, false
	}
	return m, true
}

// cut removes a text from the beginning of b, if it begins with it.
func cut(b *[]byte, text string) bool {
	rest, found := bytes.CutPrefix(*b, []byte(text))
	*b = rest
	return found
}

// cutNumber removes a number of up to 18 digits from the beginning of b.
func cutNumber(b *[]byte, n *uint64) bool {
	digits := 0
	for digits < len(*b) && digits < 18 && '0' <= (*b)[digits] && (*b)[digits] <= '9' {
		*n = *n*10 + uint64((*b)[digits]-'0')
		digits++
	}
	*b = (*b)[digits:]
	return digits > 0
}

func (w *Worker) hello() map[string]any {
	hooks := []map[string]any{}
	for _, r := range w.hooks {
		o := r.options
		h := map[string]any{"event": r.event}
		set := func(key string, on bool, value any) {
			if on {
				h[key] = value
			}
		}
		set("name", o.Name != "", o.Name)
		set("matcher", o.Match != "", o.Match)
		set("timeout_ms", o.Timeout != 0, max(o.Timeout.Milliseconds(), 0))
		set("priority", o.Priority != 0, o.Priority)
		set("observe", o.Observe, true)
		set("guard", o.Guard, true)
		set("once", o.Once, true)
		set("on_failure", o.OnFailure != "", o.OnFailure)
		hooks = append(hooks, h)
	}
	name, n := w.Name, w.Concurrency
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	}
	if n <= 0 {
		n = 16
	}
	return map[string]any{"type": "hello", "protocol": Protocol, "name": name, "version": w.Version, "concurrency": n, "hooks": hooks}
}

func (w *Worker) send(v any) error {
	line, err := encode(v)
	if err != nil {
		return err
	}
	w.writing.Lock()
	defer w.writing.Unlock()
	_, err = w.out.Write(append(line, '\n'))
	return err
}

// encode is json.Marshal without the escapes for HTML.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

func (w *Worker) begin(m message) *Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	w.mu.Lock()
	w.calls[m.ID] = cancel
	w.mu.Unlock()
	return &Context{Context: ctx, w: w, id: m.ID, Timeout: time.Duration(m.TimeoutMS) * time.Millisecond}
}

func (w *Worker) work(ctx *Context, m message) {
	r := w.handle(ctx, m)
	for r.later != nil && r.err == nil {
		w.yield(ctx)
		_ = w.send(map[string]any{"type": "result", "id": m.ID, "async": true, "async_timeout_ms": r.timeout.Milliseconds()})
		rest := r.later
		r = protect(rest)
		if r.later != nil {
			r = Fail(errors.New("it cannot go to the background twice"))
		}
	}
	w.mu.Lock()
	w.calls[m.ID](nil)
	delete(w.calls, m.ID)
	w.mu.Unlock()
	line, err := resultLine(m.ID, r)
	if err != nil {
		line = errorLine(m.ID, err)
	}
	w.writing.Lock()
	defer w.writing.Unlock()
	_, _ = w.out.Write(line) // a host that is gone ends the input too
}

func (w *Worker) handle(ctx *Context, m message) Result {
	e := m.event
	if e == nil {
		e = &Event{Raw: m.Input}
		if err := json.Unmarshal(m.Input, e); err != nil {
			return Fail(fmt.Errorf("read the event: %w", err))
		}
	}
	h := w.hook(m.Hook)
	if h == nil {
		return Fail(fmt.Errorf("there is no hook %d", m.Hook))
	}
	began := time.Now()
	defer func() { h.slow.Store(time.Since(began) > patience) }()
	return protect(func() Result { return h.handler(ctx, *e) })
}

func protect(fn func() Result) (r Result) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(os.Stderr, "panic: %v\n%s", p, debug.Stack())
			r = Fail(fmt.Errorf("panic: %v", p))
		}
	}()
	return fn()
}

func resultLine(id uint64, r Result) ([]byte, error) {
	if r.err != nil {
		return nil, r.err
	}
	body, err := encode(r)
	if err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	line := append([]byte(`{"type":"result","id":`), strconv.FormatUint(id, 10)...)
	for _, part := range [][]byte{body, r.more()} {
		if len(part) > 2 {
			line = append(append(line, ','), part[1:len(part)-1]...)
		}
	}
	return append(line, "}\n"...), nil
}

func (r Result) more() []byte {
	if len(r.More) == 0 {
		return nil
	}
	b, err := encode(r.More)
	if err != nil {
		return fmt.Appendf(nil, `{"unencodable":%q}`, err.Error()) // no member of a result: the host refuses it
	}
	return b
}

func errorLine(id uint64, err error) []byte {
	line, _ := encode(map[string]any{"type": "error", "id": id, "message": err.Error()})
	return append(line, '\n')
}

func (w *Worker) cancel(m message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if cancel := w.calls[m.ID]; cancel != nil {
		cancel(fmt.Errorf("the host took the call back: %s", m.Reason))
	}
}

func (w *Worker) deliver(m message) {
	w.mu.Lock()
	ch := w.requests[m.ID]
	delete(w.requests, m.ID)
	w.mu.Unlock()
	if ch == nil {
		return
	}
	r := reply{value: m.Value}
	if m.Error != "" {
		r.err = errors.New(m.Error)
	}
	ch <- r
}

// Context is what a handler may ask of the host while it works on a call. It ends when
// the host takes the call back.
type Context struct {
	context.Context
	// Timeout is how long the host will wait; 0 is for ever.
	Timeout time.Duration

	w    *Worker
	id   uint64
	turn uint64 // of the reading, if the call is worked on by who reads; 0 otherwise
}

// Confirm asks yes or no; it is false when nobody is there.
func (c *Context) Confirm(title, message string) (yes bool, err error) {
	err = c.ask(&yes, "ui.confirm", map[string]any{"title": title, "message": message})
	return yes, err
}

// Select offers options; ok is false when none is taken.
func (c *Context) Select(title string, options ...string) (taken string, ok bool, err error) {
	return c.text("ui.select", map[string]any{"title": title, "options": options})
}

// Input asks for a line of text; ok is false when there is none.
func (c *Context) Input(title, placeholder string) (text string, ok bool, err error) {
	return c.text("ui.input", map[string]any{"title": title, "placeholder": placeholder})
}

func (c *Context) text(method string, params map[string]any) (string, bool, error) {
	var s *string
	if err := c.ask(&s, method, params); err != nil || s == nil {
		return "", false, err
	}
	return *s, true, nil
}

// Notify shows a notice: info, warning or error.
func (c *Context) Notify(message, level string) error {
	return c.ask(nil, "ui.notify", map[string]any{"message": message, "level": level})
}

// Exec is a program that the host runs. Dir is the session's directory by default.
type Exec struct {
	Command   string   `json:"command"`
	Args      []string `json:"args,omitempty"`
	Dir       string   `json:"dir,omitempty"`
	Stdin     string   `json:"stdin,omitempty"`
	TimeoutMS int64    `json:"timeout_ms,omitempty"`
}

// ExecResult is what became of it.
type ExecResult struct {
	Code      int    `json:"code"`
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
	TimedOut  bool   `json:"timed_out"`
	Truncated bool   `json:"truncated"`
}

// Exec runs a program on the host. That it failed is in the result.
func (c *Context) Exec(e Exec) (res ExecResult, err error) {
	err = c.ask(&res, "exec", e)
	return res, err
}

// Messages decodes the messages of the session into v, a pointer to a slice.
func (c *Context) Messages(v any) error { return c.ask(v, "session.messages", struct{}{}) }

// Metadata decodes a value of the session into v, and leaves v when there is none.
func (c *Context) Metadata(key string, v any) error {
	return c.ask(v, "session.metadata", map[string]any{"key": key})
}

// Log writes to the host's log: debug, info, warning or error.
func (c *Context) Log(level, message string) {
	_ = c.w.send(map[string]any{"type": "log", "level": level, "message": message})
}

// Progress shows what the hook is doing to who watches.
func (c *Context) Progress(text string) {
	_ = c.w.send(map[string]any{"type": "progress", "id": c.id, "text": text})
}

func (c *Context) ask(v any, method string, params any) error {
	ch := make(chan reply, 1)
	c.w.mu.Lock()
	c.w.last++
	id := c.w.last
	c.w.requests[id] = ch
	c.w.mu.Unlock()
	c.w.yield(c)
	if err := c.w.send(map[string]any{"type": "request", "id": id, "call": c.id, "method": method, "params": params}); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case r := <-ch:
		if r.err != nil || v == nil || len(r.value) == 0 {
			return r.err
		}
		return json.Unmarshal(r.value, v)
	case <-c.Done():
		c.w.mu.Lock()
		delete(c.w.requests, id)
		c.w.mu.Unlock()
		return context.Cause(c)
	}
}
