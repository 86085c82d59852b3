package agent

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

// answer is what the model said, and the pending context that it was told.
type answer struct {
	resp      *model.Response
	delivered []string
	model     string
	effort    string
	took      time.Duration
}

// ask calls the model for one turn. Failed calls are tried again, a conversation
// that is too long is compacted once, and rules that match what the model says are
// put in. An error comes with what the model had said so far, if anything. Without either
// a hook has ended the prompt.
func (r *run) ask() (*answer, error) {
	fired := map[string]bool{}
	for {
		if err := r.instructionsRead(r.ctx); err != nil {
			return nil, err
		}
		req, err := r.request()
		if err != nil || r.over() {
			return nil, err
		}
		resp, err := r.call(req, fired)
		ans := &answer{resp: resp, delivered: req.context, model: req.Model, effort: req.Effort, took: r.took}
		if cut, ok := errors.AsType[*ruleCut](err); ok {
			if err := r.recordRules(cut.rules, fired); err != nil || r.over() {
				return nil, errors.Join(err, r.ctxErr())
			}
			continue
		}
		if err == nil {
			return ans, nil
		}
		if api, ok := errors.AsType[*model.APIError](err); ok && api.Kind == model.KindContextTooLong && !r.overflowed && hasAnswer(req.Messages) {
			r.overflowed = true
			if done, cerr := r.autoCompact("overflow"); cerr != nil {
				return nil, errors.Join(err, cerr)
			} else if done {
				continue
			}
		}
		if resp != nil {
			resp.Message.Content = onlyText(resp.Message.Content)
		}
		return ans, err
	}
}

// hasAnswer reports whether the model has said anything yet: what it has not is one prompt,
// of which a summary is no help.
func hasAnswer(msgs []model.Message) bool {
	return slices.ContainsFunc(msgs, func(m model.Message) bool { return m.Role == model.Assistant })
}

// onlyText keeps of an answer that was cut off what can stay in a conversation:
// nobody runs its tool calls.
func onlyText(blocks []model.Block) []model.Block {
	return slices.DeleteFunc(blocks, func(b model.Block) bool { return b.Type != model.TextBlock || strings.TrimSpace(b.Text) == "" })
}

// request is one call of a model, and whom it goes to: a hook that changes the model from
// here on changes that of the next one.
type request struct {
	*model.Request
	to      model.Provider
	context []string // the ids of the pending context that it holds
}

// request builds one call: the messages, as Context hooks leave them, and the
// context that waits.
func (r *run) request() (*request, error) {
	msgs, system, err := r.contextHooks()
	if err != nil {
		return nil, err
	}
	// What the Context hooks added is delivered with this very call.
	pending, current := r.Session().Pending(), r.nextModel()
	req := &model.Request{
		Model: current.name, System: system, Messages: msgs, Tools: r.tools.definitions(), MaxTokens: r.cfg.MaxTokens,
		Effort: r.model.tries(), ThinkingBudget: r.model.thinkingBudget(), TaskBudget: r.cfg.TaskBudget, CachePrompt: true,
	}
	placeContext(req, pending, r.cfg.Placement)
	if req, err = r.providerHooks(req, current); err != nil {
		return nil, err
	}
	return &request{Request: req, to: current.provider, context: entryIDs(pending)}, nil
}

// contextHooks returns the messages and the system prompt of a call, which hooks may change
// for this call only.
func (r *run) contextHooks() ([]model.Message, []string, error) {
	system := r.systemPrompt()
	if !r.has(hook.EventContext) {
		msgs, err := r.conversation.toSend()
		return msgs, system, err
	}
	msgs, seen, err := r.conversation.toSendAndShow()
	if err != nil {
		return nil, nil, err
	}
	in := &hook.Context{Messages: slices.Clone(seen), SystemPrompt: joinParagraphs(system)}
	out, err := r.Fire(r.ctx, in)
	if err != nil {
		return nil, nil, err
	}
	if out.Host != nil && out.Host.SystemPrompt != nil {
		system = []string{*out.Host.SystemPrompt}
	}
	after := in.Messages
	if out.Messages != nil {
		after = out.Messages
	}
	same := slices.EqualFunc(after, seen, func(a, b hook.Message) bool { return a.Role == b.Role && a.Content == b.Content })
	if same {
		return msgs, system, nil
	}
	changed := make([]model.Message, 0, len(after))
	for _, m := range after {
		msg, err := toModel(m)
		if err != nil {
			r.notify("The messages that a Context hook returned can't be sent, the call goes on without its change: "+err.Error(), ui.Warning)
			return msgs, system, nil
		}
		changed = append(changed, withoutDetails(msg))
	}
	return pairTools(changed), system, nil
}

