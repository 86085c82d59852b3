package bridge

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/audit"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
)

// Call is one event that a host fires.
type Call struct {
	// Host and Event are the host's name and its name of the event.
	Host, Event string
	// Payload is what the host sends, and Unread why it could not be read: the call is
	// answered then as one that can't be understood is.
	Payload []byte
	Unread  error
	// Dir is the directory in which the host started us.
	Dir string
	// Environ is the environment that the host gives its hooks, as KEY=VALUE.
	Environ []string
}

// Getenv reads the environment that the host gives its hooks; of a name that stands twice
// the last counts.
func (c *Call) Getenv(name string) string {
	for _, one := range slices.Backward(c.Environ) {
		if key, value, ok := strings.Cut(one, "="); ok && key == name {
			return value
		}
	}
	return ""
}

// Bridge answers hosts. It is safe for concurrent use.
type Bridge struct {
	// Dialects are those that there are.
	Dialects []dialect.Dialect
	// Open returns the hooks of a directory for one call, and the function that gives them
	// back. It is given the call, whose Dir is the session's directory where the payload
	// says one, and the session's id.
	Open func(ctx context.Context, c *Call, session string) (h *host.Host, done func(), err error)
	// LateWait is how long hooks in the background are waited for before Open's function is
	// called, where they would end with it; what they say is held for a later event.
	LateWait time.Duration
	// Problem is told of what went wrong beside the answer; nil tells nobody.
	Problem func(error)
}

// Answer fires the event of a call and says what the host is to be told. It always
// answers: whatever goes wrong is a refusal, where the event can be refused and a hook is
// registered for it, or that cannot be told.
func (b *Bridge) Answer(ctx context.Context, c *Call) handler.Answer {
	h, d := dialect.HostByName(b.Dialects, c.Host)
	if h == nil {
		return handler.Answer{ExitCode: 2, Stderr: fmt.Appendf(nil, "hookline knows no host %q\n", c.Host)}
	}
	end := deadline(h.Time(h.Event(c.Event)))
	ctx, cancel := context.WithTimeoutCause(ctx, end, errors.New("the host's time is nearly up"))
	defer cancel()
	one := &call{b: b, Call: c, host: h, dialect: d, answer: make(chan handler.Answer, 1)}
	go one.run(ctx)
	select {
	case a := <-one.answer:
		return a
	case <-ctx.Done():
	}
	select { // what is being ended may still answer
	case a := <-one.answer:
		return a
	case <-time.After(end / 20):
		return refusal(d, h, c.Event, failed(context.Cause(ctx)))
	}
}

// deadline is how much of a host's time hooks may have: a host that gives up mostly lets
// things happen.
func deadline(hosts time.Duration) time.Duration { return hosts - min(hosts/4, 5*time.Second) }

// failed is the reason of a refusal that no hook gave.
func failed(err error) string {
	return fmt.Sprintf("Hookline could not ask the hooks: %v. Nothing is allowed unasked; 'hookline bridge status' says more, 'hookline bridge remove' takes it out.", err)
}

// call is a call on its way.
type call struct {
	b *Bridge
	*Call
	host    *dialect.Host
	dialect dialect.Hosted
	event   *dialect.HostEvent
	hooks   *host.Host
	pending []*hook.AsyncRun
	// decision and reason are what the hooks came to, "" where they were not asked.
	decision, reason string
	answer           chan handler.Answer
}

// run answers, also when something panics.
func (c *call) run(ctx context.Context) {
	done := func() {}
	defer func() { done() }()
	defer func() {
		if p := recover(); p != nil {
			c.problem(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
			c.answer <- c.refuse(fmt.Errorf("it panicked: %v", p))
		}
	}()
	in, inErr := c.read()
	session := ""
	if in != nil {
		session = in.Base().SessionID
		if dir := in.Base().CWD; filepath.IsAbs(dir) {
			c.Dir = dir
		}
	}
	hooks, giveBack, err := c.b.Open(ctx, c.Call, session)
	if err != nil {
		c.answer <- c.refuse(fmt.Errorf("open them in %s: %w", c.Dir, err))
		return
	}
	c.hooks, done = hooks, giveBack
	c.problem(c.asks())
	var a handler.Answer
	if err = inErr; err == nil {
		a, err = c.fire(ctx, in)
	}
	if err != nil {
		a = c.refuse(err)
	}
	c.problem(c.recordProbed(ctx, session))
	c.answer <- a
	c.waitForBackground(in)
}

// waitForBackground waits for hooks in the background that would end with the call.
func (c *call) waitForBackground(in hook.Input) {
	if c.b.LateWait <= 0 || len(c.pending) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.b.LateWait)
	defer cancel()
	for _, p := range c.pending {
		if _, err := p.Wait(ctx); err != nil {
			c.problem(fmt.Errorf("%s still runs in the background and is ended now", p.Hook.Name))
		}
	}
	session := in.Base().SessionID
	c.problem(c.forLater().add(ctx, c.Host, session, c.lateContext(session)))
}

