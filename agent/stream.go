package agent

import (
	"fmt"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/rules"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
)

// stream passes on one answer while it arrives.
type stream struct {
	r         *run
	model     string          // that answers
	effort    string          // how hard it tries
	fired     map[string]bool // rules that have interrupted this turn
	id        string
	index     int
	text      strings.Builder // all text so far
	tail      string          // the end of what rules look at
	started   bool
	update    bool // somebody hears MessageUpdate
	display   bool
	lastPiece string     // the newest piece of text, when hooks want to see it first
	known     answerInfo // what has become known of the answer
}

func newStream(r *run, model, effort string, fired map[string]bool) *stream {
	return &stream{r: r, model: model, effort: effort, fired: fired, update: r.has(hook.EventMessageUpdate), display: r.depth == 0 && r.has(hook.EventMessageDisplay)}
}

// ruleCut is the error with which rules cut a stream.
type ruleCut struct{ rules []rules.Rule }

func (e *ruleCut) Error() string { return fmt.Sprintf("%d rules interrupted the model", len(e.rules)) }

// observe sees each event of the stream. Its error ends the stream.
func (s *stream) observe(ev model.Event) error {
	if err := s.r.ctxErr(); err != nil {
		return err
	}
	s.r.emit(Event{Kind: KindStream, Stream: &ev})
	switch ev.Kind {
	case model.Answered:
		s.known.Provider, s.known.API = ev.Provider, ev.API
		s.answered(ev)
	case model.Start:
		s.id, s.known.ID, s.known.Model = ev.ID, ev.ID, s.model
	case model.UsageReport:
		s.known.Usage, s.known.Cost = &ev.Usage, ev.Cost
		s.begin()
	case model.ToolCallStart:
		s.begin()
	case model.TextDelta:
		s.begin()
		s.text.WriteString(ev.Text)
		s.show(ev.Text)
		return s.check(ev.Text)
	case model.ThinkingDelta:
		s.begin()
		s.r.emit(Event{Kind: KindThinking, Text: ev.Text})
	case model.ToolCallDelta:
		return s.check(ev.Text)
	}
	return nil
}

// answered tells that the provider has begun to answer.
func (s *stream) answered(ev model.Event) {
	if !s.r.has(hook.EventProviderResponse) {
		return
	}
	headers := map[string]string{}
	for name, list := range ev.Header {
		headers[strings.ToLower(name)] = strings.Join(list, ", ")
	}
	s.r.observe(s.r.ctx, &hook.ProviderResponse{Status: ev.Status, Headers: hook.MustJSON(headers), Provider: ev.Provider})
}

func (s *stream) begin() {
	if s.started {
		return
	}
	s.started = true
	if s.r.has(hook.EventMessageStart) {
		s.r.observe(s.r.ctx, &hook.MessageStart{Message: s.soFar()})
	}
}

// soFar is the message as far as it has come.
func (s *stream) soFar() *hook.Message {
	content := []map[string]string{}
	if s.text.Len() > 0 {
		content = append(content, map[string]string{"type": "text", "text": strings.ToValidUTF8(s.text.String(), "\uFFFD")})
	}
	m := &hook.Message{Role: string(model.Assistant), Content: hook.MustJSON(content), Extra: stored{answerInfo: s.known}.extra()}
	stamp(m, time.Now())
	return m
}

// show passes on a piece of text, as hooks want it shown.
func (s *stream) show(delta string) {
	if s.update {
		s.r.observe(s.r.ctx, &hook.MessageUpdate{Message: s.soFar(), Delta: delta})
	}
	if s.display {
		// The last piece is known as such only when the answer is complete.
		if delta, s.lastPiece = s.lastPiece, delta; delta != "" {
			delta = s.displayed(&hook.MessageDisplay{Delta: delta})
		}
	}
	if delta != "" {
		s.r.emit(Event{Kind: KindText, Text: delta})
	}
}

// displayed is a piece of text as hooks want it shown.
func (s *stream) displayed(in *hook.MessageDisplay) string {
	delta := in.Delta
	in.TurnID, in.MessageID, in.Index = fmt.Sprint(s.r.res.Turns), s.id, s.index
	s.index++
	out, err := s.r.Fire(s.r.ctx, in)
	if err == nil && out.Host != nil && out.Host.DisplayContent != nil {
		return *out.Host.DisplayContent
	}
	return delta
}

// ruleWindow is how much of the stream before its newest piece a rule can match
// in, in bytes.
const ruleWindow = 8 << 10

// check cuts the stream when rules match it that have not in this turn.
func (s *stream) check(delta string) error {
	if len(s.r.cfg.Rules) == 0 {
		return nil
	}
	s.tail += delta
	if cut := len(s.tail) - len(delta) - ruleWindow; cut > 0 {
		s.tail = s.tail[cut:]
	}
	var hit []rules.Rule
	for _, rule := range s.r.cfg.Rules {
		if !s.fired[rule.Name] && rule.Trigger.MatchString(s.tail) {
			hit = append(hit, rule)
		}
	}
	if len(hit) > 0 {
		return &ruleCut{hit}
	}
	return nil
}

// end tells that the answer is complete, or that what came of it doesn't count.
func (s *stream) end(resp *model.Response, err error) {
	if err != nil {
		if s.started && s.r.ctx.Err() == nil {
			s.r.emit(Event{Kind: KindDiscard, Text: err.Error()})
		}
		return
	}
	s.begin()
	if s.lastPiece != "" {
		if rest := s.displayed(&hook.MessageDisplay{Delta: s.lastPiece, Final: true}); rest != "" {
			s.r.emit(Event{Kind: KindText, Text: rest})
		}
	}
	if s.r.has(hook.EventMessageEnd) {
		if h, err := toHook(resp.Message); err == nil {
			h.Extra = (&answer{resp: resp, model: s.model, effort: s.effort, took: s.r.took}).stored().extra()
			stamp(&h, time.Now())
			resp.Message = s.r.messageEnded(h, resp.Message)
		}
	}
}

// recordRules tells that rules interrupted the stream, and puts them into the
// conversation.
func (r *run) recordRules(hit []rules.Rule, fired map[string]bool) error {
	in := &hook.RuleTriggered{}
	for _, rule := range hit {
		fired[rule.Name] = true
		in.Rules = append(in.Rules, hook.MustJSON(map[string]string{
			"name": rule.Name, "path": rule.Path, "content": rule.Text, "trigger": rule.Trigger.String(),
		}))
	}
	r.observe(r.ctx, in)
	if r.over() {
		return nil
	}
	for _, rule := range hit {
		text := "Your answer was interrupted, because this rule of the person applies to it. Follow it and answer again.\n\n" + rule.Text
		e := session.Entry{Type: session.CustomMessage, CustomType: "rule", Content: rawValue(hook.MustJSON(text)), Details: rawValue(hook.MustJSON(map[string]string{"rule": rule.Name}))}
		if err := r.record(e, model.UserText(text), stored{}); err != nil {
			return err
		}
	}
	return nil
}
