package acpproxy

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/hook"
)

// session is one of the agent's, with the hooks of its directory.
type session struct {
	p       *proxy
	id, cwd string
	hooks   Hooks

	message  message    // of the agent, as far as it has come
	starting sync.Mutex // held while hooks are told of the beginning: a prompt waits for what they add

	mu        sync.Mutex
	notes     []string             // what the agent is told with its next prompt
	calls     map[string]*seenCall // calls of tools, by their ids
	terminals map[string]*terminal
	through   map[string]bool // files and terminals of the editor that this turn has used
	unasked   map[string]bool // tools that ran without asking, as the person knows
	turn      int
	mode      string // as hooks know it
	agentMode string // as the agent calls it, "" when it has none
	loading   bool   // what comes is what was there already
}

// heard are the events that the proxy fires for a session.
var heard = []hook.Event{
	hook.EventSessionStart, hook.EventSessionEnd, hook.EventUserInput, hook.EventUserPromptSubmit, hook.EventStop, hook.EventStopFailure,
	hook.EventPreToolUse, hook.EventPermissionRequest, hook.EventPostToolUse, hook.EventPostToolUseFailure,
	hook.EventToolExecutionStart, hook.EventToolExecutionUpdate, hook.EventToolExecutionEnd,
	hook.EventMessageStart, hook.EventMessageUpdate, hook.EventMessageEnd, hook.EventMessageDisplay,
}

// active reports whether the session has any hook.
func (s *session) active() bool { return slices.ContainsFunc(heard, s.hooks.Hears) }

// known returns a session, nil when it is not known.
func (p *proxy) known(id string) *session {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sessions[id]
}

// open returns the session of an id, with the hooks of a directory when it is new.
func (p *proxy) open(ctx context.Context, id, dir string) (*session, error) {
	if s := p.known(id); s != nil {
		return s, nil
	}
	hooks, err := p.Open(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("load the hooks of the session's directory %s: %w", dir, err)
	}
	return p.enter(&session{p: p, id: id, cwd: dir, hooks: hooks}), nil
}

// enter makes a session known, and returns the one that was known by its id before, if any.
func (p *proxy) enter(s *session) *session {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.sessions[s.id]; known != nil {
		return known
	}
	s.calls, s.terminals, s.through, s.unasked = map[string]*seenCall{}, map[string]*terminal{}, map[string]bool{}, map[string]bool{}
	p.sessions[s.id] = s
	return s
}

// of finds the session that a request is about. One of which the proxy has not seen the
// beginning has the hooks of the directory that sessions have which name none.
func (p *proxy) of(c *call) (err error) {
	c.session, err = p.open(c.ctx, c.params.String("sessionId"), "")
	return err
}

// fire fires an event and tells the person what its hooks have to say. Parts of the outcome
// beside wrote, for which there is no place, are reported as lost. Context waits for the
// next prompt, and an answer that ends the run ends the turn.
func (s *session) fire(ctx context.Context, in hook.Input, wrote hook.Fields) (hook.Outcome, error) {
	if !s.hooks.Hears(in.Event()) {
		return hook.Outcome{Event: in.Event()}, nil
	}
	s.mu.Lock()
	*in.Base() = hook.Common{SessionID: s.id, CWD: s.cwd, PermissionMode: cmp.Or(s.mode, "default"), InvokedBy: "main", PromptID: fmt.Sprint(s.turn)}
	s.mu.Unlock()
	out, err := s.hooks.Fire(ctx, in)
	for _, list := range [][]string{out.SystemMessages, out.Notices} {
		for _, text := range list {
			s.say("%s", text)
		}
	}
	if !out.Blocked() || in.Event() != hook.EventUserPromptSubmit { // with the prompt goes what was for it
		s.note(slices.Concat(out.Context, out.SystemMessages)...)
	}
	const placed = hook.FieldContext | hook.FieldSystemMessage | hook.FieldNotice | hook.FieldHalt | hook.FieldSuppressOutput
	for _, what := range out.Lost(wrote | placed) {
		s.lost(in, what)
	}
	if out.Halt && err == nil {
		s.say("%s", cmp.Or(out.StopReason, out.Reason, "a hook ended the run"))
		if !in.Event().Spec().KeepsGoing() {
			s.interrupt()
		}
	}
	return out, err
}

