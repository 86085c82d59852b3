package acpproxy

import (
	"cmp"
	"fmt"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/hook"
)

// promptBlocks are the blocks of a prompt, and what of them hooks see as its text: texts
// and embedded text files, which the agent's model reads alike.
type promptBlocks struct {
	blocks []hook.JSON
	text   string
	isText []bool
	images []hook.JSON
}

func readPrompt(params hook.JSON) (*promptBlocks, error) {
	b := &promptBlocks{}
	list, _ := params.Get("prompt")
	if err := list.Decode(&b.blocks); err != nil {
		return nil, fmt.Errorf("the prompt is not a list of blocks: %w", err)
	}
	var texts []string
	for _, one := range b.blocks {
		text, is := "", false
		switch one.String("type") {
		case "text":
			text, is = one.String("text"), true
		case "resource":
			file, _ := one.Get("resource")
			if is = file.Has("text"); is {
				text = fmt.Sprintf("<context ref=%q>\n%s\n</context>", file.String("uri"), file.String("text"))
			}
		case "image":
			b.images = append(b.images, one)
		}
		b.isText = append(b.isText, is)
		texts = append(texts, text)
	}
	b.text = joined(texts)
	return b, nil
}

// replace puts another text in the place of all that hooks saw: nothing of it is left, since
// it may say again what a hook took out.
func (b *promptBlocks) replace(text string) {
	out := []hook.JSON{hook.MustJSON(textBlock(text))}
	for i, one := range b.blocks {
		if !b.isText[i] {
			out = append(out, one)
		}
	}
	b.blocks = out
}

// beforePrompt shows hooks a prompt.
func beforePrompt(p *proxy, c *call) []byte {
	if err := p.of(c); err != nil {
		return c.refuse(err.Error())
	}
	s := c.session
	if !s.active() {
		return nil
	}
	if why := s.unguarded(); why != "" && p.RequireGate {
		s.say("The prompt was refused: %s", why)
		return c.ended("refusal")
	}
	b, err := readPrompt(c.params)
	if err != nil {
		return c.refuse(err.Error())
	}
	s.starting.Lock()
	s.begin()
	s.starting.Unlock()
	typed := &hook.UserInput{Text: b.text, Images: b.images, Source: "interactive"}
	out, err := s.fire(c.ctx, typed, hook.FieldUpdatedPrompt|hook.FieldHandled|hook.FieldDeny)
	if answer, over := c.promptOver(&out, err); over {
		return answer
	}
	if out.Host != nil && out.Host.Handled {
		return c.ended("end_turn")
	}
	in := &hook.UserPromptSubmit{Prompt: typed.Text, Images: b.images}
	out, err = s.fire(c.ctx, in, hook.FieldDeny|hook.FieldUpdatedPrompt|hook.FieldInject)
	if answer, over := c.promptOver(&out, err); over {
		return answer
	}
	for _, m := range out.Inject {
		s.note(hook.Message{Content: m.Content}.Text())
	}
	if in.Prompt != b.text {
		b.replace(in.Prompt)
	}
	if notes := s.takeNotes(); len(notes) > 0 || in.Prompt != b.text {
		if err := c.params.Set("prompt", append(b.blocks, notes...)); err != nil {
			return c.refuse(fmt.Sprintf("the prompt cannot be put together: %v", err))
		}
	}
	return nil
}

// begin begins a turn.
func (s *session) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn++
	clear(s.calls)
	clear(s.through)
}

// promptOver answers a prompt that does not go on.
func (c *call) promptOver(out *hook.Outcome, err error) ([]byte, bool) {
	switch {
	case err != nil:
		return c.refuse("the hooks that guard prompts could not be asked: " + err.Error()), true
	case out.Blocked():
		c.session.say("The prompt was refused: %s", cmp.Or(out.Reason, "a hook refused it"))
		return c.ended("refusal"), true
	case out.Halt:
		return c.ended("refusal"), true
	}
	return nil, false
}

// ended answers a prompt in the agent's place.
func (c *call) ended(reason string) []byte {
	return jsonrpc.Reply(c.request.RawID, hook.MustJSON(map[string]string{"stopReason": reason}))
}

func cancelledPrompt(c *call) []byte { return c.ended("cancelled") }

func promptArrived(c *call) { c.last = c.session.endMessage() }

// afterPrompt fires Stop or StopFailure when the agent is done, and sends it on when hooks
// want that.
func afterPrompt(p *proxy, c *call, m *jsonrpc.Message) []byte {
	s, last := c.session, c.last
	reason := m.Content().String("stopReason")
	switch {
	case m.Failed:
		s.observe(&hook.StopFailure{Error: "unknown", ErrorDetails: m.Content().String("message"), LastAssistantMessage: last})
		return m.Raw
	case reason != "end_turn":
		s.observe(&hook.StopFailure{Error: reason, LastAssistantMessage: last})
		return m.Raw
	case c.ctx.Err() != nil:
		return c.lateCancel(last, m)
	}
	out, err := s.fire(c.ctx, &hook.Stop{StopHookActive: c.stops > 0, LastAssistantMessage: last}, hook.FieldDeny|hook.FieldContinue|hook.FieldFollowUps)
	switch {
	case c.ctx.Err() != nil:
		return c.lateCancel(last, m)
	case err != nil:
		s.say("hooks of Stop could not be asked: %v", err)
		return m.Raw
	case !out.KeepGoing || out.Halt:
		return m.Raw
	case c.stops >= p.MaxStops:
		s.say("hooks kept the agent from stopping %d times in a row; it stops nevertheless", c.stops)
		return m.Raw
	}
	c.stops++
	prompt := append([]hook.JSON{hook.MustJSON(textBlock(joined(out.Continuation())))}, s.takeNotes()...)
	if err := c.params.Set("prompt", prompt); err != nil || !p.send(c) {
		return c.ended("cancelled")
	}
	return nil
}

// lateCancel answers a prompt that the client cancelled when the agent was done with it.
func (c *call) lateCancel(last string, m *jsonrpc.Message) []byte {
	c.session.observe(&hook.StopFailure{Error: "cancelled", LastAssistantMessage: last})
	result := m.Content()
	if !result.SetString("stopReason", "cancelled") {
		return m.Raw
	}
	return m.With(result)
}