// lateContext is what hooks in the background of a session have said since it was asked last.
func (c *call) lateContext(session string) (lines []string) {
	for _, r := range c.hooks.Engine.CollectLate(session) {
		if c.hooks.Audit != nil {
			c.hooks.Audit.Late(r)
		}
		lines = append(lines, r.Result.Context...)
	}
	return lines
}

func (c *call) forLater() laterContext {
	return laterContext{filepath.Join(c.hooks.Dirs.State, "bridge", "held")}
}

// read reads the payload.
func (c *call) read() (hook.Input, error) {
	if c.event = c.host.Event(c.Event); c.event == nil {
		return nil, fmt.Errorf("%s has no event %q that this version knows", c.host.Title, c.Event)
	}
	var in hook.Input
	err := c.Unread
	if err == nil {
		in, _, err = Decode(c.dialect, c.Event, c.Payload)
	}
	if err != nil {
		return nil, fmt.Errorf("read what %s sent for %s: %w", c.host.Title, c.Event, err)
	}
	if !slices.Contains(c.dialect.EventsOf(c.Event), in.Event()) {
		return nil, fmt.Errorf("%s sent %v for %s", c.host.Title, in.Event(), c.Event)
	}
	c.event = c.event.For(in.Event())
	return in, nil
}

// Decode reads what a host sent for an event, by its name of it, and says what of it was
// ignored.
func Decode(d dialect.Dialect, event string, payload []byte) (hook.Input, []string, error) {
	if named, ok := d.Codec().(dialect.EventCodec); ok {
		return named.DecodeEvent(event, payload)
	}
	return d.Codec().DecodeInput(payload)
}

// refuse answers what went wrong: a refusal, unless it is known that no hook guards.
func (c *call) refuse(err error) handler.Answer {
	c.problem(err)
	if c.hooks != nil && !c.guarded() {
		return handler.Answer{}
	}
	return refusal(c.dialect, c.host, c.Event, failed(err))
}

// guarded reports whether a hook is registered that could refuse: for one of the event's
// canonical events, or, of an event that is not known, for any.
func (c *call) guarded() bool {
	events := c.dialect.EventsOf(c.Event)
	return slices.ContainsFunc(c.hooks.Registry.Infos(), func(i *hook.Info) bool {
		return !i.Observe && i.Event.Spec().CanFailClosed() && (c.event == nil || slices.Contains(events, i.Event))
	})
}

// fire asks the hooks.
func (c *call) fire(ctx context.Context, in hook.Input) (handler.Answer, error) {
	session := in.Base().SessionID
	handler.SetEnviron(in, sync.OnceValue(c.environ))
	out, err := Fire(ctx, c.hooks, c.dialect.Codec(), in)
	if err != nil {
		return handler.Answer{}, err
	}
	c.pending, c.decision, c.reason = out.Pending, out.Decision.String(), out.Reason
	out.Context = append(c.lateContext(session), out.Context...)
	if c.event.Honours&hook.FieldContext != 0 {
		before, err := c.forLater().take(ctx, c.Host, session)
		c.problem(err)
		out.Context = append(before, out.Context...)
	}
	if !out.UpdatedOutput.IsZero() {
		if in, err = c.read(); err != nil { // for the result as the host has it, which hooks changed in place
			return handler.Answer{}, err
		}
	}
	ans, losses, later, err := encode(c.dialect, c.host, c.event, in, &out)
	c.record(in, losses)
	c.problem(c.forLater().add(ctx, c.Host, session, later))
	return ans, err
}

// maxEnviron bounds the variables of a call, in bytes.
const maxEnviron = 256 << 10

// environ is what hooks may see of the call's environment, by the rule for that with which
// they were loaded. Where their code is found stays as it was when they were.
func (c *call) environ() []string {
	env, _ := process.Environ(c.Environ, nil, process.EnvPolicy{Keep: c.hooks.Config.EnvAllow, Drop: dialect.CodeVariables()})
	size := 0
	for i, one := range env {
		if size += len(one); size > maxEnviron {
			c.problem(fmt.Errorf("%s gives hooks an environment of more than %d bytes: the rest is left out", c.host.Title, maxEnviron))
			return env[:i]
		}
	}
	return env
}

// LostBehind is what the audit log's reason of a loss behind a host begins with; of nil,
// behind any.
func LostBehind(h *dialect.Host) string {
	if h == nil {
		return "lost behind "
	}
	return "lost behind " + h.Title + ": "
}

// record puts losses into the audit log.
func (c *call) record(in hook.Input, losses []loss) {
	if c.hooks.Audit == nil {
		return
	}
	for _, l := range losses {
		c.problem(c.hooks.Audit.Note(audit.Record{
			Session: in.Base().SessionID, Event: in.Event().String(), Hook: l.Hook, Dialect: c.dialect.Name(),
			Reason: LostBehind(c.host) + l.String(),
		}))
	}
}

func (c *call) problem(err error) {
	if err != nil && c.b.Problem != nil {
		c.b.Problem(err)
	}
}