// observe fires an event that only looks.
func (s *session) observe(in hook.Input) {
	if _, err := s.fire(s.p.ctx, in, 0); err != nil && s.p.ctx.Err() == nil {
		s.say("hooks of %v could not be asked: %v", in.Event(), err)
	}
}

// lost tells of a part of an outcome that cannot be told to the agent.
func (s *session) lost(in hook.Input, what string) {
	s.say("lost on %v: %s", in.Event(), what)
	s.hooks.Lost(in, what)
}

// note keeps texts for the agent's next prompt.
func (s *session) note(texts ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, texts...)
}

// takeNotes returns what the agent is to be told, as blocks of a prompt.
func (s *session) takeNotes() (blocks []hook.JSON) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.notes {
		blocks = append(blocks, hook.MustJSON(textBlock("<system-reminder>\n"+n+"\n</system-reminder>")))
	}
	s.notes = nil
	return blocks
}

// interrupt ends the turn that the agent works on.
func (s *session) interrupt() {
	s.tell(s.p.agent, methodCancel, map[string]string{"sessionId": s.id})
}

// beforeSession loads the hooks of a session that is about to begin.
func beforeSession(p *proxy, c *call) []byte {
	dir := c.params.String("cwd")
	if !filepath.IsAbs(dir) {
		return c.refuse("the session's directory is not absolute: " + dir)
	}
	id := c.params.String("sessionId")
	if id == "" { // a new one gets its id from the agent
		hooks, err := p.Open(c.ctx, dir)
		if err != nil {
			return c.refuse(fmt.Sprintf("load the hooks of the session's directory %s: %v", dir, err))
		}
		c.session = &session{p: p, cwd: dir, hooks: hooks}
		return nil
	}
	s, err := p.open(c.ctx, id, dir)
	if err != nil {
		return c.refuse(err.Error())
	}
	s.mu.Lock()
	s.loading = true
	s.mu.Unlock()
	c.session = s
	return nil
}

// afterSession fires SessionStart. What hooks add waits for the first prompt.
func afterSession(p *proxy, c *call, m *jsonrpc.Message) []byte {
	s, source := c.session, "resume"
	if c.request.Method == methodNew && !m.Failed {
		source, s.id = "startup", m.Content().String("sessionId")
		s = p.enter(s)
	}
	s.mu.Lock()
	s.loading = false
	s.mu.Unlock()
	changed := s.setMode(modeIn(m.Content()))
	if m.Failed {
		return m.Raw
	}
	s.starting.Lock()
	defer s.starting.Unlock()
	if p.done(c) { // the client has to know the session before it is told anything in it
		write(c.from, m.Raw)
	}
	if s.hooks.Hears(hook.EventPreToolUse) {
		p.tellGate(s)
	}
	if changed {
		s.tellMode()
	}
	in := &hook.SessionStart{Source: source}
	out, err := s.fire(p.ctx, in, hook.FieldInitialUserMessage)
	if err != nil {
		s.say("hooks of SessionStart could not be asked: %v", err)
	}
	if h := out.Host; h != nil && h.InitialUserMessage != "" {
		s.note(h.InitialUserMessage)
	}
	return nil
}

// afterClose ends a session.
func afterClose(p *proxy, c *call, m *jsonrpc.Message) []byte {
	if s := p.known(c.params.String("sessionId")); s != nil && !m.Failed {
		p.mu.Lock()
		delete(p.sessions, s.id)
		p.mu.Unlock()
		s.observe(&hook.SessionEnd{Reason: "other"})
	}
	return m.Raw
}

// endSessions ends the sessions that are open.
func (p *proxy) endSessions(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for _, s := range p.sessions { // nobody else is left
		if _, err := s.fire(ctx, &hook.SessionEnd{Reason: "prompt_input_exit"}, 0); err != nil {
			p.Notify("hooks of SessionEnd could not be asked: " + err.Error())
		}
	}
}

// joined joins what is not empty by blank lines.
func joined(texts []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(texts), func(t string) bool { return t == "" }), "\n\n")
}
