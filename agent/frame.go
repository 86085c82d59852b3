package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
)

// Framer says how the model is told what hooks say. It is called from the agent's
// goroutines.
type Framer interface {
	// Frame makes of the reason for which the hook of a run refused something, or kept the
	// agent going, what the model is told, in one text or several. None tells it as it is.
	Frame(in hook.Input, run *hook.Run, reason string) []string
	// Label is what stands before a context that the hook of a run gave. "" is the name of
	// the event.
	Label(in hook.Input, run *hook.Run, context string) string
}

// framed is the reason of an outcome as the dialect of its hook tells it, nil when that has
// no way of its own.
func (a *Agent) framed(out *hook.Outcome, in hook.Input) []string {
	if a.cfg.Framer == nil {
		return nil
	}
	for i := range out.Runs {
		if run := &out.Runs[i]; run.Decision == out.Decision && run.Hook.Name == out.DecidedBy {
			return a.cfg.Framer.Frame(in, run, out.Reason)
		}
	}
	return nil
}

// refusalText is the reason of a refusal as one text.
func (a *Agent) refusalText(out *hook.Outcome, in hook.Input) string {
	if texts := a.framed(out, in); len(texts) > 0 {
		return strings.Join(texts, "\n")
	}
	return out.Reason
}

// addObjection tells the model, beside the result of a call, why a hook objects to it.
func (r *run) addObjection(c *toolCall, out *hook.Outcome, in hook.Input) {
	texts := r.framed(out, in)
	if texts == nil {
		texts = []string{fmt.Sprintf("%v:%s hook blocking error from command: %q: %s", out.Event, c.block.Name, out.DecidedBy, out.Reason)}
	}
	for _, text := range texts {
		c.result = remind([]model.Block{c.result}, text)[0]
	}
}

// recordContinuation records what a hook that keeps the agent going tells the model.
func (r *run) recordContinuation(out *hook.Outcome, in hook.Input) error {
	if out.Reason == "" {
		r.res.ContextOnly++
	}
	blocks := r.continuation(out, in)
	if blocks == nil {
		return r.recordUser(joinParagraphs(out.Continuation()))
	}
	return r.record(session.Entry{Type: session.Message}, model.Message{Role: model.User, Content: blocks}, stored{})
}

// continuation is what a hook that keeps the agent going tells the model, nil where its
// dialect has no way of its own.
func (a *Agent) continuation(out *hook.Outcome, in hook.Input) []model.Block {
	if out.Decision != hook.DecisionDeny || out.Reason == "" {
		return nil
	}
	var blocks []model.Block
	for _, text := range a.framed(out, in) {
		blocks = append(blocks, reminder(text))
	}
	if blocks == nil {
		return nil
	}
	for _, text := range out.Continuation()[1:] {
		blocks = append(blocks, model.Text(strings.ToValidUTF8(text, "\uFFFD")))
	}
	return blocks
}

// label says what stands before a context of an outcome.
func (a *Agent) label(out *hook.Outcome, in hook.Input, context string) string {
	for i := range out.Runs {
		run := &out.Runs[i]
		if a.cfg.Framer == nil || run.Answer == nil || !slices.Contains(run.Answer.Context, context) {
			continue
		}
		if label := a.cfg.Framer.Label(in, run, context); label != "" {
			return label
		}
	}
	return sourceOf(in) + " hook additional context"
}

// sourceOf names what context comes from: the event, and the tool that it is about.
func sourceOf(in hook.Input) string {
	switch in := in.(type) {
	case *hook.PreToolUse:
		return "PreToolUse:" + in.ToolName
	case *hook.PostToolUse:
		return "PostToolUse:" + in.ToolName
	case *hook.PostToolUseFailure:
		return "PostToolUseFailure:" + in.ToolName
	}
	return in.Event().String()
}

// sourceCommand is the source of what a command of the person printed, which is no hook's context.
const sourceCommand = "command"

// placeContext puts context into a request: what comes before a subagent's task first, what comes
// before a tool's result apart from it.
func placeContext(req *model.Request, pending []session.Entry, where Placement) {
	last := len(req.Messages) - 1
	if len(pending) == 0 {
		return
	}
	if where == InSystem || last < 0 || req.Messages[last].Role != model.User {
		for _, p := range pending {
			req.System = append(req.System, p.Text)
		}
		return
	}
	msg := req.Messages[last]
	msg.Content = slices.Clone(msg.Content)
	first := 0
	for _, p := range pending {
		text := p.Source + ": " + p.Text
		switch {
		case p.Source == sourceCommand:
			msg.Content = append(msg.Content, model.Text("<local-command-stdout>"+p.Text+"</local-command-stdout>"))
		case strings.HasPrefix(p.Source, "SubagentStart"):
			msg.Content = slices.Insert(msg.Content, first, reminder(text))
			first++
		case strings.HasPrefix(p.Source, "PreToolUse"):
			msg.Content = append(msg.Content, reminder(text))
		default:
			msg.Content = remind(msg.Content, text)
		}
	}
	req.Messages = append(slices.Clone(req.Messages[:last]), msg)
}

// reminder is a text that is not the person's, in a message of theirs.
func reminder(text string) model.Block {
	return model.Text("<system-reminder>\n" + strings.ToValidUTF8(text, "\uFFFD") + "\n</system-reminder>")
}

// remind adds a reminder to the content of a message of the user: to its last result of a
// tool, if it ends with one, and as a block of its own otherwise.
func remind(content []model.Block, text string) []model.Block {
	last := len(content) - 1
	if last < 0 || content[last].Type != model.ToolResultBlock {
		return append(content, reminder(text))
	}
	inner := slices.Clone(content[last].Content)
	if n := len(inner) - 1; n >= 0 && inner[n].Type == model.TextBlock {
		inner[n].Text += "\n\n" + reminder(text).Text
	} else {
		inner = append(inner, reminder(text))
	}
	content[last].Content = inner
	return content
}