// systemPrompt returns the pieces of the system prompt.
func (r *run) systemPrompt() []string {
	if r.system != nil {
		return []string{*r.system}
	}
	return r.Agent.systemPrompt()
}

func (a *Agent) systemPrompt() []string {
	out := slices.Clone(a.cfg.System)
	for _, f := range a.cfg.Instructions {
		out = append(out, "Contents of "+f.Path+":\n\n"+f.Text)
	}
	return out
}

// SystemPrompt returns the system prompt as one text.
func (a *Agent) SystemPrompt() string { return joinParagraphs(a.systemPrompt()) }

// providerHooks lets hooks change the request as it is sent to a model.
func (r *run) providerHooks(req *model.Request, to chosenModel) (*model.Request, error) {
	if !r.has(hook.EventProviderRequest) {
		return req, nil
	}
	shown := *req // with what is sent where the request does not say
	shown.MaxTokens = r.describe(to).MaxTokens
	payload, err := lenientJSON(&shown)
	if err != nil {
		return nil, err
	}
	in := &hook.ProviderRequest{Payload: payload, Provider: req.Model}
	if _, err := r.Fire(r.ctx, in); err != nil {
		return nil, err
	}
	if in.Payload == payload {
		return req, nil
	}
	changed := &model.Request{}
	if err := json.Unmarshal([]byte(in.Payload.Raw()), changed, rawOptions); err != nil {
		r.notify("The request that a ProviderRequest hook returned can't be sent, the call goes on without its change: "+err.Error(), ui.Warning)
		return req, nil
	}
	if changed.MaxTokens == shown.MaxTokens {
		changed.MaxTokens = req.MaxTokens // another model may have to answer
	}
	changed.Messages = pairTools(changed.Messages)
	r.withoutCredentials(changed.Headers)
	return changed, nil
}

// nextModel is the model that the next call goes to.
func (r *run) nextModel() chosenModel {
	if n := r.fallback; n > 0 {
		f := r.cfg.Fallbacks[n-1]
		return chosenModel{provider: f.Provider, name: f.Name}
	}
	if r.asked != nil {
		return *r.asked
	}
	return r.model.current()
}

// takeModel has the model of a name work on the prompt.
func (r *run) takeModel(name string) {
	if name == "" || name == "inherit" || r.cfg.Resolve == nil {
		return
	}
	provider, id, err := r.cfg.Resolve(name)
	if err != nil {
		r.notify(fmt.Sprintf("The command asks for the model %s, which cannot be had: %v. %s works on it.", name, err, r.Model()), ui.Warning)
		return
	}
	r.asked = &chosenModel{provider, id, name}
}

// call calls the model, and those that stand in for it while it is not available.
func (r *run) call(req *request, fired map[string]bool) (*model.Response, error) {
	for {
		resp, err := r.persist(req, fired)
		if r.fallback == len(r.cfg.Fallbacks) || !unavailable(err) || r.over() {
			return resp, err
		}
		r.emit(Event{Kind: KindDiscard, Text: err.Error()})
		was := req.Model
		r.fallback++
		standIn := r.nextModel()
		req.Model, req.to = standIn.name, standIn.provider
		r.notify(fmt.Sprintf("%s is not available; %s answers the rest of this prompt: %v", was, req.Model, err), ui.Warning)
	}
}

// unavailable reports whether an error says that another model may answer.
func unavailable(err error) bool {
	api, ok := errors.AsType[*model.APIError](err)
	if !ok {
		return false
	}
	switch api.Kind {
	case model.KindRateLimit, model.KindOverloaded, model.KindServer, model.KindNetwork, model.KindTimeout, model.KindNotFound:
		return true
	}
	return false
}

// persist calls the model, and again when a failure may pass.
func (r *run) persist(req *request, fired map[string]bool) (*model.Response, error) {
	for attempt := 0; ; attempt++ {
		resp, err := r.stream(req, fired)
		err = r.cfg.Retry.inTime(err)
		again := err != nil && model.IsRetryable(err) && attempt < r.cfg.Retry.Max && r.ctx.Err() == nil
		if !again {
			r.retried(attempt, err)
			return resp, err
		}
		r.emit(Event{Kind: KindDiscard, Text: err.Error()})
		wait := r.cfg.Retry.wait(attempt, err)
		r.emit(Event{Kind: KindRetry, Retry: &RetryEvent{Attempt: attempt + 1, Max: r.cfg.Retry.Max, Delay: wait, Err: err}})
		r.observe(r.ctx, &hook.AutoRetryStart{
			Attempt: attempt + 1, MaxAttempts: r.cfg.Retry.Max, DelayMS: wait.Milliseconds(), ErrorMessage: err.Error(),
		})
		if r.over() || r.sleep(r.ctx, wait) != nil {
			r.retried(attempt+1, err)
			return resp, err
		}
	}
}

// retried tells that trying again is over, when it had begun.
func (r *run) retried(attempt int, err error) {
	if attempt == 0 {
		return
	}
	end := &hook.AutoRetryEnd{Success: err == nil, Attempt: attempt}
	if _, cut := errors.AsType[*ruleCut](err); cut {
		end.Success = true // the model had answered
	} else if err != nil {
		end.FinalError = err.Error()
	}
	r.observeLast(end)
}

// inTime makes an error final with which a provider asks for a longer wait than there is.
func (c Retry) inTime(err error) error {
	api, ok := errors.AsType[*model.APIError](err)
	if !ok || !api.Retryable() || api.RetryAfter <= c.Limit {
		return err
	}
	final, never := *api, false
	final.Retry = &never
	final.Message += fmt.Sprintf("; it asks to wait %s, longer than the %s that it is waited for", api.RetryAfter, c.Limit)
	return &final
}

// wait is how long to wait after a failed attempt, counted from 0: what the
// provider asks for, or twice as long each time.
func (c Retry) wait(attempt int, err error) time.Duration {
	d := c.Base << min(attempt, 20)
	if api, ok := errors.AsType[*model.APIError](err); ok && api.RetryAfter > 0 {
		d = api.RetryAfter
	}
	return min(d, c.Limit)
}

// stream calls the model once and passes on what it says.
func (r *run) stream(req *request, fired map[string]bool) (*model.Response, error) {
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	s, start := newStream(r, req.Model, req.Effort, fired), time.Now()
	resp, err := model.Accumulate(req.to.Stream(ctx, req.Request), s.observe)
	r.res.Usage, r.took = r.res.Usage.Add(resp.Usage), time.Since(start)
	r.model.used(resp.Usage)
	if err == nil {
		r.conversation.answered(resp.Usage.Context())
	}
	s.end(resp, err)
	if err != nil && r.ctx.Err() != nil {
		err = context.Cause(r.ctx)
	}
	return resp, err
}

// recordAnswer records what the model said, and that the context it was told has
// been delivered.
func (r *run) recordAnswer(ans *answer) error {
	r.res.Turns++
	r.turn.answer = ans
	resp := ans.resp
	r.res.StopReason = string(resp.Reason)
	if text := resp.Message.Text(); text != "" {
		r.res.Text = text
	}
	if len(resp.Message.Content) == 0 {
		return r.Session().Consume(ans.delivered...) // nothing that could be kept
	}
	if err := r.record(session.Entry{Type: session.Message, Consumed: ans.delivered}, resp.Message, ans.stored()); err != nil {
		return err
	}
	r.turn.answerEntry = r.lastEntry
	return nil
}

// failed ends the prompt when the model gave no answer. What it had said so far
// is recorded.
func (r *run) failed(ans *answer, err error) error {
	if ans != nil && len(ans.resp.Message.Content) > 0 {
		if rec := r.recordAnswer(ans); rec != nil {
			return errors.Join(err, rec)
		}
	}
	if r.ctx.Err() != nil {
		return r.ctxErr()
	}
	in := &hook.StopFailure{Error: "unknown", LastAssistantMessage: "API Error: " + err.Error()}
	api, ok := errors.AsType[*model.APIError](err)
	if ok {
		in.Error, in.LastAssistantMessage = failureKind(api), api.Apology()
		r.res.Replacement = in.LastAssistantMessage
	}
	switch {
	case !ok || api.Status == 0:
		in.ErrorDetails = err.Error()
	case api.Status == http.StatusRequestEntityTooLarge:
		in.ErrorDetails = strings.Trim(fmt.Sprintf("%s: %d %s", api.Type, api.Status, api.Body), ": ")
	}
	if r.depth == 0 && r.has(hook.EventMessageDisplay) {
		s := newStream(r, "", "", nil)
		s.id = newID()
		s.displayed(&hook.MessageDisplay{Delta: in.LastAssistantMessage, Final: true})
	}
	r.observe(r.ctx, in)
	return fmt.Errorf("asking the model: %w", err)
}

// failureKind is what StopFailure hooks are told of an error's kind: one of those that the
// format has. A bad request is unknown there, save one that is too long.
func failureKind(err *model.APIError) string {
	switch err.Kind {
	case model.KindOverloaded, model.KindNetwork:
		return string(model.KindServer)
	case model.KindContextTooLong:
		return string(model.KindInvalidRequest)
	case model.KindRateLimit, model.KindAuth, model.KindBilling, model.KindNotFound, model.KindServer:
		return string(err.Kind)
	case model.KindInvalidRequest:
		if err.Status == 0 { // was never sent
			return string(err.Kind)
		}
	}
	return "unknown"
}
